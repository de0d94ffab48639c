"""Token laws of a task's outputs before and after tokens are added: masses by rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from simspec.engine.study import Cell, Study, Values
from simspec.laws import Array
from simspec.methods.tasc.statistics import token_counts
from simspec.studies.tasc.task_tokens import Task, enriched, snapshots

__all__ = ["by_rank", "token_laws"]


def by_rank(counts: Array, ranks: Sequence[int]) -> Array:
    """Masses of the most frequent tokens at some ranks, 1 first; 0 beyond the last token.

    Parameters
    ----------
    counts : (V,) numbers of occurrences, at least one above 0
    ranks : integers >= 1

    Raises ValueError for no occurrence, or a rank below 1.

    >>> by_rank(np.array([1, 0, 3]), [1, 2, 3, 4]).tolist()
    [0.75, 0.25, 0.0, 0.0]
    """
    if not np.sum(counts) > 0 or min(ranks, default=1) < 1:
        raise ValueError(f"counts, ranks: {np.sum(counts)} occurrences, {list(ranks)}; expected some, and ranks >= 1")
    falling = np.sort(np.asarray(counts, dtype=np.float64))[::-1] / np.sum(counts)
    padded = np.append(falling, np.zeros(max(0, max(ranks, default=1) - len(falling))))
    return np.asarray(padded[np.asarray(ranks, dtype=np.int64) - 1])


def _simulate(task: Task, cell: Cell) -> Values:
    merge_table = enriched(task, max(cell["budgets"]), cell["n_max"])
    values: Values = {}
    for budget, now in snapshots(task.held, merge_table, cell["budgets"]):
        vocab = task.vocab + min(budget, len(merge_table.ids))
        counts = np.asarray(token_counts(now.lists(), vocab))
        values[f"mass {budget}"] = by_rank(counts, cell["ranks"])[None]
        values[f"vocab {budget}"] = np.array([float(vocab)])
    return values


def token_laws(
    tasks: Callable[[], Sequence[Task]],
    names: Sequence[str],
    budgets: Sequence[int] = (0, 500, 1000),
    ranks: Sequence[int] = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
    n_max: int = 4,
) -> Study:
    """Law of the tokens of held-out outputs, by rank, before and after enrichment through the merge table.

    Values, one row: ``mass B`` (one column a rank) and ``vocab B`` (number of tokens) for each budget B.

    Parameters
    ----------
    tasks : () -> tasks; asked for when the first cell is simulated
    names : names of these tasks, in their order
    budgets : ascending numbers of new tokens
    ranks : integers >= 1
    n_max : longest n-grams merged

    >>> from simspec.logits.corpora import Corpus
    >>> from simspec.engine.row_values import gather
    >>> from simspec.studies.tasc.task_tokens import prepare
    >>> pairs = Corpus("greeting", ("1", "2", "3", "4"), ("hello you",) * 4, "by hand")
    >>> (result,) = gather(token_laws(lambda: prepare([pairs]), ["greeting"], budgets=(0, 1), ranks=(1, 2)))
    >>> result.values["mass 0"].tolist(), result.values["mass 1"].tolist()
    ([[0.5, 0.5]], [[1.0, 0.0]])
    """
    cached_tasks = cache(lambda: tuple(tasks()))
    settings = {"budgets": list(budgets), "ranks": list(ranks), "n_max": n_max}
    return Study(
        name="token-laws",
        question="Do new tokens flatten the distribution of a task's output tokens?",
        grid=tuple({"task": name, "number": number, **settings} for number, name in enumerate(names)),
        simulate=lambda cell, rows, device: _simulate(cached_tasks()[cell["number"]], cell),
        summary="masses of the tokens of held-out outputs by rank, one row",
    )
