"""Small studies to run, pools that disturb a run, and a run that is killed.  Run as a program, it does the killing:

    coins.py FOLDER KILLS SEED    runs of `SLOW` in FOLDER/0, FOLDER/1, ..., each killed after random milliseconds

Prints how many of them were killed at work.  It forks, so it uses no threads and reads no results before.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from simspec.engine import run as engine
from simspec.engine.estimates.statistics import Counts, Mean, Share
from simspec.engine.estimates.stopping import HalfWidth, Rows
from simspec.engine.local_cluster import QUIET, start_forking
from simspec.engine.store.results import Store
from simspec.engine.store.segment import canonical
from simspec.engine.study import Study, cross
from simspec.kernels import random as philox


def coin(cell, rows, device):
    """A coin, two values between 0 and 2 and a length; slow, ill or deadly where the cell says so."""
    if "sleep" in cell:
        time.sleep(cell["sleep"])
    first = rows.numbers.start
    if first >= cell.get("ill", np.inf):
        raise RuntimeError(f"ill from row {cell['ill']} on")
    if first >= cell.get("deadly", np.inf):
        os.kill(os.getpid(), signal.SIGKILL)
    u = philox.uniform(rows.key, rows.numbers, [0, 1])
    return {"heads": u[:, 0] < cell["bias"], "depth": 2 * u, "length": np.floor(4 * u[:, 1])}


MEASURES = {"heads": Share(), "depth": Mean(0, 2), "length": Counts((1.0, 2.0, 3.0))}
COINS = Study(
    "coins",
    "How often heads?",
    (*cross(bias=(0.05, 0.5)), {"bias": 0.3, "rows": 50}),
    coin,
    rows=16,
    measures=MEASURES,
    stop=HalfWidth("heads", 0.09),
)
SLOW = replace(COINS, name="slow", grid=cross(bias=(0.1, 0.4), sleep=(0.012,)), stop=HalfWidth("heads", 0.07))
FEW = replace(SLOW, grid=cross(bias=(0.4,), sleep=(0.1,)), stop=Rows(160))

LIMIT = 900
"""Seconds after which something hangs; nothing is decided by it, also on a machine that has much else to do."""
RESUMED = 4
"""Runs of the slow study that are killed in one directory."""


def quick(cell, rows, device):
    """The slow simulation without its sleep."""
    return COINS.simulate({**cell, "sleep": 0}, rows, device)


def plain(results: Sequence[engine.CellResult]) -> list[dict[str, Any]]:
    """Results as plain values that can be compared."""
    return [
        {**vars(r), "totals": {k: np.asarray(v).tolist() for k, v in r.totals.items()}, "cell": dict(r.cell)}
        for r in results
    ]


class Shuffled:
    """A pool that does tasks in random order, and may be interrupted before one of them."""

    def __init__(self, seed: int = 0, fuse: float = np.inf, width: int = 1) -> None:
        self.choose, self.fuse, self.width = random.Random(seed), fuse, width
        self.tasks: list[engine.Task] = []
        self.seen: list[engine.Task] = []

    def submit(self, task: engine.Task) -> None:
        self.tasks.append(task)
        self.seen.append(task)

    def __iter__(self) -> Iterator[Any]:
        while self.tasks:
            if self.fuse <= 0:
                raise KeyboardInterrupt
            self.fuse -= 1
            yield engine.work(self.tasks.pop(self.choose.randrange(len(self.tasks))))

    def __enter__(self) -> Shuffled:
        return self

    def __exit__(self, *error: Any) -> None:
        self.tasks.clear()


def counted(study: Study) -> tuple[Study, list[tuple[str, int]]]:
    """The study with another `simulate` of the same values, and the cell and first row of each block it is asked for."""
    calls: list[tuple[str, int]] = []

    def simulate(cell, rows, device):
        calls.append((canonical(cell), rows.numbers.start))
        return study.simulate(cell, rows, device)

    return replace(study, simulate=simulate), calls


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Fail what takes longer, instead of waiting for ever."""

    def late(*_: object) -> None:
        raise TimeoutError(f"not done within {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def patient() -> dict[str, Any]:
    """Settings of a Dask cluster as ours has them: forked workers, little housekeeping; two deaths end a task."""
    return {**QUIET, **start_forking(), "distributed.scheduler.allowed-failures": 1}


def forked(action: Callable[[], object]) -> int:
    """Start a child that runs `action` and ends; its process number."""
    child = os.fork()
    if not child:
        try:
            action()
            os._exit(0)
        except BaseException as error:
            print(error, file=sys.stderr)
            os._exit(1)
    return child


def killed(folder: str, kills: int, seed: int) -> int:
    """Run the slow study again and again, each time until a random kill; how many kills came in time."""
    choose, count = random.Random(seed), 0
    engine.run(SLOW, Path(folder, "imports"))  # once, before forking
    for run in range(kills):
        store = Store(Path(folder, str(run // RESUMED)), manifest=engine.manifest(SLOW, 0), interval=0.01)
        child = forked(lambda store=store: engine.run(SLOW, store))
        while not run % RESUMED and not list(store.path.glob("segment-*")):  # however slow the machine is
            time.sleep(0.001)
        time.sleep(choose.uniform(0, 0.15))
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, status
        count += os.WIFSIGNALED(status)
    return count


if __name__ == "__main__":
    print(killed(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
