"""The engine: runs the blocks of a study until each cell has enough, here or on many workers, and always to the same end.

A block is a range of rows of one cell.  What it holds follows from (seed, study, cell, rows) alone, and its statistics
are integers, so that no schedule, split, worker or restart can change a result.  A cell's result uses exactly the
shortest prefix of its blocks on which the stopping rule fires; blocks beyond it stay in the store and count when the
goal is raised.  What is not here: where tasks run (`simspec.engine.pools`), what is kept (`simspec.engine.store.results`) and
when to stop (`simspec.engine.estimates.stopping`).
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simspec.checks import short, truth, whole_number
from simspec.engine.batching import blocks_ahead
from simspec.engine.cells import (
    CellResult,
    CellState,
    Estimate,
    Task,
    check_bounds,
    check_rows,
    lost,
    simulate_block,
    work,
    work_together,
)
from simspec.engine.choice import chosen_estimator, stored_grid
from simspec.engine.design import designs, manifest, plan
from simspec.engine.devices import use
from simspec.engine.estimates.forecast import rows_left, rows_to_stop
from simspec.engine.estimates.intervals import bonferroni
from simspec.engine.estimates.stopping import Rule
from simspec.engine.liveness import accounted
from simspec.engine.pools import Here, Pool
from simspec.engine.results import Results
from simspec.engine.scheduling import added_up, ask, ask_all, check_whole
from simspec.engine.store import union as unions
from simspec.engine.store.manifest import join, read_manifest
from simspec.engine.store.results import Store
from simspec.engine.store.segment import Block
from simspec.engine.study import Cell, Study, check_device, simulate
from simspec.engine.study_checks import finite, is_rule

__all__ = [
    "Asked",
    "CellResult",
    "Estimate",
    "Results",
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
        seconds until every open cell reaches its limit, in a shard its part of it, at this rate: the longest the run can take.
    latest : CellResult
        the cell that was worked on last.
    expected : float
        seconds until the rule has fired in every open cell, foretold from the widths of the intervals so far.
    """

    decided: int
    failed: int
    cells: int
    rows: int
    rate: float
    left: float
    latest: CellResult
    expected: float = math.inf


@dataclass(frozen=True)
class Asked:
    """How far a run goes, and where: options of `run`, which says what each is."""

    stop: Rule | None = None
    level: float = 0.95
    simultaneous: bool = False
    max_rows: int | None = 1_000_000
    seconds: float | None = None
    shard: tuple[int, int] = (0, 1)
    device: str = "cpu"

    def __post_init__(self) -> None:
        """Refuse settings of a run that no run could use."""
        if not isinstance(self.shard, tuple | list) or len(self.shard) != 2:
            raise ValueError(f"shard: {short(self.shard)}; expected two integers (i, n)")
        own_shard, of = self.shard
        for value in (own_shard, of):
            whole_number("shard", value, -(2**63), 2**63 - 1, f"two integers in {short(self.shard)}")
        if not 0 <= own_shard < of:
            raise ValueError(f"shard: {own_shard}/{of}; expected i/n with 0 <= i < n")
        if self.stop is not None and not is_rule(self.stop):
            raise ValueError(f"stop: {short(self.stop)}; expected a stopping rule, as Rows(1000), or None")
        if not finite(self.level) or not 0 < self.level < 1:
            raise ValueError(f"level: {short(self.level)}; expected a confidence between 0 and 1")
        truth("simultaneous", self.simultaneous)
        if self.max_rows is not None:
            whole_number("max_rows", self.max_rows, 1, expected="at least one row")
        # infinity is allowed: it means no limit
        endless = isinstance(self.seconds, float) and self.seconds == float("inf")
        if self.seconds is not None and not endless and not (finite(self.seconds) and self.seconds >= 0):
            raise ValueError(f"seconds: {short(self.seconds)}; expected a time that is not negative, or None")


def run(
    study: Study,
    store: Store | str | os.PathLike[str] | None = None,
    *,
    seed: int = 0,
    pool: Pool | None = None,
    progress: Callable[[Snapshot], None] | None = None,
    accept_code: bool = False,
    estimator: str = "auto",
    **options: Any,
) -> Results:
    """Run a study until its stopping rule has fired in every cell.

    Parameters
    ----------
    study : Study
        with `measures`; `study.rows` rows make a block.
    store : Store or directory, optional
        where blocks are kept and found again; without one the run lives in memory.
    seed : int >= 0
    pool : Pool, optional
        where tasks run; by default here, in this process.
    progress : callback
    accept_code : bool
        go on with rows that other code made; what differs is taken to make the same rows, and that is recorded.
    estimator : "auto" or "plain"
        "auto": where the study offers an estimator with less variance and it pays for what is asked, its rows are simulated;
        "plain": always the study's own.  Results that are stored are continued as they were begun.  Each result says which
        estimator it has, what that saved, and what its interval promises (`CellResult.estimators`).
    stop : rule, optional
        by default the study's own; without either each cell runs to its last row.  `Shared` is one goal for all cells.
    level : float
        confidence of the intervals: of each cell, or of all of them together with `simultaneous`.
    max_rows : int
        a cell stops with the block that reaches it at the latest.
    seconds : float, optional
        no new blocks are begun after this time: the one stop that is not reproducible.
    shard : (i, n)
        run only the blocks whose number leaves i when divided by n; `merge` unites the stores.  A shard runs to
        `max_rows`, unless its store has what the others did and that decides a cell.
    device : "cpu" or "gpu"

    Returns
    -------
    Results: a list of CellResult, in the order of the grid; `frame()` makes it a table of pandas

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
    goal = Asked(**options)
    check_device(study, goal.device)
    if pool is None:
        use(goal.device)
    stored = stored_grid(store, study)
    study, stop = chosen_estimator(study, goal.stop or study.stop, goal.level, goal.device, stored, estimator)
    goal = replace(goal, stop=stop)
    check_bounds(study, goal.stop)
    check_whole(goal.stop, goal.shard)
    states, cell_level = _states(study, seed, goal)
    check_rows(study, states, goal.stop, goal.shard)
    opened = Store(store) if isinstance(store, str | os.PathLike) else store
    if opened is not None:
        opened.adopt(manifest(study, seed), accept_code)
    with accounted(opened), opened or nullcontext():
        if opened is not None:
            union = opened.union()
            for state in states:
                state.fill(union)
        reporter = _Shown(study, states, cell_level, progress, goal)
        is_together = goal.device == "gpu" and study.together is not None
        here = Here(work, lost, work_together if is_together else None)
        _drive(study, states, opened, seed, goal, pool or here, reporter)
    return Results(study, (state.result(study, cell_level, goal.stop) for state in states), seed)


def _states(study: Study, seed: int, request: Asked) -> tuple[list[CellState], float]:
    """The cells of a study before anything is known of them, and the level of each one's intervals."""
    row_limit = sys.maxsize if request.max_rows is None else request.max_rows
    narrowed = bonferroni(request.level, max(1, len(study.grid)))  # refuses a bad level
    limits = [-(-min(row_limit, int(cell.get("rows", row_limit))) // study.rows) for cell in study.grid]
    cells = zip(study.grid, designs(study, seed), limits, strict=True)
    return [CellState(*cell) for cell in cells], narrowed if request.simultaneous or added_up(
        request.stop
    ) else request.level


class _Shown:
    """Hands snapshots of some cells to a callback, seldom enough not to slow the run."""

    def __init__(
        self,
        study: Study,
        states: Sequence[CellState],
        level: float,
        progress: Callable[[Snapshot], None] | None,
        goal: Asked,
    ) -> None:
        self.study, self.states, self.level, self.progress = study, states, level, progress
        self.shard, self.rule = goal.shard, goal.stop
        self.start, self.due, self.fresh = time.monotonic(), 0.0, 0
        self.needed: dict[str, float] = {}  # rows in all of the cells that were shown, by design

    def __call__(self, latest: CellState, at_once: bool = False) -> None:
        """Send a snapshot to the progress callback if one is due: counts, rate and the time that is left."""
        begin = time.monotonic()
        if self.progress is None or (begin < self.due and not at_once):
            return
        states = self.states
        rate = self.fresh / max(begin - self.start, 1e-9)
        result = latest.result(self.study, self.level, self.rule)
        if result.rows:
            self.needed[latest.design] = rows_to_stop(self.rule, result.rows, result.estimates)
        still_open = [s for s in states if s.open]
        missing = [s.missing(self.shard) * self.study.rows for s in still_open]
        needed = [self.needed.get(s.design) for s in still_open]
        rest = rows_left(needed, [s.rows for s in still_open], missing)
        self.progress(
            Snapshot(
                decided=sum(s.fired is not None for s in states),
                failed=sum(s.error is not None for s in states),
                cells=len(states),
                rows=sum(s.rows for s in states),
                rate=rate,
                left=sum(missing) / rate if rate else math.inf,
                latest=result,
                expected=rest / rate if rate else math.inf,
            )
        )
        end = time.monotonic()
        # a slow callback is called less often, so that it takes at most about a twentieth of the time
        self.due = end + max(SHOW_SECONDS, 20 * (end - begin))


def _drive(
    study: Study,
    states: Sequence[CellState],
    store: Store | None,
    seed: int,
    request: Asked,
    pool: Pool,
    reporter: _Shown,
) -> None:
    """Simulate blocks until no cell wants more, or the time is over.

    Every cell is given its first blocks.  Then each answer of the pool, some blocks of one cell, is taken and stored, and
    the cell is given more once few of its blocks are under way.  Blocks may come back in any order: the rule of a cell reads
    them by their numbers.
    """
    by_design = {state.design: state for state in states}
    supply = _Supply(study, states, seed, request, pool, reporter.level)
    with pool:
        for state in states:
            supply.refill(state)
        for blocks in pool:
            latest = _take(blocks, by_design, store, reporter)
            if _is_over(request, reporter.start):
                break
            if supply.runs_low(latest):
                supply.refill(latest)
            reporter(latest)
    ask_all(states, request.stop, study.rows, reporter.level)
    if states:
        reporter(states[-1], at_once=True)


def _take(blocks: Sequence[Block], by_design: Mapping[str, CellState], store: Store | None, shown: _Shown) -> CellState:
    """Count and store the blocks of an answer, at least one, which are all of one cell; returns the cell."""
    for block in blocks:
        state = by_design[block.design]
        counted = state.take(block)
        if store is not None:
            store.append(counted)
        if not counted.error:
            shown.fresh += counted.rows
    return by_design[blocks[-1].design]


def _is_over(asked: Asked, start: float) -> bool:
    """Whether the time that the run was given has passed."""
    return asked.seconds is not None and time.monotonic() - start >= asked.seconds


class _Supply:
    """Gives cells blocks to simulate: asks the rule which cells want more, and hands their next blocks to the pool."""

    def __init__(
        self, study: Study, states: Sequence[CellState], seed: int, asked: Asked, pool: Pool, level: float
    ) -> None:
        self.states = states
        self.seed = seed
        self.asked = asked
        self.pool = pool
        self.level = level
        self.rows_of_block = study.rows
        # what a task takes to its worker: no grid of many cells
        self.carried = replace(study, grid=(), stop=None, steadier=None, advice=None)
        self.low = dict.fromkeys((state.design for state in states), 0)
        """Blocks under way, by design, at or below which a cell is given more."""

    def runs_low(self, state: CellState) -> bool:
        """Whether so few blocks of a cell are under way that it should be given more."""
        return len(state.under_way) <= self.low[state.design]

    def refill(self, latest: CellState) -> None:
        """Ask the rule after news of a cell, and submit the next blocks of every cell that may have more."""
        for state in ask(latest, self.states, self.asked.stop, self.rows_of_block, self.level):
            if state.open:
                self._submit(state)
            else:
                self.low[state.design] = 0

    def _submit(self, state: CellState) -> None:
        """Submit the blocks that a cell wants now, in tasks for its share of the workers."""
        width = getattr(self.pool, "width", 1)
        cells = len(self.states)
        share = -(-width // cells)  # workers for each cell, rounded up
        has_rule = self.asked.stop is not None
        ahead = blocks_ahead(width, cells, state.count, state.times, has_rule)
        wanted = state.wanted(self.asked.shard, ahead)
        for numbers in _parts(wanted, state, share):
            self.pool.submit(Task(self.carried, state.cell, self.seed, state.design, numbers, self.asked.device))
            state.under_way |= set(numbers)
        # with several workers a cell is refilled at half of what is under way, so that none waits for the last block
        self.low[state.design] = max(share, len(state.under_way) // 2) if wanted and share > 1 else 0


def _parts(numbers: Sequence[int], state: CellState, share: int) -> Iterator[tuple[int, ...]]:
    """The blocks in tasks of about `TASK_SECONDS`, at least one for each of the workers that the cell has."""
    size = max(1, int(TASK_SECONDS * state.count / max(state.times, 1e-9))) if state.count else 1
    size = max(1, min(size, -(-len(numbers) // share)))
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
) -> Results:
    """What a store says of a study, with nothing simulated; arguments as in `run`, all rows by default."""
    rule = stop or study.stop
    if stored := stored_grid(store, study):
        study, rule = chosen_estimator(study, rule, level, stored=stored)
    states, cell_level = _states(study, seed, Asked(rule, level, simultaneous, max_rows))
    opened = store if isinstance(store, Store) else Store(store)
    for manifest_there in (opened._manifest, read_manifest(opened.path)):
        if manifest_there is not None:
            join([manifest_there, plan(study, seed)])
    union = opened.union()
    for state in states:
        state.fill(union)
        state.failures = {block.block: block.error or "" for block in unions.failures(union, state.design)}
    ask_all(states, rule, study.rows, cell_level)
    return Results(study, (state.result(study, cell_level, rule) for state in states), seed)


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
