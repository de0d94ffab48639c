"""The one form of empirical claims: a study, the evidence that its results yield, a criterion, a plot as data.

A finding writes what is particular to it; the words that all findings use are here, as `authoring` has those of exact claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any

from simspec.claims.claim import Claim, Evidence, Finding, Verdict
from simspec.claims.deciding.data import Data, is_control
from simspec.claims.deciding.evidence import BESIDE, all_of, illustration, line, measured, rows_for
from simspec.engine.estimates.intervals import Interval, bonferroni, documents, student
from simspec.engine.study import Cell, Result, Rows, Study, Values, remembered

if TYPE_CHECKING:
    from simspec.logits.bank import Bank

__all__ = [
    "BESIDE",
    "LEVEL",
    "ON_ANSWERS",
    "Claim",
    "Data",
    "Evidence",
    "Found",
    "Interval",
    "Iterator",
    "Result",
    "Results",
    "Study",
    "all_of",
    "decides",
    "documents",
    "empirical",
    "figure",
    "illustration",
    "level_of",
    "line",
    "measured",
    "model_of",
    "on_each",
    "rows_for",
    "shared",
    "student",
]

LEVEL = 0.95
"""Confidence with which all intervals of a claim hold together."""
ON_ANSWERS = (
    "Of a bank with both kinds of text the answers that the target wrote decide, and its corpus texts stand beside."
)
"""Which contexts decide, for criteria: `simspec.claims.deciding.data.Data` selects them."""

Results = Sequence[Result]
Found = Iterator[Evidence]


def level_of(statements: int) -> float:
    """Level of each of so many intervals that hold together at `LEVEL`.

    >>> level_of(5)
    0.99
    """
    return bonferroni(LEVEL, statements)


def empirical(
    study: Callable[[Data], Study],
    estimate: Callable[[Results], Iterable[Evidence]],
    criterion: str,
    plot: Callable[[Results], dict[str, Any]] | None = None,
    decide: Callable[[Sequence[Evidence]], Verdict] = all_of,
    **words: Any,
) -> Claim:
    """An empirical claim: its finding, and the `words` (name, statement, reference, note) that every claim has."""
    finding = Finding(study, lambda results: list(estimate(results)), decide, criterion, plot)
    return Claim(kind="empirical", sources=(), finding=finding, **words)


def shared(study: Callable[[Data], Study]) -> Callable[[Data], Study]:
    """Decorator: a study that is made once a run and keeps its answers, for several claims that are decided on it."""

    @lru_cache(maxsize=4)
    @wraps(study)
    def made(data: Data) -> Study:
        original = study(data)
        return replace(original, simulate=remembered(original.simulate))

    return made


def on_each(banks: Mapping[str, Bank], study: Callable[[Bank], Study]) -> Study:
    """One study of several banks: the cells of each bank's own study, with the bank's name among their values.

    Parameters
    ----------
    banks : at least one, by name
    study : the study of one bank; its cells say how many ``rows`` they have

    >>> nothing = Study("nothing", "?", ({"rows": 2},), lambda cell, rows, device: {})
    >>> banks: Any = {"main": None, "stories": None}
    >>> [cell["bank"] for cell in on_each(banks, lambda bank: nothing).grid]
    ['main', 'stories']
    """
    studies = {name: study(bank) for name, bank in banks.items()}
    grid = tuple({**cell, "bank": name} for name, of_bank in studies.items() for cell in of_bank.grid)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        return studies[str(cell["bank"])].simulate(cell, rows, device)

    first = next(iter(studies.values()))
    return replace(first, grid=grid, simulate=simulate, rows=max(of_bank.rows for of_bank in studies.values()))


def decides(result: Result) -> bool:
    """Whether a cell's bank decides, or stands beside as a control: a small pair, or corpus texts beside answers.

    >>> decides(Result({"bank": "main"}, {})), decides(Result({"bank": "wiki"}, {})), decides(Result({"bank": "texts"}, {}))
    (True, False, False)
    """
    return not is_control(result.cell.get("bank"))


def figure(
    title: str, x_label: str, y_label: str, series: Sequence[dict[str, Any]], x_log: bool = False
) -> dict[str, Any]:
    """A plot as data.

    >>> figure("acceptance", "tokens", "rate", [])["x_log"]
    False
    """
    return {"title": title, "x_label": x_label, "y_label": y_label, "x_log": x_log, "series": series}


def model_of(result: Result) -> str:
    """The models that the words for a cell's data begin with."""
    return str(result.cell["data"]).split(": ")[0]
