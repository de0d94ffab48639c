"""The study of single contexts that claims about sparse draft laws are decided on (SQS 4)."""

from __future__ import annotations

from simspec.claims.measured import Data, Interval, Result, Study, documents, on_each, rows_for, shared
from simspec.claims.sqs.link import HIGH, LOW
from simspec.studies.sqs.link_schemes import FIRST, SIZES
from simspec.studies.sqs.sparse_laws import sparse_laws

__all__ = ["HELD", "contexts", "gap_of", "sizes_of"]

HELD = FIRST[1]
"""The threshold of C-SQS that is held."""


@shared
def contexts(data: Data) -> Study:
    """Every whole row of the pairs that decide and of the controls, at a low and at a high temperature."""
    rows = rows_for(data, 100, 300, 300)
    return on_each(
        data.all_pairs,
        lambda bank: sparse_laws(bank, data.describe(bank), SIZES, HELD, (LOW, HIGH), rows=rows),
    )


def sizes_of(result: Result) -> list[int]:
    """The numbers of kept tokens of a cell."""
    return list(result.cell["sizes"])


def gap_of(result: Result, one: str, other: str, level: float) -> Interval:
    """Mean difference of two values over contexts, resampled by document."""
    return documents(result.values[one] - result.values[other], result.values["document"], level)
