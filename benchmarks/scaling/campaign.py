"""What a large campaign costs the engine: measured on small ones and at scale, then reckoned for 10^9 replications.

Measured: overhead on blocks of 0.2 s; bytes of a stored block and of a file; seconds and memory to summarise 10^6 blocks
of 10^4 cells; messages and seconds of Dask's scheduler for each task; the engine's own time for a block.
"""

from __future__ import annotations

import logging
import pickle
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.scaling.crowd import Costs, Crowd, crowd
from simspec.engine import run as engine
from simspec.engine.batching import Pace
from simspec.engine.estimates.sequences import empirical_bernstein
from simspec.engine.estimates.statistics import SCALE
from simspec.engine.store.results import Store
from simspec.engine.store.segment import Block, canonical
from simspec.engine.study import Cell, Rows
from simspec.studies import Mean, Study

__all__ = ["Measured", "Plan", "answer_bytes", "describe", "measure", "messages", "plan"]

REPLICATIONS = 10**9
CELLS = 10**4
BLOCK_ROWS = 1000
BLOCK_SECONDS = 0.2
EFFICIENT = 0.9
SEGMENT_SECONDS = 5.0
WORKERS = (1, 16, 64, 256, 1024)
CROWDS = (64, 256, 1024, 4096, 10_000)
MINUTES = 5
"""Numbers of workers that are simulated, and the work there is for each of them."""


class Measured(NamedTuple):
    """Figures of this machine.

    Attributes
    ----------
    overhead : float
        share of the time that is not simulation, blocks of 0.2 s.
    blocks, cells, files : int
        size of the directory that was written and summarised.
    file_bytes, block_bytes : float
        bytes on disk for a file with one block, and for each further block with one measured mean.
    summary_seconds, summary_bytes : float
        to read and summarise that directory, and the memory it took.
    engine_seconds : float
        the engine's own time for a block: storing it, counting it, asking the rule.
    task_seconds : float or None
        scheduler and client time for a bundle of one task, with workers that do nothing; None without Dask.
    messages : float or None
        messages between client, scheduler and workers for a bundle.
    answer_bytes : float or None
        what each block adds to the answer of a bundle.
    """

    overhead: float
    blocks: int
    cells: int
    files: int
    file_bytes: float
    block_bytes: float
    summary_seconds: float
    summary_bytes: float
    engine_seconds: float
    task_seconds: float | None
    messages: float | None
    answer_bytes: float | None = None


class Plan(NamedTuple):
    """What one number of workers means for the campaign: wall time in hours, files, bytes, and how busy the one driver is."""

    workers: int
    hours: float
    files: int
    bytes: float
    busy: float


def _simulated(seconds: float, grid: tuple[Cell, ...], blocks: int) -> tuple[float, float]:
    """Seconds of a run that keeps its results on disk, and those within its blocks, `blocks` a cell that wait so long each."""

    def waiting(cell: Cell, rows: Rows, device: str) -> dict[str, NDArray[Any]]:
        time.sleep(seconds)
        return {"y": np.zeros(len(rows.numbers))}

    study = Study("waiting", "?", grid, waiting, rows=1, measures={"y": Mean()})
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        engine.run(study, folder, max_rows=blocks, progress=(lambda snapshot: None) if seconds else None)
        took = time.perf_counter() - start
        with Store(folder) as store:
            return took, sum(float(store.blocks(design)["seconds"].sum()) for design in store.designs())


def _overhead(blocks: int) -> float:
    """Share of the time of a run that is not spent in blocks of 0.2 s."""
    took, inside = _simulated(BLOCK_SECONDS, ({},), blocks)
    return (took - inside) / took


def _nothing(cell: Cell, rows: Rows, device: str) -> dict[str, NDArray[Any]]:
    return {"y": np.zeros(len(rows.numbers))}


def _own(cells: int, blocks: int) -> float:
    """The engine's own seconds for a block: a run less what was spent in simulating and reducing."""
    took, inside = _simulated(0, tuple({"cell": i} for i in range(cells)), blocks)
    return (took - inside) / (cells * blocks)


def _scale(
    cells: int, blocks: int, per_file: int, tick: Callable[[int], None]
) -> tuple[int, float, float, float, float]:
    """What a directory filled as a run fills it holds, and what it costs to summarise.

    Files, bytes of a file with one block, bytes of a further block, seconds, bytes of memory.
    """
    grid = tuple({"cell": i} for i in range(cells))
    study = Study("nothing", "?", grid, _nothing, rows=BLOCK_ROWS, measures={"y": Mean()})
    rng = np.random.default_rng(0)
    designs = engine.designs(study)
    with tempfile.TemporaryDirectory() as folder:
        with Store(folder, manifest=engine.manifest(study, 0), interval=float("inf")) as store:
            texts = [canonical(cell) for cell in grid]
            count = 0
            single = 0
            for block in range(blocks):
                block_seconds = (BLOCK_SECONDS * (1 + 0.01 * rng.random(cells))).tolist()
                sums = (rng.normal(0.5, 0.01, cells) * BLOCK_ROWS * SCALE).astype(np.int64).tolist()
                for at in range(cells):
                    values = {"y.n": BLOCK_ROWS, "y.sum": sums[at], "y.squares": sums[at] // 2}
                    store.append(Block(designs[at], texts[at], block, BLOCK_ROWS, values, block_seconds[at]))
                    count += 1
                    if count == 2:  # without the grid, which the first file states
                        store.flush()
                        single = min(path.stat().st_size for path in Path(folder).glob("segment-*"))
                    if count == 1 or count % per_file == 0:
                        store.flush()
                        tick(count)
        files = list(Path(folder).glob("segment-*.parquet"))
        size = sum(path.stat().st_size for path in files) - len(files) * single
        empirical_bernstein(np.array([1]), np.array([0]), np.array([0]))  # loads what is loaded once
        before = _resident()
        start = time.perf_counter()
        results = engine.results(study, Store(folder))
        took = time.perf_counter() - start
        memory = _resident() - before
        if sum(r.rows for r in results) != cells * blocks * BLOCK_ROWS:
            raise ValueError("campaign: the summary lost rows; expected all that were stored")
    return len(files), float(single), size / (cells * blocks), took, float(max(0, memory))


def answer_bytes(blocks: int = 100) -> float:
    """Bytes that each block adds to an answer, as it travels."""
    study = Study("nothing", "?", ({},), _nothing, rows=1, measures={"y": Mean()})
    (design,) = engine.designs(study)
    small_answer, large_answer = (
        len(pickle.dumps(engine.work(engine.Task(study, {}, 0, design, tuple(range(n)), "cpu"))))
        for n in (1, 1 + blocks)
    )
    return (large_answer - small_answer) / blocks


def _resident() -> int:
    """Most bytes of memory that this process has held (0 where the system does not say)."""
    try:
        import resource
        import sys
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _scheduler(tasks: int) -> tuple[float, float] | tuple[None, None]:
    """Seconds and messages for each task of a local cluster of two workers that do nothing."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        return None, None
    from simspec.engine.pools import OnDask

    class Single(Pace):
        def size(self, waiting: int, width: int) -> int:
            return 1

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    options["silence_logs"] = logging.CRITICAL  # workers that are stopped complain of it
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        pool = OnDask(abs, lambda task, error: None, client, pace=Single())
        _drain(pool, 10)
        before = messages(cluster, client)
        start = time.perf_counter()
        _drain(pool, tasks)
        took = time.perf_counter() - start
        return took / tasks, (messages(cluster, client) - before) / tasks


def _drain(pool: Any, tasks: int) -> None:
    with pool:
        for number in range(tasks):
            pool.submit(number)
        if sum(pool) != tasks * (tasks - 1) // 2:
            raise ValueError("campaign: a task went missing; expected each result once")


def messages(cluster: Any, client: Any) -> int:
    """Messages sent so far on the streams from client, scheduler and workers of a local cluster."""

    def sent(dask_worker: Any) -> int:
        return dask_worker.batched_stream.message_count

    streams = [*cluster.scheduler.client_comms.values(), *cluster.scheduler.stream_comms.values()]
    client_messages = client.scheduler_comm.message_count if client.scheduler_comm else 0
    return client_messages + sum(s.message_count for s in streams) + sum(client.run(sent).values())


def measure(quick: bool = False) -> Measured:
    """Measure everything; `quick` takes small sizes."""
    from rich.console import Console
    from rich.progress import Progress

    cells, blocks = (100, 20) if quick else (CELLS, REPLICATIONS // CELLS // BLOCK_ROWS)
    per_file = 200 if quick else round(64 * SEGMENT_SECONDS / BLOCK_SECONDS)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("overhead", total=cells * blocks)
        overhead = _overhead(3 if quick else 25)
        progress.update(task, description="the engine's own time")
        engine_times = _own(*((20, 5) if quick else (1000, 20)))
        progress.update(task, description="scheduler")
        seconds, messages = _scheduler(50 if quick else 2000)
        progress.update(task, description=f"{cells * blocks:,} blocks written, then summarised")
        files, single, size, took, memory = _scale(
            cells, blocks, per_file, lambda n: progress.update(task, completed=n)
        )
    return Measured(
        overhead=overhead,
        blocks=cells * blocks,
        cells=cells,
        files=files,
        file_bytes=single,
        block_bytes=size,
        summary_seconds=took,
        summary_bytes=memory,
        engine_seconds=engine_times,
        task_seconds=seconds,
        messages=messages,
        answer_bytes=answer_bytes(),
    )


def plan(measured: Measured, workers: int) -> Plan:
    """The campaign on so many workers, were each block of 0.2 s a message of its own, one driver that stores the results.

    `busy` is the share of the driver's time that scheduler and engine take; at 1 more workers bring nothing.

    Examples
    --------
    >>> figures = Measured(0.01, 10**6, 10**4, 600, 5000.0, 50.0, 10.0, 1e9, 0.0001, 0.0004, 9.0)
    >>> plan(figures, 100)  # 10^6 blocks of 0.2 s on 100 workers: 2000 s, of which the driver is busy 500
    Plan(workers=100, hours=0.5555555555555556, files=400, bytes=52000000.0, busy=0.25)
    """
    blocks = REPLICATIONS // BLOCK_ROWS
    block_overhead = measured.engine_seconds + (measured.task_seconds or 0.0)
    ideal = blocks * BLOCK_SECONDS / workers
    seconds = max(ideal, blocks * block_overhead)
    files = round(seconds / SEGMENT_SECONDS)
    size = files * measured.file_bytes + blocks * measured.block_bytes
    return Plan(workers, seconds / 3600, files, size, block_overhead * blocks / ideal)


def describe(m: Measured) -> str:
    """The figures and the plan, as text."""
    blocks = REPLICATIONS // BLOCK_ROWS
    scale = blocks / m.blocks
    lines = [
        f"\noverhead for blocks of {BLOCK_SECONDS} s: {100 * m.overhead:.2f} % (target: below 5 %)",
        (
            f"{m.blocks:,} blocks of {m.cells:,} cells in {m.files:,} files: {m.file_bytes:,.0f} bytes a file and "
            f"{m.block_bytes:.0f} a block, summarised in {m.summary_seconds:.1f} s with "
            f"{m.summary_bytes / 2**20:,.0f} MiB of memory (target: 10^6 in 30 s)"
        ),
        f"the engine's own time: {m.engine_seconds * 1e3:.3f} ms a block",
    ]
    if m.task_seconds is not None and m.messages is not None:
        lines.append(
            f"Dask: {m.task_seconds * 1e3:.2f} ms and {m.messages:.1f} messages a task, scheduler, client and two workers "
            "on this machine's cores"
        )
    lines += [
        f"\na campaign of 10^9 replications over 10^4 cells, {BLOCK_ROWS:,} rows and {BLOCK_SECONDS} s a block:",
        (
            f"  {blocks:,} blocks, {blocks * BLOCK_SECONDS / 3600:.0f} hours of one core, "
            f"{(m.file_bytes + blocks * m.block_bytes) / 1e6:,.0f} MB on disk once compacted"
        ),
        f"  summarised in {scale * m.summary_seconds:.0f} s with {scale * m.summary_bytes / 2**30:.1f} GiB of memory",
    ]
    if m.messages is not None:
        lines.append(f"  {blocks * m.messages:,.0f} messages through the scheduler")
    lines.append("  workers    hours     files   MB written  driver busy")
    plans = [plan(m, workers) for workers in WORKERS]
    lines += [
        f"  {p.workers:>7,}{p.hours:>9.2f}{p.files:>10,}{p.bytes / 1e6:>13,.0f}{100 * p.busy:>11.0f} %" for p in plans
    ]
    block_overhead = m.engine_seconds + (m.task_seconds or 0.0)
    lines.append(
        "  were each block a message, the one driver (scheduler, storing and counting) would break first, at "
        f"{BLOCK_SECONDS / block_overhead:,.0f} workers"
    )
    return "\n".join([*lines, *_crowds(m)])


def _crowds(m: Measured) -> list[str]:
    """What bundles make of it: campaigns of some minutes on more and more workers, simulated."""
    costs = Costs(BLOCK_SECONDS, m.task_seconds or 0.0, m.engine_seconds)
    simulated = [crowd(workers, round(60 * MINUTES / BLOCK_SECONDS), costs) for workers in CROWDS]
    lines = [
        f"\nin bundles, as the engine sends them, {MINUTES} minutes of blocks for every worker (simulated):",
        "  workers  efficiency  driver busy   bundles/s each    MB/s  files  MiB in the driver",
    ]
    lines += [_crowd_line(m, campaign) for campaign in simulated]
    full = next((campaign for campaign in simulated if campaign.efficiency < EFFICIENT), None)
    breaks = (
        ""
        if full is None
        else (
            f", below {100 * EFFICIENT:.0f} % efficiency at {full.workers:,}: the driver's "
            + (
                "counting and storing of blocks"
                if full.blocks * costs.block > full.messages * costs.message
                else "messages"
            )
        )
    )
    lines.append(
        f"  breaks first: the one driver{breaks}; longer blocks or --shard I/N move that limit, each shard with a driver "
        "and files of its own, to be merged and compacted"
    )
    return lines


def _crowd_line(m: Measured, campaign: Crowd) -> str:
    files = campaign.seconds / SEGMENT_SECONDS
    memory = campaign.blocks * m.summary_bytes / m.blocks / 2**20
    traffic = campaign.blocks * (m.answer_bytes or 0.0) / campaign.seconds / 1e6
    return (
        f"  {campaign.workers:>7,}{100 * campaign.efficiency:>10.1f} %{100 * campaign.busy:>11.1f} %"
        f"{campaign.rate:>17.3f}{traffic:>8.2f}"
        f"{files:>7,.0f}{memory:>19,.0f}"
    )
