"""tasc.table1-columns: five of the 22 computed cells of Table 1 follow from no figures that round to the printed ones."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.claim import Instance
from simspec.claims.tasc.table1_columns import COLUMNS, COLUMNS_CORRECTED, RECOMPUTED, TABLE_1


def cells(recomputed: bool = False, negate: bool = False) -> Iterator[Instance]:
    """The 22 cells of the columns ΔH and ratio, row by row, as printed or recomputed."""
    for task, (source, target, change, before, after, ratio) in TABLE_1.items():
        for column, input_figure, result, printed in (("ΔH", source, target, change), ("ratio", before, after, ratio)):
            displayed = RECOMPUTED.get((task, column), printed) if recomputed else printed
            if negate:
                displayed = displayed.removeprefix("-") if displayed.startswith("-") else f"-{displayed}"
            yield {"task": task, "column": column, "input": input_figure, "output": result, "printed": displayed}


def prove(d: Derivation, recomputed: bool = True, negate: bool = False, share: F = F(1)) -> None:
    """All 22 cells.

    Half a unit of the last place is what rounding allows; with half of that some cells fail.
    """
    every_cell(
        d,
        "each cell differs from the quotient of its printed figures by at most half a unit of its last place",
        COLUMNS_CORRECTED,
        cells(recomputed, negate),
        lambda off, half: off <= share * half,
        r"|\mathrm{quotient} - \mathrm{cell}| \le \tfrac12\,\mathrm{unit}",
    )


PROOFS = (
    Refutation(
        COLUMNS,
        cells,
        scope="the first of the 22 cells in the order of the table; five are counterexamples",
        repaired={
            "the twelve recomputed cells in place of the printed ones": lambda: cells(True),
            "the corrected statement": (COLUMNS_CORRECTED, lambda: cells(True)),
        },
    ),
    Proof(
        COLUMNS_CORRECTED,
        prove,
        drop={"recomputed": False},
        flip={"negate": True},
        change={"share": F(1, 2)},
        bind=None,
    ),
)
