"""One cell while it runs and when it is done: its blocks in order, what is still wanted, and its result.

What drives the cells of a study is `simspec.studies.engine`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.studies.segment import Block, canonical
from simspec.studies.statistics import Mean, mean
from simspec.studies.stopping import Rule, intervals
from simspec.studies.store import Store
from simspec.studies.study import Cell, Study

__all__ = ["CellResult", "CellState", "Estimate"]

Array = NDArray[Any]
GROWTH = 4
"""A cell that is not decided after n blocks is given n / GROWTH more, so that rules are evaluated seldom."""


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
        traceback of the block that failed.
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
    rows: int = 0
    times: float = 0.0
    fired: int | None = None
    error: str | None = None

    @property
    def open(self) -> bool:
        """Whether the cell still needs blocks."""
        return self.fired is None and self.error is None

    @property
    def prefix(self) -> int:
        """Number of blocks 0, 1, 2, ... without a gap."""
        return len(self.columns.get("rows", ()))

    @property
    def count(self) -> int:
        """Number of blocks there are."""
        return self.prefix + len(self.waiting)

    def add(self, block: Block) -> None:
        """Take a block that succeeded."""
        self.waiting[block.block] = block
        self.rows += block.rows
        self.times += block.seconds
        while (following := self.waiting.pop(self.prefix, None)) is not None:
            fixed = {"rows": following.rows, "seconds": following.seconds}
            for name, value in {**fixed, **following.statistics}.items():
                self.columns.setdefault(name, []).append(value)

    def known(self, block: int) -> bool:
        """Whether a block is there or under way."""
        return block < self.prefix or block in self.waiting or block in self.under_way

    def arrays(self) -> dict[str, Array]:
        """Columns of the prefix, which stopping rules take."""
        return {n: np.array(c, dtype=np.float64 if n == "seconds" else np.int64) for n, c in self.columns.items()}

    def check(self, rule: Rule, level: float) -> None:
        """Ask the stopping rule."""
        if self.fired is None and self.prefix:
            self.fired = rule.fired(self.arrays(), level)

    def wanted(self, shard: tuple[int, int]) -> list[int]:
        """The next blocks of this shard, as many as a share of those that are there."""
        mine, of = shard
        count = max(1, self.count // GROWTH)
        number = self.prefix + (mine - self.prefix) % of
        free: list[int] = []
        while len(free) < count and number < self.limit:
            if not self.known(number):
                free.append(number)
            number += of
        return free

    def fill(self, store: Store) -> None:
        """Take what a store has of the cell."""
        if not store.done(self.design).size:
            return
        columns = store.blocks(self.design)
        text, names = canonical(self.cell), [n for n in columns if n not in _FIXED]
        numbers = columns["block"]
        first = int(np.argmax(np.append(numbers != np.arange(len(numbers)), True)))
        self.columns = {n: list(columns[n][:first]) for n in ("rows", "seconds", *names)}
        self.rows, self.times = int(columns["rows"].sum()), float(columns["seconds"].sum())
        for i in range(first, len(numbers)):
            values = {n: columns[n][i] for n in names}
            self.waiting[int(numbers[i])] = Block(self.design, text, int(numbers[i]), int(columns["rows"][i]), values)

    def result(self, study: Study, level: float) -> CellResult:
        """What the prefix says: up to the stop, or all of it."""
        count = self.prefix if self.fired is None else self.fired + 1
        columns = {n: c[:count] for n, c in self.arrays().items()}
        totals: dict[str, Any] = {}
        for name, column in columns.items():
            if name not in _FIXED:
                total = column.sum(axis=0)
                totals[name] = int(total) if np.ndim(total) == 0 else total
        estimates: dict[str, Estimate] = {}
        for name in dict.fromkeys(n.rpartition(".")[0] for n in totals if n.endswith((".hits", ".sum"))):
            measure = study.measures[name.partition("[")[0]]
            low, high = (measure.low, measure.high) if isinstance(measure, Mean) else (0.0, 1.0)
            lower, upper = intervals(columns, name, level, low, high)
            estimates[name] = Estimate(mean(totals, name, low, high), float(lower[-1]), float(upper[-1]))
        return CellResult(
            cell=self.cell,
            design=self.design,
            rows=int(columns["rows"].sum()) if count else 0,
            blocks=count,
            decided=self.fired is not None,
            estimates=estimates,
            totals=totals,
            level=level,
            error=self.error,
        )
