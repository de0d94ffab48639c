"""tasc.trainable-share: rows of 2,048 weights over 29,933,568 of the adapters."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.claim import Instance
from simspec.claims.tasc.trainable_share import READINGS, SHARE, SHARE_CORRECTED


def readings(rank: int = 16) -> Iterator[Instance]:
    """What is trained beside the adapters, in three readings."""
    return ({"reading": reading, "tokens": 500, "rank": rank} for reading in READINGS)


def prove(d: Derivation, rank: int = 16, sign: int = 1, allowed: F = F(1)) -> None:
    """The three readings; the first two are equalities."""
    every_cell(
        d,
        "the rise is at most what is said",
        SHARE_CORRECTED,
        readings(rank),
        lambda computed, stated: sign * (allowed * stated - computed) >= 0,
        r"\frac{500 \cdot 2048}{29{,}933{,}568} = \frac{1000}{29232}",
    )


PROOFS = (
    Refutation(
        SHARE,
        readings,
        scope="the three readings, in the order of what is trained",
        repaired={
            "rank 9, embedding alone": lambda: [{"reading": READINGS[0], "tokens": 500, "rank": 9}],
            "the corrected statement": SHARE_CORRECTED,
        },
    ),
    Proof(SHARE_CORRECTED, prove, drop={"rank": 15}, flip={"sign": -1}, change={"allowed": F(99, 100)}, bind=None),
)
