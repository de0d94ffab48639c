"""The Numba backend of total variation: one pass over the logits, vectorised exponentials, any number of threads.

Accuracy.  With u = 2^-24 (float32) or 2^-53 (float64) an exponential has relative error at most u (2.4 |t| + 4) at
t = x - m <= 0, where m is the row's largest logit; the rounding of x - m alone is u |t|.  The mean of |t| under
softmax is at most log V, hence `tv_bound`.  Typical errors are a hundred times smaller: near u.  Terms below
2^-91 (float32) or 2^-999 (float64) of the largest count as zero.

Half precision is read where it lies, two bytes a logit, and widened as a chunk is copied, which is exact; all else is
float32, so that the same bits come out as from logits converted before.  A float16 is widened by the processor's own
instruction where Numba compiles for one that has it, else by integer operations and one exact product.

Rows with NaN, plus infinity or nothing but minus infinity give NaN, as in the reference: the input is not checked.
Compilation takes a few seconds for each kernel and type, once: machine code is cached.

How a row is read.  It is cut into chunks of 2048 (8 KiB of float32: level-1 cache), of which the second half of the last
is passed over where the row has ended before it.  Each chunk is read once from memory, while the next but one is
fetched: its maximum raises the running shift m, its exponentials exp(x - m) go to a scratch row (level-2 cache) and into
16 float64 lanes, which are rescaled when m rises.  The distance then needs only the scratch rows.  What is fetched goes
to the level-2 cache and no nearer: on a Zen 4 core no time was then spent on waiting for memory, but a third of it where
chunks were fetched into the level-1 cache.  Arithmetic is the limit there: some twenty operations a logit, which take
longer than to read it (`python -m benchmarks tv` shows both beside ours).

Order of summation.  A chunk is added in its own type as 256 lanes of eight, halved to 16; these add up over chunks in
float64.  Nothing is reassociated and a row belongs to one thread, so results depend neither on the number of threads
nor on the vector width; only fused multiply-adds may differ between machines.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import extending, types
from numpy.typing import NDArray

from simspec.kernels.compiled import kernel
from simspec.kernels.threads import as_rows, split
from simspec.kernels.tv.exponentials import _exp, _inlined, _larger, _prefetch, _value, njit

__all__ = ["CHUNK", "HALVES", "tv", "tv_bound", "tv_from_logits", "tv_rows"]

CHUNK = 2048
HALF = 1024
AHEAD = 2 * CHUNK
HALVES = {"float16": np.uint16, "bfloat16": np.int16}
"""Types of half precision by name, and as which integers their bits are handed to the kernel."""


# ---- the pieces, inlined into the kernels below ----


def _chunk(row, start, x, same):
    raise NotImplementedError("compiled code only")


@extending.overload(_chunk)
def _chunk_of_type(row, start, x, same):
    """The chunk of a row at `start`: where it lies, or, if these are halves or its end, copied to x, filled up with minus
    infinity; `same` is x as an array of the type of a row that is not copied."""

    def copied(row, start, x, same):
        rest = row[start : start + CHUNK]
        if len(rest) == CHUNK:
            for j in range(CHUNK):
                x[j] = _value(rest[j])
        else:
            for j in range(len(rest)):
                x[j] = _value(rest[j])
            x[len(rest) :] = -np.inf
        return same

    def read(row, start, x, same):
        if start + CHUNK <= len(row):
            return row[start : start + CHUNK]
        return copy(row, start, x, same)

    copy = _inlined(copied)
    return copied if isinstance(row.dtype, types.Integer) else read


@_inlined
def _maximum(x, lanes):
    """Return the largest of the CHUNK numbers of x; `lanes` is scratch space."""
    # sixteen independent maxima, so that the compiler can use vector instructions
    top = lanes[:16]
    for j in range(16):
        top[j] = x[j]
    for k in range(0, CHUNK, 128):
        for j in range(16):
            i = k + j
            a = _larger(x[i], x[i + 16])
            b = _larger(x[i + 32], x[i + 48])
            c = _larger(x[i + 64], x[i + 80])
            d = _larger(x[i + 96], x[i + 112])
            top[j] = _larger(top[j], _larger(_larger(a, b), _larger(c, d)))
    for j in range(8):
        top[j] = _larger(top[j], top[j + 8])
    for j in range(4):
        top[j] = _larger(top[j], top[j + 4])
    return _larger(_larger(top[0], top[1]), _larger(top[2], top[3]))


@njit
def _add(lanes, sums):
    """Halve 256 lanes to 16 and add them to the float64 sums; the lengths are constants so that the loops unroll."""
    for j in range(128):
        lanes[j] += lanes[j + 128]
    for j in range(64):
        lanes[j] += lanes[j + 64]
    for j in range(32):
        lanes[j] += lanes[j + 32]
    for j in range(16):
        lanes[j] += lanes[j + 16]
    for j in range(16):
        sums[j] += lanes[j]


@njit
def _total(sums):
    for half in (8, 4, 2, 1):
        for j in range(half):
            sums[j] += sums[j + half]
    return sums[0]


@_inlined
def _take(x, size, m, sums, e, lanes, row, ahead):
    """Take the chunk x, or its first half alone, into the running shift and the sums, its exponentials into e, while
    another is fetched a few cache lines at a time; return the new shift."""
    top = _maximum(x, lanes)
    if top > m:
        scale = math.exp(np.float64(m) - np.float64(top))
        for j in range(16):
            sums[j] *= scale
        m = top
    shift = m if m > -np.inf else x.dtype.type(0)  # all minus infinity so far
    for part_start in range(0, 256, 32):
        _prefetch(row, ahead + 8 * part_start)
        if size == HALF:  # the bits of a chunk whose second half is nothing
            for j in range(part_start, part_start + 32):
                e0, e1, e2, e3 = _exp(x[j], x[j + 256], x[j + 512], x[j + 768], shift)
                e[j], e[j + 256], e[j + 512], e[j + 768] = e0, e1, e2, e3
                lanes[j] = (e0 + e1) + (e2 + e3)
            continue
        for j in range(part_start, part_start + 32):
            e0, e1, e2, e3 = _exp(x[j], x[j + 256], x[j + 512], x[j + 768], shift)
            e4, e5, e6, e7 = _exp(x[j + 1024], x[j + 1280], x[j + 1536], x[j + 1792], shift)
            e[j], e[j + 256], e[j + 512], e[j + 768] = e0, e1, e2, e3
            e[j + 1024], e[j + 1280], e[j + 1536], e[j + 1792] = e4, e5, e6, e7
            lanes[j] = ((e0 + e1) + (e2 + e3)) + ((e4 + e5) + (e6 + e7))
    _add(lanes, sums)
    return m


@_inlined
def _differ(p, q, size, wa, wb, lanes):
    """Add the differences of two chunks, or of their first halves, each times its weight, in lanes; as no product is fused,
    equal laws differ by 0, and either may come first."""
    if size == HALF:
        for j in range(256):
            d0 = abs(p[j] * wa - q[j] * wb)
            d1 = abs(p[j + 256] * wa - q[j + 256] * wb)
            d2 = abs(p[j + 512] * wa - q[j + 512] * wb)
            d3 = abs(p[j + 768] * wa - q[j + 768] * wb)
            lanes[j] = (d0 + d1) + (d2 + d3)
        return
    for j in range(256):
        d0 = abs(p[j] * wa - q[j] * wb)
        d1 = abs(p[j + 256] * wa - q[j + 256] * wb)
        d2 = abs(p[j + 512] * wa - q[j + 512] * wb)
        d3 = abs(p[j + 768] * wa - q[j + 768] * wb)
        d4 = abs(p[j + 1024] * wa - q[j + 1024] * wb)
        d5 = abs(p[j + 1280] * wa - q[j + 1280] * wb)
        d6 = abs(p[j + 1536] * wa - q[j + 1536] * wb)
        d7 = abs(p[j + 1792] * wa - q[j + 1792] * wb)
        lanes[j] = ((d0 + d1) + (d2 + d3)) + ((d4 + d5) + (d6 + d7))


# ---- the kernel: rows first .. last - 1 ----


@kernel
def tv(a, b, memory, same, out, first, last):
    """out[i] = total variation of softmax(a[i]) and softmax(b[i]), rows first .. last - 1; halves as integers (`HALVES`).

    `memory` is scratch of a chunk, 256 numbers and two whole rows of chunks, `same` its first chunk, to be read only.
    """
    chunks = (a.shape[1] + CHUNK - 1) // CHUNK
    x = memory[:CHUNK]
    lanes = memory[CHUNK : CHUNK + 256]
    e = memory[CHUNK + 256 :]
    real = memory.dtype.type
    sums = np.empty((2, 16))
    shift = np.empty((2, chunks))
    m = np.empty(2, memory.dtype)
    z = np.empty(2)
    for i in range(first, last):
        m[:] = -np.inf
        sums[:] = 0
        for c in range(chunks):
            k = c * CHUNK
            size = HALF if k + HALF >= a.shape[1] else CHUNK
            for side in range(2):  # one loop, so that each piece is compiled in line, once
                row = b[i] if side else a[i]
                at = side * chunks * CHUNK + k
                row_chunk = _chunk(row, k, x, same)
                m[side] = _take(row_chunk, size, m[side], sums[side], e[at : at + CHUNK], lanes, row, k + AHEAD)
                shift[side, c] = m[side]
        z[0], z[1] = _total(sums[0]), _total(sums[1])
        sums[:] = 0
        for c in range(chunks):
            at = c * CHUNK
            size = HALF if at + HALF >= a.shape[1] else CHUNK
            wa = real(math.exp(shift[0, c] - m[0]) / z[0])
            wb = real(math.exp(shift[1, c] - m[1]) / z[1])
            _differ(e[at : at + CHUNK], e[chunks * CHUNK + at : (chunks + c + 1) * CHUNK], size, wa, wb, lanes)
            _add(lanes, sums[0])
        out[i] = _total(sums[0]) / 2


# ---- rows of any shape, over threads ----


def tv_bound(vocab: int, dtype: Any) -> float:
    """Worst-case absolute error of `tv_from_logits`, from the rounding of each operation.

    For each law u (2.4 log V + 4) for its terms and again for their sum, 9 u to add and weigh; 8 u for the differences
    and their sum; then the float64 sums over chunks.  The two laws enter by half each.  Halves are worked on in float32.

    >>> tv_bound(128_256, np.float32) < 5e-6, tv_bound(1, np.float64) < 1e-14
    (True, True)
    """
    real = np.float32 if np.dtype(dtype).name in HALVES else dtype
    u = float(np.finfo(real).eps) / 2
    chunks = -(-vocab // CHUNK)
    return u * (4.8 * math.log(vocab) + 25) + 2.0**-53 * (6 * chunks + 20)


def tv_from_logits(a: NDArray[Any], b: NDArray[Any], threads: int | None = None) -> NDArray[np.float64]:
    """Backend of `reference.tv_from_logits` for two arrays of one shape (..., V) and type: float32, float64 or one of `HALVES`.

    >>> a = np.zeros(5000); b = np.where(np.arange(5000) < 2500, 0.0, -np.inf)
    >>> float(tv_from_logits(a, b))
    0.5
    """
    half = HALVES.get(a.dtype.name)
    x, y = (as_rows(z) if half is None else as_rows(z).view(half) for z in (a, b))
    return tv_rows(x, y, threads).reshape(a.shape[:-1])


def tv_rows(x: NDArray[Any], y: NDArray[Any], threads: int | None = None) -> NDArray[np.float64]:
    """The same for two arrays (rows, V) that are read-only and in C order, halves by their bits (`HALVES`): (rows,).

    >>> bits = as_rows(np.array([[0x0000, 0x3C00]], np.uint16)), as_rows(np.array([[0x3C00, 0x0000]], np.uint16))
    >>> float(tv_rows(*bits)[0].round(6)) == round(math.tanh(0.5), 6)  # the float16 logits 0, 1 and 1, 0
    True
    """
    out = np.empty(len(x))
    free: list[tuple[NDArray[Any], NDArray[Any]]] = []  # scratch that no thread uses at the moment

    def task(first: int, last: int) -> None:
        memory = free.pop() if free else _scratch(x.shape[1], x.dtype if x.dtype.kind == "f" else np.dtype(np.float32))
        tv(x, y, *memory, out, first, last)
        free.append(memory)

    split(task, len(x), x.size, threads)
    return out


def _scratch(vocab: int, dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """What `tv` works on, in one block of memory that starts at a cache line: vectors that straddle two cost twice."""
    size = CHUNK + 256 + 2 * -(-vocab // CHUNK) * CHUNK
    block = np.empty(size + 64, dtype)
    memory = block[-block.ctypes.data % 64 // block.itemsize :][:size]
    same = memory[:CHUNK].view()
    same.flags.writeable = False
    return memory, same
