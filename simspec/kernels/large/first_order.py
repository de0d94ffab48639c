r"""How far a row is from what its large tokens say, to first order: a control whose mean is zero whatever these are.

Given which tokens are large, the others are independent draws that do not pass the cut.  Their sums
:math:`\sum e^x`, :math:`\sum e^y` and, at a ratio r, :math:`\sum \min(e^x, r e^y)` have the known means of the cut
(`simspec.kernels.large.reference.Cut`).  The acceptance is :math:`F(S/T)/S` with the sums S, T and F(r) of all tokens; its
linear part in what the three lack of their means, with coefficients that depend on the large tokens alone, therefore has
mean zero: whatever the coefficients are, and however well they describe the acceptance.  What is left is of second order.

It is cut at bounds that it leaves with a negligible probability (`slip`), so that a row has bounds.

The ratio r is the entry of the table that is nearest to :math:`\bar S/\bar T`, as only there the mean is computed and not
interpolated: within 1e-6 of itself for correlations of at least 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simspec.kernels.large.reference import LEAST, RATIOS, Array, Cut, Pairs

__all__ = ["ROOM", "Sums", "bounded", "first_order", "slip"]

ROOM = 10.0
"""Largest linear part of the acceptance that is taken; of the gain it is 1 + 2β/3 times that."""


class Sums(NamedTuple):
    """Σ e^x, Σ e^y, and Σ min(e^x, r e^y) as a function of r, over all tokens of a row."""

    target: float
    draft: float
    kept: Callable[[float], float]


def first_order(pairs: Pairs, cut: Cut, x: Array, y: Array, total_sums: Sums) -> Array:
    """Linear part of acceptance and gain in what the tokens that are not large lack of their means.

    Parameters
    ----------
    x, y : arrays (W,)
        e^x and e^y of the large tokens, all of them.
    total_sums : Sums
        of the row.

    Returns
    -------
    (2,)

    Four equal tokens, none of them large: where every sum is 5/4 of its mean the laws are what they were.

    >>> from simspec.kernels.large.reference import cut_at
    >>> pairs, few = Pairs(4, math.inf, 0.0, 0.9), np.ones(0)
    >>> sums = Sums(5.0, 5.0, lambda r: 5 * min(1, r))
    >>> bool((abs(first_order(pairs, cut_at(pairs, 1), few, few, sums)) < 1e-12).all())
    True
    """
    rest = pairs.vocab - len(x)
    s = float(x.sum()) + rest * cut.means[0]
    t = float(y.sum()) + rest * cut.means[1]
    ds = total_sums.target - s
    dt = total_sums.draft - t
    dr = ds / t - s * dt / t**2

    def kept(ratio: float, moves: float) -> tuple[float, float]:
        """Σ min(e^x, r e^y) where means stand for the rest, and its change to first order where r moves as well."""
        place = (math.log(max(ratio, LEAST)) - RATIOS[0]) / (RATIOS[1] - RATIOS[0])
        j = min(max(round(place), 0), len(RATIOS) - 1)
        i = min(max(int(place), 0), len(RATIOS) - 2)
        node = math.exp(RATIOS[j])
        (low, high) = np.exp(RATIOS[i : i + 2])
        slope = float(y[ratio * y < x].sum()) + rest * (cut.kept[i + 1] - cut.kept[i]) / (high - low)
        here, at_node = (float(np.minimum(x, r * y).sum()) for r in (ratio, node))
        others = rest * float(np.interp(math.log(max(ratio, LEAST)), RATIOS, cut.kept))
        return here + others, total_sums.kept(node) - (at_node + rest * cut.kept[j]) + slope * moves

    total, change = kept(s / t, dr)
    alpha = (change - total * ds / s) / s
    if not pairs.tolerance:
        return np.array([alpha, 0.0])
    largest = float(x.max(initial=0)) / s
    delta = pairs.tolerance * (1 - largest)
    moves = pairs.tolerance * largest * ds / s
    total, change = kept((1 - delta) * s / t, (1 - delta) * dr - moves * s / t)
    return np.array([alpha, moves + (change - total * ds / s) / s - alpha])


def bounded(pairs: Pairs, linear: Array) -> Array:
    """Linear parts of acceptance and gain, cut at their bounds.

    >>> bounded(Pairs(4, math.inf, 0.0, 0.9, 0.3), np.array([50.0, -50.0])).tolist()
    [10.0, -12.0]
    """
    bounds = np.array([ROOM, (1 + 2 * pairs.tolerance / 3) * ROOM])
    return np.clip(linear, -bounds, bounds)


def slip(pairs: Pairs, cut: Cut) -> float:
    r"""A bound of what cutting at the bounds can move the mean of `first_order`.

    Let D be the largest of what the sums lack of their means, each over :math:`\bar S` or :math:`\bar T`.  The acceptance's
    part is at most 3 D, as its three coefficients are at most 1, F being concave with :math:`F(r) \le \min(\bar S, r \bar
    T)`; and the gain's at most (3 + 2β) D.  Both are within their bounds where 3 D is at most `ROOM`.  A sum over n tokens
    that lie in [0, b] with mean m and mean square v lacks u times n m with a probability of at most :math:`2 e^{-f(u)}`,
    :math:`f(u) = (u^2 / 2) / (v / (n m^2) + b u / (3 n m))` (Bernstein), and as f(u)/u grows, the mean of what it lacks
    beyond u is at most :math:`2 e^{-f(u)} u / f(u)`.  For correlations below 0 no b is known, and the answer is infinite.

    >>> from simspec.kernels.large.reference import cut_at
    >>> few, many = Pairs(100, math.inf, 2.0, -0.9), Pairs(128_256, math.inf, 3.0, 0.9)
    >>> slip(few, cut_at(few, 4)), slip(many, cut_at(many, 32)) < 1e-6
    (inf, True)
    """
    if pairs.rho < 0:
        return math.inf
    noise = math.sqrt((1 - pairs.rho) * (1 + pairs.rho))
    largest_powers = (
        math.exp(pairs.scale * cut.target),
        math.exp(pairs.scale * (pairs.rho * cut.target + noise * cut.noise)),
    )
    large = pairs.vocab * cut.large
    rest = max(1.0, pairs.vocab - (large + 8 * math.sqrt(large) + 12))  # fewer with a probability below 1e-12
    total = 0.0
    u = ROOM / 3
    for mean, square, b, times in zip(
        cut.means, cut.squares, largest_powers, (3, 1), strict=True
    ):  # what is kept is at most e^x
        unit = rest * mean
        f = u * u / 2 / (pairs.vocab * square / unit**2 + b * u / 3 / unit)
        total += times * 2 * math.exp(-f) * u / f
    return (3 + 2 * pairs.tolerance) * total
