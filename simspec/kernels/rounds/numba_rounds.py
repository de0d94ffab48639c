"""The compiled backend of `simspec.kernels.rounds.reference.run`: the same integers on every path.

Why they are the same.  A word n stands for (n + 1/2) / 2**32, which float64 holds exactly.  So a token is drawn by
comparing n with integers: C(x), the number of words below the cumulative sum F(x), is ceil(2**32 F(x) - 1/2), and both
operations are exact (a power of two; 1/2 is a multiple of the last place wherever F(x) >= 2**-33, and below that C is
0).  A uniform compares the same float64 numbers as the reference.

How a token is found.  A table keeps C(x) - 1 in 32 bits and a guide: for each of G = 2**ceil(log2 V) (at most 2**16)
equal ranges of words the first token that one of them can draw.  Binary search then runs between two neighbours of the
guide: on average about one comparison.  Words are made for a few rounds at a time, which the compiler vectorises.

The Philox rounds come from `simspec.kernels.random.core`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.compiled import inner, kernel
from simspec.kernels.random import core
from simspec.kernels.rounds.reference import Laws, Plan
from simspec.kernels.threads import split

__all__ = ["Guided", "Packed", "guided", "pack", "paths", "words_below"]

GUIDE_BITS = 16
WORDS = 256  # counters made at a time

core.compiled()  # teaches Numba the element-wise functions that `core.rounds` is made of
# inlined, as tables passed to a function are some hundred words; without counting who holds them, which costs as much
_inlined = inner(nogil=True, _nrt=False, forceinline=True)
_philox = core.rounds
_narrow = core.narrow
_32 = np.uint64(32)


class Guided(NamedTuple):
    """A law for words: `last` (S, V) uint32, the last word that draws each token or one before; `guide` (S, G + 1) int32."""

    last: NDArray[np.uint32]
    guide: NDArray[np.int32]


class Packed(NamedTuple):
    """What the compiled loop reads of `Laws`: 20 bytes an entry, and 12 for the guides (24 at most, by powers of two)."""

    draft: Guided
    share: NDArray[np.float64]
    residual: Guided
    target: Guided
    following: NDArray[np.int32]


def words_below(chance: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many words n have (n + 1/2) / 2**32 below a chance.

    >>> words_below(np.array([0.0, 0.25, 1.0])).tolist()
    [0, 1073741824, 4294967296]
    """
    return np.maximum(np.ceil(np.ldexp(chance, 32) - 0.5), 0).astype(np.int64)


def guided(table: NDArray[np.float64]) -> Guided:
    """Integer thresholds and guide of cumulative sums (S, V).

    >>> guided(np.array([[0.25, 0.25, 1.0]])).guide.tolist()
    [[0, 2, 2, 2, 2]]
    """
    states, vocab = table.shape
    bits = min(GUIDE_BITS, (vocab - 1).bit_length())
    below = words_below(table)
    guide = np.empty((states, 2**bits + 1), dtype=np.int32)
    words = np.append(np.arange(2**bits) << (32 - bits), 2**32 - 1)
    for s in range(states):
        guide[s] = np.minimum(np.searchsorted(below[s], words, side="right"), vocab - 1)
    return Guided(np.maximum(below - 1, 0).astype(np.uint32), guide)


def pack(laws: Laws) -> Packed:
    """`laws` as the compiled loop reads them.

    >>> one = np.ones((1, 1))
    >>> pack(Laws(one, one, one, one, np.zeros(1, dtype=np.int64))).draft.last.tolist()
    [[4294967295]]
    """
    share = np.ascontiguousarray(laws.share)
    draft, residual, target = (guided(x) for x in (laws.draft, laws.residual, laws.target))
    return Packed(draft, share, residual, target, laws.following.astype(np.int32))


@_inlined
def _find(law, state, word, shift):
    """The token that a word draws in a state."""
    last, guide = law
    at = np.int64(word) >> shift
    low = guide[state, at]
    high = guide[state, at + 1]
    while low < high:
        middle = (low + high) >> 1
        if word <= last[state, middle]:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def _run(packed, gamma, rounds, k0, k1, rows, start, purpose, accepted, state, tokens, counts, first, last):
    """Rounds of rows first .. last - 1; `tokens` and `counts` of size zero are not filled."""
    draft, share, residual, target, following = packed
    shift = np.int64(32)
    while (draft[1].shape[1] - 1) >> (32 - shift) > 1:
        shift -= 1
    has_one_state = len(share) == 1
    width = gamma + 1
    batch_rounds = max(1, WORDS // width)
    draws = np.empty(batch_rounds * width, np.uint32)
    uniforms = np.empty(batch_rounds * width, np.uint32)
    ends = np.empty(batch_rounds * width, np.uint32)
    for i in range(first, last):
        low = _narrow(rows[i])
        high = _narrow(rows[i] >> _32)
        s = start
        length = 0
        for t0 in range(0, rounds, batch_rounds):
            some = min(batch_rounds, rounds - t0)
            base = np.uint32(t0 * width)
            for j in range(some * width):
                w = _philox(_narrow(base + np.uint32(j)), low, high, purpose, k0, k1)
                draws[j] = w[0]
                uniforms[j] = w[1]
                ends[j] = w[2]
            for t in range(some):
                n = t * width
                going = True
                for j in range(gamma):
                    x = _find(draft, s, draws[n + j], shift)
                    if not (uniforms[n + j] + 0.5) * 2.0**-32 < share[s, x]:
                        x = _find(residual, s, ends[n + j], shift)
                        going = False
                    if tokens.size:
                        tokens[i, length] = x
                    if counts.size:
                        counts[s, x] += 1
                    length += 1
                    s = 0 if has_one_state else following[x]
                    if not going:
                        accepted[i, t0 + t] = j
                        break
                if going:
                    x = _find(target, s, ends[n + gamma], shift)
                    if tokens.size:
                        tokens[i, length] = x
                    if counts.size:
                        counts[s, x] += 1
                    length += 1
                    s = 0 if has_one_state else following[x]
                    accepted[i, t0 + t] = gamma
        if tokens.size:
            tokens[i, length:] = -1
        state[i] = s


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Backend of `reference.paths`; see `simspec.kernels.rounds.run_rounds` for the arguments."""
    return _spread(partial(_run, rule.packed), rule, plan, tokens, counts, threads)


def _spread(
    run: Callable[..., None], rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None, drafts: int = 1
) -> tuple[Any, Any, Any, Any]:
    """Paths on threads by a compiled loop: arrays for what it writes, and each thread's counts added up.

    Parameters
    ----------
    run : (gamma, rounds, two words of the key, rows, start, purpose, accepted, state, tokens, counts, first, last) -> None
        the loop, for rows first to last.
    rule : tables with `states` and `vocab`
    plan, tokens, counts, threads : as `paths`
    drafts : int; of a position, by which the work is measured
    """
    gamma, rounds, key, rows, start, purpose = plan
    size = len(rows)
    width = rounds * (gamma + 1)
    accepted = np.empty((size, rounds), dtype=np.int32)
    state = np.empty(size, dtype=np.int32)
    path = np.empty((size, width) if tokens else (0, 0), dtype=np.int32)
    total = np.zeros((rule.states, rule.vocab) if counts else (0, 0), dtype=np.int64)
    keys = np.uint64(key & 0xFFFFFFFF), np.uint64(key >> 32)
    lock = threading.Lock()

    def task(first: int, last: int) -> None:
        thread_counts = np.zeros_like(total)
        run(gamma, rounds, *keys, rows, start, np.uint32(purpose), accepted, state, path, thread_counts, first, last)
        with lock:
            np.add(total, thread_counts, out=total)

    split(task, size, size * width * drafts, threads)
    return accepted, state, path if tokens else None, total if counts else None
