"""Running models over windows: logits of single contexts to store, and the two passes of the statistics."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.logits.bank.storage import Rows, store_rows
from simspec.logits.capture.accumulate import FOLDS, Accumulator
from simspec.logits.capture.models import LanguageModel
from simspec.logits.capture.unfinished import Unfinished
from simspec.logits.capture.windows import Window, draft_logits

__all__ = ["lasting", "progress_bars", "run_contexts", "run_statistics"]

QUIET = 2.0
"""Seconds before the first line of progress off a terminal."""
MINUTE = 60.0
"""Seconds between two lines."""


def lasting(seconds: float) -> str:
    """A time in words.

    >>> [lasting(seconds) for seconds in (0.2, 45, 400, 10000)]
    ['1 s', '45 s', '7 min', '2.8 h']
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def run_contexts(
    target: LanguageModel,
    draft: LanguageModel | None,
    windows: list[Window],
    batch: int,
    storage: str,
    step: Callable[[int], None],
    unfinished: Unfinished,
    name: str,
) -> tuple[Rows, Rows | None]:
    """Stored logits of single contexts, target and draft; what was done before an interruption is taken as it is."""
    windows_done, parts = unfinished.rows(name)
    step(windows_done)
    new: list[tuple[int, list[Rows]]] = []  # after which window, and the stored logits of each model

    def keep() -> None:
        nonlocal windows_done
        if new:
            unfinished.keep_rows(name, windows_done, new[-1][0], _joined([rows for _, rows in new]))
            parts.extend(rows for _, rows in new)
            windows_done = new[-1][0]
            new.clear()

    try:
        for start in range(windows_done, len(windows), batch):
            batch_windows = windows[start : start + batch]
            logits = [target.logits([w.target for w in batch_windows], [w.positions for w in batch_windows])]
            if draft is not None:
                logits.append(draft_logits(draft, batch_windows))
            new.append((start + len(batch_windows), [store_rows(z, np.dtype(storage)) for z in logits]))
            step(len(batch_windows))
            if unfinished.due():
                keep()
    finally:
        keep()
    target_rows, *theirs = _joined(parts)
    return target_rows, theirs[0] if theirs else None


def _joined(parts: list[list[Rows]]) -> list[Rows]:
    """Rows of each model, one part after the other."""
    return [Rows(*map(np.concatenate, zip(*of_model, strict=True))) for of_model in zip(*parts, strict=True)]


def run_statistics(
    target: LanguageModel,
    draft: LanguageModel | None,
    table: NDArray[np.int32] | None,
    windows: list[Window],
    batch: int,
    advance: Callable[[str, int], Callable[[int], None]],
    unfinished: Unfinished,
) -> dict[str, NDArray[Any]]:
    """Both passes over the statistics windows, from where an earlier run was interrupted."""
    accumulator = Accumulator(target.vocab, table, FOLDS)
    stored_batches, sums = unfinished.sums()
    if stored_batches:
        accumulator.restore(sums)
    fold_of = _folds(windows)
    folds = [[w for w in windows if fold_of[w.document] == fold] for fold in range(FOLDS)]
    parts = [
        (fold, fold_windows[at : at + batch])
        for fold, fold_windows in enumerate(folds)
        for at in range(0, len(fold_windows), batch)
    ]
    # batches of both passes; whether the sums are those of just these
    batches_done = stored_batches
    is_complete = True
    try:
        for second in (False, True):
            step = advance(f"statistics, pass {1 + second} of 2", len(windows))
            for number, (fold, batch_windows) in enumerate(parts, start=second * len(parts)):
                if number >= stored_batches:
                    read = _read(target, draft if second else None, batch_windows)
                    is_complete = False
                    _add(accumulator, read, second, fold)
                    batches_done = number + 1
                    is_complete = True
                step(len(batch_windows))
                if batches_done > stored_batches and unfinished.due():
                    unfinished.keep_sums(batches_done, accumulator.sums())
    finally:
        if is_complete and batches_done > stored_batches:
            unfinished.keep_sums(batches_done, accumulator.sums())
    return accumulator.tensors()


def _read(
    target: LanguageModel, draft: LanguageModel | None, batch_windows: list[Window]
) -> tuple[NDArray[Any], NDArray[Any] | None, NDArray[Any]]:
    """Logits of target and draft in every context of some windows, and the true next tokens."""
    p = target.logits([w.target for w in batch_windows], [w.positions for w in batch_windows])
    q = None if draft is None else draft_logits(draft, batch_windows)
    return p, q, np.concatenate([w.following for w in batch_windows])


def _add(
    accumulator: Accumulator, read: tuple[NDArray[Any], NDArray[Any] | None, NDArray[Any]], second: bool, fold: int
) -> None:
    """Add what was read, a bounded number of rows at a time."""
    p, q, following = read
    rows_at_once = max(1, (1 << 23) // p.shape[-1])
    for some in (slice(at, at + rows_at_once) for at in range(0, len(p), rows_at_once)):
        if second:
            accumulator.second(p[some], None if q is None else q[some], fold)
        else:
            accumulator.first(p[some], following[some], fold)


def _folds(windows: list[Window]) -> dict[int, int]:
    """Fold of each document: dealt in turn, corpus after corpus, so that every fold has its share of each corpus."""
    documents = dict.fromkeys((w.corpus, w.document) for w in windows)
    return {number: i % FOLDS for i, (_, number) in enumerate(sorted(documents, key=lambda item: item[0]))}


@contextmanager
def progress_bars(is_visible: bool, transient: bool = False) -> Iterator[Any]:
    """Gives advance(title, total), which gives step(n): progress on stderr.

    On a terminal bars, of which transient ones leave nothing behind; elsewhere a line after two seconds and then one a minute.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    if is_visible and not console.is_terminal:
        lines: list[_Lines] = []

        def begin(title: str, total: int) -> Any:
            lines.append(_Lines(title, total, not transient))
            return lines[-1].step

        try:
            yield begin
        finally:
            for progress in lines:
                progress.first_notice.cancel()
        return
    with Progress(*columns, console=console, disable=not is_visible, transient=transient) as bars:

        def advance(title: str, total: int) -> Any:
            task = bars.add_task(title, total=total)
            return lambda n: bars.advance(task, n)

        yield advance


class _Lines:
    """Progress where nobody watches a terminal: a line now and then, with the time that is left at the pace so far."""

    def __init__(self, title: str, total: int, says_end: bool) -> None:
        self.title = title
        self.total = total
        self.says_end = says_end
        self.count = 0
        self.start = time.monotonic()
        self.next = self.start + QUIET
        self.first_notice = threading.Timer(QUIET, self._say_that_it_runs)
        self.first_notice.daemon = True
        self.first_notice.start()

    def _say_that_it_runs(self) -> None:
        """Where the first step takes long, as that of loading a model does."""
        print(f"simspec: {self.title} …", file=sys.stderr, flush=True)

    def step(self, n: int) -> None:
        """Count so many more, and print where a line is due."""
        self.first_notice.cancel()
        self.count += n
        now = time.monotonic()
        if now >= self.next and 0 < self.count < self.total:
            self.next = now + MINUTE
            seconds_left = (now - self.start) / self.count * (self.total - self.count)
            line = f"simspec: {self.title}: {self.count:,} of {self.total:,}, about {lasting(seconds_left)} left"
            print(line, file=sys.stderr, flush=True)
        if n and self.count == self.total and self.says_end:
            print(f"simspec: {self.title}: {self.count:,} of {self.total:,}", file=sys.stderr, flush=True)
