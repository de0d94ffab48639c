"""The compiled twin of `simspec.kernels.rounds.block.reference.run`: the same integers on every path.

Drafts and bonus tokens are found as in `simspec.kernels.rounds.loops`.  Tests and residuals use the same float64 operations in
the same order as the reference, so that a bisection takes the same turns.  A draft of ratio zero
ends the drafting: no later test can pass.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.compiled import kernel
from simspec.kernels.random import core
from simspec.kernels.rounds.block.reference import BlockLaws
from simspec.kernels.rounds.loops import GUIDE_BITS, WORDS, Guided, _compiled, _find, guided
from simspec.kernels.rounds.reference import Plan
from simspec.kernels.threads import split

__all__ = ["Packed", "pack", "paths"]

NEAR, MARGIN = 1e-3, 1e-6
"""Where 1 - r is above the first, a test's rounding is far below the second: what fails by that margin needs no search."""
_philox, _narrow, _32 = core.rounds, core.narrow, np.uint64(32)


class Packed(NamedTuple):
    """What the compiled loop reads: 44 bytes an entry, and the guides (12 more at most, by powers of two 24).

    `guide` (S, G + 2) holds how many q/p are below each k/G; `most` (S,) the mass of (p - q)_+.
    """

    draft: Guided
    target: Guided
    ratio: NDArray[np.float64]
    order: NDArray[np.int32]
    rising: NDArray[np.float64]
    above_p: NDArray[np.float64]
    above_q: NDArray[np.float64]
    following: NDArray[np.int32]
    guide: NDArray[np.int32]
    most: NDArray[np.float64]


def pack(laws: BlockLaws) -> Packed:
    """`laws` as the compiled loop reads them."""
    parts = 2 ** min(GUIDE_BITS, (laws.draft.shape[1] - 1).bit_length())
    ends = np.arange(parts + 2) / parts
    guide = np.stack([np.searchsorted(row, ends, side="left") for row in laws.rising]).astype(np.int32)
    at = np.arange(len(guide)), guide[:, parts] - 1
    most = np.where(at[1] < 0, 0, np.maximum(laws.above_p[at] - laws.above_q[at], 0))
    ratio, rising, above_p, above_q = (
        np.ascontiguousarray(x) for x in (laws.ratio, laws.rising, laws.above_p, laws.above_q)
    )
    order, following = np.ascontiguousarray(laws.order), laws.following.astype(np.int32)
    draft, target = guided(laws.draft), guided(laws.target)
    return Packed(draft, target, ratio, order, rising, above_p, above_q, following, guide, most)


@_compiled
def _missing(packed, s, r):
    """How many tokens have r p > q, and their mass of r p - q."""
    rising, above_p, above_q, guide = packed[4], packed[5], packed[6], packed[8]
    part = np.int64(r * (guide.shape[1] - 2))
    low, high = np.int64(guide[s, part]), np.int64(guide[s, part + 1])
    while low < high:
        middle = (low + high) >> 1
        if rising[s, middle] < r:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return low, 0.0
    return low, max(r * above_p[s, low - 1] - above_q[s, low - 1], 0.0)


@_compiled
def _kept(packed, gamma, coins, n, states, r, made):
    """The longest prefix that passes its test, of `made` drafts whose r is not zero."""
    for i in range(made, 0, -1):
        if r[i] == 1.0:  # passes for sure: every coin is below one
            return i
        u, h, less = (coins[n + i - 1] + 0.5) * 2.0**-32, r[i], 1.0 - r[i]
        if i < gamma:
            top = r[i] * packed[9][states[i]]  # Z is at most r times its value at r = 1
            if less > NEAR and u > top / (top + less) + MARGIN:
                continue
            _, missing = _missing(packed, states[i], r[i])
            rest = missing + less
            h = missing / rest if rest > 0 else 1.0
        if u < h:
            return i
    return 0


@_compiled
def _last(packed, s, r, whole, word, shift):
    """The token after the kept prefix."""
    target, order, above_p, above_q = packed[1], packed[3], packed[5], packed[6]
    if whole:
        return _find(target, s, word, shift)
    many, missing = _missing(packed, s, r)
    if missing == 0:
        return _find(target, s, word, shift)
    want = (word + 0.5) * 2.0**-32 * missing
    low, high = 0, many - 1
    while low < high:
        middle = (low + high) >> 1
        if r * above_p[s, middle] - above_q[s, middle] > want:
            high = middle
        else:
            low = middle + 1
    return np.int64(order[s, low])


@kernel
def _run(packed, gamma, rounds, k0, k1, rows, start, purpose, accepted, state, tokens, counts, first, last):
    """Rounds of rows first .. last - 1; `tokens` and `counts` of size zero are not filled."""
    draft, ratio, following = packed[0], packed[2], packed[7]
    shift = np.int64(32)
    while (draft[1].shape[1] - 1) >> (32 - shift) > 1:
        shift -= 1
    width = gamma + 1
    few = max(1, WORDS // width)
    draws, coins, ends = (
        np.empty(few * width, np.uint32),
        np.empty(few * width, np.uint32),
        np.empty(few * width, np.uint32),
    )
    x, states, r = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.float64)
    r[0] = 1.0
    for i in range(first, last):
        low, high = _narrow(rows[i]), _narrow(rows[i] >> _32)
        states[0], length = start, 0
        for t0 in range(0, rounds, few):
            some = min(few, rounds - t0)
            base = np.uint32(t0 * width)
            for j in range(some * width):
                w = _philox(_narrow(base + np.uint32(j)), low, high, purpose, k0, k1)
                draws[j] = w[0]
                coins[j] = w[1]
                ends[j] = w[2]
            for t in range(some):
                n, made = t * width, 0
                while made < gamma:
                    s = states[made]
                    token = _find(draft, s, draws[n + made], shift)
                    share = r[made] * ratio[s, token]
                    if share == 0.0:
                        break
                    x[made] = token
                    made += 1
                    r[made] = min(1.0, share)
                    states[made] = following[token]
                kept = _kept(packed, gamma, coins, n, states, r, made)
                x[kept] = _last(packed, states[kept], r[kept], kept == gamma, ends[n + kept], shift)
                for j in range(kept + 1):
                    if tokens.size:
                        tokens[i, length] = x[j]
                    if counts.size:
                        counts[states[j], x[j]] += 1
                    length += 1
                accepted[i, t0 + t] = kept
                states[0] = following[x[kept]]
        if tokens.size:
            tokens[i, length:] = -1
        state[i] = states[0]


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Twin of `block_reference.paths`; see `simspec.kernels.rounds.block.run_block_rounds` for the arguments."""
    gamma, rounds, key, rows, start, purpose = plan
    size, width = len(rows), rounds * (gamma + 1)
    accepted, state = np.empty((size, rounds), dtype=np.int32), np.empty(size, dtype=np.int32)
    path = np.empty((size, width) if tokens else (0, 0), dtype=np.int32)
    total = np.zeros((rule.states, rule.vocab) if counts else (0, 0), dtype=np.int64)
    keys = np.uint64(key & 0xFFFFFFFF), np.uint64(key >> 32)
    given = rule.packed, gamma, rounds, *keys, rows, start, np.uint32(purpose), accepted, state, path
    lock = threading.Lock()

    def task(first: int, last: int) -> None:
        own = np.zeros_like(total)
        _run(*given, own, first, last)
        with lock:
            np.add(total, own, out=total)

    split(task, size, size * width, threads)
    return accepted, state, path if tokens else None, total if counts else None
