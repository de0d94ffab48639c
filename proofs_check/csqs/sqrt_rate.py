"""csqs.sqrt-rate: above, Eq. 8 summed and divided by ηT = c√T; below, an average is not negative and α = d/√T is small."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.csqs._dropped_sum import at_end, dropped_sum, never_negative, summed
from proofs_check.csqs._recursion import BELOW, T, bind, lowest, mass_bounds, text, threshold
from proofs_check.language import Derivation, Proof, eq, ge, le
from simspec.claims.csqs.parts import READINGS
from simspec.claims.csqs.sqrt_rate import SQRT_RATE
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text of T ≥ 1 tokens, every start, c and d; both readings of an empty set. Compared with the claim where T
    is a square, so that √T is exact.

    Where C = d it is attained below by laws that are one point (nothing is ever dropped, α = d/√T).
    """
    w = text(d)
    root = d.number("root", positive=True)
    c = d.number("c", positive=True)
    e = d.number("e", 0)
    step, target, square = d.domain(
        "the rates, and T = root²", eq(w.eta * root, c), eq(w.alpha * root, e), eq(T, root**2)
    )
    B, C = sp.symbols("B C", real=True)
    fall_named = d.define("the fall over c", B, sp.Max(w.start, 0) / c + constant * (1 - e / root) / root)
    named = d.define("C", C, sp.Max(e, B))
    at_least_d = d.derive("C is no less than d", ge(C, e), named)
    rest = d.derive("nor than B", ge(C, B), named)
    rest = d.derive(
        "which bounds the fall",
        ge(C * c, sp.Max(0, w.start + w.eta * (1 - w.alpha))),
        *(rest, fall_named, step, target),
    )
    conclusions = []
    for top in READINGS:
        h = threshold(d, w, top, sign)
        nonnegative, at_most = mass_bounds(d, w, h)
        s = dropped_sum(d, h)
        after = summed(d, w, h, s)
        some = never_negative(d, s, nonnegative)
        low = at_end(d, lowest(d, w, h, at_most))
        fall = d.derive("the fall", le(w.eta * (s.S[T] - w.alpha * T), C * c), after, low, rest)
        above = d.derive("divided by η", le(s.S[T] - e * root, C * root), fall, step, target, square)
        below = d.derive("no less than nothing", le(e * root - s.S[T], C * root), some, at_least_d)
        near = d.derive("C√T apart", le(sp.Abs(s.S[T] - e * root), C * root), above, below)
        conclusions += [
            d.derive("on average", le(sp.Abs(s.S[T] - e * root) / root**2, C / root), near),
            d.derive("in all", le(s.S[T], (C + e) * root), above),
        ]
    d.qed(*conclusions)


def values(q: Array, root: int, start: Fraction, c: Fraction, d: Fraction) -> dict[str, Any]:
    bindings = bind(q, start, c / root, d / root)
    return {**bindings, "root": root, "c": c, "e": d, "T": len(q), "ranges": {"n": range(len(q))}}


PROOF = Proof(SQRT_RATE, prove, drop=BELOW, change={"constant": sp.S.Half}, bind=values)
