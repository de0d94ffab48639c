"""The engine's log beside its answers and its metrics: are the drafts that it counts those that its responses state?

`simspec.tools.lengths` reads the log, by its definitions.  llama.cpp writes a line for each request that drafted: each response
has to have its line.  vLLM writes sums of some seconds: they may lag behind, and may not be more than its counters have grown by.

What is not here: responses among themselves, and the metrics page (`books`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from simspec.audit.endpoint.books import Mistake
from simspec.audit.endpoint.records import EndpointError, Usage
from simspec.html.escaping import escaped
from simspec.tools.lengths import Log, read

__all__ = ["LogFile", "Reconciled", "reconciled"]

MOST_BYTES = 256 * 2**20
"""What is added to a log during an audit and is more than this is not read."""
PATIENCE = 3.0
"""Seconds for which a line of a request that has been answered may still be missing."""


class Reconciled(NamedTuple):
    """Mistakes of the log, and what is to be said that is none."""

    mistakes: tuple[Mistake, ...] = ()
    notes: tuple[str, ...] = ()


class LogFile:
    """A log that an engine on this machine goes on writing; what stands in it already is not read.

    Raises EndpointError for a path that is no file.
    """

    def __init__(self, path: Path, sleep: Callable[[float], None] = time.sleep) -> None:
        self.path = path
        self._sleep = sleep
        self._start = self._size()

    def _size(self) -> int:
        try:
            if self.path.is_file():
                return self.path.stat().st_size
        except (OSError, ValueError) as error:  # no right to look, or a path that no system has
            raise EndpointError(f"--log: {escaped(str(error))}; expected the log file of the engine") from None
        raise EndpointError(
            f"--log: {escaped(str(self.path))} is no file; expected the log of the engine on this machine"
        )

    def reconciled(self, usages: Sequence[Usage], growth: Mapping[str, float]) -> Reconciled:
        """What was added to the log beside the responses; a line that is missing is waited for, for a while.

        Parameters
        ----------
        usages : counts of each response since the log was opened
        growth : by how much the counters of the metrics page have grown since
        """
        for _ in range(int(PATIENCE / 0.25)):
            result = reconciled(self._added(), usages, growth)
            if not result.mistakes:
                break
            self._sleep(0.25)
        return result

    def _added(self) -> str:
        size = self._size()
        if size < self._start:
            raise EndpointError(
                f"--log: {escaped(str(self.path))} became shorter during the audit; expected a log that only "
                "grows: is it rotated?"
            )
        with self.path.open("rb") as file:
            file.seek(self._start)
            return file.read(min(size - self._start, MOST_BYTES)).decode("utf-8", "replace")


def reconciled(text: str, usages: Sequence[Usage], growth: Mapping[str, float]) -> Reconciled:
    """What a log says of the drafts of an audit, beside the responses and the counters.

    >>> line = "draft acceptance = 0.50000 (    2 accepted /     4 generated), mean len =  2.00"
    >>> reconciled(line, [Usage(1, 4, 4, 2)], {})
    Reconciled(mistakes=(), notes=())
    >>> reconciled(line, [Usage(1, 4, 4, 3)], {}).mistakes[0].words
    'no line for a response with 3 of 4 drafts accepted; the log has 1 lines of requests'
    """
    if not text.strip():
        return Reconciled(
            notes=("--log: nothing was added to it during the audit: is it the file that this engine writes to?",)
        )
    drafting = [usage for usage in usages if usage.drafted]
    try:
        # the last step of a request may have accepted drafts that max_tokens cut off
        log = read(text, is_cut=True)
    except ValueError as error:
        words = escaped(str(error), 300)
        if words.startswith("line "):
            return Reconciled((Mistake("log", f"it contradicts itself: {words}"),))
        return Reconciled(notes=(f"--log: nothing to compare: {words}",))
    if log.by_request:
        return Reconciled(tuple(_missing_lines(log, drafting)))
    return Reconciled(tuple(_excesses(log, drafting, growth)))


def _missing_lines(log: Log, drafting: Sequence[Usage]) -> list[Mistake]:
    """Responses whose drafts no line of a request has, and lines with more tokens than their responses sent."""
    lines = Counter[tuple[int | None, int | None]]((counts.drafted, counts.accepted) for counts in log.counts)
    steps: dict[tuple[int | None, int | None], int] = {}
    for counts in log.counts:
        key = (counts.drafted, counts.accepted)
        steps[key] = min(counts.steps, steps.get(key, counts.steps))
    responses = Counter((usage.drafted, usage.accepted) for usage in drafting)
    wrong = []
    for (drafted, accepted), number in responses.items():
        if number > lines[drafted, accepted]:
            wrong.append(
                Mistake(
                    "log",
                    f"no line for a response with {accepted} of {drafted} drafts accepted; the log has {len(log.counts)} lines "
                    "of requests",
                )
            )
    for usage in drafting:
        step_number = steps.get((usage.drafted, usage.accepted))
        # every step that drafts emits one token that is no draft; the last one may be cut off
        if step_number and usage.completion is not None and step_number - 1 > usage.completion - (usage.accepted or 0):
            wrong.append(
                Mistake(
                    "log",
                    f"{step_number} steps with {usage.accepted} accepted drafts stand in its line, and {usage.completion} tokens "
                    "in the response",
                )
            )
    return wrong


def _excesses(log: Log, drafting: Sequence[Usage], growth: Mapping[str, float]) -> list[Mistake]:
    """Sums of the log that are more than the counters of the metrics page have grown by, or less than the responses state."""
    wrong = []
    is_since_start = "statistics" in log.source  # llama.cpp's add up since the server started
    # the first interval may have begun before the audit
    intervals = log.counts if is_since_start else log.counts[1:]
    for name in ("drafted", "accepted"):
        of_log = sum(getattr(counts, name) or 0 for counts in intervals)
        of_responses = sum(getattr(usage, name) or 0 for usage in drafting)
        if not is_since_start and name in growth and of_log > growth[name]:
            wrong.append(Mistake("log", f"{name}: {of_log} in it, and {growth[name]:g} more on the metrics page"))
        if is_since_start and of_log < of_responses:
            wrong.append(Mistake("log", f"{name}: {of_log} in it, and {of_responses} in the responses"))
    return wrong
