"""tasc.table5-diminishing: a token saves 21/125, 11/2500 and 29/5000 ms, interval by interval."""

from __future__ import annotations

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.tasc.table5_diminishing import TABLE5, TABLE5_CORRECTED
from simspec.claims.tasc.tables import runtimes

PRINTED = runtimes("Table 5")


def prove(d: Derivation, first: int = 0, factor: int = 1, sign: int = 1) -> None:
    """The printed table; 840/29 is the factor that is attained."""
    every_cell(
        d,
        "25 times what a later token saves is less than what one of the first saves",
        TABLE5_CORRECTED,
        [{name: values[first:] for name, values in PRINTED.items()}],
        lambda later, early: sign * (early - factor * later) > 0,
        r"25 g_{i+1} < g_1",
    )


PROOFS = (
    Refutation(
        TABLE5,
        lambda: [PRINTED],
        scope="the printed table, the only instance",
        repaired={
            "the first two intervals only": lambda: [{name: values[:3] for name, values in PRINTED.items()}],
            "the corrected statement": TABLE5_CORRECTED,
        },
    ),
    Proof(TABLE5_CORRECTED, prove, drop={"first": 1}, flip={"sign": -1}, change={"factor": 2}, bind=None),
)
