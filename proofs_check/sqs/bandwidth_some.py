"""sqs.bandwidth.some: the dense lattice has V points at ℓ = 1 and grows with ℓ; one kept token takes V code words at every ℓ."""

from __future__ import annotations

from math import comb
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le
from simspec.claims.sqs.bandwidth import BANDWIDTH_SOME

n, T = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("n", "T"))


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary of two tokens or more and every resolution.

    Attained over two tokens, at ℓ = 1 and at ℓ = 2: no larger number can be added on the left.
    """
    points = sp.IndexedBase("points", real=True)
    vocab = d.number("vocab", 2)
    first, ratio = d.recursion(
        "points of the lattice of one unit; of one unit more, by the ratio of binomials",
        eq(points[0], vocab),
        eq(points[n + 1], points[n] * (n + 1 + sign * vocab) / (n + 2)),
    )
    two = d.derive("two tokens or more", ge(vocab, 2))
    goal = ge(points[n], vocab + constant * sp.Min(n, 1))
    for_every_n = d.inductive(
        "never fewer than V, and one more from ℓ = 2 on", goal, n, [first], [ratio, two], by="smt"
    )
    last = d.instantiate("at ℓ = T + 1", for_every_n, {n: T})
    d.qed(d.derive("the code of one token", le(vocab + constant * sp.Min(T, 1), points[T]), last))


def bind(vocab: int, resolution: int) -> dict[str, Any]:
    """The lattice points by ℓ - 1."""
    points = {"points": lambda n: comb(int(n) + vocab, vocab - 1), "vocab": vocab}
    return {**points, "T": resolution - 1, "ranges": {"n": range(resolution)}}


PROOF = Proof(BANDWIDTH_SOME, prove, drop="vocab is in its range", bind=bind)
