"""greedy.margin-reverse: of all targets with a margin, the one of two tokens is missed the soonest."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME, larger, logs
from proofs_check.language import Derivation, Proof, eq, ge, gt, le
from simspec.claims.balls import ball
from simspec.claims.greedy.margins import MARGIN_REVERSE
from simspec.claims.relaxed.certificate_margin import margin
from simspec.claims.relaxed.parts import divergence, rank
from simspec.laws import Array

ROOTS = "r₁ and r₂ are the roots of p₁ and p₂, and δ is the margin"
REVERSE = "KL(q‖p) is no less than of the two largest (see relaxed.certificate-reverse)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every p that is nowhere zero, and every q.

    Attained for every margin, by p = ((1 + δ)/2, (1 − δ)/2) and q = (1/2, 1/2).
    """
    lg = logs(d)
    r1, r2 = (d.number(name, positive=True) for name in ("r_1", "r_2"))
    delta = d.number("delta_", 0)
    far = d.number("K")
    order, masses, apart = d.domain(ROOTS, le(r2, r1), le(r1**2 + r2**2, 1), eq(delta, r1**2 - r2**2))
    pos = [d.derive("positive", gt(r, 0)) for r in (r1, r2)]
    inner = 1 - (r1 - r2) ** 2
    outer = 1 - delta**2
    positive = d.smt("so is what is left", gt(inner, 0), order, masses, *pos)
    below_one = d.smt("the margin is below 1", le(delta, 1 - 2 * r2**2), apart, masses)
    left = d.smt("so", gt(1 - delta, 0), below_one, *pos)
    right = d.derive("positive", gt(1 + delta, 0))
    positive_outer = d.smt("and what it leaves", gt(outer, 0), left, right)
    square = inner**2
    smaller = le(square, outer)
    smaller = d.smt("(√p₁ − √p₂)² and (√p₁ + √p₂)² are at most 2 together", smaller, order, masses, apart, *pos)
    positive_square = d.smt("a square", gt(square, 0), positive)
    grows = larger(d, lg, square, outer, smaller, positive_square)
    twice = d.instantiate("log of a square", lg.product, {lg.v: inner, lg.w: inner}, positive)
    value = -sp.log(outer) / 2
    reverse = d.domain(REVERSE, ge(far, -sp.log(inner)))
    goal = ge(far, sign * constant * value)
    inner_sizes = [positive, positive_square, positive_outer]
    first = d.smt("the least, by the margin", goal, reverse, grows, twice, *inner_sizes)
    half = sp.S.Half
    half_positive = d.derive("positive", gt(half, 0))
    logarithms = [
        d.instantiate("its logarithm", lg.product, {lg.v: e, lg.w: half}, f, half_positive)
        for e, f in ((1 + delta, right), (1 - delta, left))
    ]
    split = d.instantiate("log of the product", lg.product, {lg.v: 1 + delta, lg.w: 1 - delta}, right, left)
    near = half * (sp.log(half) - sp.log((1 + delta) / 2)) + half * (sp.log(half) - sp.log((1 - delta) / 2))
    same = d.derive("one product", eq(sp.log(outer), sp.log((1 + delta) * (1 - delta))), positive_outer, left, right)
    outer_sizes = [left, right, positive_outer]
    attained = d.smt("of two tokens", eq(near, value), *logarithms, split, same, *outer_sizes)
    d.qed(first, attained, d.derive("that is", eq(-near, -value), attained, *outer_sizes, by="smt"))


def _values(p: Array, q: Array) -> dict[str, Any]:
    first, second = (ball(p[token]).sqrt() for token in rank(p))
    return {**SOME, "r_1": first, "r_2": second, "delta_": margin(p), "K": divergence(q, p)}


PROOF = Proof(MARGIN_REVERSE, prove, drop=REVERSE, bind=_values)
