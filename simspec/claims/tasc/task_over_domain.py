"""The type of task, rather than the domain, decides entropy and ratio in Table 1.

`tasc.task-over-domain`, as printed and whichever row is left out, with its correction: TASC, 3.1 and Table 1.
"""

from __future__ import annotations

from collections.abc import Callable

from simspec.claims.authoring import OWN_FIGURES, Draw, F, Instance, bound, broken
from simspec.claims.claim import Printed, at_least
from simspec.claims.tasc.parts import value
from simspec.claims.tasc.table1_columns import TABLE_1

__all__ = ["COLUMNS", "within_domains", "within_tasks"]

COLUMNS = {"ΔH": 2, "ratio": 5}
"""The two columns of Table 1 that compare outputs with inputs, by place."""
NONE = "no row"


def _task(row: str) -> str:
    return row.partition(" (")[0]


def _domain(row: str) -> str:
    return row.partition(" (")[2].removesuffix(")")


def _within(column: str, left_out: str, group: Callable[[str], str]) -> F:
    """Variance within the groups of rows that share a task, or a domain: squares about the groups' means, pooled."""
    rows: dict[str, list[F]] = {}
    for row, figures in TABLE_1.items():
        if group(row) and row != left_out:
            rows.setdefault(group(row), []).append(value(figures[COLUMNS[column]]))
    several = [group_values for group_values in rows.values() if len(group_values) > 1]
    squares = sum(
        (x - sum(group_values, F(0)) / len(group_values)) ** 2 for group_values in several for x in group_values
    )
    return F(squares) / sum(len(group_values) - 1 for group_values in several)


def within_tasks(column: str, left_out: str = NONE) -> F:
    """Pooled variance of a column among rows of one task (summaries, in three domains).

    >>> round(float(within_tasks("ΔH")))
    10
    """
    return _within(column, left_out, _task)


def within_domains(column: str, left_out: str = NONE) -> F:
    """Pooled variance of a column among rows of one domain (medical, four tasks; legal, two).

    >>> round(float(within_domains("ΔH")))
    1015
    """
    return _within(column, left_out, _domain)


def _column(draw: Draw) -> Instance:
    return {"column": list(COLUMNS)[draw.integer(0, 1)]}


def _row(draw: Draw) -> str:
    return list(TABLE_1)[draw.integer(0, len(TABLE_1) - 1)]


SENTENCE = Printed(
    place="TASC 3.1",
    text="the dominant factor influencing the difference in input vs. output variability is the type of "
    "task, rather than the domain",
    read="By the variances of two columns of Table 1 within tasks and within domains; with all rows, and "
    "with any one left out.",
)

PRINTED = bound(
    name="tasc.task-over-domain.printed",
    statement=r"The type of task, rather than the domain, is the dominant factor: in $\Delta H$ and in the ratio of "
    r"Table 1, rows of "
    "one task differ less (variance within tasks) than rows of one domain (within domains)",
    reference="TASC, 3.1 and Table 1",
    instances=_column,
    lhs=lambda column: within_tasks(column),
    rhs=lambda column: within_domains(column),
    sources=("exact",),
    corrected_by=("tasc.task-over-domain.any-row",),
    note="Three rows share a task, summaries; four a domain, medical, two another. A table of eleven rows: no test of "
    "significance "
    "is made.",
    printed=SENTENCE,
    broken=[broken("the relation is turned", relation=at_least)],
)

ANY_ROW = bound(
    name="tasc.task-over-domain.any-row",
    statement=r"Whichever row is left out, in both columns of Table 1 rows of one task differ less than rows of "
    "one domain",
    reference="TASC, 3.1 and Table 1, with any one row left out",
    instances=lambda draw: {**_column(draw), "left_out": _row(draw)},
    lhs=within_tasks,
    rhs=within_domains,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.task-over-domain.any-row-corrected",),
    note="Without yes/no questions, the paper's example, the medical and legal rows have ratios from 1.13 to 4.41, and "
    "summaries from "
    "1.13 to 6.52.",
    printed=SENTENCE,
)

ANY_ROW_CORRECTED = bound(
    name="tasc.task-over-domain.any-row-corrected",
    statement=r"In $\Delta H$ rows of one task differ less than rows of one domain whichever row of Table 1 is left out",
    reference="correction of TASC, 3.1 and Table 1",
    instances=lambda draw: {"column": "ΔH", "left_out": _row(draw)},
    lhs=within_tasks,
    rhs=within_domains,
    sources=("exact",),
    note="Of the relative fall of entropy the order does not rest on one row; of the coverage ratio it does.",
    broken=[broken("twice the difference", lhs=lambda column, left_out: 2 * within_tasks(column, left_out))],
)
