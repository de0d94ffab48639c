"""Runs of the audit's e-process on tokens of a simulated engine, and the limit that no test of the categories goes below.

A run goes through the places in the order of their documents, which it shuffles, and again when it has seen all.  At each it
draws the category of a token from the engine's law and gives it to the bets, which see what an audit sees: the reference's
masses, the ids, the token before.  All runs advance together (`crowd`) until enough of them have ended to know the median, so
the slowest ones are not waited for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.served.crowd import Crowd
from benchmarks.served.rows import Judgements
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


def emitted(
    engine: Array, documents: NDArray[np.int64], runs: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places and categories of as many tokens of each run as there are places, (runs, n): all places once."""
    groups = [np.flatnonzero(documents == document) for document in np.unique(documents)]
    places = np.stack([np.concatenate([groups[group] for group in rng.permutation(len(groups))]) for _ in range(runs)])
    cumulative = np.cumsum(engine, axis=1)
    cumulative /= cumulative[:, -1:]
    uniforms = rng.random(places.shape)
    categories = np.zeros(places.shape, dtype=np.int64)
    for column in range(engine.shape[1] - 1):
        categories += uniforms >= cumulative[places, column]
    return places, categories


def ends_of(
    step: Callable[[NDArray[np.int64], NDArray[np.int64]], Array],
    threshold: float,
    engine: Array,
    documents: NDArray[np.int64],
    runs: int,
    max_tokens: int,
    seed: int,
    enough: int | None = None,
) -> list[float]:
    """Tokens after which the value that `step` returns for each run first reaches a threshold.

    A run that has not after `max_tokens` tokens is inf; so are all others once `enough` runs have ended.
    """
    rng = np.random.default_rng(seed)
    ends = np.full(runs, math.inf)
    for first in range(0, max_tokens, len(engine)):
        places, categories = emitted(engine, documents, runs, rng)
        for number in range(min(len(engine), max_tokens - first)):
            values = step(places[:, number], categories[:, number])
            ends[(values >= threshold) & np.isinf(ends)] = first + number + 1
            if np.isfinite(ends).sum() >= (enough or runs):
                return ends.tolist()
    return ends.tolist()


def tokens_until(
    engine: Array,
    judged: Judgements,
    documents: NDArray[np.int64],
    runs: int,
    max_tokens: int,
    seed: int = 0,
    bettors: type[Crowd] = Crowd,
    enough: int | None = None,
) -> list[float]:
    """Tokens after which each run says that the engine differs; see `ends_of`.

    Parameters
    ----------
    engine : (n, TOP + 1) law of the categories at each place
    judged : Judgements; what the audit sees
    documents : (n,) document of each place
    runs, max_tokens : number of runs, and of tokens of each
    bettors : the wealth of the runs
    enough : runs that need to end
    """
    crowd = bettors(judged, runs)
    return ends_of(crowd.step, THRESHOLD, engine, documents, runs=runs, max_tokens=max_tokens, seed=seed, enough=enough)


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
    engine: Array, reference: Array, documents: NDArray[np.int64], runs: int, max_tokens: int, seed: int = 0
) -> float:
    """Median tokens of a bettor that knows the engine's law and bets all on it, against 1/`LEVEL`: what the limit is worth."""
    gains = np.log(np.maximum(engine, 1e-300) / reference)
    totals = np.zeros(runs)

    def step(places: NDArray[np.int64], categories: NDArray[np.int64]) -> Array:
        nonlocal totals
        totals = totals + gains[places, categories]
        return totals

    enough = median_ranks(runs)[1] + 1
    ends = ends_of(
        step, -math.log(LEVEL), engine, documents, runs=runs, max_tokens=max_tokens, seed=seed, enough=enough
    )
    return median_of(ends).median


def false_alarms(
    judged: Judgements,
    documents: NDArray[np.int64],
    runs: int,
    tokens: int,
    seed: int = 0,
    bettors: type[Crowd] = Crowd,
) -> int:
    """Of so many runs of an engine with the reference's law, how many are said to differ within so many tokens."""
    ends = tokens_until(judged.masses, judged, documents, runs, tokens, seed, bettors)
    return sum(math.isfinite(end) for end in ends)
