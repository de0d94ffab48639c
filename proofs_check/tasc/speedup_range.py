"""tasc.speedup-range: the printed factors are 1.19, 2.1 and 2.31."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.claim import Instance
from simspec.claims.tasc.speedup_range import MOST, MOST_CORRECTED, PRINTED, SLIGHTLY, SLIGHTLY_CORRECTED

TWO = {"small": "2.31", "large": "1.19"}


def factors(scale: int = 1) -> Iterator[Instance]:
    """The three printed factors."""
    return ({"place": place, "printed": str(scale * F(printed))} for place, printed in PRINTED.items())


def prove_most(d: Derivation, scale: int = 1, sign: int = 1, margin: F = F(0)) -> None:
    """All three; 2.31 is attained."""
    every_cell(
        d,
        "no factor is above 2.31",
        MOST_CORRECTED,
        factors(scale),
        lambda printed, limit: sign * (limit - printed) >= margin,
        r"\mathrm{factor} \le 2.31",
    )


def prove_slightly(d: Derivation, small: str = "2.31", sign: int = 1, share: F = F(1)) -> None:
    """The two factors."""
    every_cell(
        d,
        "the quotient of the gains is between a seventh and a sixth",
        SLIGHTLY_CORRECTED,
        [{**TWO, "small": small}],
        lambda off, allowed: sign * (share * allowed - off) >= 0,
        r"\tfrac17 \le 0.19/1.31 \le \tfrac16",
    )


PROOFS = (
    Refutation(
        MOST,
        factors,
        scope="the three printed factors in the order of their places",
        repaired={
            "Table 6 alone": lambda: [{"place": "Table 6", "printed": "2.1"}],
            "the corrected statement": MOST_CORRECTED,
        },
    ),
    Proof(MOST_CORRECTED, prove_most, drop={"scale": 2}, flip={"sign": -1}, change={"margin": F(1, 100)}, bind=None),
    Refutation(
        SLIGHTLY,
        lambda: [TWO],
        scope="the two printed factors, the only instance",
        repaired={
            "× 1.31 for the smaller model": lambda: [{**TWO, "small": "1.31"}],
            "the corrected statement": SLIGHTLY_CORRECTED,
        },
    ),
    Proof(
        SLIGHTLY_CORRECTED,
        prove_slightly,
        drop={"small": "1.31"},
        flip={"sign": -1},
        change={"share": F(1, 2)},
        bind=None,
    ),
)
