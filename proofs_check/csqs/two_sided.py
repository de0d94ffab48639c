"""csqs.two-sided: an average differs from α by the move of the threshold over ηT, and the threshold stays in a range."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.csqs._dropped_sum import at_end, dropped_sum, summed
from proofs_check.csqs._recursion import (
    BELOW,
    REACH,
    TOP,
    T,
    bind,
    highest,
    lowest,
    n,
    never_beyond_half,
    text,
    threshold,
)
from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, x
from simspec.claims.csqs.parts import CERTAIN, INSIDE, READINGS
from simspec.claims.csqs.two_sided import TWO_SIDED
from simspec.claims.csqs.two_sided_best_start import BEST_START
from simspec.claims.csqs.two_sided_keep_top import TWO_SIDED_KEEP_TOP
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, length: sp.Expr | int = 1) -> None:
    """Every text, T, start in the range, step size and target in [0, 1]; literal.

    1 + η is the least constant for these starts: T certain tokens, ηαT = 1 + η and β₁ = −η(1 − α) drop nothing.
    """
    w = text(d)
    starts = d.assume(INSIDE, ge(w.start, -w.eta * (1 - w.alpha)), le(w.start, 1 + w.eta * w.alpha))
    _within(d, w, starts, length * (1 + w.eta), sign)


def prove_best_start(d: Derivation, sign: int = 1, length: sp.Expr = sp.S.Half) -> None:
    """Every text, T, step size and target in [0, 1]; literal.

    (1 + η)/2 is the least constant for this start: T certain tokens with ηαT = (1 + η)/2 drop nothing.
    """
    w = text(d)
    middle = d.domain("the start is the middle", eq(w.start, sp.S.Half + w.eta * (w.alpha - sp.S.Half)))
    _within(d, w, [middle], length * (1 + w.eta), sign)


def _within(d: Derivation, w: Any, starts: Sequence[Fact], largest_move: sp.Expr, sign: int) -> None:
    """|S_T − αT| ≤ most/η, divided by T."""
    h = threshold(d, w, False, sign)
    s = dropped_sum(d, h)
    after = summed(d, w, h, s)
    low = at_end(d, lowest(d, w, h))
    high = at_end(d, highest(d, w, h))
    off = w.eta * (s.S[T] - w.alpha * T)
    up = d.derive("the threshold is not far below the start", le(off, largest_move), after, low, *starts)
    down = d.derive("nor far above it", le(-off, largest_move), after, high, *starts)
    moved_at_most = d.derive(
        "it has moved by no more", le(sp.Abs(s.S[T] - w.alpha * T) * w.eta, largest_move), up, down
    )
    d.qed(d.derive("on average", le(sp.Abs(s.S[T] - w.alpha * T) / T, largest_move / (w.eta * T)), moved_at_most))


def prove_keep_top(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """Every text of such laws, T, start, step size and target in [0, 1]; both readings of an empty set.

    Below: attained at every T by two equally likely tokens and β₁ = ½ − (T − 1)ηα. Above: csqs.largest-excess.
    """
    w = text(d)
    certain = d.assume(CERTAIN, le(w.q[n, x], 1 - w.alpha))
    rise = sp.Max(0, half + w.eta * w.alpha - w.start)
    fall = sp.Max(0, w.start + w.eta * (1 - w.alpha))
    conclusions = []
    for top in READINGS:
        h = threshold(d, w, top, sign)
        s = dropped_sum(d, h)
        after = summed(d, w, h, s)
        low = at_end(d, lowest(d, w, h))
        high = at_end(d, never_beyond_half(d, w, h, certain, half))
        from_below = d.derive(
            "the threshold rises to ½ + ηα at most", le(w.eta * (w.alpha * T - s.S[T]), rise), after, high
        )
        from_above = d.derive("and falls to −η(1 − α) at most", le(w.eta * (s.S[T] - w.alpha * T), fall), after, low)
        conclusions += [
            d.derive("the average from below", le(w.alpha - s.S[T] / T, rise / (w.eta * T)), from_below),
            d.derive("the average from above", le(s.S[T] / T - w.alpha, fall / (w.eta * T)), from_above),
        ]
    d.qed(*conclusions)


def values(q: Array, step_size: Fraction, dropped_target: Fraction) -> dict[str, Any]:
    return bind(q, (1 + step_size * (2 * dropped_target - 1)) / 2, step_size, dropped_target)


PROOFS = (
    Proof(TWO_SIDED, prove, drop=REACH, change={"length": sp.Rational(9, 10)}, bind=bind),
    Proof(BEST_START, prove_best_start, drop=BELOW, change={"length": sp.Rational(2, 5)}, bind=values),
    Proof(TWO_SIDED_KEEP_TOP, prove_keep_top, drop=TOP, change={"half": sp.Rational(1, 3)}, bind=bind),
)
