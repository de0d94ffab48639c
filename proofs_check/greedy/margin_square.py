"""greedy.margin-square: the best certificate in the margin is at least half its square, by two slopes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME, logs
from proofs_check.ears._truth_values import flag, truth
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, gt, laws, le
from simspec.claims.claim import Instance
from simspec.claims.greedy.margins import MARGIN_SQUARE, MARGIN_SQUARE_CORRECTED
from simspec.claims.relaxed.certificate_margin import margin
from simspec.claims.relaxed.parts import divergence, rank
from simspec.laws import Array

MARGIN = "KL(p‖q) is no less than of two tokens (see relaxed.certificate-margin)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every p, and every q that is positive where p is.

    Equality where p₁ = p₂; the ratio tends to 1 as the margin falls to 0.
    """
    lg = logs(d)
    delta = d.number("delta_", 0, 1)
    far = d.number("K")
    f, is_f = truth(d, "f", 1 - delta)
    high = d.derive("positive", gt(1 + delta, 0))
    up = sp.log(1 + delta)
    down = sp.log(1 - delta + f)
    best = d.domain(MARGIN, ge(far, ((1 + delta) * up + (1 - delta) * down) / 2))
    s = d.number("s", 0)
    log_once = sp.log(1 + s)
    log_twice = sp.log(1 + 2 * s)
    zero = d.derive("from 0 on", ge(s, 0))
    inner = log_twice - 2 * s / (1 + s)
    slope = d.smt("a square over positive numbers", ge(sp.diff(inner, s), 0), zero)
    inner = d.increasing("log(1 + 2s) is at least 2s/(1 + s)", inner, s, sp.S.Zero, slope, zero)
    form = (1 + 2 * s) / (2 * (1 + s)) * log_twice - log_once - sign * s**2 / (2 * (1 + s) ** 2)
    slope = d.smt("so this slope is not negative", ge(sp.diff(form, s), 0), inner, zero)
    form = d.increasing("the certificate is at least half the square", form, s, sp.S.Zero, slope, zero)
    usual = d.case("below 1", gt(1 - delta, 0))
    at = delta / (1 - delta)
    there = d.smt("δ/(1 − δ)", ge(at, 0), usual)
    there = d.instantiate("at δ/(1 − δ)", form, {s: at}, there, usual)
    no_f = d.smt("f is 0", eq(f, 0), is_f[0], usual)
    names = [
        d.smt("its denominators", eq(e, g), usual)
        for e, g in ((1 + at, 1 / (1 - delta)), (1 + 2 * at, (1 + delta) / (1 - delta)))
    ]
    inverse = d.smt("positive", gt(1 / (1 - delta), 0), usual)
    gone = d.instantiate("log of the product", lg.product, {lg.v: 1 / (1 - delta), lg.w: 1 - delta}, inverse, usual)
    split = d.instantiate(
        "log of the product", lg.product, {lg.v: 1 / (1 - delta), lg.w: 1 + delta}, inverse, high, usual
    )
    ratio = d.smt("positive", gt((1 + delta) / (1 - delta), 0), usual, high)
    plain = [
        d.derive("a logarithm", eq(sp.log(1 + at), sp.log(1 / (1 - delta))), names[0], inverse, usual),
        d.derive("a logarithm", eq(sp.log(1 + 2 * at), sp.log((1 + delta) / (1 - delta))), names[1], ratio, usual),
        d.derive("a logarithm", eq(down, sp.log(1 - delta)), no_f, usual),
    ]
    goal = ge(far, constant * delta**2 / 2)
    logarithms = [*plain, gone, split]
    sizes = [usual, high, inverse, ratio, is_f[2]]
    case_usual = d.smt("below 1", goal, there, *names, *logarithms, best, *sizes)
    full = d.case("at 1", le(1 - delta, 0))
    full_margin = d.smt("δ is 1", eq(delta, 1), full)
    bare = d.numeric("log 2 is more than a half", ge(sp.log(2), sp.S.Half))
    named = d.derive("log 2", eq(up, sp.log(2)), full_margin, high)
    margin_facts = [named, bare, full_margin]
    case_full = d.smt("at 1", goal, best, *margin_facts, high, is_f[2])
    d.qed(d.cases("whether δ is 1", case_usual, case_full))


def _values(p: Array, q: Array) -> dict[str, Any]:
    return {**SOME, "delta_": margin(p), "f": flag(margin(p) == 1), "K": divergence(p, q), "s": 0}


def _pairs(limit: int) -> Iterator[Instance]:
    """Pairs of laws that are nowhere zero in q, whose modes differ."""
    for size in range(2, 7):
        for p in laws(2, size):
            for q in laws(2, size):
                first, second = rank(p)
                if (q > 0).all() and q[second] >= q[first] and margin(p) * size <= limit:
                    yield {"p": p, "q": q, "b": second}


PROOFS = (
    Refutation(
        MARGIN_SQUARE,
        lambda: _pairs(6),
        scope="the first by denominator, with two tokens",
        repaired={"half the square": MARGIN_SQUARE_CORRECTED, "no margin": lambda: _pairs(0)},
    ),
    Proof(MARGIN_SQUARE_CORRECTED, prove, drop=MARGIN, bind=_values),
)
