"""tasc.task-over-domain: variances of printed figures, within tasks and within domains; one row decides one of the columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction as F

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.claim import Claim, Instance
from simspec.claims.tasc.table1_columns import TABLE_1
from simspec.claims.tasc.task_over_domain import ANY_ROW, ANY_ROW_CORRECTED, COLUMNS, PRINTED

LATEX = r"s^2_{\mathrm{task}} \le s^2_{\mathrm{domain}}"


def columns() -> Iterator[Instance]:
    """Both columns."""
    return ({"column": column} for column in COLUMNS)


def rows(among: Sequence[str] = tuple(COLUMNS)) -> Iterator[Instance]:
    """Every column with every row left out, in the order of the table."""
    return ({"column": column, "left_out": row} for column in among for row in TABLE_1)


def _each(d: Derivation, claim: Claim, cells: Iterator[Instance], sign: int, constant: F) -> None:
    every_cell(
        d,
        "rows of one task differ less than rows of one domain",
        claim,
        cells,
        lambda a, b: sign * constant * a <= sign * b,
        LATEX,
    )


def prove(d: Derivation, sign: int = 1, constant: F = F(1), none: bool = False) -> None:
    """Both columns.

    The variance within tasks is a hundredth of that within domains, and less.
    """
    _each(d, PRINTED, iter(()) if none else columns(), sign, constant)


def prove_corrected(d: Derivation, sign: int = 1, constant: F = F(1), ratio: bool = False) -> None:
    """Every row left out, one after the other.

    Closest without yes/no questions: 10 against 17.
    """
    _each(d, ANY_ROW if ratio else ANY_ROW_CORRECTED, rows() if ratio else rows(["ΔH"]), sign, constant)


PROOFS = (
    Proof(PRINTED, prove, drop={"none": True}, change={"constant": F(10**9)}, bind=None),
    Refutation(
        ANY_ROW,
        rows,
        scope="both columns, every row left out, in the order of the table",
        repaired={"the column ΔH": (ANY_ROW_CORRECTED, lambda: rows(["ΔH"])), "all rows": (PRINTED, columns)},
    ),
    Proof(ANY_ROW_CORRECTED, prove_corrected, drop={"ratio": True}, change={"constant": F(2)}, bind=None),
)
