"""The compiled code of `simspec.kernels.large`: a row is one loop over the tokens that it has, whatever the longest row has."""

from __future__ import annotations

import math

import numpy as np

from simspec.kernels.compiled import inner, kernel
from simspec.kernels.large.reference import LEAST, NODES, RATIOS, REACH, SPARE, Array, Cut, Pairs, Stream, quantiles
from simspec.kernels.random import core
from simspec.kernels.random.core import rounds, unit
from simspec.kernels.threads import split

__all__ = ["large_tokens"]

core.compiled()  # registers what its functions mean to Numba
_COST = 32  # a token costs about as much as so many read ones
_STEP = (NODES - 1) / (2 * REACH)
_FIRST = float(RATIOS[0])
_RATE = 1 / float(RATIOS[1] - RATIOS[0])
_LAST = len(RATIOS)
inlined = inner(forceinline=True)


@inlined
def _table(values, place):
    """Linear between the entries of a table, constant beyond its ends."""
    place = min(max(place, 0.0), len(values) - 1.0)
    i = min(int(place), len(values) - 2)
    return values[i] + (place - i) * (values[i + 1] - values[i])


@inlined
def _quantile(values, probability):
    return _table(values, (math.log(probability / (1 - probability)) + REACH) * _STEP)


@inlined
def _kept(x, y, counts, n, s, t, w, rest, means, kept_masses):
    """Mass that is kept of the tokens that count, and of the rest."""
    r = w * s / t
    a = 1 / s
    b = w / t
    total = 0.0
    for i in range(n):
        total += counts[i] * min(x[i] * a, y[i] * b)
    others = min(_table(kept_masses, (math.log(max(r, LEAST)) - _FIRST) * _RATE), means[0], r * means[1])
    return total + rest * a * others


@inlined
def _said(x, y, counts, n, vocab, tolerance, means, kept_masses, out):
    """Acceptance and gain that the tokens that count say."""
    s = t = largest = number = 0.0
    for i in range(n):
        s += counts[i] * x[i]
        t += counts[i] * y[i]
        number += counts[i]
        largest = max(largest, counts[i] * x[i])
    rest = vocab - number
    s += rest * means[0]
    t += rest * means[1]
    out[0] = _kept(x, y, counts, n, s, t, 1.0, rest, means, kept_masses)
    out[1] = 0.0
    if tolerance > 0:
        delta = tolerance * (1 - largest / s)
        out[1] = delta + _kept(x, y, counts, n, s, t, 1 - delta, rest, means, kept_masses) - out[0]


@kernel
def _rows(k0, k1, low, high, purpose, width, count, table, pairs, cuts, kept_masses, out, first, last):
    """Rows first .. last - 1; `cuts` holds target, noise, their probabilities and the means, of the cut and of the one before."""
    vocab, scale, rho, tolerance = pairs
    x = np.empty(width)
    y = np.empty(width)
    counts = np.empty((2, width))
    estimates = np.empty((2, 2))
    noise = math.sqrt((1 - rho) * (1 + rho))
    passing = cuts[0, 2]
    large = passing + (1 - passing) * cuts[0, 3]
    for row in range(first, last):
        n = count[row]
        for i in range(n):
            words = rounds(np.uint32(row * width + i), low, high, purpose, k0, k1)
            at = unit(words[0]) * large
            v = unit(words[1])
            if at < passing:
                z = _quantile(table, at)
                e = _quantile(table, v)
            else:
                below = min(max((at - passing) / (large - passing), SPARE), 1 - SPARE)
                z = _quantile(table, passing + (1 - passing) * below)
                e = _quantile(table, cuts[0, 3] * v)
            x[i] = math.exp(scale * z)
            y[i] = math.exp(scale * (rho * z + noise * e))
            counts[0, i] = 1.0
            counts[1, i] = 1.0 if z > cuts[-1, 0] or e > cuts[-1, 1] else 0.0
        estimates[1] = 0
        for side in range(len(cuts)):
            _said(x, y, counts[side], n, vocab, tolerance, cuts[side, 4:], kept_masses[side], estimates[side])
        for j in range(2):
            out[row, j] = estimates[0, j] - estimates[1, j]


def large_tokens(
    pairs: Pairs, cut: Cut, before: Cut | None, stream: Stream, count: Array, threads: int | None = None
) -> Array:
    """Backend of `reference.large_tokens`."""
    cut_levels = [cut] if before is None else [cut, before]
    cuts = np.array([(c.target, c.noise, *c.passing, *c.means) for c in cut_levels])
    kept_masses = np.array([c.kept for c in cut_levels])
    kind = float(pairs.vocab), float(pairs.scale), float(pairs.rho), float(pairs.tolerance)
    key = np.uint64(stream.key & 0xFFFFFFFF), np.uint64(stream.key >> 32)
    head = *key, np.uint32(stream.row & 0xFFFFFFFF), np.uint32(stream.row >> 32), np.uint32(stream.purpose)
    count, out, table = np.array(count, dtype=np.int64), np.empty((len(count), 2)), np.array(quantiles(pairs.df))

    def task(first: int, last: int) -> None:
        _rows(*head, stream.width, count, table, kind, cuts, kept_masses, out, first, last)

    split(task, len(count), int(count.sum()) * _COST, threads)
    return out
