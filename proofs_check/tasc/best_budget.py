"""tasc.best-budget: in Table 5 no budget scores above 250 tokens."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

from proofs_check.language import Derivation, Proof
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.claim import Instance
from simspec.claims.tasc.best_budget import BEST, METRICS
from simspec.claims.tasc.table5_gain import TABLE_5


def metrics(backwards: bool = False) -> Iterator[Instance]:
    """The three metrics, or with their scores in the wrong order."""
    for metric in METRICS:
        scores = tuple(row[metric] for row in TABLE_5.values())
        yield {"metric": metric, "scores": scores[::-1] if backwards else scores}


def prove(d: Derivation, backwards: bool = False, sign: int = 1, margin: F = F(0)) -> None:
    """All twelve cells; slot F1 is the same at 250 and at 500 tokens."""
    every_cell(
        d,
        "no score is above that at 250 tokens",
        BEST,
        metrics(backwards),
        lambda score, best: sign * (best - score) >= margin,
        r"\mathrm{score} \le \mathrm{score}_{250}",
    )


PROOF = Proof(BEST, prove, drop={"backwards": True}, flip={"sign": -1}, change={"margin": F(1, 10)}, bind=None)
