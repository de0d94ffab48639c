"""Counts of verify steps, by request where the log has them, and the numbers that follow: one definition each.

A step drafts some tokens, accepts the first of them and emits one token more (`simspec.methods.counters`).  Pooled numbers divide
sums over all requests; the mean over requests weighs them alike, and is another number (claim ``metrics.pooled-order``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.engine.estimates.intervals import documents
from simspec.methods.block import speedup_of_accepted

__all__ = ["Counts", "Lengths", "Log", "Number", "lengths", "speeds"]


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
    """Counts as they were read: of each request, or one for the whole run, with the name of the format."""

    source: str
    counts: tuple[Counts, ...]
    by_request: bool


class Number(NamedTuple):
    """A number, and its interval where the log has at least two requests."""

    value: float
    low: float | None = None
    high: float | None = None


class Lengths(NamedTuple):
    """What a log says, with the level of its intervals (bootstrap over requests).

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


def lengths(log: Log, level: float = 0.95) -> Lengths:
    """All numbers of a log.

    Raises ValueError where the log has no verify step.

    >>> log = Log("by hand", (Counts(2, 2, 4, (1, 1)), Counts(2, 4, 4, (2, 2))), by_request=True)
    >>> of = lengths(log)
    >>> of.length.value, of.rate.value, [m.value for m in of.positions]
    (2.5, 0.75, [0.75, 0.75])
    """
    counts = [c for c in log.counts if c.steps]
    if not counts:
        raise ValueError("log: no verify step is counted; expected one at least")
    rows, known = _table(counts), all(c.reached is not None for c in counts)

    def number(above: int, below: int, plus: int = 0) -> Number:
        """One sum over another, and how it varies when requests are drawn again."""
        value = plus + float(rows[:, above].sum() / rows[:, below].sum())
        if not log.by_request or len(rows) < 2:
            return Number(value)
        found = documents(
            rows[:, [above, below]], np.arange(len(rows)), level, statistic=lambda m: _over(m[..., 0], m[..., 1])
        )
        return Number(value, plus + found.low, plus + found.high)

    places = [i for i in range(FIRST, rows.shape[1]) if known]
    return Lengths(
        log.source,
        len(counts) if log.by_request else None,
        sum(c.steps for c in counts),
        number(1, 0, plus=1),
        number(3, 4, plus=1) if log.by_request else None,
        number(1, 2) if rows[:, 2].sum() else None,
        tuple(number(i, 0) for i in places),
        tuple(number(i, i - 1 if i > FIRST else 0) for i in places if i == FIRST or rows[:, i - 1].any()),
        level,
    )


FIRST = 5
"""Column of the first position, after steps, accepted and drafted tokens, accepted per step, and one."""


def _table(counts: Sequence[Counts]) -> NDArray[np.float64]:
    """A row for each request; nothing is drafted where some request does not say how much."""
    most = max(len(c.reached or ()) for c in counts)
    told = all(c.drafted is not None for c in counts)
    return np.array(
        [
            [
                *(c.steps, c.accepted, (told and c.drafted) or 0, c.accepted / c.steps, 1),
                *(c.reached or ()),
                *[0] * (most - len(c.reached or ())),
            ]
            for c in counts
        ],
        dtype=np.float64,
    )


def _over(above: Any, below: Any) -> Any:
    """A quotient, 0 in a resample without the requests that the divisor counts."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def speeds(positions: Sequence[float], cost: float) -> list[tuple[int, float, float]]:
    """For each number of drafts up to those measured: gamma, tokens per step, and the speed-up at a draft cost.

    With fewer drafts a step accepts what it would have accepted of them, so the same shares count.  The speed-up is that of
    `simspec.methods.speedup_of_accepted`, with `cost` the time of a draft token over that of a target call.

    >>> speeds([0.75, 0.5], 0.25)
    [(1, 1.75, 1.4), (2, 2.25, 1.5)]
    """
    found = []
    for gamma in range(1, len(positions) + 1):
        accepted = sum(positions[:gamma])
        found.append((gamma, 1 + accepted, float(speedup_of_accepted(accepted, gamma, cost))))
    return found
