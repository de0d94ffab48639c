"""tasc.table6-order: 2.1 is below 2.17, and the largest number that rounds to the one is below the smallest for the other."""

from __future__ import annotations

from fractions import Fraction as F

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge
from simspec.claims.claim import Instance
from simspec.claims.tasc.parts import value
from simspec.claims.tasc.table6_order import ORDER, ORDER_CORRECTED

PRINTED: Instance = {"tasc_ft": "2.1", "tasc_spec": "2.17"}


def prove(d: Derivation, rounded: F = F(1, 2), sign: int = 1, hundredths: int = 217) -> None:
    """The printed pair."""
    ft = sp.Rational(21, 10)
    spec = sp.Rational(hundredths, 100)
    unit = sp.Rational(rounded)
    lower_figure = spec - sign * unit / 100
    upper_figure = ft + sign * unit / 10
    d.numeric(
        "TASC-spec's figure, rounded to hundredths, stands for at least", eq(lower_figure, sp.Rational(2165, 1000))
    )
    d.numeric("TASC-ft's figure, rounded to tenths, stands for at most", eq(upper_figure, sp.Rational(215, 100)))
    d.qed(d.numeric("in order", ge(lower_figure, upper_figure)))


PROOFS = (
    Refutation(
        ORDER,
        lambda: [PRINTED],
        scope="the printed pair, the only instance",
        repaired={"the corrected statement": ORDER_CORRECTED},
    ),
    Proof(
        ORDER_CORRECTED,
        prove,
        drop={"rounded": F(1)},
        change={"hundredths": 215},
        bind=lambda tasc_ft, tasc_spec: {"ft": value(tasc_ft), "spec": value(tasc_spec)},
    ),
)
