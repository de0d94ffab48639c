"""tasc.eurlex-size: 57K is 2.9 times 19.6K."""

from __future__ import annotations

from fractions import Fraction as F

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.tasc.eurlex_size import SIZE, SIZE_CORRECTED

PRINTED = {"first": "19.6K", "second": "57K"}


def prove(d: Derivation, first: str = "19.6K", sign: int = 1, allowed: F = F(1)) -> None:
    """The printed pair."""
    every_cell(
        d,
        "the quotient of the two figures is near 2.9",
        SIZE_CORRECTED,
        [{**PRINTED, "first": first}],
        lambda off, tenth: sign * (allowed * tenth - off) >= 0,
        r"|57/19.6 - 2.9| \le 0.1",
    )


PROOFS = (
    Refutation(
        SIZE,
        lambda: [PRINTED],
        scope="the printed pair, the only instance",
        repaired={
            "57K in both places": lambda: [{**PRINTED, "first": "57K"}],
            "the corrected statement": SIZE_CORRECTED,
        },
    ),
    Proof(SIZE_CORRECTED, prove, drop={"first": "57K"}, flip={"sign": -1}, change={"allowed": F(1, 20)}, bind=None),
)
