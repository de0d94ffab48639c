"""The tasks that TASC-ft's empirical claims are decided on, their studies, and how evidence is labelled."""

from __future__ import annotations

import sysconfig
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from simspec.claims.authoring import chosen_here
from simspec.claims.measured import BESIDE, Data, Evidence, Interval, Result, Results, Study, measured, rows_for, shared
from simspec.studies.tasc.enrichment import ORDERS, enrichment
from simspec.studies.tasc.regimes import regimes

if TYPE_CHECKING:
    from simspec.studies.tasc.task_tokens import Task

__all__ = [
    "DATA_USED",
    "FEW",
    "MANY",
    "NAMES",
    "WAYS",
    "Column",
    "at",
    "enrichment_study",
    "evidence_of",
    "full",
    "library",
    "model_of",
    "pairs_of",
    "regimes_study",
    "rise_of",
    "tasks_of",
    "tokens_of",
    "whole",
]

NAMES = ("tagging", "docstrings")
"""Tasks of low and of high variability."""
FEW = 500
MANY = 1000
"""The budgets that the claims speak of."""
DATA_USED = chosen_here("tasks and the base of tokens") + (
    "Pairs from the sources of Python's own standard library: functions -> types of their tokens (low variability) and "
    "headers -> docstrings (high). Base: byte-level BPE of 2,000 tokens trained on the training parts, which knows every "
    "word of the tag set. 60 % of the pairs make the new tokens (no collision limit), the rest are measured; "
    "intervals by bootstrap over held-out pairs, given the split and the new tokens, all holding together at 95 %. "
)

Column = NDArray[Any]


@lru_cache(maxsize=4)
def tasks_of(data: Data) -> tuple[Task, ...]:
    """Both tasks under one base tokenizer."""
    from simspec.logits.corpora import standard_library
    from simspec.studies.tasc.task_tokens import prepare

    share = 0.1 if data.effort == "quick" else 0.4
    most_pairs = rows_for(data, 20_000, 40_000, 90_000)
    return prepare([standard_library(name) for name in NAMES], share, data.seed, most_pairs)


@shared
def enrichment_study(data: Data) -> Study:
    """Lengths, entropies and surprisal by budget."""
    step = rows_for(data, 250, 25, 20)
    n_max = {"quick": (4,), "default": (2, 4), "deep": (2, 3, 4)}[data.effort]
    budgets = range(0, MANY + 1, step)
    orders = rows_for(data, 2, ORDERS, ORDERS)
    resamples = rows_for(data, 40, 100, 400)
    return enrichment(lambda: tasks_of(data), NAMES, budgets, n_max=n_max, orders=orders, resamples=resamples)


@shared
def regimes_study(data: Data) -> Study:
    """Enrichment against drafting; it stands here so that one process decides all that rests on these tasks."""
    texts = rows_for(data, 20, 10_000, 10_000)
    resamples = rows_for(data, 40, 400, 400)
    return regimes(lambda: tasks_of(data), NAMES, MANY, texts, resamples=resamples)


def library() -> str:
    """Where the tasks come from: other versions of Python have other sources."""
    return f"standard library of Python {sysconfig.get_python_version()}"


def model_of(result: Result) -> str:
    """The tokenizer, in words."""
    return f"byte-level BPE of 2,000 tokens, enriched by n-grams up to {result.cell['n_max']}"


def pairs_of(result: Result) -> int:
    """Held-out pairs."""
    return int(result.values["pairs"][0])


def full(results: Results) -> list[Result]:
    """The cells that are measured in full, one a task."""
    return [r for r in results if r.cell["shown"]]


def at(result: Result, name: str, budget: int) -> Column:
    """Values at one budget, over the rows."""
    values = result.values[name]
    field_name = "budgets" if values.shape[1] == len(result.cell["budgets"]) else "shown"
    return values[:, list(result.cell[field_name]).index(budget)]


def whole(result: Result, name: str, budget: int) -> float:
    """Value at one budget over all pairs."""
    return float(at(result, name, budget)[0])


def rise_of(result: Result, name: str, budget: int) -> Column:
    """Change of a value from no new token to a budget, over the rows."""
    return at(result, name, budget) - at(result, name, 0)


def tokens_of(result: Result, encoding: str, budget: int) -> Column:
    """Tokens a held-out text, over the rows."""
    return at(result, "tokens merge" if encoding == "merge" else "shown tokens added", budget)


def evidence_of(
    result: Result,
    what: str,
    interval: Interval,
    control: dict[str, float],
    decides: bool = True,
    exceed: float | None = None,
    below: float | None = None,
) -> Evidence:
    """Evidence on one task; its limit is left away where it stands beside."""
    label = f"{'' if decides else BESIDE}{library()}: {result.cell['task']}: {what}"
    if not decides:
        exceed = below = None
    return measured(label, model_of(result), pairs_of(result), interval, control, exceed, below)


WAYS = {"merge": "through the merge table", "added": "with added tokens matched first"}
