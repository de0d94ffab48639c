"""Counts of verify steps, by request where the log has them, and the numbers that follow: one definition each.

A step drafts some tokens, accepts the first of them and emits one token more (`simspec.methods.counters`).  Pooled numbers divide
sums over all requests; the mean over requests weighs them alike, and is another number (claim ``metrics.pooled-order``).
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.engine.estimates.clusters import ratio, too_few
from simspec.methods.block import speedup_of_accepted

__all__ = [
    "LARGEST_COUNT",
    "MOST_DRAFTS",
    "Counts",
    "Lengths",
    "Log",
    "Number",
    "checked",
    "lengths",
    "speeds",
    "whole",
]

LARGEST_COUNT = 2**53
"""Up to here a counter that is a float64, as Prometheus' are, still counts by one."""
MOST_DRAFTS = 1024
"""No engine drafts more tokens in a step; a larger number is a damaged log."""


class Counts(NamedTuple):
    """What the verify steps of a request, or of a whole run, came to.

    Attributes
    ----------
    steps : int
    accepted : int; drafts accepted in all of them
    drafted : int or None; tokens drafted, where the log says so
    reached : steps that accept at least 1, 2, ... drafts, where the log says so
    """

    steps: int
    accepted: int
    drafted: int | None = None
    reached: tuple[int, ...] | None = None


class Log(NamedTuple):
    """Counts as they were read: of each request, or one for the whole run, with the name of the format.

    The notes say what a reader of the numbers has to know: lines that were left out, conventions of what the log prints.
    """

    source: str
    counts: tuple[Counts, ...]
    by_request: bool
    notes: tuple[str, ...] = ()


class Number(NamedTuple):
    """A number, and its interval where the log has enough requests (`Lengths.without_intervals`)."""

    value: float
    low: float | None = None
    high: float | None = None


class Lengths(NamedTuple):
    """What a log says, with the level of its intervals over requests (`simspec.engine.estimates.clusters`).

    Attributes
    ----------
    source : name of the format
    requests : int or None; their number, where the log tells them apart
    steps : int; verify steps
    length : Number; tokens per step, the bonus token included, pooled
    by_request : Number or None; mean over requests of their own lengths
    rate : Number or None; accepted over drafted tokens, pooled
    positions : share of all steps that accept at least 1, 2, ... drafts; empty where the log does not say
    conditional : the same over the share of the position before
    level : float
    notes : what the reader of the log noted
    """

    source: str
    requests: int | None
    steps: int
    length: Number
    by_request: Number | None
    rate: Number | None
    positions: tuple[Number, ...]
    conditional: tuple[Number, ...]
    level: float
    notes: tuple[str, ...] = ()

    @property
    def without_intervals(self) -> str:
        """Why the numbers have no intervals; empty where they have.

        >>> lengths(Log("by hand", (Counts(2, 2), Counts(2, 4)), by_request=True)).without_intervals
        'no intervals: 2 requests are too few, a 95 % interval needs 5 or more'
        """
        if self.requests is None:
            return "no intervals: the log does not separate requests"
        return too_few(self.requests, "request", self.level)


def whole(value: Any, name: str) -> int:
    """The value, where it is a count: a whole number, not negative, at most `LARGEST_COUNT`, and no boolean.

    Raises ValueError for any other value, with its name.

    >>> whole(3, "record 1: steps")
    3
    """
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else -1
    if number < 0:
        raise ValueError(f"{name} is {_short(value)}; expected a whole number, 0 or more")
    if number > LARGEST_COUNT:
        raise ValueError(f"{name} is above 2**53; expected a smaller count, which a counter can still increase by one")
    return number


def checked(counts: Counts, place: str) -> Counts:
    """The counts, where a run can have them.

    Parameters
    ----------
    counts : Counts
    place : str; where in the log they are, for the message

    Raises
    ------
    ValueError
        for counts that contradict each other: tokens without a step, more accepted than drafted, positions that rise or
        whose sum is not the number of accepted drafts.

    >>> checked(Counts(2, 1, 4, (1,)), "record 1").accepted
    1
    """
    for name in ("steps", "accepted", "drafted"):
        if name != "drafted" or counts.drafted is not None:
            whole(getattr(counts, name), f"{place}: {name}")
    for position, count in enumerate(counts.reached or (), 1):
        whole(count, f"{place}: steps that accept {position} drafts")
    steps, accepted, drafted, reached = counts
    if steps == 0 and (accepted or drafted):
        raise ValueError(
            f"{place}: {accepted} accepted and {drafted or 0} drafted in 0 steps; expected a step at least"
        )
    if drafted is not None and accepted > drafted:
        raise ValueError(f"{place}: {accepted} of {drafted} drafts accepted; expected no more than were drafted")
    if max(accepted, drafted or 0) > steps * MOST_DRAFTS:
        raise ValueError(
            f"{place}: {accepted} accepted and {drafted or 0} drafted in {steps} steps; expected at most {MOST_DRAFTS} a step"
        )
    if reached is not None and (sum(reached) != accepted or list(reached) != sorted(reached, reverse=True)):
        raise ValueError(
            f"{place}: positions {_short(reached)} with {accepted} accepted drafts; expected their sum, not rising"
        )
    if reached and reached[0] > steps:
        raise ValueError(f"{place}: {reached[0]} of {steps} steps accept a draft; expected no more than there are")
    return counts


def _short(value: object) -> str:
    """A value for a message: escaped, and cut where it is long."""
    if isinstance(value, int) and abs(value) > LARGEST_COUNT:
        return "below -2**53" if value < 0 else "above 2**53"  # Python refuses to print integers of 5,000 digits
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def lengths(log: Log, level: float = 0.95) -> Lengths:
    """All numbers of a log.

    Raises ValueError where the log has no verify step, or counts that no run has.

    >>> log = Log("by hand", (Counts(2, 2, 4, (1, 1)), Counts(2, 4, 4, (2, 2))), by_request=True)
    >>> of = lengths(log)
    >>> of.length.value, of.rate.value, [m.value for m in of.positions]
    (2.5, 0.75, [0.75, 0.75])
    """
    counts = [c for number, c in enumerate(log.counts, 1) if checked(c, f"counts {number}").steps]
    if not counts:
        raise ValueError("log: contains no verification step; expected at least one")
    rows = _table(counts)
    has_positions = all(c.reached is not None for c in counts)

    limit = _most(counts)

    def number(above: int, below: int, plus: int = 0, highest: float = 1) -> Number:
        """One sum over another, and how it varies between requests."""
        if not log.by_request:
            return Number(plus + float(rows[:, above].sum() / rows[:, below].sum()))
        size = _size(rows, below)
        value, low, high, _ = ratio(rows[:, above], rows[:, below], level, highest=highest, size=size)
        return Number(plus + value) if np.isnan(low) else Number(plus + value, plus + low, plus + high)

    places = [i for i in range(FIRST, rows.shape[1]) if has_positions]
    return Lengths(
        source=log.source,
        requests=len(counts) if log.by_request else None,
        steps=sum(c.steps for c in counts),
        length=number(1, 0, plus=1, highest=limit),
        by_request=number(3, 4, plus=1, highest=limit) if log.by_request else None,
        rate=number(1, 2) if rows[:, 2].sum() else None,
        positions=tuple(number(i, 0) for i in places),
        conditional=tuple(number(i, i - 1 if i > FIRST else 0) for i in places if i == FIRST or rows[:, i - 1].any()),
        level=level,
        notes=log.notes,
    )


FIRST = 5
"""Column of the first position, after steps, accepted and drafted tokens, accepted per step, and one."""


def _table(counts: Sequence[Counts]) -> NDArray[np.float64]:
    """A row for each request; nothing is drafted where some request does not say how much."""
    longest = max(len(c.reached or ()) for c in counts)
    has_drafted = all(c.drafted is not None for c in counts)
    return np.array(
        [
            [
                *(c.steps, c.accepted, (has_drafted and c.drafted) or 0, c.accepted / c.steps, 1),
                *(c.reached or ()),
                *[0] * (longest - len(c.reached or ())),
            ]
            for c in counts
        ],
        dtype=np.float64,
    )


def _size(rows: NDArray[np.float64], below: int) -> float:
    """The divisor of a further request that accepts nothing but writes as many tokens as the average.

    Each of its steps writes one token, so it has more steps and drafts than the average request; what it does not have more
    of are requests, and steps that accept some drafts.
    """
    mean = float(rows[rows[:, below] > 0, below].mean())
    tokens_per_step = 1 + float(rows[:, 1].sum() / rows[:, 0].sum())
    return mean * tokens_per_step if below in (0, 2) else mean


def _most(counts: Sequence[Counts]) -> float:
    """Drafts that a step accepts at most, as far as the log shows: those of a step, positions, or the longest length."""
    drafted = [c.drafted / c.steps for c in counts if c.drafted is not None]
    positions = [len(c.reached) for c in counts if c.reached is not None]
    return float(max(*np.ceil(drafted), *positions, *(np.ceil(c.accepted / c.steps) for c in counts), 1))


def speeds(positions: Sequence[float], cost: float) -> list[tuple[int, float, float]]:
    """For each number of drafts up to those measured: gamma, tokens per step, and the speed-up at a draft cost.

    With fewer drafts a step accepts what it would have accepted of them, so the same shares count.  The speed-up is that of
    `simspec.methods.speedup_of_accepted`, with `cost` the time of a draft token over that of a target call.

    >>> speeds([0.75, 0.5], 0.25)
    [(1, 1.75, 1.4), (2, 2.25, 1.5)]
    """
    rows = []
    for gamma in range(1, len(positions) + 1):
        accepted = sum(positions[:gamma])
        rows.append((gamma, 1 + accepted, float(speedup_of_accepted(accepted, gamma, cost))))
    return rows
