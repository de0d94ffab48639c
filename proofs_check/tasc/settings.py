"""tasc.settings: 2 · 2 · 3 settings for each seed are 12, 24, …, and never 8."""

from __future__ import annotations

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.tasc.settings import RUNS, SETTINGS, SETTINGS_CORRECTED


def prove(d: Derivation, runs: int = 124, sign: int = 1, margin: int = 0) -> None:
    """The printed figures."""
    every_cell(
        d,
        "settings beyond the printed ones, and runs for each",
        SETTINGS_CORRECTED,
        [{**RUNS, "runs": runs}],
        lambda computed, stated: sign * computed + margin == stated,
        r"12 - 8 = 4,\; 124/8 = \tfrac{31}{2}",
    )


PROOFS = (
    Refutation(
        SETTINGS,
        lambda: [RUNS],
        scope="the printed figures, the only instance",
        repaired={
            "twelve settings": lambda: [{**RUNS, "settings": 12}],
            "the corrected statement": SETTINGS_CORRECTED,
        },
    ),
    Proof(SETTINGS_CORRECTED, prove, drop={"runs": 128}, flip={"sign": -1}, change={"margin": 1}, bind=None),
)
