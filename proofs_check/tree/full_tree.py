"""tree.full-tree: level d of a full tree accepts A^d; by induction on the levels their sum is at least D (1 − D ε)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, index, le, total
from simspec.claims.tree.power_law import FULL_TREE

n, D = sp.symbols("n D", integer=True, nonnegative=True)
K = sp.Symbol("K", integer=True, positive=True)
m = index("m")
ROOM = "the rates sum to at most one"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of levels and of children, all rates; by induction on the levels.

    Sharp: equality for one level, and for ε = 0.
    """
    a = d.weights("a", m)
    A = total(a[m], m, upto=K)
    rate_at_most_one = d.domain(ROOM, le(A, 1))
    some = d.sum("no rate is negative", d.derive("a rate", ge(a[m], 0)), m, upto=K)
    W = sp.IndexedBase("W", real=True)
    none, level_step = d.recursion(
        "accepted in the last n levels",
        eq(W[0], 0),
        eq(W[n + 1], total(a[m], m, upto=K) * (1 + W[n])),
    )
    bound = ge(W[n], n * (1 - sign * constant * n * (1 - A)))
    hypothesis = d.suppose("with a level less", bound)
    step = d.smt("one level more", bound.replace({n: n + 1}), level_step, hypothesis, rate_at_most_one, some)
    first = d.derive("without a level", bound.replace({n: 0}), none)
    for_every_n = d.induction("for every number of levels", bound, n, first, step)
    d.qed(d.instantiate("of all levels", for_every_n, {n: D}))


def _values(rates: Any, levels: int) -> dict[str, Any]:
    return {"a": rates, "K": len(rates), "D": levels, "V": 1, "ranges": {"m": range(1, len(rates) + 1), "n": range(1)}}


PROOF = Proof(FULL_TREE, prove, drop=ROOM, bind=_values, change={"constant": 0})
