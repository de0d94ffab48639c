"""rdk.percentage: 500 of 200,000 is a quarter of a percent, a thousand times the printed figure."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq
from simspec.claims.rdk.percentage import PERCENTAGE, PERCENTAGE_CORRECTED

NUMBERS = "the numbers of 6.2"


def prove(d: Derivation, sign: int = 1, hundredths: int = 25) -> None:
    """The two numbers printed."""
    retained = d.number("kept", 0)
    vocab = d.number("vocab", positive=True)
    printed_numbers = d.domain(NUMBERS, eq(retained, 500), eq(vocab, 200_000))
    d.qed(
        d.derive("the share that is kept", eq(100 * retained / vocab, sp.Rational(hundredths, 100)), *printed_numbers),
        d.derive("the rest", eq(100 * (vocab - sign * retained) / vocab, sp.Rational(9975, 100)), *printed_numbers),
    )


PROOFS = (
    Proof(
        PERCENTAGE_CORRECTED,
        prove,
        drop=NUMBERS,
        change={"hundredths": 26},
        bind=lambda kept, vocab: {"kept": kept, "vocab": vocab},
    ),
    Refutation(
        PERCENTAGE,
        lambda: PERCENTAGE.against,
        scope="the two numbers printed, the only instance",
        repaired={"0.25 % in place of 0.00025 %": PERCENTAGE_CORRECTED},
    ),
)
