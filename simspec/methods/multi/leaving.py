"""Drafts without replacement: the probability that one of K lies outside a set, for many growing sets at once.

Let token x come at a time of its own, exponential of rate q(x): the order in which tokens come is that of drawing without
replacement.  Some of the first K are outside H if and only if fewer than K tokens of H have come when the first one
outside comes, at a time of rate 1 − q(H).  So the probability is one integral, of a product over the tokens of H:

    ∫ (1 − q(H)) exp(−(1 − q(H)) t) P(fewer than K of H have come by t) dt.

Tokens with much of the mass are counted one by one, the many others through the sums of their powers.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Leaving", "leaving"]

Floats = NDArray[np.float64]

SINGLE = 512
"""Tokens with more than this part of the mass outside the K − 1 most likely ones are counted one by one."""
ORDER = 5
"""Powers of q that are summed over the others."""
CHUNK = 256
"""Tokens of which only the most likely one is looked at first."""
STEP = 0.09
LATEST = 42
"""Grid of the integral: its step in log time, and the last time, as a multiple of the slowest decay."""


class Leaving(NamedTuple):
    """What depends on q alone.

    Attributes
    ----------
    times, weights : nodes of the integral (nodes,)
    single : tokens that are counted one by one, from the least p/q on
    come : P(0, 1, …, K − 1 of the first n of them have come by t) (n + 1, K, nodes)
    own : mass of the first n of them (n + 1,)
    """

    times: Floats
    weights: Floats
    single: NDArray[np.int64]
    come: Floats
    own: Floats

    def probability(self, rest: Floats, powers: Floats, singles: NDArray[np.int64]) -> Floats:
        """Probability that a draft is outside each of some sets.

        Parameters
        ----------
        rest : mass outside (sets,)
        powers : Σ q^n, n = 1, 2, … over the others inside (ORDER, sets)
        singles : how many of the single ones are inside (sets,)
        """
        k = self.come.shape[1]
        t = self.times
        sums = [_power_sum(j, powers, t) for j in range(1, k)]
        others: list[Floats] = [np.exp(-(powers[0] + rest)[:, None] * t)]
        for j in range(1, k):  # Newton's identities
            others.append(sum((-1) ** (i - 1) * others[j - i] * sums[i - 1] for i in range(1, j + 1)) / j)
        upto = list(accumulate(others))
        fewer = sum(self.come[singles, i] * upto[k - 1 - i] for i in range(k))
        return np.asarray(rest * (fewer @ self.weights))


def leaving(q: Floats, k: int, rank: NDArray[np.int64]) -> Leaving:
    """The grid, and the tokens that are counted one by one.

    Parameters
    ----------
    q : law (V,)
    k : int; drafts, no more than q has tokens
    rank : numbers in whose order tokens enter the sets (V,)
    """
    slowest = max(1 - _largest(q, k - 1), float(q.min()) if k == len(q) else 0.0, 1e-12)
    single = np.flatnonzero(q > slowest / SINGLE)
    single = single[np.argsort(rank[single], kind="stable")]
    at = np.arange(-3.4, np.log(LATEST / slowest) + STEP, STEP)
    times = np.exp(at - np.exp(-at))
    come = np.zeros((len(single) + 1, k, len(times)))
    come[0, 0] = 1
    for n, token in enumerate(single):
        gone = np.exp(-q[token] * times)
        come[n + 1] = come[n] * gone
        come[n + 1, 1:] += come[n, :-1] * (1 - gone)
    single_sums = np.append(0, np.cumsum(q[single]))
    return Leaving(times, STEP * times * (1 + np.exp(-at)), single, come, single_sums)


def _largest(q: Floats, count: int) -> float:
    """Sum of the largest masses of a law.

    Few chunks have a token above the count-th largest of all chunks' largest ones.  A partition of all tokens is slow
    where most are equal.
    """
    if count * CHUNK >= len(q):
        return float(np.sort(q)[len(q) - count :].sum())
    chunked = len(q) // CHUNK * CHUNK
    tops = np.append(q[:chunked].reshape(-1, CHUNK).max(axis=1), q[chunked:].max(initial=0.0))
    threshold = np.partition(tops, len(tops) - count)[-count] if count else tops.max()
    above = np.sort(q[q > threshold])[::-1][:count]
    return float(above.sum() + (count - len(above)) * threshold)


def _power_sum(j: int, powers: Floats, t: Floats) -> Floats:
    """Σ (exp(q t) − 1)^j over tokens, from Σ q^n: (e^y − 1)^j / j! = Σ S(n, j) y^n / n!, with Stirling's numbers."""
    at = range(j, ORDER + 1)
    parts = np.array([factorial(j) * _stirling(n, j) / factorial(n) * t**n for n in at])
    return np.asarray(powers[j - 1 :].T @ parts) if len(at) else np.zeros((powers.shape[1], len(t)))


@cache
def _stirling(n: int, j: int) -> int:
    """Ways to part n things into j groups."""
    if n == j:
        return 1
    return 0 if j == 0 or j > n else j * _stirling(n - 1, j) + _stirling(n - 1, j - 1)
