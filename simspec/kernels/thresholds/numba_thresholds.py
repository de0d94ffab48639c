"""The compiled code of `simspec.kernels.thresholds`: a text is one loop, and a law lives in the level-1 cache only.

The random numbers and their logarithms and sines are those of `simspec.kernels.random.core`, the exponential that of
`paths_reference`: the same source, so the same bits.  A law of V tokens takes passes for its random words, its draws, its
logits, the exponentials and the step: shorter loops than one long one, as a processor looks only a few hundred
instructions ahead.  A counter serves two draws, and four if they are normal, which share two radii.  Loops over fixed
lanes vectorise without reassociation.

How far this is from the best: eight normal tokens take some 130 vector instructions (16 for the words, 36 for radii and
sines, 18 for cosines, 42 for the exponential, 13 for the step), which `python -m benchmarks sparse --work paths` times with
nothing to wait for: 0.95 microseconds a law of 1,024 tokens on one Zen 5 core, where this code takes 2.6 (and 3.5 when each
draw had a counter of its own).  Arithmetic is the limit, not memory.  A cheaper generator than Philox is left out: it could save
no more than the 16 of some 130 instructions that make the words, and one generator for all kernels and devices is what lets any
row be drawn again anywhere.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numba import extending
from numpy.typing import NDArray

from simspec.kernels.compiled import inner, inner_options, kernel
from simspec.kernels.random import core as philox_core
from simspec.kernels.random.core import bailey, cosine, normal_radius, rounds, sine
from simspec.kernels.threads import split
from simspec.kernels.thresholds.reference import LANES, Paths, Rows, empty, exp

__all__ = ["synthetic_paths"]

philox_core.compiled()  # makes its functions known to Numba; compiles nothing
inlined: Any = extending.register_jitable(forceinline=True, **inner_options())
inlined(exp)
_32 = np.uint64(32)
# tokens so far apart share a counter; a radius, if normal
PAIR = int(philox_core.PAIR)
SIDE = int(philox_core.SIDE)


@inner
def _halves(lanes):
    """The sum of 64 lanes, which are lost."""
    for j in range(32):
        lanes[j] += lanes[j + 32]
    for j in range(16):
        lanes[j] += lanes[j + 16]
    for j in range(8):
        lanes[j] += lanes[j + 8]
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))


@inner
def _step(law, edge, keep_top, lanes, number):
    """Kept tokens and dropped mass of one law at one threshold."""
    vocab = len(law)
    lanes[:] = 0
    number[:] = 0
    full_length = vocab // LANES * LANES
    for start in range(0, full_length, LANES):
        block = law[start : start + LANES]
        for j in range(LANES):
            is_kept = block[j] >= edge
            lanes[j] += 0.0 if is_kept else block[j]
            number[j] += 1 if is_kept else 0
    for j in range(vocab - full_length):
        is_kept = law[full_length + j] >= edge
        lanes[j] += 0.0 if is_kept else law[full_length + j]
        number[j] += 1 if is_kept else 0
    count = number.sum()
    if count == 0 and keep_top:
        best = 0
        for j in range(1, vocab):
            if law[j] > law[best]:
                best = j
        count = 1
        lane = best % LANES
        lanes[lane] = 0
        for j in range(lane, vocab, LANES):
            lanes[lane] += 0.0 if j == best else law[j]
    return count, _halves(lanes)


@inner
def _words(k0, k1, low, high, start, purpose, n, radius, angle):
    """Words of n counters from `start` on: of n draws, and of n draws PAIR tokens on."""
    r = radius[:PAIR]
    s = radius[PAIR : 2 * PAIR]
    a = angle[:PAIR]
    b = angle[PAIR : 2 * PAIR]
    for j in range(n):
        w = rounds(np.uint32(start + j), low, high, purpose, k0, k1)
        r[j] = w[0]
        a[j] = w[1]
        s[j] = w[2]
        b[j] = w[3]


@inner
def _normals(radius, angle, n, z):
    """The first n of a run of draws: SIDE that are sines, then as many that are cosines."""
    x = z[:SIDE]
    y = z[SIDE : 2 * SIDE]
    for j in range(min(SIDE, n)):
        size = normal_radius(radius[j])
        x[j] = size * sine(angle[j])
        y[j] = size
    for j in range(n - SIDE):
        y[j] *= cosine(angle[j])


@inner
def _law(z, e, lanes):
    """e = softmax(z)."""
    vocab = len(z)
    lanes[:] = z[0]
    full_length = vocab // LANES * LANES
    for start in range(0, full_length, LANES):
        for j in range(LANES):
            lanes[j] = z[start + j] if z[start + j] > lanes[j] else lanes[j]
    for j in range(vocab - full_length):
        lanes[j] = z[full_length + j] if z[full_length + j] > lanes[j] else lanes[j]
    m = lanes[0]
    for j in range(1, LANES):
        m = lanes[j] if lanes[j] > m else m
    for j in range(vocab):
        e[j] = exp(z[j] - m)
    lanes[:] = 0
    for start in range(0, full_length, LANES):
        for j in range(LANES):
            lanes[j] += e[start + j]
    for j in range(vocab - full_length):
        lanes[j] += e[full_length + j]
    total = _halves(lanes)
    for j in range(vocab):
        e[j] = e[j] / total


# ---- texts first .. last - 1, and all of them ----


@kernel
def _paths(
    k0,
    k1,
    df,
    purpose,
    location,
    scale,
    first_row,
    stride,
    rule,
    keep_top,
    thresholds,
    dropped,
    kept_counts,
    first,
    last,
):
    """Paths over laws that are drawn, used and forgotten; rule is (step size, dropped target), df 0 means normal."""
    vocab = len(location)
    padded_length = (vocab + 2 * SIDE - 1) // (2 * SIDE) * (2 * SIDE)
    radius = np.empty(padded_length, np.uint32)
    angle = np.empty(padded_length, np.uint32)
    normals = np.empty(padded_length)
    e = np.empty(vocab)
    lanes = np.empty(LANES)
    number = np.empty(LANES, np.int64)
    z = normals[:vocab]
    for s in range(first, last):
        edge = thresholds[s, 0]
        for n in range(dropped.shape[1]):
            row = first_row + np.uint64(s) * stride + np.uint64(n)
            low = np.uint32(row)
            high = np.uint32(row >> _32)
            for k in range(0, vocab, 2 * PAIR if df > 0 else 2 * SIDE):
                _words(k0, k1, low, high, k, purpose, min(PAIR, vocab - k), radius[k:], angle[k:])
            if df > 0:
                for j in range(vocab):
                    z[j] = bailey(radius[j], angle[j], df)
            else:
                for k in range(0, vocab, 2 * SIDE):
                    _normals(radius[k:], angle[k:], min(2 * SIDE, vocab - k), normals[k:])
            for j in range(vocab):
                z[j] = z[j] * scale[j] + location[j]
            _law(z, e, lanes)
            count, mass = _step(e, edge, keep_top, lanes, number)
            edge = edge - rule[0] * (mass - rule[1])
            kept_counts[s, n] = count
            dropped[s, n] = mass
            thresholds[s, n + 1] = edge


def synthetic_paths(
    rows: Rows,
    threshold: NDArray[np.float64],
    length: int,
    step_size: float,
    dropped_target: float,
    keep_top: bool = True,
    threads: int | None = None,
) -> Paths:
    """Backend of `reference.synthetic_paths`."""
    out = empty(threshold, length)
    texts = len(threshold)
    halves = np.uint64(rows.key & 0xFFFFFFFF), np.uint64(rows.key >> 32)
    degrees = 0.0 if rows.df >= philox_core.NORMAL_DF else rows.df
    draw_settings = (
        degrees,
        np.uint32(rows.purpose),
        rows.location,
        rows.scale,
        np.uint64(rows.first_row),
        np.uint64(rows.stride),
    )
    arguments = *halves, *draw_settings, (step_size, dropped_target), keep_top, *out
    split(partial(_paths, *arguments), texts, texts * length * len(rows.location), threads)
    return out
