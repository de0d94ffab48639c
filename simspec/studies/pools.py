"""Where tasks run: in this process, or on the workers of a Dask cluster.

A pool takes tasks and yields what the worker function returned for each, in whatever order they finish; the engine's
results do not depend on that order.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Protocol

__all__ = ["Here", "OnDask", "Pool", "on_workers"]


class Pool(Protocol):
    """What the engine asks of a place where tasks run."""

    def submit(self, task: Any) -> None:
        """Take a task."""

    def __iter__(self) -> Iterator[Any]:
        """Results as they come, until every task that was submitted, also meanwhile, is done."""

    def __enter__(self) -> Pool: ...

    def __exit__(self, *error: Any) -> None: ...


class Here:
    """Runs tasks in this process, one after the other, in the order they came.

    >>> pool = Here(lambda task: task + 1, lambda task, error: 0)
    >>> pool.submit(1)
    >>> list(pool)
    [2]
    """

    def __init__(self, work: Callable[[Any], Any], lost: Callable[[Any, BaseException], Any]) -> None:
        self._work, self._tasks = work, deque[Any]()

    def submit(self, task: Any) -> None:
        """Take a task."""
        self._tasks.append(task)

    def __iter__(self) -> Iterator[Any]:
        while self._tasks:
            yield self._work(self._tasks.popleft())

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *error: Any) -> None:
        self._tasks.clear()


class OnDask:
    """Runs tasks on a Dask cluster; a task whose worker is lost runs again on another.

    The scheduler gives up on a task after several deaths of the worker that held it, be it that task's doing or its
    neighbour's; it then runs once more with no other beside it, and is lost only if its workers die again.

    Parameters
    ----------
    work : function
        imported or pickled by the workers.
    lost : (task, error) -> result
        what stands for a task that keeps losing its workers.
    client : distributed.Client

    Attributes
    ----------
    width : int
        tasks that run at the same time.
    """

    def __init__(self, work: Callable[[Any], Any], lost: Callable[[Any, BaseException], Any], client: Any) -> None:
        self._work, self._lost, self._client = work, lost, client
        self.width = max(1, sum(client.nthreads().values()))
        self._clear()

    def _clear(self) -> None:
        from distributed import as_completed

        self._done = as_completed(loop=self._client.loop)
        self._tasks: dict[Any, Any] = {}  # by future
        self._suspects = deque[Any]()

    def submit(self, task: Any) -> None:
        """Take a task."""
        future = self._client.submit(self._work, task, pure=False)
        self._tasks[future] = task
        self._done.add(future)

    def __iter__(self) -> Iterator[Any]:
        from distributed import KilledWorker

        alone = False
        while True:
            for future in self._done:
                task = self._tasks.pop(future)
                try:
                    result = future.result()
                except (KeyboardInterrupt, SystemExit):
                    raise
                except KilledWorker as error:
                    if not alone:
                        self._suspects.append(task)
                        continue
                    result = self._lost(task, error)
                except BaseException as error:  # cancelled, which is no Exception, or not to be unpickled
                    result = self._lost(task, error)
                alone = False
                yield result
            if not self._suspects:
                return
            alone = True
            self.submit(self._suspects.popleft())

    def __enter__(self) -> OnDask:
        return self

    def __exit__(self, *error: Any) -> None:
        if self._tasks:
            self._client.cancel(list(self._tasks), force=True)
        self._clear()


def on_workers(
    work: Callable[[Any], Any],
    lost: Callable[[Any, BaseException], Any],
    workers: int = 1,
    scheduler: str | None = None,
) -> AbstractContextManager[Pool]:
    """Context manager that gives a pool: this process for one worker, a local Dask cluster, or the one at an address.

    A local cluster starts processes that import the main program, so a script must call this below
    ``if __name__ == "__main__":``; the cores are shared out among the workers' compiled loops.

    Raises
    ------
    ValueError
        for less than one worker, or where Dask is needed and missing.

    Examples
    --------
    >>> with on_workers(abs, lambda task, error: None) as pool:
    ...     pool.submit(-3)
    ...     list(pool)
    [3]
    """
    if workers < 1:
        raise ValueError(f"workers: {workers}; expected at least one")

    @contextmanager
    def opened() -> Iterator[Pool]:
        if workers == 1 and scheduler is None:
            yield Here(work, lost)
            return
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise ValueError("workers: Dask is not installed; pip install 'simspec[cluster]'") from None
        with ExitStack() as stack:
            if scheduler is None:
                # processes, one task at a time each: a Numba kernel has one caller
                share = str(max(1, (os.cpu_count() or 1) // workers))
                cluster = stack.enter_context(
                    LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        processes=True,
                        dashboard_address="127.0.0.1:0",
                        env={"NUMBA_NUM_THREADS": share},
                    )
                )
                client = stack.enter_context(Client(cluster))
            else:
                client = stack.enter_context(Client(scheduler, timeout=30))
            yield OnDask(work, lost, client)

    return opened()
