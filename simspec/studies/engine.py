"""The engine: runs the blocks of a study until each cell has enough, here or on many workers, and always to the same end.

A block is a range of rows of one cell.  What it holds follows from (seed, study, cell, rows) alone, and its statistics
are integers, so that no schedule, split, worker or restart can change a result.  A cell's result uses exactly the
shortest prefix of its blocks on which the stopping rule fires; blocks beyond it stay in the store and count when the
goal is raised.  What is not here: where tasks run (`simspec.studies.pools`), what is kept (`simspec.studies.store`) and
when to stop (`simspec.studies.stopping`).
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.studies.cells import CellResult, CellState, Estimate
from simspec.studies.manifest import Manifest
from simspec.studies.pools import Here, Pool
from simspec.studies.segment import Block, canonical
from simspec.studies.sequences import simultaneous as bonferroni
from simspec.studies.stopping import Rows, Rule
from simspec.studies.store import Store
from simspec.studies.study import Cell, Study, simulate

__all__ = [
    "CellResult",
    "Estimate",
    "Snapshot",
    "Task",
    "lost",
    "manifest",
    "replay",
    "results",
    "run",
    "simulate_block",
    "work",
]

Array = NDArray[Any]
TASK_SECONDS = 0.25
"""About how long a task should take: many short blocks travel together."""
SHOW_SECONDS = 0.2
"""Least time between two snapshots."""


class Task(NamedTuple):
    """Some blocks of one cell: all that a worker needs to know."""

    study: Study
    cell: Cell
    seed: int
    design: str
    blocks: tuple[int, ...]
    device: str


class Snapshot(NamedTuple):
    """Progress, handed to the caller's callback a few times a second.

    Attributes
    ----------
    decided, failed, cells : int
        cells whose rule has fired, cells with a failed block, cells in all.
    rows : int
        replications known, found in the store or simulated now.
    rate : float
        replications a second, of this run.
    left : float
        seconds until every open cell reaches its limit at this rate: the longest the run can take.
    latest : CellResult
        the cell that was worked on last.
    """

    decided: int
    failed: int
    cells: int
    rows: int
    rate: float
    left: float
    latest: CellResult


def manifest(study: Study, seed: int) -> Manifest:
    """Manifest of a study's results: hashes of its design follow from it.

    >>> study = Study("coin", "?", ({},), lambda cell, rows, device: {})
    >>> manifest(study, 1).seed
    1
    """
    return Manifest(study.name, study.question, seed, study.rows, study.grid, tuple(study.measures))


def simulate_block(study: Study, cell: Cell, seed: int, design: str, number: int, device: str = "cpu") -> Block:
    """Simulate one block and reduce it to integers; a failure becomes a block that carries its traceback.

    Examples
    --------
    >>> from simspec.studies.statistics import Share
    >>> study = Study("yes", "?", ({},), lambda cell, rows, device: {"y": np.ones(len(rows.numbers))},
    ...               rows=3, measures={"y": Share()})
    >>> simulate_block(study, {}, 0, "00", 7).statistics
    {'y.n': 3, 'y.hits': 3}
    """
    numbers = range(number * study.rows, (number + 1) * study.rows)
    if "rows" in cell:
        numbers = range(numbers.start, min(numbers.stop, int(cell["rows"])))
    start = time.perf_counter()
    try:
        values = simulate(study, cell, seed, numbers, device)
        statistics: dict[str, Any] = {}
        for name, measure in study.measures.items():
            if name not in values:
                raise ValueError(
                    f"simulate: study {study.name!r} returned no {name!r}; expected {sorted(study.measures)}"
                )
            for label, column in _places(name, values[name]):
                statistics |= measure.reduce(label, column)
        error = None
    except Exception:
        statistics, error = {}, traceback.format_exc()
    return Block(design, canonical(cell), number, len(numbers), statistics, time.perf_counter() - start, error)


def _places(name: str, values: Array) -> Iterator[tuple[str, Array]]:
    values = np.asarray(values)
    for place in np.ndindex(values.shape[1:]):
        label = f"{name}[{','.join(map(str, place))}]" if place else name
        yield label, values[(slice(None), *place)]


def work(task: Task) -> list[Block]:
    """Simulate the blocks of a task, up to the first that fails: the function that workers run."""
    blocks = []
    for number in task.blocks:
        blocks.append(simulate_block(task.study, task.cell, task.seed, task.design, number, task.device))
        if blocks[-1].error:
            break
    return blocks


def lost(task: Task, error: BaseException) -> list[Block]:
    """What stands for a task that never came back, its workers having died under it."""
    text = f"the task was lost with its workers: {type(error).__name__}: {error}"
    return [Block(task.design, canonical(task.cell), task.blocks[0], task.study.rows, {}, 0.0, text)]


def run(
    study: Study,
    store: Store | str | None = None,
    *,
    seed: int = 0,
    stop: Rule | None = None,
    level: float = 0.95,
    simultaneous: bool = False,
    max_rows: int = 1_000_000,
    seconds: float | None = None,
    pool: Pool | None = None,
    shard: tuple[int, int] = (0, 1),
    device: str = "cpu",
    progress: Callable[[Snapshot], None] | None = None,
) -> list[CellResult]:
    """Run a study until its stopping rule has fired in every cell.

    Parameters
    ----------
    study : Study
        with `measures`; `study.rows` rows make a block.
    store : Store or directory, optional
        where blocks are kept and found again; without one the run lives in memory.
    seed : int >= 0
    stop : rule, optional
        by default the study's own, or else `max_rows`.
    level : float
        confidence of the intervals: of each cell, or of all of them together with `simultaneous`.
    max_rows : int
        a cell stops there at the latest.
    seconds : float, optional
        no new blocks are begun after this time: the one stop that is not reproducible.
    pool : Pool, optional
        where tasks run; by default here, in this process.
    shard : (i, n)
        run only the blocks whose number leaves i when divided by n; a shard runs to `max_rows`, and `merge` unites them.
    progress : callback

    Returns
    -------
    list of CellResult, in the order of the grid

    Raises
    ------
    ValueError
        for a study without measures, a shard outside 0 <= i < n, or a store of another study, seed or block size.
    KeyboardInterrupt
        after everything that is finished has been written.

    Examples
    --------
    >>> from simspec.kernels import philox
    >>> from simspec.studies.statistics import Share
    >>> from simspec.studies.stopping import HalfWidth
    >>> def coin(cell, rows, device):
    ...     return {"heads": philox.uniform(rows.key, rows.numbers, [0])[:, 0] < cell["bias"]}
    >>> study = Study("coin", "How often heads?", ({"bias": 0.5},), coin, rows=1000, measures={"heads": Share()})
    >>> result, = run(study, stop=HalfWidth("heads", 0.02))
    >>> result.decided, abs(result.estimates["heads"].mean - 0.5) < 0.02
    (True, True)
    """
    if not study.measures:
        raise ValueError(f"study: {study.name!r} has no measures; expected at least one (Mean, Share or Counts)")
    if not 0 <= shard[0] < shard[1]:
        raise ValueError(f"shard: {shard[0]}/{shard[1]}; expected i/n with 0 <= i < n")
    if max_rows < 1:
        raise ValueError(f"max_rows: {max_rows}; expected at least one row")
    rule = stop or study.stop or Rows(max_rows)
    each = bonferroni(level, len(study.grid)) if simultaneous else level
    plan = manifest(study, seed)
    opened = Store(store, manifest=plan) if isinstance(store, str) else store
    states = [CellState(cell, plan.design(cell), _limit(study, cell, max_rows)) for cell in study.grid]
    with opened or nullcontext():
        if opened is not None:
            for state in states:
                state.fill(opened)
        _drive(study, states, opened, seed, rule, each, seconds, pool or Here(work, lost), shard, device, progress)
    return [state.result(study, each) for state in states]


def _limit(study: Study, cell: Cell, max_rows: int) -> int:
    return -(-min(max_rows, int(cell.get("rows", max_rows))) // study.rows)


def _drive(
    study: Study,
    states: Sequence[CellState],
    store: Store | None,
    seed: int,
    rule: Rule,
    level: float,
    seconds: float | None,
    pool: Pool,
    shard: tuple[int, int],
    device: str,
    progress: Callable[[Snapshot], None] | None,
) -> None:
    start, shown, fresh = time.monotonic(), 0.0, 0
    by_design = {state.design: state for state in states}
    whole = shard == (0, 1)

    def late() -> bool:
        return seconds is not None and time.monotonic() - start >= seconds

    def more(state: CellState) -> None:
        wanted = state.wanted(shard) if state.open or (not whole and not state.error) else []
        for part in _parts(wanted, state):
            pool.submit(Task(study, state.cell, seed, state.design, part, device))
            state.under_way |= set(part)

    def show(state: CellState) -> None:
        nonlocal shown
        now = time.monotonic()
        if progress is None or now - shown < SHOW_SECONDS and any(s.under_way for s in states):
            return
        shown = now
        rate = fresh / max(now - start, 1e-9)
        missing = sum(max(0, s.limit * study.rows - s.rows) for s in states if s.open)
        progress(
            Snapshot(
                decided=sum(s.fired is not None for s in states),
                failed=sum(s.error is not None for s in states),
                cells=len(states),
                rows=sum(s.rows for s in states),
                rate=rate,
                left=missing / rate if rate else float("inf"),
                latest=state.result(study, level),
            )
        )

    with pool:
        for state in states:
            state.check(rule, level)
            more(state)
        for blocks in pool:
            for block in blocks:
                state = by_design[block.design]
                state.under_way.discard(block.block)
                if store is not None:
                    store.append(block)
                if block.error:
                    state.error, state.under_way = block.error, set()
                else:
                    state.add(block)
                    fresh += block.rows
            if late():
                break
            if not state.under_way:
                state.check(rule, level)
                more(state)
            show(state)
    for state in states:
        state.check(rule, level)


def _parts(numbers: Sequence[int], state: CellState) -> Iterator[tuple[int, ...]]:
    """The blocks in tasks of about `TASK_SECONDS`."""
    size = max(1, int(TASK_SECONDS * state.count / max(state.times, 1e-9))) if state.count else 1
    for at in range(0, len(numbers), size):
        yield tuple(numbers[at : at + size])


def results(
    study: Study, store: Store, seed: int = 0, stop: Rule | None = None, level: float = 0.95, simultaneous: bool = False
) -> list[CellResult]:
    """What a store says of a study, with nothing simulated; arguments as in `run`."""
    rule = stop or study.stop
    each = bonferroni(level, len(study.grid)) if simultaneous else level
    plan = manifest(study, seed)
    out = []
    for cell in study.grid:
        state = CellState(cell, plan.design(cell), 0)
        state.fill(store)
        failures = store.failed(state.design)
        state.error = failures[0].error if failures else None
        if rule is not None:
            state.check(rule, each)
        out.append(state.result(study, each))
    return out


def replay(study: Study, cell: Cell, row: int, seed: int = 0, device: str = "cpu") -> dict[str, Any]:
    """Values of one replication, simulated alone: what a debugger wants.

    >>> study = Study("rows", "?", ({},), lambda cell, rows, device: {"y": np.array(list(rows.numbers))})
    >>> replay(study, {}, 12)
    {'y': np.int64(12)}
    """
    if row < 0:
        raise ValueError(f"row: {row}; expected a row number that is not negative")
    return {name: np.asarray(v)[0] for name, v in simulate(study, cell, seed, range(row, row + 1), device).items()}
