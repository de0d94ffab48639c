"""Run times by added tokens: as printed gains do not diminish, and those of the first interval exceed all later ones."""

from __future__ import annotations

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.claim import Claim
from simspec.claims.tasc.tables import runtimes

__all__ = ["diminishing"]


def diminishing(table: str, printed: Claim, corrected: Claim, times: int, attained: str) -> tuple[Refutation, Proof]:
    """The refutation of what is printed of a table, and the proof that the first tokens save more than `times` as much."""
    cells = runtimes(table)

    def prove(d: Derivation, first: int = 0, factor: int = 1, sign: int = 1) -> None:
        """The printed table."""
        every_cell(
            d,
            f"{times} times what a later token saves is less than what one of the first saves; {attained} is attained",
            corrected,
            [{name: values[first:] for name, values in cells.items()}],
            lambda later, early: sign * (early - factor * later) > 0,
            rf"{times} g_{{i+1}} < g_1",
        )

    refutation = Refutation(
        printed,
        lambda: [cells],
        scope="the printed table, the only instance",
        repaired={
            "the first two intervals only": lambda: [{name: values[:3] for name, values in cells.items()}],
            "the corrected statement": corrected,
        },
    )
    return refutation, Proof(corrected, prove, drop={"first": 1}, flip={"sign": -1}, change={"factor": 2}, bind=None)
