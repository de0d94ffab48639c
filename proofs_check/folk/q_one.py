"""folk.q-one: candidate j is reached with the mass that the earlier ones leave, and kept with its share of that mass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, laws, x
from simspec.claims.claim import Instance
from simspec.claims.folk.parts import off
from simspec.claims.folk.q_one import Q_ONE, Q_ONE_CORRECTED

n = sp.Symbol("n", integer=True, nonnegative=True)
MARKS = "a candidate is one token"
SHARE = "it is kept with its share of what is left"
REST = "what is left at the end"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law, every number of different candidates in every order."""
    p = d.weights("p")
    t, mass, keep = (sp.IndexedBase(name, real=True) for name in ("t", "m", "keep"))
    marks = d.domain(MARKS, eq(t[n, x] * mass[n], t[n, x] * p[x]))
    R, A, out, U = (sp.IndexedBase(name, real=True) for name in ("R", "A", "out", "U"))
    all_, remainder_step = d.recursion("mass of what was not tried", eq(R[0], 1), eq(R[n + 1], R[n] - sign * mass[n]))
    share = d.domain(SHARE, eq(keep[n] * R[n], constant * mass[n]))
    start, on = d.recursion("reached", eq(A[0], 1), eq(A[n + 1], A[n] * (1 - keep[n])))
    reached = eq(A[n], R[n])
    before = d.suppose("reached with what is left", reached)
    refused_mass = d.derive("refused", eq(A[n] * keep[n], mass[n]), before, share)
    reached = d.inductive(
        "for every candidate", reached, n, [all_, start], [remainder_step, on, before, refused_mass], by="smt"
    )
    none, output_step = d.recursion(
        "kept so far", eq(out[0, x], 0), eq(out[n + 1, x], out[n, x] + t[n, x] * A[n] * keep[n])
    )
    no_mark, mark = d.recursion("candidates so far", eq(U[0, x], 0), eq(U[n + 1, x], U[n, x] + t[n, x]))
    accepted_mass = d.derive(
        "kept with its mass", eq(t[n, x] * A[n] * keep[n], t[n, x] * p[x]), reached, share, marks, by="smt"
    )
    for_every_n = d.inductive(
        "candidates come out as p says",
        eq(out[n, x], U[n, x] * p[x]),
        n,
        [none, no_mark],
        [output_step, mark, accepted_mass],
    )
    size = sp.Symbol("size", integer=True, nonnegative=True)
    residual = sp.IndexedBase("left", real=True)
    end = d.domain(REST, eq(residual[x] * R[size], (1 - U[size, x]) * p[x]))
    for_every_n, reached = (d.instantiate("of all candidates", f, {n: size}) for f in (for_every_n, reached))
    d.qed(
        d.derive(
            "and the others as what is left",
            eq(out[size, x] + A[size] * residual[x], p[x]),
            for_every_n,
            reached,
            end,
            by="smt",
        )
    )


def _values(p: Any, candidates: Sequence[int]) -> dict[str, Any]:
    remaining = p
    keeps = []
    for token in candidates:
        keeps.append(remaining[token])
        hot = p * 0
        hot[token] = 1
        remaining = off(remaining, hot)
    return {
        **{"p": p, "t": lambda at, token: int(candidates[at] == token - 1), "m": lambda at: p[candidates[at]]},
        **{"keep": lambda at: keeps[at], "left": remaining, "size": len(candidates), "V": len(p)},
        "ranges": {"n": range(len(candidates))},
    }


def by_size() -> Iterator[Instance]:
    """Laws over two tokens without zeros, and every ordered list of candidates."""
    for denominator, size in product((2, 3), (1, 2)):
        for p in laws(2, denominator):
            if p.min() > 0:
                yield from ({"p": p, "candidates": list(order)} for order in permutations(range(2), size))


PROOFS = (
    Refutation(
        Q_ONE,
        by_size,
        scope="the first law over two tokens without zeros; by the corrected claim every law and list is a counterexample",
        repaired={"it is lossless": Q_ONE_CORRECTED},
    ),
    Proof(Q_ONE_CORRECTED, prove, drop=SHARE, bind=_values),
)
