"""Tables of block rounds as compiled loops read them, and what is left of a target: for one row, and for the rows of a list.

The law of what follows a prefix with r = 1, which four in five corrections do, is tabulated for words.  Other masses and places
are found by bisections in the order of q/p: the same float64 operations in the same order as in
`simspec.kernels.rounds.block.reference`, so that a bisection takes the same turns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.rounds.block.reference import BlockLaws
from simspec.kernels.rounds.groups import _apart
from simspec.kernels.rounds.numba_rounds import GUIDE_BITS, Guided, _find, _inlined, guided

__all__ = ["MARGIN", "NEAR", "Packed", "pack"]

NEAR = 1e-3
MARGIN = 1e-6
"""Where 1 - r is above the first, a test's rounding is far below the second: what fails by that margin needs no search."""
WINDOW = 7
"""Places that are searched without a branch."""
U = np.uint64


class Packed(NamedTuple):
    """What the compiled loop reads: 48 bytes an entry, and four guides (16 more at most, by powers of two 32).

    Attributes
    ----------
    above : sums of p and of q in the order of q/p, side by side (S, V, 2)
    guide : how many q/p are below each k/G (S, G + 2)
    most : mass of (p - q)_+ (S,)
    rest : the law of (p - q)_+ over places in this order, for r = 1, the commonest r by far; guide -1 where it has none
    """

    draft: Guided
    target: Guided
    ratio: NDArray[np.float64]
    order: NDArray[np.int32]
    rising: NDArray[np.float64]
    above: NDArray[np.float64]
    following: NDArray[np.int32]
    guide: NDArray[np.int32]
    most: NDArray[np.float64]
    rest: Guided


def pack(laws: BlockLaws) -> Packed:
    """`laws` as the compiled loop reads them."""
    parts = 2 ** min(GUIDE_BITS, (laws.draft.shape[1] - 1).bit_length())
    ends = np.arange(parts + 2) / parts
    guide = np.stack([np.searchsorted(row, ends, side="left") for row in laws.rising]).astype(np.int32)
    above = np.stack([laws.above_p, laws.above_q], axis=-1)
    top_masses = np.array([_top(sums, token_count) for sums, token_count in zip(above, guide[:, parts], strict=True)])
    rest = [_rest(sums, guide[s, parts], parts, top_masses[s]) for s, sums in enumerate(above)]
    last, first = (np.stack(x) for x in zip(*rest, strict=True))
    ratio, rising = (np.ascontiguousarray(x) for x in (laws.ratio, laws.rising))
    order = np.ascontiguousarray(laws.order)
    following = laws.following.astype(np.int32)
    draft = guided(laws.draft)
    target = guided(laws.target)
    return Packed(draft, target, ratio, order, rising, above, following, guide, top_masses, Guided(last, first))


def _top(sums: Any, token_count: int) -> float:
    """Mass of p - q over the first `token_count` tokens."""
    return max(sums[token_count - 1, 0] - sums[token_count - 1, 1], 0.0) if token_count else 0.0


def _rest(sums: Any, token_count: int, parts: int, top_mass: float) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """For each word the first place whose mass of p - q exceeds the word's part of the whole, as `Guided` has it.

    Where rounding lets that mass fall, so that words would differ in what a bisection finds, there is no such law.
    """
    last = np.full(len(sums), 2**32 - 1, dtype=np.uint32)
    guide = np.full(parts + 1, -1, dtype=np.int32)
    if top_mass == 0:
        return last, guide
    mass = sums[:token_count, 0] - sums[:token_count, 1]
    below = np.ceil(mass / top_mass * 2.0**32 - 0.5)  # words whose part is less: to one word, and then exactly
    below -= (below - 0.5) * 2.0**-32 * top_mass >= mass
    below += (below + 0.5) * 2.0**-32 * top_mass < mass
    below = np.clip(below, 0, 2**32)
    below[-1] = 2**32
    if (below[1:] < below[:-1]).any():
        return last, guide
    last[:token_count] = np.maximum(below - 1, 0).astype(np.uint32)
    words = np.append(np.arange(parts) * (2**32 // parts), 2**32 - 1)
    return last, np.searchsorted(below, words, side="right").astype(np.int32)


@_inlined
def _missing(packed, s, r):
    """How many tokens have r p > q, and their mass of r p - q."""
    rising = packed[4]
    above = packed[5]
    guide = packed[7]
    if r == 1.0:
        return np.int64(guide[s, guide.shape[1] - 2]), packed[8][s]
    guide_cell = np.int64(r * (guide.shape[1] - 2))
    low = np.int64(guide[s, guide_cell])
    high = np.int64(guide[s, guide_cell + 1])
    while low < high:
        middle = (low + high) >> 1
        if rising[s, middle] < r:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return low, 0.0
    return low, max(r * above[s, low - 1, 0] - above[s, low - 1, 1], 0.0)


@_inlined
def _fails(packed, s, r, u):
    """Whether a test fails for sure: the mass at r is at most r times that at 1, for it is convex and 0 at 0."""
    shortfall = 1.0 - r
    top = r * packed[8][s]
    return shortfall > NEAR and u > top / (top + shortfall) + MARGIN


@_inlined
def _half(place_count):
    """The largest power of two below a number of places, 0 where there is none."""
    step = np.int64(1)
    while step < place_count:
        step <<= 1
    return step >> 1


@_inlined
def _place(packed, s, r, token_count, missing, word, shift):
    """The place in the order of q/p that a word draws from what `_missing` found."""
    above = packed[5]
    rest = packed[9]
    if r == 1.0 and rest[1][s, 0] >= 0:
        return np.int64(_find(rest, s, word, shift))
    want = (word + 0.5) * 2.0**-32 * missing
    low = np.int64(0)
    step = _half(token_count)
    while step:
        if low + step < token_count and not r * above[s, low + step - 1, 0] - above[s, low + step - 1, 1] > want:
            low += step
        step >>= 1
    return low


@_inlined
def _last(packed, s, r, token_count, missing, word, shift):
    """The token after a kept prefix that is not the whole block."""
    if missing == 0:
        return np.int64(_find(packed[1], s, word, shift))
    return np.int64(packed[3][s, _place(packed, s, r, token_count, missing, word, shift)])


@_inlined
def _first(rising, s, low, high, ratio):
    """The first of low .. high that is not below a number; the one at `high` is not, if there is one."""
    while high - low > U(WINDOW):
        middle = (low + high) >> U(1)
        below = rising[s, middle] < ratio
        low = middle + U(1) if below else low
        high = high if below else middle
    if low + U(WINDOW) < U(rising.shape[1]):  # what stands after `high` is not below the number either
        low += U(4) if rising[s, low + U(3)] < ratio else U(0)
        low += U(2) if rising[s, low + U(1)] < ratio else U(0)
        return low + (U(1) if rising[s, low] < ratio else U(0))
    while low < high and rising[s, low] < ratio:
        low += U(1)
    return low


@_apart
def _many(sums, s, r, m, token_counts, pending, upper_places):
    """How many tokens have r p > q, for each row of a list: as `_missing`, a guide's places first."""
    rising = sums[4]
    guide = sums[7]
    n = 0
    top = guide.shape[1] - 2
    for c in range(m):
        guide_cell = U(np.int64(r[c] * top))
        low = guide[U(s[c]), guide_cell]
        high = guide[U(s[c]), guide_cell + U(1)]
        if r[c] == 1.0:
            high = low
        token_counts[c] = low
        pending[n] = c
        upper_places[n] = high
        n += low < high
    for i in range(n):
        row = U(pending[i])
        token_counts[row] = _first(rising, U(s[row]), U(token_counts[row]), U(upper_places[i]), r[row])


@_inlined
def _mass(above, s, r, token_count):
    """Mass of r p - q over the first `token_count` tokens."""
    if token_count == 0:
        return 0.0
    return max(r * above[U(s), U(token_count - 1), 0] - above[U(s), U(token_count - 1), 1], 0.0)


@_apart
def _places(above, s, r, want, first, m, low, high):
    """`_place` for rows first .. m - 1 of a list, r and the mass wanted of each: from 0 to how many have r p > q, in `high`."""
    highest = np.int64(0)
    for i in range(first, m):
        c = U(i)
        low[c] = 0
        highest = max(highest, np.int64(high[c]))
    step = _half(highest)
    while step:
        for i in range(first, m):
            c = U(i)  # without a sign, so that the compiler makes vectors
            state = U(s[c])
            at = U(low[c] + step - 1)
            inside = low[c] + step < high[c]
            at = at if inside else U(0)
            above_it = r[c] * above[state, at, 0] - above[state, at, 1] > want[c]
            low[c] += np.int32(step) * np.int32(
                inside & (not above_it)
            )  # a product: the compiler makes branches of choices
        step >>= 1
