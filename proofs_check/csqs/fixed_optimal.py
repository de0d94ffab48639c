"""csqs.fixed-optimal: X(β) holds the tokens worth β or more, so no other sets do better at this price (Neyman and Pearson)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.csqs._fixed_sets import REACHED, best_choice, bind, c, in_all, laws, literal_choice, over_text, sets
from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from simspec.claims.csqs.fixed_optimal import OPTIMAL
from simspec.claims.csqs.parts import KEEPS
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text, fixed threshold β > 0 and sets; both readings of an empty set.

    Equality for X(β) itself, and for sets that differ from it in tokens of probability β.
    """
    w = laws(d, c)
    other_sets = sp.IndexedBase("other", real=True)
    beta = d.number("beta", positive=True)
    r = other_sets[c, x]
    q = w.q[c, x]
    some = d.assume(KEEPS, ge(total(r, x), 1))
    bit = d.domain("a token is kept or not", eq(r * (1 - r), 0))
    s = sets(d, w, c, beta)
    literal = literal_choice(d, w, s, c, beta, other_sets, bit)
    top = best_choice(d, w, s, c, beta, other_sets, (bit, some))
    conclusions = []
    for mask, fact in ((s.keep[c, x], literal), (s.mask, top)):
        set_sizes = in_all(mask)
        lost = in_all((1 - mask) * q)
        bound = le(constant * set_sizes + sign * (lost - in_all((1 - r) * q)) / beta, in_all(r))
        conclusions.append(d.derive("divided by the price", bound, over_text(d, fact)))
    d.qed(*conclusions)


def values(q: Array, kept: Array, threshold: Fraction) -> dict[str, Any]:
    return {**bind(q, threshold), "beta": threshold, "other": lambda c, x: kept[c - 1][x - 1]}


PROOF = Proof(OPTIMAL, prove, drop=REACHED, bind=values)
