"""folk.zero-coin: of the 2²⁴ coins the one that is 0 is at most every c, and below none that is 0."""

from __future__ import annotations

from fractions import Fraction as F
from math import ceil

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, ge, gt, le
from simspec.claims.folk.zero_coin import GRID, ZERO_COIN, ZERO_COIN_CORRECTED

COUNT, NONE = "as many coins are below c as whole numbers below 2²⁴c", "no coin is below 0"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every c from 0 to 1.

    The first is approached from c just above a multiple of 2⁻²⁴; the second is attained on the multiples.
    """
    c, m, none = d.number("c", 0, 1), d.number("m", 0), d.number("none", 0)
    most, least = d.domain(COUNT, gt(c * GRID + 1, m), ge(m, c * GRID))
    empty = d.domain(NONE, le(none, 0))
    d.qed(
        d.derive("one more at most", le(m / GRID - sign * c, sp.Rational(2 - constant, GRID)), most),
        d.derive("no fewer", le(c - m / GRID, 0), least),
        d.derive("none", le(none / GRID, 0), empty),
    )


PROOFS = (
    Refutation(
        ZERO_COIN,
        lambda: ({"c": F(0)},),
        scope="a token with p = 0, the only instance: the coin 0 accepts it, once in 2²⁴",
        repaired={"u < c": ZERO_COIN_CORRECTED},
    ),
    Proof(
        ZERO_COIN_CORRECTED,
        prove,
        drop=COUNT,
        bind=lambda c: {"c": c, "m": ceil(c * GRID), "none": 0},
    ),
)
