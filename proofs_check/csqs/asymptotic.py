"""csqs.asymptotic: the average differs from α by the threshold's move over ηT, and both ends of its range bound that move."""

from __future__ import annotations

import sympy as sp

from proofs_check.csqs._dropped_sum import at_end, dropped_sum, summed
from proofs_check.csqs._recursion import BELOW, T, bind, highest, lowest, text, threshold
from proofs_check.language import Derivation, Proof, le
from simspec.claims.csqs.asymptotic import ASYMPTOTIC, ASYMPTOTIC_SHARP
from simspec.claims.csqs.parts import READINGS

(LITERAL,) = ASYMPTOTIC_SHARP.assumes


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text, T, start, step size and target in [0, 1]; both readings of an empty set.

    Not sharp: csqs.asymptotic-sharp.
    """
    w = text(d)
    C = constant * sp.Abs(w.start) / w.eta + 1
    conclusions = []
    for top in READINGS:
        h = threshold(d, w, top, sign)
        s = dropped_sum(d, h)
        after = summed(d, w, h, s)
        low = at_end(d, lowest(d, w, h))
        total = d.derive("the fall is at most |β₁| + η", le(s.S[T], w.alpha * T + C), after, low)
        conclusions.append(d.derive("on average", le(s.S[T] / T, w.alpha + C / T), total))
    d.qed(*conclusions)


def prove_sharp(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text, T, start, step size and target in [0, 1]; literal.

    Below: attained at every T by laws that are one point, β₁ = 1 − (T − 1)ηα. Above: flat laws over V tokens and β₁ =
    1/V + ε come within (1/V + ε)/η of it at T = 1; with V it is csqs.average-dropped-sharp. (For α = 0 and β₁ ≤ 0
    nothing is ever dropped.)
    """
    w = text(d)
    h = threshold(d, w, False, sign, assumed=LITERAL)
    s = dropped_sum(d, h)
    after = summed(d, w, h, s)
    low = at_end(d, lowest(d, w, h))
    high = at_end(d, highest(d, w, h))
    rise = sp.Max(0, constant + w.eta * w.alpha - w.start)
    fall = sp.Max(0, w.start + w.eta * (1 - w.alpha))
    from_below = d.derive(
        "the threshold rises to 1 + ηα at most", le(w.eta * (w.alpha * T - s.S[T]), rise), after, high
    )
    from_above = d.derive("and falls to −η(1 − α) at most", le(w.eta * (s.S[T] - w.alpha * T), fall), after, low)
    d.qed(
        d.derive("the average from below", le(w.alpha - s.S[T] / T, rise / (w.eta * T)), from_below),
        d.derive("the average from above", le(s.S[T] / T - w.alpha, fall / (w.eta * T)), from_above),
    )


PROOFS = (
    Proof(ASYMPTOTIC, prove, drop=BELOW, change={"constant": sp.S.Half}, bind=bind),
    Proof(ASYMPTOTIC_SHARP, prove_sharp, drop=BELOW, change={"constant": sp.S.Half}, bind=bind),
)
