"""Many light workers of this machine: blocks that sleep, so that two cores can hold sixty-four of them busy.

What is left to see is what the engine and Dask add: the share of the workers' time that is work (efficiency), once they are
there and with their start, and the processor time of the driver (scheduler and client are in it) and of the workers for a
bundle and a block.  Every block hashes its row as well; the statistics must be to the last bit those of one process.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.cases import Bench, Done, columns, shown
from benchmarks.scaling.campaign import answer_bytes, messages
from simspec.engine import run as engine
from simspec.engine.batching import Pace, Worked
from simspec.engine.pools import MOST, OnDask, on_workers
from simspec.engine.study import Cell, Rows
from simspec.studies import Mean, Study

__all__ = ["BENCH", "Asked", "Asleep", "Spent", "measure"]

CELLS = 16
WORKERS = 64
SLEEP = 0.2
SECONDS = 20.0
IDLE = 2.0
"""Seconds for which the workers are watched while they have nothing to do."""


@dataclass(frozen=True)
class Asleep:
    """A block that takes its time without a processor; each row has a number of its own."""

    seconds: float

    def __call__(self, cell: Cell, rows: Rows, device: str) -> dict[str, NDArray[Any]]:
        time.sleep(self.seconds)
        return {"u": np.array([rows.key * (2 * number + 1) % 1009 / 1009 for number in rows.numbers])}


class Asked(NamedTuple):
    """So many workers, blocks of so many seconds, and about so many seconds of work for each worker."""

    workers: int
    sleep: float
    seconds: float

    @property
    def blocks(self) -> int:
        """Blocks of a cell.

        >>> Asked(64, 0.2, 20.0).blocks * CELLS
        6400
        """
        return max(1, round(self.workers * self.seconds / self.sleep / CELLS))

    @property
    def work(self) -> float:
        """Seconds of work of each worker, were all as busy as the others."""
        return self.blocks * CELLS * self.sleep / self.workers


class Spent(NamedTuple):
    """What a run took: seconds, processor time of driver and of all workers, bundles, messages on Dask's streams; and the
    seconds in which a worker was at work on a bundle, of all workers."""

    seconds: float
    driver: float
    workers: float
    bundles: int
    messages: int
    inside: float = 0.0


class _Heard(Pace):
    """Sums up how long bundles took."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0

    def learn(self, worked: Worked) -> None:
        super().learn(worked)
        self.seconds += worked.seconds


def _study(sleep: float) -> Study:
    grid = tuple({"number": i} for i in range(CELLS))
    return Study("asleep", "How long does sleeping take?", grid, Asleep(sleep), rows=1, measures={"u": Mean()})


def _totals(results: Sequence[engine.CellResult]) -> list[dict[str, Any]]:
    return [{name: int(value) for name, value in result.totals.items()} for result in results]


def _so_far(pool: OnDask, inside: float = 0.0) -> Spent:
    client = pool.client
    workers = sum(client.run(time.process_time).values())
    return Spent(
        time.perf_counter(), time.process_time(), workers, pool.messages, messages(client.cluster, client), inside
    )


def _difference(after: Spent, before: Spent) -> Spent:
    return Spent._make(a - b for a, b in zip(after, before, strict=True))


def _watched(client: Any, work: Callable[[OnDask], Any]) -> tuple[Spent, Any]:
    heard = _Heard()
    pool = OnDask(engine.work, engine.lost, client, pace=heard)
    before = _so_far(pool)
    result = work(pool)
    return _difference(_so_far(pool, heard.seconds), before), result


def measure(request: Asked, repeats: int, tick: Callable[[str], None] = lambda name: None) -> dict[str, Any]:
    """Start the workers, watch them idle, then run the study on them some times.

    Returns
    -------
    dict
        start : seconds until all workers are there; start_driver, start_workers : processor time meanwhile, of all;
        idle : what `IDLE` seconds without work take; runs : list of `Spent`; right : whether all have the bits of one
        process.

    Raises
    ------
    ValueError
        where Dask is missing, or for too many workers.
    """
    alone = _totals(engine.run(_study(0.0), max_rows=request.blocks))
    tick("one process")
    begin = time.perf_counter()
    processor_start = time.process_time()
    with on_workers(engine.work, engine.lost, request.workers) as pool:
        if not isinstance(pool, OnDask):
            raise ValueError(f"--workers {request.workers}: expected at least 2")
        pool.client.wait_for_workers(request.workers)
        start = time.perf_counter() - begin
        driver = time.process_time() - processor_start
        started = sum(pool.client.run(time.process_time).values())
        tick("start")
        idle, _ = _watched(pool.client, lambda pool: time.sleep(IDLE))
        runs = []
        right = True
        for _ in range(repeats):
            run, results = _watched(
                pool.client, lambda pool: engine.run(_study(request.sleep), max_rows=request.blocks, pool=pool)
            )
            runs.append(run)
            right &= _totals(results) == alone
            tick("run")
    return {
        "start": start,
        "start_driver": driver,
        "start_workers": started,
        "idle": idle,
        "runs": runs,
        "right": right,
    }


def _case(request: Asked, repeats: int) -> Done:
    """Measure the runs of one request, and return the record with a table of them."""
    title = f"{request.workers} workers, {request.blocks * CELLS:,} blocks of {request.sleep:g} s"
    with shown(title, repeats + 2) as tick:
        measured = measure(request, repeats, tick)
    blocks = request.blocks * CELLS
    runs = measured["runs"]
    caption = f"efficiency: {request.work:.4g} s of work for each worker over the seconds; processor time in ms"
    headings = ("seconds", "efficiency", "bundles", "driver, a bundle", "driver, a block", "workers, a block")
    table = columns(title, caption, headings)
    for number, run in enumerate(runs, 1):
        table.add_row(
            f"run {number}",
            f"{run.seconds:.2f}",
            f"{100 * request.work / run.seconds:.1f} %",
            str(run.bundles),
            *(f"{1e3 * x:.2f}" for x in (run.driver / run.bundles, run.driver / blocks, run.workers / blocks)),
        )
    efficiency = [request.work / run.seconds for run in runs]
    with_start = request.work / (measured["start"] + runs[0].seconds)
    about = measured | {
        "idle": measured["idle"]._asdict(),
        "runs": [run._asdict() for run in runs],
        "idle_seconds": IDLE,
    }
    about |= {"asked": request._asdict(), "blocks": blocks, "work": request.work, "efficiency": efficiency}
    about |= {"with_start": with_start, "answer_bytes": answer_bytes()}
    return Done(about, table, measured["right"], _notes(request, measured, statistics.median(efficiency), with_start))


def _notes(request: Asked, measured: dict[str, Any], efficiency: float, with_start: float) -> str:
    """The lines below the table: efficiency, start, idle cost, rates, and whether the results are right."""
    idle = measured["idle"]
    first = measured["runs"][0]
    time_per_worker = f"{1e3 * measured['start_workers'] / request.workers:.0f} ms each"
    rates = f"{first.bundles / first.seconds:.0f} bundles and {first.messages / first.seconds:.0f} messages a second"
    return "\n".join(
        (
            (
                f"efficiency once started: {100 * efficiency:.1f} % (median); the first run with the start: "
                f"{100 * with_start:.1f} %"
            ),
            (
                f"start: {measured['start']:.1f} s; processor time {measured['start_driver']:.2f} s of the driver, "
                f"{time_per_worker} of the workers"
            ),
            (
                f"with nothing to do: {100 * idle.driver / idle.seconds:.1f} % of a core for the driver, "
                f"{100 * idle.workers / idle.seconds:.1f} % for all workers"
            ),
            (
                f"the first run: {rates}, {answer_bytes():.0f} bytes of answer a block; the driver is busy "
                f"{100 * first.driver / first.seconds:.1f} % of the time"
            ),
            (
                f"the first run: workers are at work on bundles "
                f"{100 * first.inside / (request.workers * first.seconds):.1f} % of "
                f"the time, whose blocks last {first.inside / (request.blocks * CELLS):.3f} s: "
                f"what is beyond {request.sleep:g} s is "
                "the machine's, where more wants to run than there are cores"
            ),
            "results are "
            + ("those of one process, to the last bit" if measured["right"] else "NOT those of one process"),
        )
    )


def _more(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers", type=int, default=None, metavar="N", help=f"processes (default {WORKERS}; quick: 2)"
    )
    parser.add_argument(
        "--sleep", type=float, default=None, metavar="S", help=f"seconds of a block (default {SLEEP:g}; quick: 0.02)"
    )
    seconds_help = f"work for each worker, in seconds (default {SECONDS:g}; quick: 0.5)"
    parser.add_argument("--seconds", type=float, default=None, metavar="S", help=seconds_help)


def _cases(args: argparse.Namespace, repeats: int) -> list[Callable[[], Done]]:
    usual = Asked(2, 0.02, 0.5) if args.quick else Asked(WORKERS, SLEEP, SECONDS)
    request = usual._replace(**{name: x for name in Asked._fields if (x := getattr(args, name)) is not None})
    if not 2 <= request.workers <= MOST:
        raise ValueError(f"--workers {request.workers}: expected 2 to {MOST}")
    for name in ("sleep", "seconds"):
        if not 0 < getattr(request, name) < np.inf:
            raise ValueError(f"--{name} {getattr(request, name):g}: expected a number of seconds above 0")
    return [partial(_case, request, repeats)]


BENCH = Bench(
    name="workers",
    summary="many light workers of this machine: efficiency, start, processor time of driver and workers",
    repeats=3,
    quick="two workers, half a second of short blocks",
    cases=_cases,
    more=_more,
)
