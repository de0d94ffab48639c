"""tasc.table8-diminishing: a token saves 2/5, 3/35 and 3/25 ms, interval by interval."""

from __future__ import annotations

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.tasc.table8_diminishing import TABLE8, TABLE8_CORRECTED
from simspec.claims.tasc.tables import runtimes

PRINTED = runtimes("Table 8")


def prove(d: Derivation, first: int = 0, factor: int = 1, sign: int = 1) -> None:
    """The printed table; 10/3 is the factor that is attained."""
    every_cell(
        d,
        "three times what a later token saves is less than what one of the first saves",
        TABLE8_CORRECTED,
        [{name: values[first:] for name, values in PRINTED.items()}],
        lambda later, early: sign * (early - factor * later) > 0,
        r"3 g_{i+1} < g_1",
    )


PROOFS = (
    Refutation(
        TABLE8,
        lambda: [PRINTED],
        scope="the printed table, the only instance",
        repaired={
            "the first two intervals only": lambda: [{name: values[:3] for name, values in PRINTED.items()}],
            "the corrected statement": TABLE8_CORRECTED,
        },
    ),
    Proof(TABLE8_CORRECTED, prove, drop={"first": 1}, flip={"sign": -1}, change={"factor": 2}, bind=None),
)
