"""Running models over windows: logits of single contexts to store, and the two passes of the statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.logits.bank.storage import Rows, store_rows
from simspec.logits.capture.accumulate import FOLDS, Accumulator
from simspec.logits.capture.models import LanguageModel
from simspec.logits.capture.windows import Window

__all__ = ["progress_bars", "run_contexts", "run_statistics"]


def run_contexts(
    target: LanguageModel,
    draft: LanguageModel | None,
    windows: list[Window],
    batch: int,
    storage: str,
    step: Callable[[int], None],
) -> tuple[Rows, Rows | None]:
    """Stored logits of single contexts, target and draft."""
    parts: tuple[list[Rows], list[Rows]] = [], []
    for start in range(0, len(windows), batch):
        part = windows[start : start + batch]
        logits = [target.logits([w.target for w in part], [w.positions for w in part])]
        if draft is not None:
            logits.append(draft.logits([w.draft for w in part], [w.draft_positions for w in part]))
        for kept, z in zip(parts, logits, strict=False):
            kept.append(store_rows(z, np.dtype(storage)))
        step(len(part))
    ours, theirs = (Rows(*(np.concatenate(p) for p in zip(*kept, strict=True))) if kept else None for kept in parts)
    assert ours is not None
    return ours, theirs


def run_statistics(
    target: LanguageModel,
    draft: LanguageModel | None,
    table: NDArray[np.int32] | None,
    windows: list[Window],
    batch: int,
    advance: Callable[[str, int], Callable[[int], None]],
) -> dict[str, NDArray[Any]]:
    """Both passes over the statistics windows."""
    fold_of = _folds(windows)
    accumulator = Accumulator(target.vocab, table, FOLDS)
    most = max(1, (1 << 23) // target.vocab)
    for second in (False, True):
        step = advance(f"statistics, pass {1 + second} of 2", len(windows))
        for fold in range(FOLDS):
            mine = [w for w in windows if fold_of[w.document] == fold]
            for start in range(0, len(mine), batch):
                part = mine[start : start + batch]
                p = target.logits([w.target for w in part], [w.positions for w in part])
                following = np.concatenate([w.following for w in part])
                q = None
                if second and draft is not None:
                    q = draft.logits([w.draft for w in part], [w.draft_positions for w in part])
                for at in range(0, len(p), most):
                    if second:
                        accumulator.second(p[at : at + most], None if q is None else q[at : at + most], fold)
                    else:
                        accumulator.first(p[at : at + most], following[at : at + most], fold)
                step(len(part))
    return accumulator.tensors()


def _folds(windows: list[Window]) -> dict[int, int]:
    """Fold of each document: dealt in turn, corpus after corpus, so that every fold has its share of each corpus."""
    documents = dict.fromkeys((w.corpus, w.document) for w in windows)
    if len(documents) < FOLDS:
        raise ValueError(f"statistics: {len(documents)} documents; expected at least {FOLDS}, one for each fold")
    return {number: i % FOLDS for i, (_, number) in enumerate(sorted(documents, key=lambda item: item[0]))}


@contextmanager
def progress_bars(shown: bool, transient: bool = False) -> Iterator[Any]:
    """Gives advance(title, total), which gives step(n): progress bars on stderr, transient ones leave no line behind."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    hidden = not shown or (transient and not console.is_terminal)
    with Progress(*columns, console=console, disable=hidden, transient=transient) as bars:

        def advance(title: str, total: int) -> Any:
            task = bars.add_task(title, total=total)
            return lambda n: bars.advance(task, n)

        yield advance
