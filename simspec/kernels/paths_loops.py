"""The compiled code of `simspec.kernels.paths`: a text is one loop, and a law lives in the level-1 cache only.

The random numbers and their logarithms and sines are those of `simspec.kernels.philox_core`, the exponential that of
`paths_reference`: the same source, so the same bits.  A law of V tokens takes one pass for its random words, one for its
logits, one for the exponentials and one for the step: shorter loops than one long one, as a processor looks only a few
hundred instructions ahead (one Zen 5 core, V = 1,024: 4.4 microseconds a law in one loop, 3.5 so).  Loops over fixed lanes
vectorise without reassociation.

How far this is from the best: a draw needs some 230 vector instructions for eight tokens (ten rounds of integer products,
a logarithm, a square root, a sine), an exponential and the step 80 more.  The arithmetic is the limit, not memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import extending

from simspec.kernels import philox_core
from simspec.kernels.compiling import compiled
from simspec.kernels.paths_reference import LANES, exp
from simspec.kernels.philox_core import bailey, box_muller, rounds

__all__ = ["stored", "synthetic"]

philox_core.compiled()  # makes its functions known to Numba; compiles nothing
njit: Any = numba.njit
inlined: Any = extending.register_jitable(forceinline=True)
inlined(exp)
_32 = np.uint64(32)
_WRONG = np.int64(1 << 32)
_MOST = 1.001  # a mass above this is none of a law


def _compiled(function: Callable[..., None]) -> Any:
    return compiled(function, nogil=True, error_model="numpy")


@njit
def _halves(lanes):
    """The sum of 64 lanes, which are lost."""
    for j in range(32):
        lanes[j] += lanes[j + 32]
    for j in range(16):
        lanes[j] += lanes[j + 16]
    for j in range(8):
        lanes[j] += lanes[j + 8]
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))


@njit
def _step(law, edge, keep_top, lanes, number):
    """Kept tokens and dropped mass of one law at one threshold; -1 tokens for masses that are none."""
    vocab = len(law)
    lanes[:] = 0
    number[:] = 0
    whole = vocab // LANES * LANES
    for start in range(0, whole, LANES):
        block = law[start : start + LANES]
        for j in range(LANES):
            x = np.float64(block[j])
            kept = x >= edge
            lanes[j] += 0.0 if kept else x
            number[j] += (1 if kept else 0) + (0 if (x >= 0.0) & (x <= _MOST) else _WRONG)
    for j in range(vocab - whole):
        x = np.float64(law[whole + j])
        kept = x >= edge
        lanes[j] += 0.0 if kept else x
        number[j] += (1 if kept else 0) + (0 if (x >= 0.0) & (x <= _MOST) else _WRONG)
    count = number.sum()
    if count >= _WRONG:
        return -1, 0.0
    if count == 0 and keep_top:
        best = 0
        for j in range(1, vocab):
            if law[j] > law[best]:
                best = j
        count, lane = 1, best % LANES
        lanes[lane] = 0
        for j in range(lane, vocab, LANES):
            lanes[lane] += 0.0 if j == best else np.float64(law[j])
    return count, _halves(lanes)


@njit
def _law(z, e, lanes):
    """e = softmax(z)."""
    vocab = len(z)
    lanes[:] = z[0]
    whole = vocab // LANES * LANES
    for start in range(0, whole, LANES):
        for j in range(LANES):
            lanes[j] = z[start + j] if z[start + j] > lanes[j] else lanes[j]
    for j in range(vocab - whole):
        lanes[j] = z[whole + j] if z[whole + j] > lanes[j] else lanes[j]
    m = lanes[0]
    for j in range(1, LANES):
        m = lanes[j] if lanes[j] > m else m
    for j in range(vocab):
        e[j] = exp(z[j] - m)
    lanes[:] = 0
    for start in range(0, whole, LANES):
        for j in range(LANES):
            lanes[j] += e[start + j]
    for j in range(vocab - whole):
        lanes[j] += e[whole + j]
    total = _halves(lanes)
    for j in range(vocab):
        e[j] = e[j] / total


# ---- the kernels: texts first .. last - 1 ----


@_compiled
def synthetic(
    k0, k1, df, purpose, location, scale, first_row, stride, rule, keep_top, thresholds, dropped, kept, first, last
):
    """Paths over laws that are drawn, used and forgotten; rule is (step size, dropped target), df 0 means normal."""
    vocab = len(location)
    radius, angle = np.empty(vocab, np.uint32), np.empty(vocab, np.uint32)
    z, e, lanes, number = np.empty(vocab), np.empty(vocab), np.empty(LANES), np.empty(LANES, np.int64)
    for s in range(first, last):
        edge = thresholds[s, 0]
        for n in range(dropped.shape[1]):
            row = first_row + np.uint64(s) * stride + np.uint64(n)
            low, high = np.uint32(row), np.uint32(row >> _32)
            for j in range(vocab):
                w = rounds(np.uint32(j), low, high, purpose, k0, k1)
                radius[j], angle[j] = w[0], w[1]
            if df > 0:
                for j in range(vocab):
                    z[j] = bailey(radius[j], angle[j], df) * scale[j] + location[j]
            else:
                for j in range(vocab):
                    z[j] = box_muller(radius[j], angle[j]) * scale[j] + location[j]
            _law(z, e, lanes)
            count, mass = _step(e, edge, keep_top, lanes, number)
            edge = edge - rule[0] * (mass - rule[1])
            kept[s, n] = count
            dropped[s, n] = mass
            thresholds[s, n + 1] = edge


@_compiled
def stored(laws, rule, keep_top, thresholds, dropped, kept, first, last):
    """Paths over stored laws (S, T, V); kept is -1 from the first law on that is none."""
    lanes, number = np.empty(LANES), np.empty(LANES, np.int64)
    for s in range(first, last):
        edge = thresholds[s, 0]
        for n in range(laws.shape[1]):
            count, mass = _step(laws[s, n], edge, keep_top, lanes, number)
            if count < 0:
                kept[s, n:] = -1
                break
            edge = edge - rule[0] * (mass - rule[1])
            kept[s, n] = count
            dropped[s, n] = mass
            thresholds[s, n + 1] = edge
