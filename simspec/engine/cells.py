"""One cell: how a block of it becomes integers, what is still wanted while it runs, and its result.

What drives the cells of a study is `simspec.engine.run`.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.checks import check_memory, nearest
from simspec.engine.devices import use
from simspec.engine.estimates.dependence import warning
from simspec.engine.estimates.derived import contradiction
from simspec.engine.estimates.estimators import Estimator, estimator_name, is_plain, saving, saving_above
from simspec.engine.estimates.statistics import Mean, mean
from simspec.engine.estimates.stopping import Rows, Rule, reported, stated_bounds, validity
from simspec.engine.store import union as unions
from simspec.engine.store.segment import Block, canonical
from simspec.engine.study import Cell, Study, Values, check_device, checked_values, rows_of, simulate
from simspec.guarding import staying
from simspec.interrupts import heard

__all__ = [
    "CellResult",
    "CellState",
    "Estimate",
    "Task",
    "check_bounds",
    "check_rows",
    "lost",
    "simulate_block",
    "work",
    "work_together",
]

Array = NDArray[Any]
GROWTH = 4
"""A cell that is not decided after n blocks is given n / GROWTH more, so that rules are evaluated seldom."""


class Task(NamedTuple):
    """Some blocks of one cell: all that a worker needs to know.  It travels whole, so `simulate` should carry little."""

    study: Study
    cell: Cell
    seed: int
    design: str
    blocks: tuple[int, ...]
    device: str


def simulate_block(study: Study, cell: Cell, seed: int, design: str, number: int, device: str = "cpu") -> Block:
    """Simulate one block and reduce it to integers; a failure becomes a block that carries its traceback.

    Examples
    --------
    >>> from simspec.engine.estimates.statistics import Share
    >>> study = Study("yes", "?", ({},), lambda cell, rows, device: {"y": np.ones(len(rows.numbers))},
    ...               rows=3, measures={"y": Share()})
    >>> simulate_block(study, {}, 0, "00", 7).statistics
    {'y.n': 3, 'y.hits': 3}
    """
    numbers = _numbers(study, cell, number)

    def simulated() -> Values:
        use(device)
        return simulate(study, cell, seed, numbers, device)

    return _block(study, cell, design, number, simulated)


def _numbers(study: Study, cell: Cell, number: int) -> range:
    """The rows of a block."""
    numbers = range(number * study.rows, (number + 1) * study.rows)
    return range(numbers.start, min(numbers.stop, int(cell["rows"]))) if "rows" in cell else numbers


def _block(study: Study, cell: Cell, design: str, number: int, simulated: Callable[[], Values]) -> Block:
    """The integers of a block's values, or the traceback of what kept them from being made."""
    rows = len(_numbers(study, cell, number))
    start = time.perf_counter()
    statistics: dict[str, Any] = {}
    error = None
    try:
        with heard(), staying():
            values = simulated()
        for name, measure in study.measures.items():
            if name not in values:
                raise ValueError(
                    f"simulate: study {study.name!r} returned no {name!r}; expected {sorted(study.measures)}"
                )
            for label, column in _places(name, values[name]):
                statistics |= measure.reduce(label, column)
        if not statistics:
            raise ValueError(f"simulate: study {study.name!r} returned arrays without entries; expected some")
    except (Exception, SystemExit, GeneratorExit):
        statistics = {}
        error = traceback.format_exc().encode(errors="backslashreplace").decode()
    return Block(design, canonical(cell), number, rows, statistics, time.perf_counter() - start, error)


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


def work_together(tasks: Sequence[Task]) -> list[list[Block]]:
    """Simulate the blocks of tasks of one study in one call of its `together`: for each task what `work` returns.

    Where that call fails, every task is worked on by itself, so that the block at fault carries its traceback.

    >>> from simspec.engine.estimates.statistics import Share
    >>> study = Study("yes", "?", ({},), lambda cell, rows, device: {}, rows=2, measures={"y": Share()},
    ...               together=lambda requests, device: [{"y": np.ones(len(rows.numbers))} for _, rows in requests])
    >>> [[block.statistics["y.n"] for block in blocks] for blocks in work_together([Task(study, {}, 0, "00", (0, 7), "cpu")])]
    [[2, 2]]
    """
    start = time.perf_counter()
    try:
        with heard(), staying():
            answers = iter(_simulate_together(tasks))
    except (Exception, SystemExit, GeneratorExit):
        return [work(task) for task in tasks]
    share = (time.perf_counter() - start) / sum(len(task.blocks) for task in tasks)
    blocks_by_task = []
    for task in tasks:
        values = zip(task.blocks, answers, strict=False)  # the answers of later tasks are left
        blocks = [_block(task.study, task.cell, task.design, number, partial(dict, of)) for number, of in values]
        blocks_by_task.append([block._replace(seconds=block.seconds + share) for block in blocks])
    return blocks_by_task


def _simulate_together(tasks: Sequence[Task]) -> list[Values]:
    """Values of every block of every task, by one call of their study's `together`."""
    study = tasks[0].study
    device = tasks[0].device
    check_device(study, device)
    use(device)
    places = [(task, _numbers(study, task.cell, number)) for task in tasks for number in task.blocks]
    requests = [(task.cell, rows_of(study, task.cell, task.seed, numbers)) for task, numbers in places]
    assert study.together is not None
    answers = study.together(requests, device)
    pairs = zip(places, answers, strict=True)
    return [checked_values(study, task.cell, numbers, returned) for (task, numbers), returned in pairs]


def lost(task: Task, error: BaseException) -> list[Block]:
    """What stands for a task that never came back, its workers having died under it."""
    text = f"the task was lost with its workers: {type(error).__name__}: {error}"
    return [Block(task.design, canonical(task.cell), task.blocks[0], task.study.rows, {}, 0.0, text)]


class Estimate(NamedTuple):
    """Mean of one measure with its confidence sequence at the stop, in the measure's unit."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class CellResult:
    """What is known of one cell.

    Attributes
    ----------
    cell, design
    rows, blocks : int
        replications and blocks of the prefix that the result uses.
    decided : bool
        whether the stopping rule has fired.
    estimates : {measure: Estimate}
    totals : {statistic: integer or int64 counts}
    level : float
        confidence of each interval.
    error : str or None
        traceback of the block that failed; or that a control's rows exclude the mean that was said to be known.
    warning : str or None
        that rows depend on each other, by how far the means of blocks spread: then no interval holds.
    estimators : {measure: Estimator}
        of each estimate: how it came about, what that saved by the variances of these rows, and what its interval promises.
    """

    cell: Cell
    design: str
    rows: int
    blocks: int
    decided: bool
    estimates: Mapping[str, Estimate]
    totals: Mapping[str, Any]
    level: float
    error: str | None = None
    warning: str | None = None
    estimators: Mapping[str, Estimator] = field(default_factory=dict)


_FIXED = ("block", "rows", "seconds")


@dataclass
class CellState:
    """One cell while it runs: columns of the blocks 0, 1, 2, ... without a gap, and those that wait for a gap to close."""

    cell: Cell
    design: str
    limit: int
    columns: dict[str, list[Any]] = field(default_factory=dict)
    waiting: dict[int, Block] = field(default_factory=dict)
    under_way: set[int] = field(default_factory=set)
    shapes: dict[str, tuple[int, ...]] | None = None
    rows: int = 0
    times: float = 0.0
    fired: int | None = None
    failures: dict[int, str] = field(default_factory=dict)
    due: int | None = None  # blocks that a goal of all cells has given it so far

    @property
    def open(self) -> bool:
        """Whether the cell still needs blocks."""
        return self.fired is None and not self.failures

    @property
    def error(self) -> str | None:
        """What keeps the cell from its stop: its first block that failed.  Failures beyond the stop do not count."""
        return self.failures[min(self.failures)] if self.failures and self.fired is None else None

    @property
    def prefix(self) -> int:
        """Number of blocks 0, 1, 2, ... without a gap."""
        return len(self.columns.get("rows", ()))

    @property
    def count(self) -> int:
        """Number of blocks there are."""
        return self.prefix + len(self.waiting)

    def take(self, block: Block) -> Block:
        """Take a block that has come back, and return it as it is to be stored.

        One whose statistics are not those of the blocks before it has failed.
        """
        self.under_way.discard(block.block)
        shapes = {name: np.shape(value) for name, value in block.statistics.items()}
        if not block.error and shapes != (self.shapes or shapes):
            text = f"simulate: block {block.block} has the statistics {shapes}; expected {self.shapes} as in the others"
            block = block._replace(statistics={}, error=text)
        if block.error:
            self.failures[block.block] = block.error
            self.under_way = set()
            return block
        self.shapes = shapes
        self.waiting[block.block] = block
        self.rows += block.rows
        self.times += block.seconds
        while (following := self.waiting.pop(self.prefix, None)) is not None:
            fixed = {"rows": following.rows, "seconds": following.seconds}
            for name, value in {**fixed, **following.statistics}.items():
                self.columns.setdefault(name, []).append(value)
        return block

    def known(self, block: int) -> bool:
        """Whether a block is there or under way."""
        return block < self.prefix or block in self.waiting or block in self.under_way

    def arrays(self) -> dict[str, Array]:
        """Columns of the prefix up to the limit, which stopping rules take."""
        return {
            name: np.array(column[: self.limit], dtype=np.float64 if name == "seconds" else np.int64)
            for name, column in self.columns.items()
        }

    def check(self, rule: Rule | None, level: float) -> None:
        """Ask the stopping rule; without one the cell runs to its limit."""
        if self.fired is not None:
            return
        if rule is None:
            self.fired = self.limit - 1 if self.prefix >= self.limit else None
        elif min(self.prefix, self.limit):
            self.fired = rule.fired(self.arrays(), level)

    def wanted(self, shard: tuple[int, int], minimum: int = 1) -> list[int]:
        """The next blocks of this shard: at least so many, and a share of those that are there."""
        own_shard, of = shard
        count = max(minimum, self.count // GROWTH)
        number = self.prefix + (own_shard - self.prefix) % of
        last = self.limit if self.due is None else self.due
        free: list[int] = []
        while len(free) < count and number < last:
            if not self.known(number):
                free.append(number)
            number += of
        return free

    def missing(self, shard: tuple[int, int]) -> int:
        """How many blocks of this shard are not there yet, up to the limit."""
        own_shard, of = shard
        waiting = sum(number % of == own_shard and number < self.limit for number in self.waiting)
        return len(range(own_shard, self.limit, of)) - len(range(own_shard, min(self.prefix, self.limit), of)) - waiting

    def fill(self, union: unions.Union) -> None:
        """Take what a store has of the cell."""
        if self.design not in union.spans:
            return
        columns = unions.columns(union, self.design)
        numbers = columns["block"]
        if not len(numbers):
            return
        names = [name for name in columns if name not in _FIXED]
        self.shapes = {name: columns[name].shape[1:] for name in names}
        first = int(np.argmax(np.append(numbers != np.arange(len(numbers)), True)))
        for name in ("rows", "seconds", *names):
            column = columns[name][:first]
            self.columns[name] = column.tolist() if column.ndim == 1 else list(column)
        self.rows, self.times = int(columns["rows"].sum()), float(columns["seconds"].sum())
        text = canonical(self.cell)
        for i in range(first, len(numbers)):
            values = {name: columns[name][i] for name in names}
            rows = int(columns["rows"][i])
            seconds = float(columns["seconds"][i])
            self.waiting[int(numbers[i])] = Block(self.design, text, int(numbers[i]), rows, values, seconds)

    def result(self, study: Study, level: float, rule: Rule | None = None) -> CellResult:
        """What the prefix says: up to the stop, or all of it within the limit, in the intervals that the rule asks for."""
        count = min(self.prefix, self.limit) if self.fired is None else self.fired + 1
        columns = {name: column[:count] for name, column in self.arrays().items()} if count else {}
        totals = {name: unions.sums(column) for name, column in columns.items() if name not in _FIXED}
        estimates: dict[str, Estimate] = {}
        estimators: dict[str, Estimator] = {}
        for name in dict.fromkeys(n.rpartition(".")[0] for n in totals if n.endswith((".hits", ".sum"))):
            measure = study.measures[name.partition("[")[0]]
            low, high = (measure.low, measure.high) if isinstance(measure, Mean) else (0.0, 1.0)
            lower, upper = reported(rule, columns, name, level, low, high, self.fired is not None)
            estimates[name] = Estimate(mean(totals, name, low, high), float(lower[-1]), float(upper[-1]))
            factor = saving(study.measures, self.cell, totals, name)
            promise = validity(rule, name, self.fired is not None)
            least = saving_above(study.measures, self.cell, totals, name)
            estimators[name] = Estimator(estimator_name(measure), factor, promise, least, is_plain(measure))
        return CellResult(
            cell=self.cell,
            design=self.design,
            rows=int(columns["rows"].sum()) if count else 0,
            blocks=count,
            decided=self.fired is not None,
            estimates=estimates,
            totals=totals,
            level=level,
            error=self.error or (contradiction(study.control, self.cell, study.measures, columns) if count else None),
            warning=warning(columns, estimates) if count else None,
            estimators=estimators,
        )


def check_bounds(study: Study, rule: Rule | None) -> None:
    """Refuse a rule that takes a measure to have other bounds than it has: its widths would be in another unit.

    >>> from simspec.engine.estimates.stopping import HalfWidth
    >>> study = Study("difference", "?", ({},), lambda cell, rows, device: {}, measures={"gain": Mean(-1, 1)})
    >>> check_bounds(study, HalfWidth("gain", 0.1))
    Traceback (most recent call last):
    ...
    ValueError: stop: the rule takes 'gain' to lie between 0 and 1; expected the bounds of its measure, -1 and 1
    """
    for name, low, high in stated_bounds(rule):
        measure = study.measures.get(name.partition("[")[0])
        if measure is None:
            measures = [*map(str, study.measures)]
            near = nearest(name, measures)
            raise ValueError(f"stop: the rule asks for {name!r}{near}; expected one of {', '.join(measures)}")
        if isinstance(measure, Mean) and (low, high) != (measure.low, measure.high):
            raise ValueError(
                f"stop: the rule takes {name!r} to lie between {low} and {high}; expected the bounds of its measure, "
                f"{measure.low} and {measure.high}"
            )


def check_rows(study: Study, states: Sequence[CellState], rule: Rule | None, shard: tuple[int, int] = (0, 1)) -> None:
    """Refuse numbers of rows whose blocks would not fit in memory, where nothing but their number ends a cell.

    Of each block a run holds at least its rows, its seconds and two statistics a measure: a reference in a list, and a
    number in the array that a rule looks at.

    >>> study = Study("coin", "?", ({},), lambda cell, rows, device: {}, rows=10)
    >>> check_rows(study, [CellState({}, "", 10**17)], None)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: rows: 1000000000000000000; would take ... of memory, expected at most ...
    """
    if rule is None or isinstance(rule, Rows):
        block_limits = [
            state.limit if rule is None else min(state.limit, -(-rule.count // study.rows)) for state in states
        ]
        bytes_per_row = 16 * (2 + 2 * len(study.measures))
        check_memory("rows", max(block_limits, default=0) * study.rows, sum(block_limits) // shard[1] * bytes_per_row)
