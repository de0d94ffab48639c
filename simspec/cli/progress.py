"""Progress of a command on stderr: a bar on a terminal, elsewhere lines a few seconds apart."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Report", "progress"]

Report = Callable[[str, int, int | None], None]
"""(what is done, how much of it, of how much): the last is None where that is not known yet."""
QUIET = 2
"""Seconds before the first line where there is no terminal."""
BETWEEN = 10
"""Seconds between two lines."""


@contextmanager
def progress() -> Iterator[Report]:
    """A function that shows what is done and how much of it, one task at a time; it leaves nothing on a terminal.

    >>> with progress() as report:
    ...     report("measuring rules", 1, 4)
    """
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    # elsewhere than on a terminal Rich would still end with an empty line
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress_bar:
        yield _reporter(progress_bar)


def _reporter(progress_bar: Any) -> Report:
    """The function that shows progress in a bar of Rich."""
    start = time.monotonic()
    last_line = float("-inf")
    tasks: dict[str, Any] = {}

    def report(task_name: str, done_so_far: int, of: int | None) -> None:
        nonlocal last_line
        if task_name not in tasks:
            for task in tasks.values():
                progress_bar.update(task, visible=False)
            tasks[task_name] = progress_bar.add_task(task_name, total=of)
        progress_bar.update(tasks[task_name], completed=done_so_far, total=of)
        if progress_bar.console.is_terminal or of is None:
            return
        now = time.monotonic()
        if now - start > QUIET and now - last_line > BETWEEN:
            last_line = now
            print(f"simspec: {task_name}: {done_so_far:,} of {of:,}", file=sys.stderr)

    return report
