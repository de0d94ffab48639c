"""Runs of the audit's e-process on tokens of a simulated engine, and the limit that no test of the categories goes below.

A run goes through the places in the order of their documents, which it shuffles, and again when it has seen all.  At each it
draws the category of a token from the engine's law and gives it to `simspec.audit.endpoint.bets.Wealth`, which sees what an
audit sees: the reference's masses, the ids, the token before.  All runs advance together until enough of them have ended to
know the median, so the slowest ones are not waited for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.served.rows import Judgements
from simspec.audit.endpoint.bets import Wealth
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.verdict import SAMPLED_SHARE, limit_of
from simspec.laws import Array

__all__ = [
    "LEVEL",
    "Median",
    "false_alarms",
    "information",
    "median_of",
    "median_ranks",
    "oracle_median",
    "tokens_until",
]

LEVEL = Plan().error
THRESHOLD = limit_of(Plan(), SAMPLED_SHARE)
"""Logarithm of the wealth at which `simspec audit URL` says that the sampled tokens differ."""
CHUNK = 64
"""Tokens of each run between two looks at how many have ended."""


class Median(NamedTuple):
    """The median of some runs and the ends of its 95 % interval, in tokens; inf where too few runs ended."""

    median: float
    low: float
    high: float


def information(engine: Array, reference: Array) -> float:
    """KL of the engine's categories from the reference's, nats a token, on average over the places.

    >>> round(information(np.array([[0.75, 0.25]]), np.array([[0.5, 0.5]])), 4)
    0.1308
    """
    return float((engine * np.log(np.maximum(engine, 1e-300) / reference)).sum(axis=1).mean())


def places(documents: NDArray[np.int64], rng: np.random.Generator) -> Iterator[int]:
    """Places in the order of shuffled documents, for ever."""
    groups = [np.flatnonzero(documents == document) for document in np.unique(documents)]
    while True:
        for group in rng.permutation(len(groups)):
            yield from groups[group].tolist()


def emitted(engine: Array, documents: NDArray[np.int64], rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Place and category of each token, for ever."""
    cumulative = np.cumsum(engine, axis=1)
    cumulative /= cumulative[:, -1:]
    order = places(documents, rng)
    while True:
        uniforms = rng.random(1024)
        chosen = np.fromiter(order, dtype=np.int64, count=1024)
        drawn = (uniforms[:, None] >= cumulative[chosen]).sum(axis=1)
        yield from zip(chosen.tolist(), drawn.tolist(), strict=True)


def tokens_until(
    engine: Array,
    judged: Judgements,
    documents: NDArray[np.int64],
    runs: int,
    most: int,
    seed: int = 0,
    bettor: Callable[..., Wealth] = Wealth,
    enough: int | None = None,
) -> list[float]:
    """Tokens after which each run says that the engine differs; inf for a run that has not after `most` tokens.

    Parameters
    ----------
    engine : (n, TOP + 1) law of the categories at each place
    runs, most : number of runs, and of tokens of each
    bettor : makes the wealth of a run
    enough : runs may stop once so many have ended; then the others are inf, and each would be above all of these
    """
    streams = [emitted(engine, documents, np.random.default_rng([seed, run])) for run in range(runs)]
    wealths: dict[int, Wealth] = {run: bettor(knows_draft=judged.knows_draft) for run in range(runs)}
    ends = [math.inf] * runs
    for first in range(0, most, CHUNK):
        length = min(CHUNK, most - first)
        for run, wealth in [*wealths.items()]:
            emission = [next(streams[run]) for _ in range(length)]
            wealth.add([judged.tokens[place][category] for place, category in emission])
            if wealth.largest >= THRESHOLD:
                ends[run] = first + 1 + int((wealth.latest >= THRESHOLD).argmax())
                del wealths[run]
        if len(wealths) <= runs - (enough or runs):
            break
    return ends


def median_ranks(runs: int) -> tuple[int, int]:
    """Ranks, from 0, of the ordered runs that are the ends of a 95 % interval for the median, whatever their law.

    >>> median_ranks(200)
    (85, 114)
    """
    from scipy.stats import binom

    low = int(binom.ppf(0.025, runs, 0.5))
    # P(fewer than `low` of the runs are below the median) is at most 2.5 %, on either side
    return max(low - 1, 0), min(runs - low, runs - 1)


def median_of(ends: list[float]) -> Median:
    """The median of runs with its interval.

    >>> median_of([3.0, 1.0, 2.0, math.inf, math.inf])
    Median(median=3.0, low=1.0, high=inf)
    """
    ordered = sorted(ends)
    low, high = median_ranks(len(ordered))
    return Median(ordered[len(ordered) // 2], ordered[low], ordered[high])


def oracle_median(
    engine: Array, reference: Array, documents: NDArray[np.int64], runs: int, most: int, seed: int = 0
) -> float:
    """Median tokens of a bettor that knows the engine's law and bets all on it, against 1/`LEVEL`: what the limit is worth."""
    gains = np.log(np.maximum(engine, 1e-300) / reference)
    ends = []
    for run in range(runs):
        stream = emitted(engine, documents, np.random.default_rng([seed, run]))
        total = 0.0
        end = math.inf
        for number in range(1, most + 1):
            place, category = next(stream)
            total += gains[place, category]
            if total >= -math.log(LEVEL):
                end = number
                break
        ends.append(end)
    return median_of(ends).median


def false_alarms(
    judged: Judgements,
    documents: NDArray[np.int64],
    runs: int,
    tokens: int,
    seed: int = 0,
    bettor: Callable[..., Wealth] = Wealth,
) -> int:
    """Of so many runs of an engine with the reference's law, how many are said to differ within so many tokens."""
    ends = tokens_until(judged.masses, judged, documents, runs, tokens, seed, bettor)
    return sum(math.isfinite(end) for end in ends)
