r"""Evidence against "the next tokens are the target's", from counts of texts, valid at any stopping time.

Each call gives one text of γ + 1 tokens; under the hypothesis the texts are independent, each with law P.  For any law
θ the product of θ/P over the texts seen is non-negative and does not grow on average when texts come from P, so it
stays a *wealth* that began at 1; so does its mean over any θ fixed beforehand.  By Ville's inequality such a wealth
ever reaches 1/a with probability at most a.  Here the mean is over Dirichlet laws around P, the closed form

.. math:: \frac{\Gamma(A)}{\Gamma(A+n)} \prod_k \frac{\Gamma(A P_k + n_k)}{\Gamma(A P_k)\, P_k^{n_k}},

over several concentrations A, and over several *views* of the text: its beginnings and its single positions.  A text
that the target never says makes the wealth infinite, and has probability 0 under the hypothesis.

Half of the stake is on something else: that two batches of calls with different random numbers return the same tokens
t, as those of a generator that is frozen do.  Under the hypothesis the second batch begins with t with probability
P(t), so 1/P(t) where they are equal, else 0, is not more than 1 on average.

Where a bias was declared P is not known.  Then all that is used is that calls are independent and alike, so that every
order of the 2n calls is as likely as every other: given how often each ending occurs in both batches together, the
second repeats the first in its order with probability

.. math:: \binom{n}{n_1, n_2, \ldots} \Big/ \binom{2n}{2 n_1, 2 n_2, \ldots},

which is 1 where all calls of a batch are equal: a rule without chance is not a frozen generator.

Sources: Ville (1939); Robbins, "Statistical methods related to the law of the iterated logarithm" (1970), for mixtures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simspec.audit.levels import Laws, along, is_tree
from simspec.checks import needs
from simspec.laws import Array

__all__ = [
    "Evidence",
    "calls_to_decide",
    "gather",
    "log_repeat",
    "log_repeat_of_any",
    "log_wealth",
    "text_law",
    "tv_radius",
]

CONCENTRATIONS = tuple(4.0**j for j in range(9))
"""The mixture's A: how far from P the laws lie that it looks for.  Any are valid; these find TV from 0.5 to 0.002."""


MOST_CALLS = 10**9
"""Beyond so many calls nobody waits for a decision."""


def text_law(p: Laws) -> Array:
    """Law of a text whose token i has law p[i], or p[i][prefix] in a tree, as an array with an axis for each token.

    >>> text_law(np.array([[0.25, 0.75], [1.0, 0.0]])).tolist()
    [[0.25, 0.0], [0.75, 0.0]]
    """
    law = np.ones(())
    for row in p:
        law = law[..., None] * row
    return law


def log_wealth(counts: Array, p: Laws) -> Array:
    """Logarithm of the wealth against the target after these counts.

    Parameters
    ----------
    counts : integers (..., V, ..., V), an axis of V for each row of p; leading axes are independent runs
    p : laws (length, V), length >= 1, or levels of a tree

    >>> p = np.array([[0.5, 0.5, 0.0]])
    >>> float(log_wealth(np.array([0, 0, 1]), p)), round(float(log_wealth(np.array([30, 0, 0]), p)), 1)
    (inf, 16.4)
    """
    parts = np.stack([_mixture(n, law) for n, law in _views(np.asarray(counts), p)])
    return np.logaddexp.reduce(parts, axis=0) - math.log(len(parts))


def _views(counts: Array, p: Laws) -> Iterator[tuple[Array, Array]]:
    """Counts (..., K) and law (K,) of each beginning of the text, and of each later position."""
    length = len(p)
    vocab = p[0].shape[-1]
    lead = counts.shape[: counts.ndim - length]
    for end in range(1, length + 1):
        start = counts.sum(axis=tuple(range(len(lead) + end, counts.ndim)))
        yield start.reshape(*lead, vocab**end), text_law(p[:end]).reshape(-1)
        if end > 1:
            yield start.sum(axis=tuple(range(len(lead), len(lead) + end - 1))), _own_law(p, end)


def _own_law(p: Laws, end: int) -> Array:
    """Law of token number `end` alone."""
    return text_law(p[:end]).sum(axis=tuple(range(end - 1))) if is_tree(p) else p[end - 1]


def _mixture(counts: Array, law: Array) -> Array:
    gammaln = needs("evidence", "scipy.special")[0].gammaln
    possible = law > 0
    n = counts[..., possible].astype(np.float64)
    possible_masses = law[possible]
    calls = n.sum(axis=-1)
    against = (n * np.log(possible_masses)).sum(axis=-1)
    a = np.array(CONCENTRATIONS).reshape(-1, *(1,) * n.ndim)
    masses = (gammaln(a * possible_masses + n) - gammaln(a * possible_masses)).sum(axis=-1)
    parts = gammaln(a[..., 0]) - gammaln(a[..., 0] + calls) + masses - against
    mean = np.logaddexp.reduce(parts, axis=0) - math.log(len(CONCENTRATIONS))
    return np.where(counts[..., ~possible].any(axis=-1), np.inf, mean)


def log_repeat(first: Array, second: Array, p: Laws) -> float:
    """Logarithm of what the stake on a repeated batch has become: tokens (n, length), padded with -1, of two batches.

    >>> tokens, p = np.array([[0, -1], [1, 0]]), np.array([[0.5, 0.5], [0.25, 0.75]])
    >>> bool(np.isclose(log_repeat(tokens, tokens, p), np.log(16))), log_repeat(tokens, tokens[::-1], p)
    (True, -inf)
    """
    if not np.array_equal(first, second):
        return -math.inf
    masses = np.where(second >= 0, np.take_along_axis(along(p, second), second[..., None], axis=2)[..., 0], 1)
    return math.inf if (masses == 0).any() else float(-np.log(masses).sum())


def log_repeat_of_any(first: Array, second: Array) -> float:
    """The same where calls have any law, the same for all of them: no evidence where all calls of a batch are equal.

    >>> sure, once = np.zeros((250, 1), dtype=int), np.eye(250, 1, dtype=int)
    >>> log_repeat_of_any(sure, sure), round(float(np.exp(log_repeat_of_any(once, once))))
    (0.0, 499)
    """
    if not np.array_equal(first, second):
        return -math.inf
    counts = np.unique(second, axis=0, return_counts=True)[1]
    n = len(second)
    orders = math.lgamma(2 * n + 1) - math.lgamma(n + 1)
    return orders - sum(math.lgamma(2 * k + 1) - math.lgamma(k + 1) for k in counts.tolist())


def tv_radius(calls: float, texts: int, error: float) -> float:
    r"""How far in TV the counted shares of `calls` texts may lie from their law, but with probability `error`.

    :math:`\sqrt{\ln((2^K - 2)/a)/(2n)}`: Hoeffding's inequality for each of the :math:`2^K - 2` sets of texts that are
    neither empty nor all (Weissman et al. 2003).

    >>> tv_radius(100, 1, 0.05), round(tv_radius(10_000, 8, 1e-6), 3)
    (0.0, 0.031)
    """
    if texts == 1:
        return 0.0
    sets = texts * math.log(2) + math.log1p(-(2.0 ** (1 - texts)))
    return math.sqrt((sets - math.log(error)) / (2 * calls))


class Evidence(NamedTuple):
    """What the calls on one pair of laws say.

    Attributes
    ----------
    calls, looks : int; calls counted, and how often they were looked at
    log_wealth : float; the largest so far
    low, high : float; TV between the sampler's law and the target's lies between, at all looks at once, if calls are independent
    """

    calls: int = 0
    looks: int = 0
    log_wealth: float = 0.0
    low: float = 0.0
    high: float = 1.0

    def biased(self, error: float) -> bool:
        """Whether the wealth has reached 1/error: true with probability at most `error` for a lossless sampler."""
        return self.log_wealth >= -math.log(error)


def gather(before: Evidence, counts: Array, p: Laws, error: float, log_other: float = 0.0) -> Evidence:
    """Evidence after another look at all counts so far; `log_other` is what the other half of the stake has become.

    The interval for TV is Weissman's at each look, look m with the share 1/(m (m + 1)) of `error`, all intersected.

    >>> gather(Evidence(), np.array([20, 0]), np.array([[0.5, 0.5]]), 1e-6).biased(0.01)
    True
    """
    calls = int(counts.sum())
    looks = before.looks + 1
    law = text_law(p)
    tv = float(np.abs(counts / calls - law).sum()) / 2
    wealth = float(np.logaddexp(log_wealth(counts, p), log_other)) - math.log(2)
    radius = tv_radius(calls, law.size, error / (looks * (looks + 1)))
    low = max(before.low, tv - radius)
    high = min(before.high, tv + radius)
    if low > high:  # of independent calls that is rarer than `error`: what earlier looks said does not count
        low = max(tv - radius, 0.0)
        high = min(tv + radius, 1.0)
    return Evidence(calls, looks, max(before.log_wealth, wealth), low, high)


def calls_to_decide(p: Laws, limit: float, error: float, first: int, excess: float = 0.0) -> int | None:
    """Calls after which TV is known to be at most `limit`, where it is at most `excess`; None beyond 10^9.

    The counted TV is then `excess` and what chance adds, which by McDiarmid's inequality is more than 2/sqrt(calls) above
    its mean with probability exp(-8) only.  The radius is that of the last look of an audit which looks after `first` calls
    and doubles them.

    >>> half = np.array([[0.5, 0.5]])
    >>> calls_to_decide(half, 0.05, 1e-6, 250), calls_to_decide(half, 0.05, 1e-6, 250, excess=0.06)
    (12000, None)
    """
    law = text_law(p).ravel()
    chance = float(np.sqrt(2 * law * (1 - law) / math.pi).sum()) / 2  # over the root of the calls
    calls = first
    while calls <= MOST_CALLS:
        looks = 1 + math.ceil(math.log2(calls / first))
        radius = tv_radius(calls, law.size, error / (looks * (looks + 1)))
        if excess + (chance + 2) / math.sqrt(calls) + radius <= limit:
            return calls
        calls = _next_round(calls)
    return None


def _next_round(calls: int) -> int:
    """The next number that has two digits and zeros.

    >>> _next_round(250), _next_round(9900), _next_round(7)
    (260, 10000, 8)
    """
    step = max(10 ** (len(str(calls)) - 2), 1)
    return (calls // step + 1) * step
