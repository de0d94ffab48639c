"""Some calls at a time, in threads that do not keep a process alive after Ctrl-C."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

__all__ = ["in_parallel"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(function: Callable[[Item], Result], items: Sequence[Item], threads: int) -> list[Result]:
    """Results of a function on items, in their order, at most `threads` at a time.

    The first error is raised once calls that are under way have ended, so that nothing they use is closed under them; Ctrl-C does
    not wait for them.

    >>> in_parallel(abs, [-1, 2, -3], threads=2)
    [1, 2, 3]
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    ready: queue.SimpleQueue[tuple[int, Result | None, Exception | None]] = queue.SimpleQueue()
    for place in range(len(items)):
        waiting.put(place)

    def work() -> None:
        while True:
            try:
                place = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                ready.put((place, function(items[place]), None))
            except Exception as error:  # whatever it is, the thread that waits for it raises it
                ready.put((place, None, error))
                return

    workers = [threading.Thread(target=work, daemon=True) for _ in range(min(threads, len(items)))]
    for worker in workers:
        worker.start()
    results: dict[int, Result] = {}
    while len(results) < len(items):
        place, result, error = ready.get()
        if error is not None:
            while not waiting.empty():
                with suppress(queue.Empty):
                    waiting.get_nowait()
            for worker in workers:
                worker.join()
            raise error
        results[place] = result  # type: ignore[assignment]
    return [results[place] for place in range(len(items))]
