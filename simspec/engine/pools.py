"""Where tasks run: in this process, or on the workers of a Dask cluster.

A pool takes tasks and yields what the worker function returned for each, in whatever order they finish; the engine's
results do not depend on that order.  Whether there are still workers is watched in `simspec.engine.liveness`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from simspec.checks import needs
from simspec.engine.batching import Pace, Worked, bundle_seconds
from simspec.engine.liveness import LOOK, WorkerMonitor, WorkersLost
from simspec.engine.local_cluster import local_client
from simspec.engine.serialisation import Packer, work_packed

__all__ = ["Here", "OnDask", "Pool", "WorkersLost", "on_workers"]

MOST = 1024
"""Most processes on one machine: each takes some hundred MiB."""


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

    With `work_together`, a function of tasks that returns the result of each, all that wait are run at once; what comes of them
    is yielded one after the other.

    >>> pool = Here(lambda task: task + 1, lambda task, error: 0)
    >>> pool.submit(1)
    >>> list(pool)
    [2]
    """

    def __init__(
        self,
        work: Callable[[Any], Any],
        lost: Callable[[Any, BaseException], Any],
        work_together: Callable[[Sequence[Any]], Sequence[Any]] | None = None,
    ) -> None:
        self._work, self._tasks = work, deque[Any]()
        self._work_together = work_together

    def submit(self, task: Any) -> None:
        """Take a task."""
        self._tasks.append(task)

    def __iter__(self) -> Iterator[Any]:
        while self._tasks:
            if self._work_together is None:
                yield self._work(self._tasks.popleft())
            else:
                waiting = list(self._tasks)
                self._tasks.clear()
                yield from self._work_together(waiting)

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *error: Any) -> None:
        self._tasks.clear()


class OnDask:
    """Runs tasks on a Dask cluster, several in a message; a task whose worker is lost runs again on another.

    Tasks wait here until a worker is nearly free, and travel in bundles (`simspec.engine.batching`), so that scheduler and
    client have few messages to handle, however many tasks there are.  Workers may come and go.

    The scheduler gives up on a bundle after several deaths of the worker that held it, be it that bundle's doing or its
    neighbour's; each of its tasks then runs once more with no other beside it, and is lost only if its workers die again.

    Parameters
    ----------
    work : function
        imported or pickled by the workers.
    lost : (task, error) -> result
        what stands for a task that keeps losing its workers.
    client : distributed.Client
    renew : () -> None, optional
        starts workers in the place of those that are gone, where the cluster is ours.
    pace : Pace, optional
        how many tasks make a bundle.

    Attributes
    ----------
    width : int
        tasks that run at the same time, as last heard from the scheduler.
    messages : int
        bundles handed to the scheduler so far.
    """

    def __init__(
        self,
        work: Callable[[Any], Any],
        lost: Callable[[Any, BaseException], Any],
        client: Any,
        renew: Callable[[], None] | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._work, self._lost, self._client, self._renew = work, lost, client, renew
        self.width, self.messages = max(1, sum(client.nthreads().values())), 0
        self._pace, self._packer = pace or Pace(), Packer()
        self._clear()

    @property
    def client(self) -> Any:
        """The client of the cluster."""
        return self._client

    def _clear(self) -> None:
        self._done: SimpleQueue[tuple[Any, Any, BaseException | None]] = SimpleQueue()
        self._tasks: dict[Any, Sequence[Any]] = {}  # bundle by future
        self._waiting = deque[Any]()
        self._suspects = deque[Any]()
        self._alone: Any = None  # future of the last suspect

    def submit(self, task: Any) -> None:
        """Take a task."""
        self._waiting.append(task)

    def _send(self, tasks: Sequence[Any]) -> Any:
        bundle = self._packer.pack(self._work, tasks)
        future = self._client.submit(work_packed, bundle, bundle_seconds(self.width), pure=False)
        self._tasks[future] = tasks
        self.messages += 1
        self._client.loop.add_callback(_fetch, future, self._done)
        return future

    def _hand_out(self) -> None:
        """Send what waits to those that are free, or will be soon.

        Suspects go one by one, when nothing else is under way, and nothing new is sent before them: a cell may be given
        blocks for as long as the one is missing.
        """
        if self._alone in self._tasks:
            return
        while self._waiting and not self._suspects and len(self._tasks) < self._pace.most(self.width):
            size = self._pace.size(len(self._waiting), self.width)
            self._send([self._waiting.popleft() for _ in range(size)])
        if self._suspects and not self._tasks:
            self._alone = self._send([self._suspects.popleft()])

    def __iter__(self) -> Iterator[Any]:
        """Results as they come.

        Raises
        ------
        WorkersLost
            where the scheduler is gone, or no worker has been heard of for so long that none will be.
        """
        monitor = WorkerMonitor(self._client, self.width, self._renew)
        while self._waiting or self._tasks or self._suspects:
            monitor.look()
            self.width = max(1, monitor.threads)
            self._hand_out()
            try:
                future, worked, error = self._done.get(timeout=LOOK)
            except Empty:
                continue
            tasks = self._tasks.pop(future)
            if error is None:
                yield from self._worked(tasks, worked)
            else:
                yield from self._failed(tasks, error, future is self._alone, monitor)

    def _worked(self, tasks: Sequence[Any], worked: Worked) -> Iterator[Any]:
        """Results of a bundle; what its time did not suffice for is handed out again."""
        self._pace.learn(worked)
        self._waiting.extendleft(reversed(tasks[len(worked.results) :]))
        self._hand_out()
        yield from worked.results

    def _failed(self, tasks: Sequence[Any], error: BaseException, alone: bool, monitor: WorkerMonitor) -> Iterator[Any]:
        """What becomes of a bundle without an answer: its tasks are tried alone, or are lost."""
        from distributed import KilledWorker

        cancelled = isinstance(error, CancelledError | asyncio.CancelledError)
        if cancelled:
            monitor.connected(error)
        elif len(tasks) > 1 or (isinstance(error, KilledWorker) and not alone):
            self._suspects.extend(tasks)
            return
        for task in tasks:
            yield self._lost(task, error)

    def __enter__(self) -> OnDask:
        return self

    def __exit__(self, *error: Any) -> None:
        if self._tasks:
            self._client.cancel(list(self._tasks), force=True)
        self._clear()


async def _fetch(future: Any, finished: SimpleQueue[Any]) -> None:
    """Hand over what became of a future.  Runs on the client's thread: what signals raise comes up in the main one."""
    result = None
    try:
        error = await future.exception()
        if error is None:
            result = await future
    except (Exception, asyncio.CancelledError) as failure:  # cancelled, or not to be unpickled, which raises anything
        error = failure
    finished.put((future, result, error))


def _renewed(cluster: Any, workers: int) -> None:
    """Give up the workers of a local cluster that are not there, and start others in their place."""
    cluster.scale(len(cluster.scheduler_info["workers"]))
    cluster.scale(workers)


def on_workers(
    work: Callable[[Any], Any],
    lost: Callable[[Any, BaseException], Any],
    workers: int = 1,
    scheduler: str | None = None,
) -> AbstractContextManager[Pool]:
    """Context manager that gives a pool: this process for one worker, a local Dask cluster, or the one at an address.

    A local cluster starts processes that import the main program, so a script must call this below
    ``if __name__ == "__main__":``; the cores are shared out among the workers' compiled loops.  Its scheduler listens on
    the loopback interface, without authentication: whoever has an account on this machine can reach it.

    Raises
    ------
    ValueError
        for less than one worker or more than `MOST`, or where Dask is needed and missing.

    Examples
    --------
    >>> with on_workers(abs, lambda task, error: None) as pool:
    ...     pool.submit(-3)
    ...     list(pool)
    [3]
    """
    if workers < 1:
        raise ValueError(f"workers: {workers}; expected at least one")
    if workers > MOST:
        raise ValueError(f"workers: {workers}; expected at most {MOST} processes of this machine")

    @contextmanager
    def opened() -> Iterator[Pool]:
        if workers == 1 and scheduler is None:
            yield Here(work, lost)
            return
        with ExitStack() as stack:
            if scheduler is None:
                client = local_client(stack, workers)
                yield OnDask(work, lost, client, partial(_renewed, client.cluster, workers))
            else:
                (distributed,) = needs("workers: more than this process", "distributed")
                client = stack.enter_context(distributed.Client(scheduler, timeout=30))
                yield OnDask(work, lost, client)

    return opened()
