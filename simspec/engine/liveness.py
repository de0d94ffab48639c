"""Whether a Dask cluster still has workers: asked every few seconds, so that no run waits for ever."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["EMPTY", "LOOK", "RENEW", "SILENCE", "WorkerMonitor", "WorkersLost", "accounted"]

LOOK = 2.0
"""Seconds between two questions to the scheduler."""
RENEW = 60.0
"""Seconds for which workers are missing before others are started: at first, and twice as long each time after."""
EMPTY = 120.0
"""Seconds without a worker after which a run on somebody else's cluster ends."""
SILENCE = 600.0
"""Seconds without a heartbeat of any worker after which every run ends; Dask itself drops a silent one after 300."""


class WorkersLost(ConnectionError):
    """No worker is left, or the scheduler is gone: what was under way is lost, what has come back is not."""


class WorkerMonitor:
    """Watches the workers of a client's cluster.

    Parameters
    ----------
    client : distributed.Client
    width : int
        threads of the workers when all are there.
    renew : () -> None, optional
        starts workers in the place of those that are missing.

    Attributes
    ----------
    threads : int
        of the workers, as last heard from the scheduler.
    """

    def __init__(self, client: Any, width: int, renew: Callable[[], None] | None = None) -> None:
        self._client, self._width, self._renew = client, width, renew
        self._due, self._patience = 0.0, RENEW
        self._heard = self._full = time.monotonic()
        self._asking = False
        self._beats: dict[str, float] = {}
        self.threads = width

    def look(self) -> None:
        """Ask the scheduler, if it is time to, and judge by what it last answered; never blocks.

        Raises
        ------
        WorkersLost
            where none has been heard of for too long.
        """
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + LOOK
        if not self._asking:
            self._asking = True
            self._client.loop.add_callback(self._ask)
        if self.threads >= self._width:
            self._full, self._patience = now, RENEW
        limit = SILENCE if self._beats or self._renew else EMPTY
        if now - self._heard > limit:
            state = "no heartbeat of a worker" if self._beats else "no worker"
            raise WorkersLost(f"workers: {state} for {limit:.0f} s; expected some at {self._address}")
        if self._renew is not None and now - self._full > self._patience:
            self._full, self._patience = now, 2 * self._patience
            self._renew()

    async def _ask(self) -> None:
        """Take note of the workers and of their last heartbeats, on the client's thread."""
        try:
            workers = (await self._client.scheduler.identity())["workers"]
        except OSError:  # the scheduler cannot be reached: a silence, which `look` sees
            return
        finally:
            self._asking = False
        beats = {address: worker["last_seen"] for address, worker in workers.items()}
        if beats and beats != self._beats:
            self._heard = time.monotonic()
        self._beats = beats
        self.threads = sum(worker["nthreads"] for worker in workers.values())

    def connected(self, error: BaseException) -> None:
        """Refuse to go on where a task was cancelled because the scheduler is gone; then all of them are.

        Raises
        ------
        WorkersLost
        """
        if getattr(error, "reason", "") == "scheduler-connection-lost" or self._client.status != "running":
            raise WorkersLost(f"workers: the connection to the scheduler at {self._address} is lost")

    @property
    def _address(self) -> str:
        scheduler = self._client.scheduler
        return getattr(scheduler, "address", None) or "its address"


@contextmanager
def accounted(store: Any) -> Iterator[None]:
    """Where the workers are lost, say what a store (or None) holds and how to go on."""
    try:
        yield
    except WorkersLost as error:
        if store is None:
            raise WorkersLost(f"{error}; the run had no store, so its blocks are lost") from error
        blocks_by_design = {design: len(store.done(design)) for design in store.designs()}
        cells = sum(count > 0 for count in blocks_by_design.values())
        raise WorkersLost(
            f"{error}; {sum(blocks_by_design.values())} blocks of {cells} cells are stored in {store.path}: "
            "run the same command again, with or without workers, to continue"
        ) from error
