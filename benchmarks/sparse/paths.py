"""The peers of `python -m benchmarks sparse --work paths`: C-SQS thresholds, (S, T + 1), of S texts.

A call takes (S, T, V, key): the NumPy peers draw the kernel's numbers with the same formulas and no more
words and radii than the kernel, one law at a time or one token of all texts at a time, and a third takes NumPy's own
normals (other numbers, so it is not checked).  The yardstick is `benchmarks.roofline`.
All start at one threshold and keep the likeliest token at least.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness, roofline
from benchmarks.harness import Peer
from benchmarks.sparse.lattice import OURS
from simspec.kernels.random import core as philox_core

__all__ = ["OPERATIONS", "ROOFLINE", "STEP", "TARGET", "THRESHOLD", "note", "peers"]

ROOFLINE = "its vector operations (roofline)"
OPERATIONS = (31, 71, 36, 4, 84, 4, 2, 26)
"""Operations on 32-bit lanes for one token of a law: words, radii and sines, cosines, logits, exponentials, maxima and sums,
quotients, the step.  Counted in the AVX-512 code of the inner loops, where a float64 is two lanes."""
THRESHOLD = 5e-4
STEP = 5e-4
TARGET = 0.1

Array = NDArray[Any]


def peers() -> list[Peer]:
    """Ours first, then the peers, then the roofline."""
    counts = harness.thread_counts()
    return [
        Peer(OURS, _paths_simspec, counts),
        Peer("NumPy, row by row", _paths_rows, counts),
        Peer("NumPy, all texts at once", _paths_batch, counts),
        Peer("NumPy's normals, row by row", _paths_generator, counts, checked=False),
        Peer(ROOFLINE, _operations, counts, checked=False),
    ]


def note() -> str:
    """Why the generator stays what it is, with its share of the counted operations.

    >>> note().startswith("The generator's words are 12 % of the operations")
    True
    """
    return (
        f"The generator's words are {100 * OPERATIONS[0] / sum(OPERATIONS):.0f} % of the operations that the roofline counts: "
        "one that costs nothing would save that share and no more.\nThey stay Philox's: a text's laws are those that "
        "simspec.logits draws, so that any stretch can be replayed\nand a path equals its NumPy reference bit for bit."
    )


def _paths_simspec(data: Any, threads: int) -> harness.Call:
    from simspec.kernels import thresholds as paths

    texts, length, vocab, key = data
    draws = paths.Draws(key, range(0, texts * length, length))
    rule = paths.Rule(THRESHOLD, STEP, TARGET)
    return lambda: paths.synthetic_paths(draws, length, vocab, paths.Model(), rule, threads=threads).thresholds


def _normal(key: int, rows: Array, vocab: int) -> Array:
    """Normals from counters by NumPy alone, however many: each counter and each radius once."""
    low = np.uint64(key & 0xFFFFFFFF)
    high = np.uint64(key >> 32)
    pair = int(philox_core.PAIR)
    side = int(philox_core.SIDE)
    blocks = -(-vocab // (2 * side))
    counters = (np.arange(blocks)[:, None] * 2 * side + np.arange(pair)).ravel().astype(np.uint32)
    words = np.stack(philox_core.words(low, high, rows.astype(np.uint64), counters, np.uint32(0)))
    radius, angle = words.reshape(2, 2, len(rows), blocks, pair).swapaxes(0, 1)
    x = philox_core.turn(angle)
    waves = philox_core.arc(np.stack([x, 0.5 - abs(x)]))  # sines, and cosines but for their signs
    waves[1] *= philox_core.sign(angle)
    z = philox_core.normal_radius(radius) * waves
    return z.transpose(2, 3, 0, 1, 4).reshape(len(rows), -1)[:, :vocab]


def _softmax(z: Array) -> Array:
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _walk(laws: Callable[[int], Array], length: int) -> Array:
    """Thresholds (T + 1,) of one text; `laws(n)` is the law (V,) of token n."""
    edge = THRESHOLD
    path = [edge]
    dropped = []
    set_sizes = []
    for n in range(length):
        q = laws(n)
        mask = q >= edge
        count = int(np.count_nonzero(mask))
        if count == 0:
            mask[q.argmax()] = True
            count = 1
        set_sizes.append(count)
        dropped.append(np.where(mask, 0, q).sum(dtype=np.float64))
        edge = edge - STEP * (dropped[-1] - TARGET)
        path.append(edge)
    return np.array(path)


def _walk_all(laws: Callable[[int], Array], texts: int, length: int) -> Array:
    """Thresholds (S, T + 1); `laws(n)` are the laws (S, V) of token n of all texts."""
    edge = np.full(texts, THRESHOLD)
    path = [edge]
    dropped = []
    set_sizes = []
    for n in range(length):
        q = laws(n)
        mask = q >= edge[:, None]
        empty = np.flatnonzero(~mask.any(axis=1))
        mask[empty, q[empty].argmax(axis=1)] = True
        set_sizes.append(np.count_nonzero(mask, axis=1))
        dropped.append(np.where(mask, 0, q).sum(axis=1, dtype=np.float64))
        edge = edge - STEP * (dropped[-1] - TARGET)
        path.append(edge)
    return np.stack(path, axis=1)


def _shared(work: Callable[[Array], Array], texts: int, threads: int) -> harness.Call:
    """`part(numbers)` for a share of the texts in each thread."""
    call = harness.threaded(work, np.array_split(np.arange(texts), min(threads, texts)))
    return lambda: np.concatenate(call())


def _each(text: Callable[[int], Array], texts: int, threads: int) -> harness.Call:
    """`text(s)` for every text, a share of them in each thread."""
    return _shared(lambda numbers: np.stack([text(s) for s in numbers]), texts, threads)


def _paths_rows(data: Any, threads: int) -> harness.Call:
    texts, length, vocab, key = data

    def text(s: int) -> Array:
        return _walk(lambda n: _softmax(_normal(key, np.array([s * length + n]), vocab)[0]), length)

    return _each(text, texts, threads)


def _paths_batch(data: Any, threads: int) -> harness.Call:
    texts, length, vocab, key = data

    def part(numbers: Array) -> Array:
        return _walk_all(lambda n: _softmax(_normal(key, numbers * length + n, vocab)), len(numbers), length)

    return _shared(part, texts, threads)


def _paths_generator(data: Any, threads: int) -> harness.Call:
    texts, length, vocab, key = data

    def text(s: int) -> Array:
        rng = np.random.default_rng([key, s])
        return _walk(lambda n: _softmax(rng.standard_normal(vocab)), length)

    return _each(text, texts, threads)


def _operations(data: Any, threads: int) -> harness.Call:
    texts, length, vocab, _ = data
    return roofline.operations(texts * length * vocab * sum(OPERATIONS), threads)
