"""csqs.step: β falls by η times the dropped mass less α, and a dropped mass lies between 0 and 1 (keep-top: 1 − 1/V)."""

from __future__ import annotations

import sympy as sp

from proofs_check.csqs._recursion import LAWS, TOP_KEPT, bind, even_share, mass_bounds, n, text, threshold, top_leaves
from proofs_check.language import Derivation, Fact, Proof, le
from simspec.claims.csqs.step import STEP, STEP_SHARP


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text, start, step size and target in [0, 1]; both readings of an empty set.

    Both ends are attained: −η(1 − α) where nothing is kept, ηα where nothing is dropped.
    """
    w = text(d)
    conclusions: list[Fact] = []
    for top in (False, True):
        h = threshold(d, w, top, sign)
        nonnegative, at_most = mass_bounds(d, w, h)
        fall = h.beta[n] - h.beta[n + 1]
        rise = h.beta[n + 1] - h.beta[n]
        conclusions += [
            d.derive("the largest fall", le(fall, w.eta * (constant - w.alpha)), h.update, at_most),
            d.derive("the largest rise", le(rise, w.eta * w.alpha), h.update, nonnegative),
        ]
    d.qed(*conclusions)


def prove_sharp(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, text, start, step size and target in [0, 1]; keep-top.

    Attained at every V: a flat law and a threshold above 1/V drop 1 − 1/V.
    """
    w = text(d)
    (u, even) = even_share(d)
    h = threshold(d, w, True, sign)
    nonnegative, _ = mass_bounds(d, w, h)
    at_most = top_leaves(d, w, h, u, even)
    fall = h.beta[n] - h.beta[n + 1]
    rise = h.beta[n + 1] - h.beta[n]
    d.qed(
        d.derive("the largest fall", le(fall, w.eta * (1 - constant * u - w.alpha)), h.update, at_most),
        d.derive("the largest rise", le(rise, w.eta * w.alpha), h.update, nonnegative),
    )


PROOFS = (
    Proof(STEP, prove, drop=LAWS, change={"constant": sp.Rational(9, 10)}, bind=bind),
    Proof(STEP_SHARP, prove_sharp, drop=TOP_KEPT, bind=bind),
)
