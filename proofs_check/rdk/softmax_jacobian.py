"""rdk.softmax-jacobian: a column has p_j (1 − p_j) on the diagonal and, as p sums to one, as much in the rest."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, i, j, le, total
from simspec.claims.rdk.softmax_jacobian import SOFTMAX_JACOBIAN


def prove(d: Derivation, sign: int = 1, twice: int = 2) -> None:
    """Every vocabulary and law, the norm of each column of diag(p) − p pᵀ; that it is at most ½ is a step. That this is
    the derivative of softmax is not part of it. That the largest is the operator norm on ℓ1 is the first inequality of
    rdk.softmax-jacobian-norms, which is an equality at a unit vector: J e_j is column j.
    """
    p, mass = d.law("p")
    unit = sp.IndexedBase("unit", real=True)
    flag, picks, once = d.domain(
        "unit is the unit matrix",
        eq(unit[i, j] * (1 - unit[i, j]), 0),
        eq(total(unit[i, j] * p[i], i), p[j]),
        eq(total(unit[i, j] * p[i] * p[j], i), p[j] ** 2),
    )
    terms = d.derive("a mass is not negative", ge(p[i], 0))
    at_most_one = d.derive("so at most one", le(p[j], 1), d.term("one mass is at most all of it", terms, i, j), mass)
    entry = p[i] * (unit[i, j] - sign * p[j])
    split = eq(sp.Abs(entry), unit[i, j] * p[i] * (1 - p[j]) + (1 - unit[i, j]) * p[i] * p[j])
    column = d.summed("on the diagonal, and off it", split, flag, at_most_one, over=i)
    goal = eq(column.relation.lhs, twice * p[j] * (1 - p[j]))
    norm = d.derive("the diagonal and the rest", goal, column, picks, once, mass)
    d.derive("which is ½ − 2 (p_j − ½)², so at most ½", le(norm.relation.lhs, sp.S.Half), norm)
    d.qed(norm)


PROOF = Proof(
    SOFTMAX_JACOBIAN,
    prove,
    drop="p sums to one",
    change={"twice": 1},
    bind=lambda p: {"p": p, "unit": lambda a, b: int(a == b), "V": len(p)},
)
