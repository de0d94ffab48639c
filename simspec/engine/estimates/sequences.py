"""Confidence sequences: intervals for a mean that are valid at every stopping time, from per-block integers.

Each rests on a wealth process: a non-negative process that starts at 1 and, at the true mean, does not grow on average.
By Ville's inequality such a process ever reaches 1/a with probability at most a, so the means at which it has not
are an interval that holds at all block prefixes at once, and therefore at any data-dependent stop.  Blocks lie on the
last axis, leading axes are independent sequences, and an interval at a prefix depends on that prefix only.  Block
sizes must not depend on the values.  `level` is the confidence, for instance 0.95.

Sources: Ville (1939); Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (JRSS B 2024);
Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences" (Ann. Stat. 2021).
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from simspec.checks import needs
from simspec.engine.estimates.statistics import SCALE
from simspec.laws import Array

__all__ = [
    "bernstein_wealth",
    "beta_binomial",
    "beta_binomial_wealth",
    "betting",
    "betting_wealth",
    "empirical_bernstein",
]

Pair: TypeAlias = tuple[Array, Array]

LARGEST_BET = 0.5
CAUTION = 3
"""In the bets: larger is better after many blocks and worse after the first; any constant is valid."""

ROUNDING = 0.5 / SCALE


def _error(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"level: {level}; expected a confidence between 0 and 1, for instance 0.95")
    return 1 - level


def _checked(minimum_rows: int, n: Array, **columns: Array) -> list[Array]:
    """Float columns of one shape, after a check that 0 <= column <= n (fixed-point columns: n * SCALE)."""
    n = np.asarray(n)
    if n.ndim == 0 or not (n >= minimum_rows).all():
        raise ValueError(
            f"n: {n if n.ndim == 0 else n.min()}; expected an axis of blocks of at least {minimum_rows} rows each"
        )
    checked = [n.astype(np.float64)]
    for name, column in columns.items():
        column = np.asarray(column)
        if column.shape != n.shape:
            raise ValueError(f"{name}: shape {column.shape}; expected {n.shape}, the shape of n")
        values = column / (1 if name == "hits" else SCALE)
        wrong = (values < 0) | (values > checked[0])
        if wrong.any():
            raise ValueError(f"{name}: {column[wrong].flat[0]}; expected 0 to {n[wrong].flat[0]} rows")
        checked.append(values)
    return checked


def _running(low: Array, high: Array) -> Pair:
    """Intersection over the prefixes so far, in [0, 1]; once it is empty (the sequence failed: probability at most
    1 − level), the interval of the prefix itself, so that `low <= high` always."""
    lows = np.maximum.accumulate(np.clip(low, 0, 1), axis=-1)
    highs = np.minimum.accumulate(np.clip(high, 0, 1), axis=-1)
    empty = lows > highs
    return np.where(empty, np.clip(low, 0, 1), lows), np.where(empty, np.clip(high, 0, 1), highs)


def _before(start: float, after: Array) -> Array:
    """What was known before each block: `start`, then `after` without its last entry."""
    return np.concatenate([np.full_like(after[..., :1], start), after[..., :-1]], axis=-1)


def _bernstein(n: Array, sums: Array, squares: Array, level: float) -> tuple[Array, Array, Array, Array]:
    """Rows, sums, bets and variance penalties of the blocks."""
    n, s, q = _checked(1, n, sums=sums, squares=squares)
    rows, total, total_squares = (np.cumsum(x, axis=-1) for x in (n, s, q))
    centre = _before(0.5, (0.5 + total) / (1 + rows))
    spread = _before(0.25, (0.25 + np.maximum(0, total_squares - total * total / rows)) / (1 + rows))
    bet = np.sqrt(2 * math.log(2 / _error(level)) / (spread * rows * (CAUTION + np.log(rows / n[..., :1]))))
    bet = np.minimum(bet, LARGEST_BET)
    deviations = np.maximum(0, q - 2 * centre * s + n * centre * centre) + n / SCALE
    return n, s, bet, (-np.log1p(-bet) - bet) * deviations


def bernstein_wealth(n: Array, sums: Array, squares: Array, mean: Array | float, level: float = 0.95) -> Pair:
    """Logarithms of the two wealth processes of `empirical_bernstein` at a candidate mean, after each block.

    log W± = Σ_b ± λ_b (S_b − n_b m) − ψ(λ_b) Σ_i (x_i − μ̂_{b−1})²; `mean` broadcasts against the blocks.

    >>> half = 2**31  # one block of 20 rows that are all 1/2: the bet is 1/2, so W+ = exp(10 (1/2 - m))
    >>> up, down = bernstein_wealth([20], [20 * half], [10 * half], 0.4)
    >>> up.round(4).tolist(), down.round(4).tolist()
    ([1.0], [-1.0])
    """
    n, s, bet, penalty = _bernstein(n, sums, squares, level)
    gain = bet * (s - n * mean)
    return np.cumsum(gain - penalty, axis=-1), np.cumsum(-gain - penalty, axis=-1)


def empirical_bernstein(n: Array, sums: Array, squares: Array, level: float = 0.95) -> Pair:
    """Predictable plug-in empirical-Bernstein confidence sequence for the mean of values in [0, 1].

    Σ λ_b S_b / Σ λ_b n_b ± (log(2/a) + Σ ψ(λ_b) Σ_i (x_i − μ̂_{b−1})²) / Σ λ_b n_b,   ψ(λ) = −log(1 − λ) − λ,  a = 1 − level,
    intersected over the prefixes.  Why: exp(λy − ψ(λ)y²) ≤ 1 + λy for y ≥ −1, 0 ≤ λ < 1; with y = x − μ̂ the
    expectation of exp(λ(x − m) − ψ(λ)(x − μ̂)²) at the mean m is at most (1 + λ(m − μ̂)) exp(−λ(m − μ̂)) ≤ 1, for
    every row of a block whose λ and μ̂ come from earlier blocks; the same for 1 − x.  Each side gets a/2.
    λ_b = min(1/2, √(2 log(2/a) / (σ̂²_{b−1} N_b (3 + log(N_b/n_0))))) with N_b rows up to and with this block and n_0 in
    the first; the published N log(1 + N) is wider from the third block on.  μ̂ and σ̂² start from one row at 1/2 with
    variance 1/4.

    Parameters
    ----------
    n, sums, squares : integer arrays (..., blocks)
        of each block, as `statistics.bounded` makes them; at least one row in each block.
    level : float
        confidence.

    Returns
    -------
    low, high : arrays (..., blocks)
        in [0, 1], widened by the 2⁻³³ that rounding can move a mean.

    Notes
    -----
    It uses the spread of single rows, so blocks of any size serve.  Of the fixed-size normal interval it is about twice
    as wide at 10 to 100 blocks, three times at 10⁴ and four at 10⁶; for when `betting` is narrower see there.

    References
    ----------
    Waudby-Smith and Ramdas (2024), Theorem 2.

    Examples
    --------
    >>> half = 2**31  # 20 rows that are all 1/2: no variance, the bet is 1/2, so 1/2 -+ log(40) / 10
    >>> low, high = empirical_bernstein([20], [20 * half], [10 * half], 0.95)
    >>> round(float(0.5 - low[0]), 6), round(math.log(40) / 10, 6)
    (0.368888, 0.368888)
    """
    n, s, bet, penalty = _bernstein(n, sums, squares, level)
    weight = np.cumsum(bet * n, axis=-1)
    centre = np.cumsum(bet * s, axis=-1) / weight
    radius = (math.log(2 / _error(level)) + np.cumsum(penalty, axis=-1)) / weight + ROUNDING
    return _running(centre - radius, centre + radius)


def _bets(n: Array, sums: Array, level: float) -> Pair:
    """Block means and bets for `betting`."""
    n, s = _checked(1, n, sums=sums)
    means = s / n
    count = np.arange(1, means.shape[-1] + 1)
    shifted = means - means[..., :1]
    total = np.cumsum(shifted, axis=-1)
    squares = np.cumsum(shifted * shifted, axis=-1)
    prior = 0.25 / n[..., :1]
    spread = (prior + np.maximum(0, squares - total * total / count)) / (1 + count)
    spread = np.concatenate([prior, spread[..., :-1]], axis=-1)
    return means, np.sqrt(2 * math.log(2 / _error(level)) / (spread * count * (CAUTION + np.log(count))))


def _gains(means: Array, bets: Array, mean: Array | float) -> Array:
    """log(1 + min(λ, c/m)(y − m)); the convention c/0 = ∞ is met by a tiny m."""
    return np.log1p(np.minimum(bets, LARGEST_BET / np.maximum(mean, 1e-300)) * (means - mean))


def betting_wealth(n: Array, sums: Array, mean: Array | float, level: float = 0.95) -> Pair:
    """Logarithms of the two capitals of `betting` at a candidate mean, after each block.

    log K⁺ = Σ_b log(1 + min(λ_b, c/m)(y_b − m)), and K⁻ is K⁺ of 1 − y at 1 − m; `mean` broadcasts against the blocks.

    >>> up, down = betting_wealth([1], [2**32], 0.5)  # the bet is c/m = 1: the capital doubles to 1 + 1/2 or falls to 1/2
    >>> np.exp(up).round(6).tolist(), np.exp(down).round(6).tolist()
    ([1.5], [0.5])
    """
    means, bets = _bets(n, sums, level)
    mean = np.asarray(mean, dtype=np.float64)
    return np.cumsum(_gains(means, bets, mean), axis=-1), np.cumsum(_gains(1 - means, bets, 1 - mean), axis=-1)


def betting(n: Array, sums: Array, level: float = 0.95) -> Pair:
    """Hedged-capital confidence sequence with the block means as observations in [0, 1].

    {m : max(K⁺(m), K⁻(m)) / 2 < 1/a} with the capitals of `betting_wealth`, intersected over prefixes.  A factor
    1 + λ(y − m) has expectation 1 at the true mean and is positive for λ ≤ c/m; K⁺ falls and K⁻ rises with m, so each
    end is one root, found by bisection and rounded outwards.  Roots are taken at the prefixes of 1, 2, …, 14 blocks
    and then at sizes growing by a factor 2^(1/8); between those the interval stays (a subset of the prefixes is as valid).

    Parameters
    ----------
    n, sums : integer arrays (..., blocks)
        as `statistics.bounded` makes them, at least one row in each block.  Bets assume about equal sizes; validity
        does not.
    level : float
        confidence.

    Returns
    -------
    low, high : arrays (..., blocks)

    Notes
    -----
    Against `empirical_bernstein`: narrower when a block is one row and rows are few (hundreds) or vary little, and about
    equal later.  A block mean earns at most a factor 1 + c/m however many rows stand behind it, so after B blocks
    the ends stay about 2 log(2/a)/B, relative to m and 1 − m, from the mean: for blocks of many rows it is much wider,
    until the blocks outnumber the rows in each by more than ten to one.

    References
    ----------
    Waudby-Smith and Ramdas (2024), Theorem 3.

    Examples
    --------
    >>> low, high = betting([16], [16 * 2**32], 0.75)  # y = 1: K+(m) = 1 + (1/m - 1)/2 reaches 2/a = 8 at m = 1/15
    >>> round(15 * float(low[0]), 6), float(high[0])
    (1.0, 1.0)
    """
    means, bets = _bets(n, sums, level)
    threshold = math.log(2 / _error(level))
    blocks = means.shape[-1]
    if blocks == 0:
        return means, means
    sizes = sorted({int(2 ** (k / 8)) for k in range(8 * blocks.bit_length() + 1)})
    sizes = [size for size in sizes if size <= blocks]

    def lower(values: Array) -> Array:
        """Largest mean that the blocks so far exclude from below, after each block."""
        ends = []
        for size in sizes:
            head = values[..., :size]
            stake = bets[..., :size]
            outer = np.zeros(values.shape[:-1])
            inner = np.ones(values.shape[:-1])
            for _ in range(33):
                middle = (outer + inner) / 2
                excluded = _gains(head, stake, middle[..., None]).sum(axis=-1) >= threshold
                outer = np.where(excluded, middle, outer)
                inner = np.where(excluded, inner, middle)
            ends.append(outer)
        return np.repeat(np.stack(ends, axis=-1), np.diff([*sizes, blocks + 1]), axis=-1)

    return _running(lower(means) - ROUNDING, 1 - lower(1 - means) + ROUNDING)


def _excess(x: Array) -> Array:
    """log Γ(x + ½) − x log x + x, without cancellation: its limit is ½ log 2π."""
    (special,) = needs("an interval", "scipy.special")
    far = np.maximum(x, 1e3)
    near = np.minimum(x, 1e3)
    series = 0.5 * math.log(2 * math.pi) - 1 / (24 * far) + 7 / (2880 * far**3)
    return np.where(x < 1e3, special.gammaln(near + 0.5) - special.xlogy(near, near) + near, series)


def _best(n: Array, hits: Array) -> Array:
    """Logarithm of the beta-binomial wealth at the share of hits itself, its minimum over p."""
    (special,) = needs("an interval", "scipy.special")
    far = np.maximum(n, 1e3)
    near = np.minimum(n, 1e3)
    series = 0.5 * np.log(2 * math.pi * far) + 1 / (12 * far) - 1 / (360 * far**3)
    factorial = np.where(n < 1e3, special.gammaln(near + 1) - special.xlogy(near, near) + near, series)
    return _excess(hits) + _excess(n - hits) - factorial - math.log(math.pi)


def beta_binomial_wealth(n: Array, hits: Array, mean: Array | float) -> Array:
    """Logarithm of the wealth of `beta_binomial` at a candidate share p, after each block.

    W = B(H + ½, N − H + ½) / (B(½, ½) p^H (1 − p)^(N − H)) after N rows with H hits.

    >>> np.exp(beta_binomial_wealth([1], [1], 0.25)).round(6).tolist()  # B(3/2, 1/2) / B(1/2, 1/2) = 1/2, so W = 1 / (2p)
    [2.0]
    """
    (special,) = needs("an interval", "scipy.special")
    rows, total = (np.cumsum(x, axis=-1) for x in _checked(0, n, hits=hits))
    share = total / np.maximum(rows, 1)
    mean = np.asarray(mean, dtype=np.float64)
    return _best(rows, total) + rows * (special.rel_entr(share, mean) + special.rel_entr(1 - share, 1 - mean))


def beta_binomial(n: Array, hits: Array, level: float = 0.95) -> Pair:
    """Beta-binomial mixture confidence sequence for a proportion, with the Jeffreys mixture Beta(½, ½).

    {p : W(p) < 1/a} with the wealth of `beta_binomial_wealth`, a = 1 − level, intersected over prefixes.  For each fixed
    r the likelihood ratio (r/p)^H ((1 − r)/(1 − p))^(N − H) has expectation 1 at the true p; so has its average over r.
    log W(p) = log W(p̂) + N kl(p̂, p) is smallest at p̂ = H/N and convex in p, so each end is one root: Newton's method
    from outside approaches it monotonically, and what error is left widens the interval.

    Parameters
    ----------
    n, hits : integer arrays (..., blocks)
        of each block, as `statistics.proportion` makes them; blocks without rows are allowed.
    level : float
        confidence.

    Returns
    -------
    low, high : arrays (..., blocks)

    References
    ----------
    Howard, Ramdas, McAuliffe and Sekhon (2021), section 3; Robbins (1970) for the mixture.

    Examples
    --------
    >>> low, high = beta_binomial([1], [1], 0.95)  # one hit: W = 1 / (2p) < 20 when p > 1/40
    >>> float(low[0].round(9)), float(high[0])
    (0.025, 1.0)
    """
    rows, total = (np.cumsum(x, axis=-1) for x in _checked(0, n, hits=hits))
    share = total / np.maximum(rows, 1)
    threshold = -math.log(_error(level)) - _best(rows, total)
    return _running(
        share - _reach(rows, total, share, threshold), share + _reach(rows, rows - total, 1 - share, threshold)
    )


def _reach(rows: Array, hits: Array, share: Array, threshold: Array) -> Array:
    """The d in [0, share] with rows * kl(share, share − d) = room, from above; `share` where there are no hits."""
    hit = np.maximum(hits, 1)
    miss = rows - hits
    positive_share = np.where(hits > 0, share, 0.5)  # any positive number where the result is not used
    pinsker = np.sqrt(threshold / (2 * np.maximum(rows, 1)))
    step = np.minimum(pinsker, -positive_share * np.expm1(-threshold / hit - 1))
    complement = np.maximum(1 - positive_share, 1 / (2 * np.maximum(rows, 1)))
    for _ in range(12):
        kl = -hit * np.log1p(-step / positive_share) - miss * np.log1p(step / complement)
        slope = hit / (positive_share - step) - miss / (complement + step)
        before = step
        step = step - np.maximum(0, kl - threshold) / np.where(slope > 0, slope, np.inf)
        if (step == before).all():  # nor would another step change it
            break
    return np.where(hits > 0, step, share)
