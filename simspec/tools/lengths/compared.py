r"""Two logs under one definition of the acceptance length, their difference, and a test of it by request.

The length is that of `simspec.tools.lengths.records`: tokens per verification step, the bonus token included, pooled over
requests.  Where both logs count steps by position and one drafts further, both are cut to the shorter number of drafts, since
a longer draft is a longer length of the same drafter.

**Test.**  Under the null hypothesis requests are exchangeable between the logs: which log a request is in says nothing of its
counts.  The statistic is the difference of the pooled lengths over its standard error (that of a ratio of sums over requests),
and its p-value is the share of arrangements of the requests whose statistic is at least as large.  Arrangements are all
divisions of the requests into two logs of these sizes or, where request k of one log has the prompt of request k of the other,
all exchanges within these pairs.  Up to `MOST_EXACT` arrangements are enumerated, of more `DRAWN` are drawn; both give a test
that is wrong in at most 1 - level of all comparisons under the null hypothesis, for any number of requests.  Where only the
lengths are equal and the requests differ otherwise, the division by the standard error keeps that rate for many requests.

**Interval.**  That of the difference: of unpaired logs from an interval of each length (the squares of the distances to their
ends add up, as variances do), of pairs by leaving out a pair at a time.  Both are those of
`simspec.engine.estimates.clusters.statistic`: with a further request like the most extreme of those seen.  The intervals of the
two lengths, which are printed beside them, are wider: they also allow for a request of a kind that was not seen.

Counts of intervals, of a whole run or of a scrape mix requests.  They have a difference, and no test.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb, hypot, isinf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.engine.estimates.clusters import FEWEST, statistic
from simspec.engine.estimates.intervals import Interval
from simspec.tools.lengths.records import Counts, Lengths, Log, Number, lengths

__all__ = [
    "DRAWN",
    "MOST_EXACT",
    "Comparison",
    "compared",
    "difference_interval",
    "fewest_requests",
    "swap_test",
    "two_sample_test",
]

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]

MOST_EXACT = 20_000
"""Most arrangements that are enumerated."""
DRAWN = 9_999
"""Arrangements that are drawn of more; that of the logs themselves is one more."""
AT_A_TIME = 1_000
ROUNDING = 1e-9
"""Statistics of two arrangements that are this close are equal but for rounding."""


class Comparison(NamedTuple):
    """Two logs under one definition.

    Attributes
    ----------
    first, second : Lengths of the logs
    gamma : drafts per step that both are cut to; None where neither is cut
    difference : Number; length of the first log less that of the second
    p_value : of the test by request, None where there is none
    paired : whether request k of both logs had the same prompt
    without_test : why there is no test; empty where there is one
    level : float; the test calls a difference where the p-value is at most 1 - level
    notes : what else the numbers need
    """

    first: Lengths
    second: Lengths
    gamma: int | None
    difference: Number
    p_value: float | None
    paired: bool
    without_test: str
    level: float
    notes: tuple[str, ...] = ()

    @property
    def differs(self) -> bool | None:
        """Whether the test calls the lengths different; None without a test."""
        return None if self.p_value is None else self.p_value <= 1 - self.level + ROUNDING


def compared(first: Log, second: Log, level: float = 0.95, *, paired: bool = False, seed: int = 0) -> Comparison:
    """Compare the acceptance lengths of two logs.

    Parameters
    ----------
    first, second : Log
    level : in (0, 1); of the intervals, and one less the rate at which the test is wrong where nothing differs
    paired : whether request k of both logs had the same prompt
    seed : of the arrangements, where they are drawn

    Raises
    ------
    ValueError
        for a level outside (0, 1), a log without a step, or pairs of logs of different numbers of requests.

    Examples
    --------
    Six prompts, each of which the first log accepts more of: both exchanges of all pairs are as extreme, of 64.

    >>> more = Log("by hand", tuple(Counts(10, n) for n in (20, 21, 22, 23, 24, 25)), by_request=True)
    >>> less = Log("by hand", tuple(Counts(10, n) for n in (10, 11, 12, 13, 14, 15)), by_request=True)
    >>> comparison = compared(more, less, paired=True)
    >>> comparison.difference.value, comparison.p_value, comparison.differs
    (1.0, 0.03125, True)
    """
    if not 0 < level < 1:
        raise ValueError(f"level: {level}; expected a confidence between 0 and 1")
    notes = []
    gamma = _common_gamma(first, second)
    if gamma is not None:
        notes.append(f"both logs are cut to {gamma} drafts a step, which both draft")
        first = _cut(first, gamma)
        second = _cut(second, gamma)
    elif note := _drafts_note(first, second):
        notes.append(note)
    of_first = lengths(first, level)
    of_second = lengths(second, level)
    difference = of_first.length.value - of_second.length.value
    comparison = Comparison(
        first=of_first,
        second=of_second,
        gamma=gamma,
        difference=Number(difference),
        p_value=None,
        paired=paired,
        without_test=_without_test(first, second, level, paired=paired),
        level=level,
        notes=tuple(notes),
    )
    if comparison.without_test:
        return comparison
    rows = [_rows(log) for log in (first, second)]
    interval = difference_interval(rows[0], rows[1], level, paired=paired)
    p_value = (swap_test if paired else two_sample_test)(rows[0], rows[1], seed=seed)
    return comparison._replace(difference=Number(difference, interval.low, interval.high), p_value=p_value)


def fewest_requests(level: float, *, paired: bool) -> int:
    """Requests of each log below which there is no test: no arrangement of fewer has a p-value of 1 - level, or no interval.

    >>> fewest_requests(0.95, paired=False), fewest_requests(0.95, paired=True), fewest_requests(0.99, paired=True)
    (5, 6, 8)
    """
    number = FEWEST
    while 2 / (2**number if paired else comb(2 * number, number)) > 1 - level + ROUNDING:
        number += 1
    return number


def difference_interval(first: Floats, second: Floats, level: float, *, paired: bool) -> Interval:
    """Interval of the difference of two lengths; arguments (n, 2) are accepted drafts and steps of FEWEST requests or more.

    >>> more = np.array([[20.0, 10], [22, 10], [18, 10], [20, 10], [20, 10]])
    >>> interval = difference_interval(more, more - [8, 0], 0.95, paired=False)
    >>> [round(end, 2) for end in interval[:3]]
    [0.8, 0.53, 1.07]
    """
    if paired:
        columns = np.concatenate([first.T, second.T])
        return statistic(columns, lambda a, s, b, t: a / s - b / t, first[:, 1] + second[:, 1], level)
    left_ratio, right_ratio = (statistic(rows.T, np.divide, rows[:, 1], level) for rows in (first, second))
    below = hypot(left_ratio.estimate - left_ratio.low, right_ratio.high - right_ratio.estimate)
    above = hypot(left_ratio.high - left_ratio.estimate, right_ratio.estimate - right_ratio.low)
    difference = left_ratio.estimate - right_ratio.estimate
    return Interval(difference, difference - below, difference + above, level)


def two_sample_test(first: Floats, second: Floats, seed: int = 0) -> float:
    """P-value of all divisions of the requests into two logs; arguments (n, 2) are accepted drafts and steps.

    Five requests that all accept 2 drafts a step and five that accept none: both complete divisions are as extreme, of 252.

    >>> two_sample_test(np.tile([20.0, 10.0], (5, 1)), np.tile([0.0, 10.0], (5, 1))) == 2 / 252
    True
    """
    together = np.concatenate([first, second])
    is_first = np.arange(len(together)) < len(first)
    count = comb(len(together), len(first))
    observed = float(_divided(together, is_first[None])[0])
    masks = _all_divisions(len(together), len(first)) if count <= MOST_EXACT else _drawn_divisions(is_first, seed)
    return _share(observed, (_divided(together, mask) for mask in masks), is_exact=count <= MOST_EXACT)


def swap_test(first: Floats, second: Floats, seed: int = 0) -> float:
    """P-value of all exchanges within pairs of requests; arguments (n, 2) are accepted drafts and steps.

    >>> swap_test(np.tile([20.0, 10.0], (6, 1)), np.tile([0.0, 10.0], (6, 1))) == 2 / 64
    True
    """
    number = len(first)
    is_exact = 2**number <= MOST_EXACT
    observed = float(_exchanged(first, second, np.zeros((1, number), bool))[0])
    masks = _all_exchanges(number) if is_exact else _drawn_exchanges(number, seed)
    return _share(observed, (_exchanged(first, second, mask) for mask in masks), is_exact=is_exact)


def _share(observed: float, parts: Iterator[Floats], *, is_exact: bool) -> float:
    """Share of arrangements whose statistic is at least as far from 0; of drawn ones the logs' own is one more."""
    extreme = 0 if is_exact else 1
    total = extreme
    for statistics in parts:
        sizes = np.abs(statistics)
        is_equal = np.isinf(sizes) if isinf(observed) else sizes >= abs(observed) * (1 - ROUNDING) - ROUNDING
        extreme += int(is_equal.sum())
        total += len(statistics)
    return extreme / total


def _divided(rows: Floats, is_first: Masks) -> Floats:
    """Statistic of each division (m, n) of requests (n, 2) into two logs."""
    accepted, steps = rows.T
    moments = np.stack([accepted, steps, accepted**2, accepted * steps, steps**2], axis=1)
    sums = is_first @ moments
    return _over_error(
        _ratio_and_variance(sums, is_first.sum(axis=1)),
        _ratio_and_variance(moments.sum(axis=0) - sums, (~is_first).sum(axis=1)),
    )


def _ratio_and_variance(sums: Floats, count: NDArray[Any]) -> tuple[Floats, Floats]:
    """Ratio of sums over requests, and its variance by the residuals of the requests; sums (m, 5) as `_divided` has them."""
    accepted, steps, squares, products, steps_squared = sums.T
    ratio = accepted / steps
    residuals = squares - 2 * ratio * products + ratio**2 * steps_squared
    residuals = np.where(residuals <= ROUNDING * (squares + 1), 0, residuals)  # what rounding leaves of none
    return ratio, residuals / steps**2 * count / (count - 1)


def _over_error(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> Floats:
    """Difference of two ratios over its standard error; infinite where they differ without an error, 0 where they are equal."""
    return _quotient(first[0] - second[0], np.sqrt(first[1] + second[1]))


def _quotient(difference: Floats, error: Floats) -> Floats:
    is_equal = np.abs(difference) <= ROUNDING
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = difference / error
    return np.where(is_equal, 0.0, quotient)


def _exchanged(first: Floats, second: Floats, is_exchanged: Masks) -> Floats:
    """Statistic of each set (m, n) of exchanges within pairs of requests (n, 2)."""
    mask = is_exchanged[:, :, None]
    left_log = np.where(mask, second, first)
    right_log = np.where(mask, first, second)
    left_sum = left_log.sum(axis=1)
    right_sum = right_log.sum(axis=1)
    left_ratio = left_sum[:, :1] / left_sum[:, 1:]
    right_ratio = right_sum[:, :1] / right_sum[:, 1:]
    influence = (left_log[..., 0] - left_ratio * left_log[..., 1]) / left_sum[:, 1:]
    influence -= (right_log[..., 0] - right_ratio * right_log[..., 1]) / right_sum[:, 1:]
    number = len(first)
    variance = (influence**2).sum(axis=1) * number / (number - 1)
    error = np.sqrt(np.where(variance <= ROUNDING**2, 0, variance))
    return _quotient((left_ratio - right_ratio)[:, 0], error)


def _all_divisions(total: int, of_first: int) -> Iterator[Masks]:
    """Masks of all divisions, some at a time."""
    divisions = np.array(list(combinations(range(total), of_first)))
    for start in range(0, len(divisions), AT_A_TIME):
        members = divisions[start : start + AT_A_TIME]
        masks = np.zeros((len(members), total), bool)
        np.put_along_axis(masks, members, True, axis=1)
        yield masks


def _drawn_divisions(is_first: Masks, seed: int) -> Iterator[Masks]:
    rng = np.random.default_rng(seed)
    for start in range(0, DRAWN, AT_A_TIME):
        yield rng.permuted(np.tile(is_first, (min(AT_A_TIME, DRAWN - start), 1)), axis=1)


def _all_exchanges(number: int) -> Iterator[Masks]:
    """Masks of all exchanges, some at a time: the bits of the numbers from 0 on."""
    for start in range(0, 2**number, AT_A_TIME):
        numbers = np.arange(start, min(start + AT_A_TIME, 2**number))
        yield (numbers[:, None] >> np.arange(number)) % 2 == 1


def _drawn_exchanges(number: int, seed: int) -> Iterator[Masks]:
    rng = np.random.default_rng(seed)
    for start in range(0, DRAWN, AT_A_TIME):
        yield rng.random((min(AT_A_TIME, DRAWN - start), number)) < 0.5


def _rows(log: Log) -> Floats:
    """Accepted drafts and steps of each request that has steps."""
    return np.array([(c.accepted, c.steps) for c in log.counts if c.steps], dtype=np.float64)


def _common_gamma(first: Log, second: Log) -> int | None:
    """Drafts per step that both logs have, where they count steps by position and one drafts further."""
    longest = []
    for log in (first, second):
        positions = [counts.reached for counts in log.counts if counts.steps]
        if not positions or any(reached is None for reached in positions):
            return None
        drafted = [
            counts.drafted / counts.steps for counts in log.counts if counts.steps and counts.drafted is not None
        ]
        last_position = max(len(reached) for reached in positions if reached is not None)
        longest.append(max([last_position, *(int(np.ceil(number)) for number in drafted)]))
    return None if longest[0] == longest[1] else min(longest)


def _cut(log: Log, gamma: int) -> Log:
    """The log as if no step had drafted more: a step accepts what it accepted of its first drafts."""
    counts = []
    for of_request in log.counts:
        reached = (of_request.reached or ())[:gamma]
        counts.append(Counts(of_request.steps, sum(reached), None, reached))
    return log._replace(counts=tuple(counts))


def _drafts_note(first: Log, second: Log) -> str:
    """A note where the logs draft unlike numbers of tokens a step and cannot be cut."""
    means = []
    for log in (first, second):
        counts = [c for c in log.counts if c.steps]
        if not counts or any(c.drafted is None for c in counts):
            return "a log does not say how many tokens its steps draft; lengths at different numbers of drafts differ anyway"
        means.append(sum(c.drafted or 0 for c in counts) / sum(c.steps for c in counts))
    if abs(means[0] - means[1]) < 0.5:
        return ""
    return (
        f"the logs draft {means[0]:.2f} and {means[1]:.2f} tokens a step and do not both count by position; the lengths "
        "differ by that too"
    )


def _without_test(first: Log, second: Log, level: float, *, paired: bool) -> str:
    """Why the difference has no test by request; empty where it has one.

    Raises ValueError for pairs of logs that are none.
    """
    pooled = [
        f"{name} log ({log.source})" for name, log in (("first", first), ("second", second)) if not log.by_request
    ]
    if pooled:
        verb = "does" if len(pooled) == 1 else "do"
        return (
            f"no test: the {' and the '.join(pooled)} {verb} not separate requests, and counts that mix requests vary less or "
            "more than requests do; expected records by request (vLLM or AIPerf records, SGLang responses, llama.cpp's log)"
        )
    numbers = [sum(c.steps > 0 for c in log.counts) for log in (first, second)]
    if paired and (numbers[0] != numbers[1] or len(first.counts) != len(second.counts)):
        raise ValueError(
            f"paired: {numbers[0]} and {numbers[1]} requests with steps; expected request k of both logs to have the same "
            "prompt: leave pairing out, or keep the requests that both logs have"
        )
    if paired and any((c.steps > 0) != (d.steps > 0) for c, d in zip(first.counts, second.counts, strict=True)):
        raise ValueError("paired: a request has steps in one log only; expected request k of both logs to have steps")
    fewest = fewest_requests(level, paired=paired)
    if min(numbers) < fewest:
        unit = "pairs" if paired else "requests in each log"
        return (
            f"no test: {numbers[0]} and {numbers[1]} requests are too few, a test that is wrong in {100 * (1 - level):g} % "
            f"needs {fewest} {unit} or more"
        )
    return ""
