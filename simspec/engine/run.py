"""The engine: runs the blocks of a study until each cell has enough, here or on many workers, and always to the same end.

A block is a range of rows of one cell.  What it holds follows from (seed, study, cell, rows) alone, and its statistics
are integers, so that no schedule, split, worker or restart can change a result.  A cell's result uses exactly the
shortest prefix of its blocks on which the stopping rule fires; blocks beyond it stay in the store and count when the
goal is raised.  What is not here: where tasks run (`simspec.engine.pools`), what is kept (`simspec.engine.store.results`) and
when to stop (`simspec.engine.estimates.stopping`).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.cells import CellResult, CellState, Estimate, Task, check_rows, lost, simulate_block, work
from simspec.engine.design import designs, manifest, plan
from simspec.engine.devices import use
from simspec.engine.estimates.intervals import bonferroni
from simspec.engine.estimates.stopping import Rule
from simspec.engine.pools import Here, Pool
from simspec.engine.store import union as unions
from simspec.engine.store.manifest import join, read_manifest
from simspec.engine.store.results import Store
from simspec.engine.study import Cell, Study, check_device, simulate
from simspec.engine.watch import accounted

__all__ = [
    "CellResult",
    "Estimate",
    "Snapshot",
    "Task",
    "designs",
    "lost",
    "manifest",
    "replay",
    "results",
    "run",
    "simulate_block",
    "work",
]

TASK_SECONDS = 0.25
"""About how long a task should take: many short blocks travel together."""
SHOW_SECONDS = 0.2
"""Least time between two snapshots; longer where making one takes long."""


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


def run(
    study: Study,
    store: Store | str | os.PathLike[str] | None = None,
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
    accept_code: bool = False,
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
        by default the study's own; without either each cell runs to its last row.
    level : float
        confidence of the intervals: of each cell, or of all of them together with `simultaneous`.
    max_rows : int
        a cell stops with the block that reaches it at the latest.
    seconds : float, optional
        no new blocks are begun after this time: the one stop that is not reproducible.
    pool : Pool, optional
        where tasks run; by default here, in this process.
    shard : (i, n)
        run only the blocks whose number leaves i when divided by n; `merge` unites the stores.  A shard runs to
        `max_rows`, unless its store has what the others did and that decides a cell.
    progress : callback
    accept_code : bool
        go on with rows that other code made; what differs is taken to make the same rows, and that is recorded.

    Returns
    -------
    list of CellResult, in the order of the grid

    Raises
    ------
    ValueError
        for a study without measures or with a cell twice, a shard outside 0 <= i < n, or a store of another study,
        seed, block size or code.
    KeyboardInterrupt
        after the blocks of every task that came back have been written.
    WorkersLost
        where no worker is left, with what the store holds.

    Examples
    --------
    >>> from simspec.kernels import random as philox
    >>> from simspec.engine.estimates.statistics import Share
    >>> from simspec.engine.estimates.stopping import HalfWidth
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
    check_device(study, device)
    if pool is None:
        use(device)
    states, each = _states(study, seed, level, simultaneous, max_rows)
    rule, opened = stop or study.stop, None
    check_rows(study, states, rule, shard)
    if store is not None:
        opened = store if isinstance(store, Store) else Store(store)
        opened.adopt(manifest(study, seed), accept_code)
    with accounted(opened), opened or nullcontext():
        if opened is not None:
            union = opened.union()
            for state in states:
                state.fill(union)
        _drive(study, states, opened, seed, rule, each, seconds, pool or Here(work, lost), shard, device, progress)
    return [state.result(study, each) for state in states]


def _states(
    study: Study, seed: int, level: float, simultaneous: bool, max_rows: int | None
) -> tuple[list[CellState], float]:
    """The cells of a study before anything is known of them, and the level of each one's intervals."""
    if max_rows is None:
        max_rows = sys.maxsize
    if max_rows < 1:
        raise ValueError(f"max_rows: {max_rows}; expected at least one row")
    narrowed = bonferroni(level, max(1, len(study.grid)))  # refuses a bad level
    limits = [-(-min(max_rows, int(cell.get("rows", max_rows))) // study.rows) for cell in study.grid]
    cells = zip(study.grid, designs(study, seed), limits, strict=True)
    return [CellState(*cell) for cell in cells], narrowed if simultaneous else level


def _drive(
    study: Study,
    states: Sequence[CellState],
    store: Store | None,
    seed: int,
    rule: Rule | None,
    level: float,
    seconds: float | None,
    pool: Pool,
    shard: tuple[int, int],
    device: str,
    progress: Callable[[Snapshot], None] | None,
) -> None:
    start, due, fresh = time.monotonic(), 0.0, 0
    by_design = {state.design: state for state in states}
    least = -(-getattr(pool, "width", 1) // max(1, len(states)))
    bare = replace(study, grid=(), stop=None)  # what tasks carry

    def more(state: CellState) -> None:
        for part in _parts(state.wanted(shard, least) if state.open else [], state):
            pool.submit(Task(bare, state.cell, seed, state.design, part, device))
            state.under_way |= set(part)

    def show(latest: CellState) -> None:
        nonlocal due
        begin = time.monotonic()
        if progress is None or begin < due:
            return
        rate = fresh / max(begin - start, 1e-9)
        missing = sum(max(0, s.limit - s.count) * study.rows for s in states if s.open)
        progress(
            Snapshot(
                decided=sum(s.fired is not None for s in states),
                failed=sum(s.error is not None for s in states),
                cells=len(states),
                rows=sum(s.rows for s in states),
                rate=rate,
                left=missing / rate if rate else float("inf"),
                latest=latest.result(study, level),
            )
        )
        end = time.monotonic()
        due = end + max(SHOW_SECONDS, 20 * (end - begin))

    with pool:
        for state in states:
            state.check(rule, level)
            more(state)
        for blocks in pool:
            for block in blocks:
                state = by_design[block.design]
                block = state.take(block)
                if store is not None:
                    store.append(block)
                fresh += 0 if block.error else block.rows
            if seconds is not None and time.monotonic() - start >= seconds:
                break
            if not state.under_way:
                state.check(rule, level)
                more(state)
            show(state)
    for state in states:
        state.check(rule, level)
    due = 0.0
    for state in states[-1:]:
        show(state)


def _parts(numbers: Sequence[int], state: CellState) -> Iterator[tuple[int, ...]]:
    """The blocks in tasks of about `TASK_SECONDS`."""
    size = max(1, int(TASK_SECONDS * state.count / max(state.times, 1e-9))) if state.count else 1
    for at in range(0, len(numbers), size):
        yield tuple(numbers[at : at + size])


def results(
    study: Study,
    store: Store | str | os.PathLike[str],
    seed: int = 0,
    stop: Rule | None = None,
    level: float = 0.95,
    simultaneous: bool = False,
    max_rows: int | None = None,
) -> list[CellResult]:
    """What a store says of a study, with nothing simulated; arguments as in `run`, all rows by default."""
    states, each = _states(study, seed, level, simultaneous, max_rows)
    opened = store if isinstance(store, Store) else Store(store)
    for known in (opened._manifest, read_manifest(opened.path)):
        if known is not None:
            join([known, plan(study, seed)])
    union = opened.union()
    for state in states:
        state.fill(union)
        state.failures = {block.block: block.error or "" for block in unions.failures(union, state.design)}
        state.check(stop or study.stop, each)
    return [state.result(study, each) for state in states]


def replay(
    study: Study,
    cell: Cell,
    row: int,
    seed: int = 0,
    device: str = "cpu",
    store: str | os.PathLike[str] | None = None,
    accept_code: bool = False,
) -> dict[str, Any]:
    """Values of one replication, simulated alone: what a debugger wants.

    With the directory of its results as `store`, another study, seed, block size or code is refused.

    >>> study = Study("rows", "?", ({},), lambda cell, rows, device: {"y": np.array(list(rows.numbers))})
    >>> replay(study, {}, 12)
    {'y': np.int64(12)}
    """
    if not 0 <= row < cell.get("rows", row + 1):
        raise ValueError(f"row: {row}; expected a row of this cell, from 0 to {cell.get('rows', 2**64) - 1}")
    if store is not None and (there := read_manifest(Path(store))):
        join([there, manifest(study, seed)], accept_code)
    return {name: np.asarray(v)[0] for name, v in simulate(study, cell, seed, range(row, row + 1), device).items()}
