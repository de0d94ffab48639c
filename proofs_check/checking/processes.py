"""Work on many proofs in several processes: results as they come, and none left over where one fails."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

from simspec.engine.signals import end_with_parent

__all__ = ["in_processes"]

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_processes(work: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    """Results of all tasks, in the order in which they end; in this process where one worker is asked for.

    The processes end with this one, and with the first task that raises.
    """
    if workers == 1:
        yield from map(work, tasks)
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), end_with_parent) as pool:
        try:
            for future in as_completed([pool.submit(work, task) for task in tasks]):
                yield future.result()
        except BaseException:
            for child in multiprocessing.active_children():
                child.terminate()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
