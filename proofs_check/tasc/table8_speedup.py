"""tasc.table8-speedup: 1,280 ms over 1,130 ms is 1.13; no times within 10 ms of these give 1.19."""

from __future__ import annotations

from fractions import Fraction as F

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, le, lt
from simspec.claims.tasc.table8_speedup import SPEEDUP, SPEEDUP_CORRECTED

TIMES = {"before": "1280", "after": "1130"}


def prove(d: Derivation, times: F = F(1280, 1130), sign: int = 1, half: F = F(1, 200)) -> None:
    """The printed figures.

    |128/113 − 1.13| = 31/11300.
    """
    quotient = sp.Rational(times)
    printed = sign * sp.Rational(113, 100)
    d.numeric("the quotient in lowest terms", eq(quotient, sp.Rational(128, 113)))
    d.numeric("no times within 10 ms give 1.18", lt(sp.Rational(1290, 1120), sp.Rational(118, 100)))
    d.qed(d.numeric("within half a unit of 1.13", le(sp.Abs(quotient - printed), sp.Rational(half))))


PROOFS = (
    Refutation(
        SPEEDUP,
        lambda: [{**TIMES, "printed": "1.19"}],
        scope="the printed figure, the only instance",
        repaired={
            "1.13 in place of 1.19": lambda: [{**TIMES, "printed": "1.13"}],
            "the corrected statement": (SPEEDUP_CORRECTED, lambda: [{**TIMES, "printed": "1.13"}]),
        },
    ),
    Proof(
        SPEEDUP_CORRECTED,
        prove,
        drop={"times": F(1290, 1120)},
        change={"half": F(1, 500)},
        bind=lambda before, after, printed: {},
    ),
)
