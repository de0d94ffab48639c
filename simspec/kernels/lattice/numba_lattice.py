"""The compiled code of `simspec.kernels.lattice`: selection in linear time, and rounding of the kept tokens only.

Masses are read as the unsigned integers that their bits spell: for numbers that are not negative these have the same
order, and minus zero, negative numbers, infinity and NaN are all at least the bits of infinity, so that a row's
largest integer says whether the row is sound.

The k-th largest of n integers takes one pass over what is left for each byte: histogram of the byte, keep the bucket
that holds the k-th.  To keep the first n small the row is folded into at least 4k interleaved groups, whose maxima are
one vector operation an element; the k-th largest maximum is a lower bound of the k-th largest mass, and few other
tokens reach it (never more than V, so the time is linear in the worst case too).

A sum over the kept tokens is the pairwise sum over all V with zeros between (`lattice_reference.pairwise_sum`): adding
zero changes nothing, so only the kept tokens are visited, leaf by leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.compiled import inner, kernel
from simspec.kernels.lattice.reference import LEAF, Kept, Top, check_massive, check_sound
from simspec.kernels.threads import split

__all__ = ["quantise_above", "quantise_top"]

BLOCK = 16  # tokens tested together for one that reaches the pivot
GROUPS = 256  # fewest interleaved groups
_SIGN = np.uint64(1 << 63)
_BYTE = np.uint64(255)


# ---- selection ----


@inner
def _kth_largest(keys, n, k, size, histogram):
    """The k-th largest (from 1) of keys[:n], unsigned integers of `size` bytes; the keys are lost."""
    shift = 8 * size
    while n > 1 and shift > 0:
        shift -= 8
        step = np.uint64(shift)
        histogram[:] = 0
        for i in range(n):
            histogram[(np.uint64(keys[i]) >> step) & _BYTE] += 1
        digit = 255
        while histogram[digit] < k:
            k -= histogram[digit]
            digit -= 1
        if histogram[digit] < n:
            remaining = 0
            for i in range(n):
                key = keys[i]
                keys[remaining] = key
                remaining += ((np.uint64(key) >> step) & _BYTE) == np.uint64(digit)
            n = remaining
    return keys[0]


@inner
def _largest(keys):
    best = keys[0]
    for j in range(1, len(keys)):
        best = max(best, keys[j])
    return best


@inner
def _fold(keys, maxima, groups):
    """maxima[j] = largest key at j, j + groups, j + 2 groups, ..."""
    vocab = len(keys)
    for j in range(groups):
        maxima[j] = keys[j]
    start = groups
    while start + groups <= vocab:
        line = keys[start : start + groups]
        for j in range(groups):
            maxima[j] = max(maxima[j], line[j])
        start += groups
    for j in range(vocab - start):
        maxima[j] = max(maxima[j], keys[start + j])


@inner
def _reaching(keys, pivot, blocks, tokens):
    """Tokens whose key is at least the pivot, rising; their number.  First the blocks that hold one, without a branch."""
    zero = keys.dtype.type(0)
    unit = keys.dtype.type(1)
    hits = 0
    full_blocks = len(keys) // BLOCK
    for b in range(full_blocks):
        block = keys[b * BLOCK : (b + 1) * BLOCK]
        reached = zero  # counted in the keys' own type, which vectorises
        for j in range(BLOCK):
            reached += unit if block[j] >= pivot else zero
        blocks[hits] = b
        hits += reached > zero
    n = 0
    for i in range(hits):
        start = blocks[i] * BLOCK
        for j in range(start, start + BLOCK):
            tokens[n] = j
            n += keys[j] >= pivot
    for j in range(full_blocks * BLOCK, len(keys)):
        tokens[n] = j
        n += keys[j] >= pivot
    return n


@inner
def _first_largest(keys, candidates, n, k, spare, histogram, out):
    """The k largest of keys[chosen[:n]], of equal ones the first: their places in `out`, in order."""
    size = keys.itemsize
    for i in range(n):
        spare[i] = keys[candidates[i]]
    edge = _kth_largest(spare, n, k, size, histogram)
    remaining = k
    for i in range(n):
        remaining -= keys[candidates[i]] > edge
    filled = 0
    for i in range(n):
        key = keys[candidates[i]]
        if key > edge or (key == edge and remaining > 0):
            remaining -= key == edge
            out[filled] = candidates[i]
            filled += 1


# ---- rounding ----


@inner
def _sum(tokens, values, n, leaves, merges, lanes, stack):
    """Pairwise sum over all tokens of the values at `tokens` (rising), zeros elsewhere; leaf i ends at leaves[i]."""
    i = 0
    start = 0
    depth = 0
    for leaf in range(len(leaves)):
        stop = leaves[leaf]
        body = stop - (stop - start) % 8
        total = values.dtype.type(0)
        if i < n and tokens[i] < stop:
            lanes[:] = 0
            while i < n and tokens[i] < body:
                lanes[(tokens[i] - start) & 7] += values[i]
                i += 1
            total = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
            while i < n and tokens[i] < stop:
                total += values[i]
                i += 1
        stack[depth] = total
        depth += 1
        for _ in range(merges[leaf]):
            depth -= 1
            stack[depth - 1] += stack[depth]
        start = stop
    return stack[0]


# ---- the kernels: rows first .. last - 1 ----


@kernel
def _top(bits, infinite, k, tokens, mass, first, last):
    """tokens[r k : (r + 1) k] = the k largest of bits[r], rising; mass[r] is -1 for a row that is not sound, else 0."""
    vocab = bits.shape[1]
    groups = max(GROUPS, (4 * k + 63) // 64 * 64)
    if 2 * groups > vocab:
        groups = 0
    maxima = np.empty(groups, bits.dtype)
    spare = np.empty(vocab, bits.dtype)
    histogram = np.empty(256, np.int64)
    blocks = np.empty(vocab // BLOCK + 1, np.int32)
    candidates = np.empty(vocab + 1, np.int32)
    for r in range(first, last):
        row = bits[r]
        if groups:
            _fold(row, maxima, groups)
        largest = _largest(maxima if groups else row)
        mass[r] = -1 if largest >= infinite else 0
        if largest >= infinite:
            continue
        pivot = _kth_largest(maxima, groups, k, bits.itemsize, histogram) if groups else bits.dtype.type(0)
        n = _reaching(row, pivot, blocks, candidates)
        _first_largest(row, candidates, n, k, spare, histogram, tokens[r * k : (r + 1) * k])


@kernel
def _count(bits, infinite, thresholds, keep_top, row_counts, first, last):
    """kept[r] = number of tokens whose bits are at least least[r] (one, if there are none, with `keep_top`); -1: not sound."""
    for r in range(first, last):
        row = bits[r]
        edge = thresholds[r]
        if _largest(row) >= infinite:
            row_counts[r] = -1
            continue
        n = 0
        for j in range(len(row)):
            n += row[j] >= edge
        row_counts[r] = 1 if keep_top and n == 0 else n


@kernel
def _above(bits, thresholds, offsets, tokens, first, last):
    """tokens[offsets[r] : offsets[r + 1]] = those that `_count` counted, rising."""
    blocks = np.empty(bits.shape[1] // BLOCK + 1, np.int32)
    row_tokens = np.empty(bits.shape[1] + 1, np.int32)
    for r in range(first, last):
        start = offsets[r]
        stop = offsets[r + 1]
        if start < stop:
            row = bits[r]
            if _reaching(row, thresholds[r], blocks, row_tokens) == 0:
                _reaching(row, _largest(row), blocks, row_tokens)  # the first of the largest
            for j in range(stop - start):  # not as slices: beside their copy Numba compiles much text
                tokens[start + j] = row_tokens[j]


@kernel
def _quantise(q, offsets, tokens, resolution, leaves, merges, waiting, counts, mass, first, last):
    """Counts of the kept tokens, and the mass they have (1 where none is kept); rows of mass -1 are left alone."""
    longest = 0
    for r in range(first, last):
        longest = max(longest, offsets[r + 1] - offsets[r])
    values = np.empty(longest, q.dtype)
    law = np.empty(longest)
    keys = np.empty(longest, np.uint64)
    spare = np.empty(longest, np.uint64)
    order = np.arange(longest)
    changed = np.empty(longest, np.int64)
    lanes = np.empty(8, q.dtype)
    stack = np.empty(waiting, q.dtype)
    histogram = np.empty(256, np.int64)
    wide_lanes = np.empty(8)
    wide_stack = np.empty(waiting)
    for r in range(first, last):
        start = offsets[r]
        n = offsets[r + 1] - offsets[r]
        if mass[r] == -1 or n == 0:
            mass[r] = -1 if mass[r] == -1 else 1
            continue
        row_tokens = tokens[start : start + n]
        rounded = counts[start : start + n]
        for i in range(n):
            values[i] = q[r, row_tokens[i]]
        total = _sum(row_tokens, values, n, leaves, merges, lanes, stack)
        mass[r] = total
        if not (total > 0 and total < np.inf):
            continue
        for i in range(n):
            values[i] = values[i] / total
            law[i] = values[i]
        scale = _sum(row_tokens, law, n, leaves, merges, wide_lanes, wide_stack)
        steps = 0.0
        for i in range(n):
            scaled = resolution * (law[i] / scale)
            low = np.floor(scaled)
            near = low + (1.0 if 2 * (scaled - low) >= 1 else 0.0)
            steps += near
            law[i] = near - scaled
            rounded[i] = np.int64(near)
        excess = np.int64(steps) - np.int64(resolution)
        if excess == 0:
            continue
        sign = 1 if excess > 0 else -1
        for i in range(n):  # the order of floats of either sign, as unsigned integers; minus zero becomes zero
            law[i] = sign * law[i] + 0.0
        bits = law.view(np.uint64)
        for i in range(n):
            keys[i] = ~bits[i] if bits[i] & _SIGN else bits[i] | _SIGN
        number = min(abs(excess), n)
        _first_largest(keys, order, n, number, spare, histogram, changed)
        for i in range(number):
            rounded[changed[i]] -= sign


# ---- all rows, over threads ----


def quantise_top(rows: NDArray[Any], k: int, resolution: int, threads: int | None = None) -> Top:
    """Backend of `reference.quantise_top`."""
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * k
    tokens = np.empty(offsets[-1], np.int32)
    counts = np.empty(offsets[-1], np.int64)
    mass = np.empty(len(rows))
    plan = _plan(rows.shape[1])

    def work(q: NDArray[Any]) -> None:
        bits, infinite = _bits(q)

        def task(i: int, j: int) -> None:
            _top(bits, infinite, k, tokens, mass, i, j)
            _quantise(q, offsets, tokens, resolution, *plan, counts, mass, i, j)

        split(task, len(q), q.size, threads)

    _on_sound(rows, work, mass)
    check_massive(mass)
    return Top(tokens.reshape(len(rows), k), counts.reshape(len(rows), k))


def quantise_above(
    rows: NDArray[Any], edges: NDArray[np.float64], resolution: int, keep_top: bool, threads: int | None = None
) -> Kept:
    """Backend of `reference.quantise_above`."""
    row_counts = np.empty(len(rows), np.int64)
    mass = np.zeros(len(rows))
    plan = _plan(rows.shape[1])
    thresholds = _least(edges, rows.dtype.type)

    def count(q: NDArray[Any]) -> None:
        split(partial(_count, *_bits(q), thresholds, keep_top, row_counts), len(q), q.size, threads)

    q = _on_sound(rows, count, row_counts)
    offsets = np.concatenate([[0], np.cumsum(row_counts, dtype=np.int64)])
    quantised = Kept(offsets, np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int64))

    def task(i: int, j: int) -> None:
        _above(_bits(q)[0], thresholds, offsets, quantised.tokens, i, j)
        _quantise(q, offsets, quantised.tokens, resolution, *plan, quantised.counts, mass, i, j)

    split(task, len(q), q.size, threads)
    check_massive(mass)
    return quantised


def _on_sound(rows: NDArray[Any], task: Callable[[NDArray[Any]], None], mark: NDArray[Any]) -> NDArray[Any]:
    """Run `task`, which marks rows that are not sound by -1; minus zero is cleaned, anything else is refused."""
    task(rows)
    if not (mark == -1).any():
        return rows
    check_sound(rows)
    rows = rows + rows.dtype.type(0)
    task(rows)
    return rows


def _bits(q: NDArray[Any]) -> tuple[NDArray[Any], Any]:
    """The bits of the masses as unsigned integers, read-only as `q` is, and those of infinity."""
    q.flags.writeable = False
    kind: Any = f"u{q.itemsize}"
    return q.view(kind), np.array(np.inf, q.dtype).view(kind)[()]


def _least(edges: NDArray[np.float64], real: Any) -> NDArray[Any]:
    """Bits of the smallest number of the type that is at least the threshold, or zero."""
    with np.errstate(over="ignore"):
        near = np.maximum(edges, 0).astype(real)
    near = np.where(near.astype(np.float64) < edges, np.nextafter(near, real(np.inf)), near)
    return (near + real(0)).view(f"u{near.itemsize}")


@cache
def _plan(vocab: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Where the leaves of `pairwise_sum` end, how many sums to merge after each, and how many wait at most."""

    def leaves(n: int) -> list[list[int]]:
        if n <= LEAF:
            return [[n, 0]]
        half = n // 2 - n // 2 % 8
        left = leaves(half)
        right = leaves(n - half)
        right[-1][1] += 1
        return left + right

    lengths, merges = np.array(leaves(vocab), dtype=np.int64).T
    waiting = int((1 + np.arange(len(merges)) - np.cumsum(merges) + merges).max())
    return np.cumsum(lengths), np.ascontiguousarray(merges), waiting
