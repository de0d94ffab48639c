r"""One goal for all cells of a study: rows of each round go where the intervals of the rounds before ask for them.

A rule of `simspec.engine.estimates.stopping` looks at one cell, and every cell takes the rows that it needs.  That is the best
there is where each interval is to be so narrow.  Where rows are few, or where one number is made of many cells, cells
compete: `Shared` says what they compete for, and `plan` who gets how many blocks.

Half the width of an interval falls about as :math:`h_c \sqrt{n_c}/\sqrt{n'_c}` from n to n′ rows.  So, of N rows,

* the widest of all intervals is narrowest where they are equally wide: :math:`n'_c \propto n_c h_c^2`, the variances;
* the interval of :math:`\sum_c w_c \mu_c`, which adds up those of its parts, is narrowest at
  :math:`n'_c \propto (|w_c| h_c \sqrt{n_c})^{2/3}`.  (Neyman's first power is for variances that add up; intervals that
  hold for every law do not.)

Why what it reports holds: a cell's interval is right at all numbers of rows at once with the probability that is asked.
So it is at whatever number the others' rows lead to, and those of all cells are right together at Bonferroni's level.
Means are those of stopped rows, as after every rule that looks at the data: not exactly unbiased.  Who needs that takes
from a run only the numbers of rows, and the rows themselves from another seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simspec.engine.estimates.intervals import Interval
from simspec.engine.estimates.stopping import Blocks, _Near

__all__ = ["ROUND", "Plan", "Shared"]

ROUND = 4
"""A round has a part of all blocks there are, one in so many, so that allocations are seldom made anew."""
Floats = NDArray[np.float64]


class Plan(NamedTuple):
    """How many blocks each cell is given, and whether the goal is met there: None where blocks of these are missing."""

    blocks: tuple[int, ...]
    met: bool | None


class _Estimated(Protocol):
    """A cell's result, as far as it matters here."""

    @property
    def estimates(self) -> Mapping[str, Any]: ...
    @property
    def level(self) -> float: ...


@dataclass(frozen=True, repr=False)
class Shared(_Near):
    """Stop when every cell's interval, or that of a sum over the cells, is narrow enough, or so many rows are used in all.

    Parameters
    ----------
    name, value, low, high, asymptotic
        as of `HalfWidth`; `value` is 0 where the rows are all to be used.
    rows : int
        most rows of all cells together, at least a block of each; 0 for no such limit.
    weights : numbers, one for each cell in the order of the grid, optional
        of a sum over the cells; without them the widest interval counts.  All intervals then hold together at the level.

    Raises
    ------
    ValueError
        where neither a width nor a number of rows is asked for, for negative ones, or weights that are all 0.

    Examples
    --------
    Two coins, blocks of 100: the fair one's interval is wider, so the next block is its own.

    >>> fair, rare = ({"rows": [100], "x.n": [100], "x.hits": [hits]} for hits in (50, 1))
    >>> Shared("x", 0, rows=300).plan([fair, rare], limits=(9, 9), size=100)
    Plan(blocks=(2, 1), met=None)
    """

    rows: int = 0
    weights: tuple[float, ...] = ()
    alone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", tuple(self.weights))
        if not (self.value >= 0 and self.rows >= 0 and (self.value or self.rows)):
            raise ValueError(f"value, rows: {self.value}, {self.rows}; expected one above 0, and none below")
        if self.weights and not (np.isfinite(self.weights).all() and any(self.weights)):
            raise ValueError(f"weights: {self.weights}; expected finite numbers, not all 0")
        if self.asymptotic < 0:
            raise ValueError(f"asymptotic: {self.asymptotic}; expected a number of rows, or 0")

    def fired(self, blocks: Blocks, level: float = 0.95) -> int | None:
        """Of a study of one cell: the block with which it is done."""
        count = len(np.asarray(blocks["rows"]))
        shared_plan = self.plan([blocks], (count,), int(np.asarray(blocks["rows"])[0]) if count else 1, level)
        return shared_plan.blocks[0] - 1 if shared_plan.met and count else None

    def plan(self, cells: Sequence[Blocks], limits: Sequence[int], size: int, level: float = 0.95) -> Plan:
        """Blocks of each cell, round by round, as far as the blocks that are there decide: a pure function of them.

        Parameters
        ----------
        cells : columns of the first blocks of each cell
        limits : blocks of each cell that there can be
        size : rows of a block
        level : confidence of each interval

        Raises
        ------
        ValueError
            for fewer rows than a block of each cell, or weights of another number of cells.
        """
        self._check(limits, size)
        rows = [np.cumsum(np.asarray(c.get("rows", ()), dtype=np.int64)) for c in cells]
        halves: list[Floats] = [np.zeros(0)] * len(cells)
        blocks_given = np.minimum(1, limits)
        while all(len(r) >= g for r, g in zip(rows, blocks_given, strict=True)):
            n = np.array([r[g - 1] if g else 0 for r, g in zip(rows, blocks_given, strict=True)], dtype=np.float64)
            for i, c in enumerate(cells):
                if blocks_given[i] and not len(halves[i]):
                    lower, upper = self._interval(c, level)
                    halves[i] = (upper - lower) / 2
            h = np.array(
                [half[g - 1] if g else self.high - self.low for half, g in zip(halves, blocks_given, strict=True)]
            )
            if self._width(h) <= self.value:
                return Plan(tuple(map(int, blocks_given)), True)
            added = self._round(n, h, blocks_given, np.asarray(limits), size)
            if not added.any():
                return Plan(tuple(map(int, blocks_given)), self.value == 0)
            blocks_given = blocks_given + added
        return Plan(tuple(map(int, blocks_given)), None)

    @property
    def together(self) -> bool:
        """Whether the intervals of all cells hold at the level together, as those must that are added up."""
        return bool(self.weights)

    def combined(self, results: Sequence[_Estimated]) -> Interval:
        r"""The sum :math:`\sum_c w_c \mu_c` over the cells' results of a run, with its interval.

        Raises
        ------
        ValueError
            without weights.
        """
        if not self.weights or len(self.weights) != len(results):
            raise ValueError(f"weights: {self.weights}; expected one for each of {len(results)} cells")
        weighted_estimates = [(w, result.estimates[self.name]) for w, result in zip(self.weights, results, strict=True)]
        return Interval(
            sum(w * e.mean for w, e in weighted_estimates),
            sum(w * (e.low if w > 0 else e.high) for w, e in weighted_estimates),
            sum(w * (e.high if w > 0 else e.low) for w, e in weighted_estimates),
            round(1 - (1 - results[0].level) * len(results), 9),
        )

    def _check(self, limits: Sequence[int], size: int) -> None:
        if self.weights and len(self.weights) != len(limits):
            raise ValueError(f"weights: {len(self.weights)} of them; expected one for each of {len(limits)} cells")
        if 0 < self.rows < size * sum(m > 0 for m in limits):
            raise ValueError(f"rows: {self.rows}; expected at least a block of {size} for each of {len(limits)} cells")

    def _width(self, h: Floats) -> float:
        return float(np.abs(self.weights) @ h if self.weights else h.max(initial=0))

    def _round(
        self, n: Floats, h: Floats, blocks_given: NDArray[np.int64], limits: NDArray[np.int64], size: int
    ) -> NDArray[np.int64]:
        """Blocks that the next round adds to each cell."""
        free_blocks = limits - blocks_given
        blocks_left = (self.rows - int(n.sum())) // size if self.rows else sum(map(int, free_blocks))  # beyond 64 bits
        desired = np.where(free_blocks > 0, np.maximum(0, self._asked(n, h, free_blocks > 0) - n), 0) / size
        step = min(blocks_left, max(1, int(blocks_given.sum()) // ROUND))
        if step < 1 or not desired.any():
            return np.zeros_like(blocks_given)
        return _apportioned(step, desired, np.minimum(free_blocks, np.ceil(desired).astype(np.int64)))

    def _asked(self, n: Floats, h: Floats, free: NDArray[np.bool_]) -> Floats:
        """Rows of each cell with which the goal would be met, or the rows be used best; only `free` ones are given more."""
        if self.weights:
            parts = (np.abs(self.weights) * h * np.sqrt(n)) ** (2 / 3)
            value = self.value - float(np.abs(self.weights) @ np.where(free, 0, h)) if self.value else 0
            scale = (parts[free].sum() / value) ** 2 if value > 0 else 0
        else:
            parts = n * h * h
            scale = self.value**-2 if self.value else 0
        rest = self.rows - float(n[~free].sum()) if self.rows else np.inf
        total = float(parts[free].sum())
        if not self.value or (self.rows and scale * total > rest):
            scale = rest / total if total else 0
        return scale * parts


def _apportioned(count: int, desired: Floats, limits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whole numbers in proportion to what is wanted, the largest remainders rounded up; at most `limits` each.

    >>> _apportioned(5, np.array([3.0, 1.0, 0.0]), np.array([9, 9, 9])).tolist()
    [4, 1, 0]
    """
    exact = count * desired / desired.sum()
    allotted = np.minimum(np.floor(exact).astype(np.int64), limits)
    for i in np.argsort(allotted - exact, kind="stable"):
        if allotted.sum() < count and allotted[i] < limits[i]:
            allotted[i] += 1
    return allotted
