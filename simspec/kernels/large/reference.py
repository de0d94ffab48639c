"""The meaning of `simspec.kernels.large`, in NumPy: where a cut lies, what stands for the rest, what large tokens say."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.checks import needs
from simspec.kernels import random as philox

__all__ = [
    "Cut",
    "Pairs",
    "Stream",
    "both",
    "cut_at",
    "large_tokens",
    "of_large",
    "places",
    "powers",
    "quantile",
    "quantiles",
]

Array = NDArray[Any]
NOISE = 0.125
"""Tokens that pass by their draft's noise, for each that passes by its target logit."""
REACH = 30.0
NODES = 2**14
"""Log-odds at which the table of quantiles ends, and its entries: linear between them, within 1e-6 of a quantile."""
POINTS = 64
"""Of the quadrature over target logits that are not large."""
RATIOS = np.linspace(-9, 9, 901)
"""Logarithms of the ratios r at which the mean of min(e^x, r e^y) is known; linear between them."""
SAFE = 600.0
"""Largest logit that is handled: no power of e overflows, nor do sums of them."""
SPARE = 2.0**-40
LEAST = 1e-300


class Pairs(NamedTuple):
    """A kind of pair: V tokens, degrees of freedom (infinity: normal), s, ρ, and EARS' β (0: its gain is not asked)."""

    vocab: int
    df: float
    scale: float
    rho: float
    tolerance: float = 0.0


class Stream(NamedTuple):
    """Counters: key, row and purpose, and how many tokens each of several draws of the row has for itself."""

    key: int
    row: int
    purpose: int
    width: int


class Cut(NamedTuple):
    """Where tokens count as large, and what stands for the others.

    Attributes
    ----------
    target, noise : numbers
        a token is large where z > `target` or e > `noise`.
    passing : probabilities of z > `target` and of e > `noise`
    means : means of e^x and e^y of a token that is not large
    squares : means of e^{2x} and e^{2y} of such a token
    kept : array, at the log ratios `RATIOS`
        mean of min(e^x, r e^y) of such a token, relatively within 1e-5.
    """

    target: float
    noise: float
    passing: tuple[float, float]
    means: tuple[float, float]
    squares: tuple[float, float]
    kept: Array

    @property
    def large(self) -> float:
        """Probability that a token is large."""
        return self.passing[0] + (1 - self.passing[0]) * self.passing[1]


@lru_cache(maxsize=8)
def quantiles(df: float) -> Array:
    """What a draw passes with probability v, at `NODES` log-odds of v from −`REACH` to `REACH`.

    >>> values = quantiles(math.inf)
    >>> bool((values[1:] < values[:-1]).all()), float(values.sum())  # symmetric
    (True, 0.0)
    """
    (special,) = needs("a pair from few tokens", "scipy.special")
    odds = np.linspace(-REACH, REACH, NODES)
    half = special.expit(-np.abs(odds))
    upper = -(special.ndtri(half) if df == math.inf else special.stdtrit(df, half))
    values = np.where(odds < 0, upper, -upper)
    values.setflags(write=False)
    return values


def quantile(df: float, probability: Any) -> Array:
    """What a draw passes with these probabilities.

    >>> quantile(math.inf, np.array([0.025])).round(4).tolist()
    [1.96]
    """
    return np.interp(np.log(probability / (1 - probability)), np.linspace(-REACH, REACH, NODES), quantiles(df))


def powers(pairs: Pairs, z: Array, noise: Array) -> tuple[Array, Array]:
    """e^x and e^y of tokens.

    >>> [v.tolist() for v in powers(Pairs(1, math.inf, 0.0, 0.9), np.ones(1), np.ones(1))]
    [[1.0], [1.0]]
    """
    y = pairs.rho * z + math.sqrt((1 - pairs.rho) * (1 + pairs.rho)) * noise
    return np.exp(pairs.scale * z), np.exp(pairs.scale * y)


@lru_cache(maxsize=64)
def cut_at(pairs: Pairs, tokens: float) -> Cut:
    """The cut that so many tokens of a row pass by their target logit, on average.

    >>> cut = cut_at(Pairs(10_000, math.inf, 2.0, 0.9), 100)
    >>> round(cut.target, 2), round(cut.large * 10_000)
    (2.33, 112)

    Raises
    ------
    ValueError
        for a number that is not between 0 and half of the vocabulary, or logits whose powers could overflow.
    """
    if not 0 < tokens <= pairs.vocab / 2:
        raise ValueError(f"tokens: {tokens}; expected more than 0 and at most half of the {pairs.vocab} tokens")
    if not (-1 <= pairs.rho <= 1 and 0 <= math.sqrt(2) * pairs.scale * float(quantiles(pairs.df)[0]) <= SAFE):
        raise ValueError(f"{pairs}: expected rho from -1 to 1 and scale >= 0, with logits of at most {SAFE:g}")
    passing = tokens / pairs.vocab, NOISE * tokens / pairs.vocab
    target, noise = (float(quantile(pairs.df, np.array(p))) for p in passing)
    scale = pairs.scale
    rest = pairs.scale * math.sqrt((1 - pairs.rho) * (1 + pairs.rho))
    z, weight = _nodes(pairs.df, passing[0])
    below = _Below(pairs.df, rest, noise)
    # y but for the factor of the noise
    x = np.exp(scale * z)
    y = np.exp(pairs.rho * scale * z)
    means = float(weight @ x), float(weight @ y) * below.mean
    squares = float(weight @ x**2), float(weight @ y**2) * _Below(pairs.df, 2 * rest, noise).mean
    ratios = np.exp(RATIOS)[:, None]
    if rest == 0:
        kept_masses = np.minimum(x, ratios * y) @ weight
    else:
        mass, share = below(((1 - pairs.rho) * scale * z - RATIOS[:, None]) / rest)
        kept_masses = (ratios * y * mass + x * (1 - share)) @ weight
    kept_masses.setflags(write=False)
    return Cut(target, noise, passing, means, squares, kept_masses)


class _Below:
    """Of noise e that does not pass a cut: the mean of e^{c e} up to t, and the share of it that lies up to t."""

    def __init__(self, df: float, factor: float, cut: float) -> None:
        (special,) = needs("a pair from few tokens", "scipy.special")
        self._values = quantiles(df)[::-1]  # from the smallest on
        self._odds = np.linspace(-REACH, REACH, NODES)  # of being smaller
        powers = np.exp(factor * np.minimum(self._values, cut)) * special.expit(self._odds) * special.expit(-self._odds)
        step = 2 * REACH / (NODES - 1)
        self._sums = np.concatenate([[0.0], np.cumsum(powers[1:] + powers[:-1])]) * (step / 2)
        self._expit, self._cut = special.expit, cut
        (power_sum,), (self._share,) = self._up_to(np.array([cut]))
        self._whole, self.mean = 1 / self._share, float(power_sum / self._share)

    def _up_to(self, t: Array) -> tuple[Array, Array]:
        odds = np.interp(t, self._values, self._odds)
        return np.interp(odds, self._odds, self._sums), self._expit(odds)

    def __call__(self, t: Array) -> tuple[Array, Array]:
        sums, share = self._up_to(np.minimum(t, self._cut))
        return sums * self._whole, share * self._whole


def _nodes(df: float, passing: float) -> tuple[Array, Array]:
    """Draws that do not pass, and their weights: Gauss-Legendre in the log-odds of the probability to pass."""
    (special,) = needs("a pair from few tokens", "scipy.special")
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    lowest_odds = math.log(passing / (1 - passing))
    odds = lowest_odds + (REACH - lowest_odds) * (1 + nodes) / 2
    weights = weights * special.expit(odds) * special.expit(-odds)
    return np.interp(odds, np.linspace(-REACH, REACH, NODES), quantiles(df)), weights / weights.sum()


def of_large(pairs: Pairs, cut: Cut, x: Array, y: Array, large: Array) -> Array:
    """What the large tokens say of acceptance and gain.

    Parameters
    ----------
    x, y : arrays (..., W): e^x and e^y of tokens
    large : booleans (..., W): which of them pass the cut; all of a row's that do are among them

    Returns
    -------
    (..., 2)

    >>> pairs = Pairs(4, math.inf, 0.0, 0.9)  # four equal tokens, which are all kept
    >>> of_large(pairs, cut_at(pairs, 1), np.ones(2), np.ones(2), np.array([True, False])).round(6).tolist()
    [1.0, 0.0]
    """
    x = x * large
    y = y * large
    rest = pairs.vocab - large.sum(axis=-1)
    s = x.sum(axis=-1) + rest * cut.means[0]
    t = y.sum(axis=-1) + rest * cut.means[1]
    p = x / s[..., None]
    q = y / t[..., None]

    def kept(w: Array) -> Array:
        r = w * s / t
        others = np.minimum(
            np.interp(np.log(np.maximum(r, LEAST)), RATIOS, cut.kept), np.minimum(cut.means[0], r * cut.means[1])
        )
        return np.minimum(p, w[..., None] * q).sum(axis=-1) + rest / s * others

    return both(pairs.tolerance, p.max(axis=-1, initial=0), kept)


def both(tolerance: float, largest: Array, kept_mass: Callable[[Array], Array]) -> Array:
    """Acceptance and gain (..., 2) of the largest p and of kept(w) = Σ min(p, w q).

    EARS keeps Σ min(p + δq, q) = δ + Σ min(p, (1 − δ) q), with δ = β (1 − max p).

    >>> both(0.5, np.array(0.5), lambda w: np.minimum(0.5, w)).tolist()  # p = (1/2, 1/2), q = (1, 0), δ = 1/4
    [0.5, 0.25]
    """
    first = kept_mass(np.ones_like(largest))
    delta = tolerance * (1 - largest)
    gain = delta + kept_mass(1 - delta) - first if tolerance else np.zeros_like(first)
    return np.stack([first, gain], axis=-1)


def places(pairs: Pairs, cut: Cut, u: Array, v: Array) -> tuple[Array, Array]:
    """z and e of large tokens from uniforms: u says which cut is passed, and what is left of it is uniform again.

    >>> pairs = Pairs(100, math.inf, 1.0, 0.9)
    >>> cut = cut_at(pairs, 10)
    >>> z, e = places(pairs, cut, np.array([0.3, 0.99]), np.array([0.9, 0.9]))
    >>> (z > cut.target).tolist(), (e > cut.noise).tolist()
    ([True, False], [False, True])
    """
    first, second = cut.passing
    at = u * cut.large
    below = np.clip((at - first) / (cut.large - first), SPARE, 1 - SPARE)
    passes = at < first
    z = quantile(pairs.df, np.where(passes, at, first + (1 - first) * below))
    return z, quantile(pairs.df, np.where(passes, v, second * v))


def large_tokens(pairs: Pairs, cut: Cut, before: Cut | None, stream: Stream, count: Array) -> Array:
    """See `simspec.kernels.large.large_tokens`."""
    (key, row, purpose, width) = stream
    shape = (len(count), stream.width)
    u, v = (philox.uniform(key, [row], range(math.prod(shape)), purpose, word=i).reshape(shape) for i in (0, 1))
    large = np.arange(width) < count[:, None]
    z, e = places(pairs, cut, u, v)
    x, y = powers(pairs, z, e)
    estimates = of_large(pairs, cut, x, y, large)
    if before is None:
        return estimates
    return estimates - of_large(pairs, before, x, y, large & ((z > before.target) | (e > before.noise)))
