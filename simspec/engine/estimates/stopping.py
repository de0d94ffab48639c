"""Stopping rules: frozen values, each a pure function of the blocks 0, 1, 2, ... in order.

A rule fires at the first block after which its condition holds, and whether it fires at block i depends on blocks 0 to i
only, so that results computed further ahead or in another order never move the stop.  Intervals are confidence sequences
(`sequences.py`), which stay valid at such stops; where a rule asks for it, intervals in the limit (`limits.py`).  `level` is
the confidence of each interval; a study with several estimates or cells gives `bonferroni(level, count)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np

from simspec.engine.estimates.intervals import bonferroni
from simspec.engine.estimates.limits import in_the_limit
from simspec.engine.estimates.sequences import beta_binomial, empirical_bernstein
from simspec.laws import Array

__all__ = [
    "EVERY_LAW",
    "IN_THE_LIMIT",
    "ONE_LOOK",
    "AllOf",
    "AnyOf",
    "Blocks",
    "Comparison",
    "Decision",
    "HalfWidth",
    "RelativeError",
    "Rows",
    "Rule",
    "Seconds",
    "intervals",
    "reported",
    "stated_bounds",
    "validity",
]

EVERY_LAW = "every law"
IN_THE_LIMIT = "in the limit"
ONE_LOOK = "in the limit, one look"
"""What an interval promises: at every stop for every law within the bounds of the measure; at every stop, in the limit of
many rows; at one number of rows that was chosen before the run, in the limit of many."""

Blocks: TypeAlias = Mapping[str, Array]
"""Statistics by key, each a column with one entry per block, in block order; beside them "rows" and "seconds"."""


@runtime_checkable
class Rule(Protocol):
    """What an engine asks of a stopping rule."""

    @property
    def reproducible(self) -> bool:
        """Whether the stop follows from the study, seed and level alone."""

    def fired(self, blocks: Blocks, level: float = 0.95) -> int | None:
        """Number of the first block after which the rule holds, or None; the result uses blocks 0 to that one."""


def intervals(blocks: Blocks, name: str, level: float = 0.95, low: float = 0, high: float = 1) -> tuple[Array, Array]:
    """Confidence sequence for the mean of a named statistic, one interval after each block.

    Beta-binomial for a proportion, empirical-Bernstein for a bounded value.

    Parameters
    ----------
    blocks : mapping
        columns (blocks,) as `proportion` or `bounded` makes them.
    name : str
    level : float
        confidence.
    low, high : float
        the bounds given to `bounded`; the interval is in their unit.

    Raises
    ------
    ValueError
        no statistic of that name, or columns that do not fit together.

    Examples
    --------
    >>> low, high = intervals({"kept.n": [1], "kept.hits": [1]}, "kept")  # one hit in one row
    >>> float(low[0].round(9)), float(high[0])
    (0.025, 1.0)
    """
    if f"{name}.hits" in blocks:
        if (low, high) != (0, 1):
            raise ValueError(f"low, high: {low}, {high}; expected 0, 1 for {name!r}, a proportion")
        return beta_binomial(_column(blocks, f"{name}.n"), _column(blocks, f"{name}.hits"), level)
    n, sums, squares = (_column(blocks, f"{name}.{key}") for key in ("n", "sum", "squares"))
    lower, upper = empirical_bernstein(n, sums, squares, level)
    return low + (high - low) * lower, low + (high - low) * upper


def reported(
    rule: object, blocks: Blocks, name: str, level: float, low: float, high: float, stopped: bool = True
) -> tuple[Array, Array]:
    """The intervals that a run reports: those by which its rule decides on this measure, else `intervals`.

    `stopped` says whether the blocks are those at which the rule fired: Student's interval holds at that one look.

    >>> blocks = {"rows": [1000], "kept.n": [1000], "kept.hits": [500]}
    >>> for rule in (None, HalfWidth("kept", 0.1, asymptotic=1000), Rows(1000, once=True)):
    ...     print(reported(rule, blocks, "kept", 0.95, 0, 1)[0].round(3).tolist())
    [0.442]
    [0.452]
    [0.469]
    """
    promise = validity(rule, name, stopped)
    if promise == EVERY_LAW:
        return intervals(blocks, name, level, low, high)
    return in_the_limit(blocks, name, level, low, high, 0 if promise == ONE_LOOK else _narrowest(rule, name))


def validity(rule: object, name: str, stopped: bool = True) -> str:
    """What the interval that `reported` gives of a measure promises: `EVERY_LAW`, `IN_THE_LIMIT` or `ONE_LOOK`.

    >>> for rule in (None, HalfWidth("kept", 0.1, asymptotic=1000), Rows(1000, once=True)):
    ...     print(validity(rule, "kept"))
    every law
    in the limit
    in the limit, one look
    >>> validity(Rows(1000, once=True), "kept", stopped=False), validity(HalfWidth("b", 0.1, asymptotic=1000), "kept")
    ('every law', 'every law')
    """
    if isinstance(rule, Rows) and rule.once and stopped:
        return ONE_LOOK
    return IN_THE_LIMIT if _narrowest(rule, name) else EVERY_LAW


def _narrowest(rule: object, name: str) -> int:
    """Number of rows at which the asymptotic interval of a measure is narrowest; 0 where a rule asks for none."""
    parts: tuple[object, ...] = rule.rules if isinstance(rule, _Several) else (rule,)
    named = [part_rule.asymptotic for part_rule in parts if isinstance(part_rule, _Near) and part_rule.name == name]
    return max(named, default=0)


def _column(blocks: Blocks, key: str) -> Array:
    if key not in blocks:
        raise ValueError(f"blocks: no column {key!r}; expected it among {sorted(blocks)}")
    column = np.asarray(blocks[key])
    if column.ndim != 1:
        raise ValueError(f"blocks: column {key!r} has shape {column.shape}; expected one entry per block")
    return column


def stated_bounds(rule: Rule | None) -> list[tuple[str, float, float]]:
    """The measures that a rule names, with the bounds that it takes them to have.

    >>> stated_bounds(AnyOf(HalfWidth("kept", 0.1), Comparison("a", "b", -1, 1), Rows(3)))
    [('kept', 0, 1), ('a', -1, 1), ('b', -1, 1)]
    """
    if isinstance(rule, _Several):
        return [bounds for part_rule in rule.rules for bounds in stated_bounds(part_rule)]
    if isinstance(rule, _Near | Decision):
        return [(rule.name, rule.low, rule.high)]
    return [(n, rule.low, rule.high) for n in (rule.a, rule.b)] if isinstance(rule, Comparison) else []


def _shown(rule: Any) -> str:
    """A rule as it is written, without the options of an interval in the limit where none was asked for."""
    named = [(f.name, getattr(rule, f.name)) for f in fields(rule)]
    arguments = [f"{name}={value!r}" for name, value in named if value or name not in ("asymptotic", "once")]
    return f"{type(rule).__name__}({', '.join(arguments)})"


def _first(holds: Array) -> int | None:
    return int(np.argmax(holds)) if holds.any() else None


def _positive(name: str, value: float) -> None:
    if not value > 0:
        raise ValueError(f"{name}: {value}; expected a positive number")


@dataclass(frozen=True, repr=False)
class _Near:
    """A rule for one measure's interval, with bounds of the measure.

    With `asymptotic`, a number of rows fixed before the run, the interval is the asymptotic one, narrowest there, which holds
    at every stop in the limit of many rows, as Student's does at one: half as wide or less, and not for every law.
    """

    name: str
    value: float
    low: float = 0
    high: float = 1
    asymptotic: int = 0
    reproducible: ClassVar[bool] = True
    __repr__ = _shown

    def __post_init__(self) -> None:
        _positive("value", self.value)
        if self.asymptotic < 0:
            raise ValueError(
                f"asymptotic: {self.asymptotic}; expected a number of rows, or 0 for an interval of every law"
            )

    def _interval(self, blocks: Blocks, level: float) -> tuple[Array, Array]:
        return reported(self, blocks, self.name, level, self.low, self.high)


class HalfWidth(_Near):
    """Stop when half the width of the interval is at most `value` (in the unit of `low` and `high`).

    >>> HalfWidth("kept", 0.4875).fired({"kept.n": [1, 1], "kept.hits": [1, 1]})  # first interval: [0.025, 1]
    0
    >>> HalfWidth("kept", 0.1, asymptotic=400).fired({"kept.n": [50] * 8, "kept.hits": [25] * 8})  # after 250 rows
    4
    """

    def fired(self, blocks: Blocks, level: float = 0.95) -> int | None:
        """First block after which the half-width is small enough."""
        lower, upper = self._interval(blocks, level)
        return _first((upper - lower) / 2 <= self.value)


class RelativeError(_Near):
    """Stop when the middle of the interval is within `value` times |mean| of every mean in the interval.

    Half-width ≤ value · min(|low|, |high|), which an interval around zero never meets.

    >>> RelativeError("kept", 19.5).fired({"kept.n": [1], "kept.hits": [1]})  # 0.4875 / 0.025 = 19.5
    0
    """

    def fired(self, blocks: Blocks, level: float = 0.95) -> int | None:
        """First block after which the relative error is small enough."""
        lower, upper = self._interval(blocks, level)
        nearest = np.where((lower > 0) | (upper < 0), np.minimum(abs(lower), abs(upper)), 0)
        return _first((nearest > 0) & ((upper - lower) / 2 <= self.value * nearest))


@dataclass(frozen=True)
class Decision:
    """Stop when the interval excludes the value `above`: the mean is then known to lie above or below it.

    >>> Decision("kept", above=0.02).fired({"kept.n": [1], "kept.hits": [1]})
    0
    """

    name: str
    above: float
    low: float = 0
    high: float = 1
    reproducible: ClassVar[bool] = True

    def fired(self, blocks: Blocks, level: float = 0.95) -> int | None:
        """First block after which the decision is made."""
        lower, upper = intervals(blocks, self.name, level, self.low, self.high)
        return _first((lower > self.above) | (upper < self.above))


@dataclass(frozen=True)
class Comparison:
    """Stop when it is decided which of two means with the same bounds is larger.

    Each interval has confidence 1 − (1 − level)/2, and they must be disjoint.  Where the two are measured on the same rows,
    make a pair of them (``Study(pair={"difference": ("a", "b")})``) and use `Decision("difference", above=0, …)`: that is
    sooner.

    >>> hits = {"a.n": [40], "a.hits": [40], "b.n": [40], "b.hits": [0]}
    >>> Comparison("a", "b").fired(hits), Comparison("a", "a").fired(hits)
    (0, None)
    """

    a: str
    b: str
    low: float = 0
    high: float = 1
    reproducible: ClassVar[bool] = True

    def fired(self, blocks: Blocks, level: float = 0.95) -> int | None:
        """First block after which the intervals are disjoint."""
        level_of_each = bonferroni(level, 2)
        a_lower, a_upper = intervals(blocks, self.a, level_of_each, self.low, self.high)
        b_lower, b_upper = intervals(blocks, self.b, level_of_each, self.low, self.high)
        return _first((a_lower > b_upper) | (b_lower > a_upper))


@dataclass(frozen=True, repr=False)
class Rows:
    """Stop after at least `count` rows, from the column "rows".

    With `once` the intervals at that stop are Student's: one look, at a number of rows chosen before the run, valid in the
    limit of many.  Before, and where the run ends earlier, they are confidence sequences.

    >>> Rows(100).fired({"rows": [64, 64, 64]})
    1
    """

    count: int
    once: bool = False
    reproducible: ClassVar[bool] = True
    __repr__ = _shown

    def __post_init__(self) -> None:
        _positive("count", self.count)

    @property
    def alone(self) -> bool:
        """Whether it can be no part of another rule."""
        return self.once

    def fired(self, blocks: Blocks, level: float = 0.95) -> int | None:
        """First block with which the rows suffice."""
        return _first(np.cumsum(_column(blocks, "rows")) >= self.count)


@dataclass(frozen=True)
class Seconds:
    """Stop once the blocks have taken `limit` seconds, from the column "seconds": the one stop that is not reproducible.

    How many blocks fit depends on the machine and its load.  The intervals stay valid as long as how long a block takes
    tells nothing about the blocks after it.

    >>> Seconds(2.5).fired({"seconds": [1.0, 1.0, 1.0]}), Seconds(2.5).reproducible
    (2, False)
    """

    limit: float
    reproducible: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _positive("limit", self.limit)

    def fired(self, blocks: Blocks, level: float = 0.95) -> int | None:
        """First block with which the time is used up."""
        return _first(np.cumsum(_column(blocks, "seconds")) >= self.limit)


@dataclass(frozen=True)
class _Several:
    rules: tuple[Rule, ...]

    def __init__(self, *rules: Rule) -> None:
        if not rules or not all(isinstance(rule, Rule) for rule in rules):
            raise ValueError(f"rules: {rules}; expected one or more stopping rules")
        if any(getattr(rule, "alone", False) for rule in rules):
            raise ValueError(
                f"rules: {rules}; expected Rows(..., once=True), whose interval holds at one look only, or Shared(...) alone"
            )
        object.__setattr__(self, "rules", rules)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.rules))})"

    @property
    def reproducible(self) -> bool:
        """Whether every part is reproducible."""
        return all(rule.reproducible for rule in self.rules)


class AnyOf(_Several):
    """Stop when the first of several rules fires.

    >>> AnyOf(Rows(100), Rows(300)).fired({"rows": [200, 200]})
    0
    """

    def fired(self, blocks: Blocks, level: float = 0.95) -> int | None:
        """First block at which one of the rules fires."""
        return min((i for rule in self.rules if (i := rule.fired(blocks, level)) is not None), default=None)


class AllOf(_Several):
    """Stop when the last of several rules has fired.

    >>> AllOf(Rows(100), Rows(300)).fired({"rows": [200, 200]})
    1
    """

    def fired(self, blocks: Blocks, level: float = 0.95) -> int | None:
        """First block by which all the rules have fired."""
        stops = [rule.fired(blocks, level) for rule in self.rules]
        stop_blocks = [i for i in stops if i is not None]
        return max(stop_blocks) if len(stop_blocks) == len(stops) else None
