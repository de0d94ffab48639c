"""tasc.table5-gain: of the nine scores with added tokens eight are above those with none, and one is below."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.claim import Instance
from simspec.claims.tasc.parts import value
from simspec.claims.tasc.table5_gain import FALLS, GAIN, GAIN_CORRECTED, TABLE_5


def scores() -> Iterator[Instance]:
    """The nine scores with added tokens, each beside the one without."""
    for added in (250, 500, 1000):
        for metric, before in TABLE_5[0].items():
            yield {"added": added, "metric": metric, "score": TABLE_5[added][metric], "before": before}


def prove(d: Derivation, names: bool = True, sign: int = 1, margin: F = F(0)) -> None:
    """All nine cells.

    All three ends are attained: gains of 0.4 and 1.6, and the fall of 0.25.
    """
    gain_cells = scores() if names else ({**cell, "metric": "intent accuracy"} for cell in scores())
    every_cell(
        d,
        "each gain is between 0.4 and 1.6, and minus 0.25 for slot F1 at 1,000 tokens",
        GAIN_CORRECTED,
        gain_cells,
        lambda gain, lower_bound: sign * gain >= sign * lower_bound + margin,
        r"\tfrac25 \le \mathrm{score} - \mathrm{before} \le \tfrac85",
    )
    d.exhaust(
        "slot F1 at 1,000 tokens is the one that falls",
        lambda cell: (value(cell["score"]) < value(cell["before"])) == ((cell["added"], cell["metric"]) == FALLS),
        scores(),
    )


PROOFS = (
    Refutation(
        GAIN,
        scores,
        scope="the first, and only, of the nine cells",
        repaired={
            "without slot F1 at 1,000 tokens": lambda: (c for c in scores() if (c["added"], c["metric"]) != FALLS),
            "the corrected statement": GAIN_CORRECTED,
        },
    ),
    Proof(GAIN_CORRECTED, prove, drop={"names": False}, change={"margin": F(1, 100)}, bind=None),
)
