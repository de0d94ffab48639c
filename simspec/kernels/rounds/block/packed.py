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
from simspec.kernels.rounds.groups import _listed
from simspec.kernels.rounds.loops import GUIDE_BITS, Guided, _compiled, _find, guided

__all__ = ["MARGIN", "NEAR", "Packed", "pack"]

NEAR, MARGIN = 1e-3, 1e-6
"""Where 1 - r is above the first, a test's rounding is far below the second: what fails by that margin needs no search."""
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
    most = np.array([_top(sums, many) for sums, many in zip(above, guide[:, parts], strict=True)])
    rest = [_rest(sums, guide[s, parts], parts, most[s]) for s, sums in enumerate(above)]
    last, first = (np.stack(x) for x in zip(*rest, strict=True))
    ratio, rising = (np.ascontiguousarray(x) for x in (laws.ratio, laws.rising))
    order, following = np.ascontiguousarray(laws.order), laws.following.astype(np.int32)
    draft, target = guided(laws.draft), guided(laws.target)
    return Packed(draft, target, ratio, order, rising, above, following, guide, most, Guided(last, first))


def _top(sums: Any, many: int) -> float:
    """Mass of p - q over the first `many` tokens."""
    return max(sums[many - 1, 0] - sums[many - 1, 1], 0.0) if many else 0.0


def _rest(sums: Any, many: int, parts: int, most: float) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """For each word the first place whose mass of p - q exceeds the word's part of the whole, as `Guided` has it.

    Where rounding lets that mass fall, so that words would differ in what a bisection finds, there is no such law.
    """
    last, guide = np.full(len(sums), 2**32 - 1, dtype=np.uint32), np.full(parts + 1, -1, dtype=np.int32)
    if most == 0:
        return last, guide
    mass = sums[:many, 0] - sums[:many, 1]
    below = np.ceil(mass / most * 2.0**32 - 0.5)  # words whose part is less: to one word, and then exactly
    below -= (below - 0.5) * 2.0**-32 * most >= mass
    below += (below + 0.5) * 2.0**-32 * most < mass
    below = np.clip(below, 0, 2**32)
    below[-1] = 2**32
    if (below[1:] < below[:-1]).any():
        return last, guide
    last[:many] = np.maximum(below - 1, 0).astype(np.uint32)
    words = np.append(np.arange(parts) * (2**32 // parts), 2**32 - 1)
    return last, np.searchsorted(below, words, side="right").astype(np.int32)


@_compiled
def _missing(packed, s, r):
    """How many tokens have r p > q, and their mass of r p - q."""
    rising, above, guide = packed[4], packed[5], packed[7]
    if r == 1.0:
        return np.int64(guide[s, guide.shape[1] - 2]), packed[8][s]
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
    return low, max(r * above[s, low - 1, 0] - above[s, low - 1, 1], 0.0)


@_compiled
def _fails(packed, s, r, u):
    """Whether a test fails for sure: the mass at r is at most r times that at 1, for it is convex and 0 at 0."""
    less, top = 1.0 - r, r * packed[8][s]
    return less > NEAR and u > top / (top + less) + MARGIN


@_compiled
def _place(packed, s, r, many, missing, word, shift):
    """The place in the order of q/p that a word draws from what `_missing` found."""
    above, rest = packed[5], packed[9]
    if r == 1.0 and rest[1][s, 0] >= 0:
        return np.int64(_find(rest, s, word, shift))
    want = (word + 0.5) * 2.0**-32 * missing
    low, high = np.int64(0), many - 1
    while low < high:
        middle = (low + high) >> 1
        if r * above[s, middle, 0] - above[s, middle, 1] > want:
            high = middle
        else:
            low = middle + 1
    return low


@_compiled
def _last(packed, s, r, many, missing, word, shift):
    """The token after a kept prefix that is not the whole block."""
    if missing == 0:
        return np.int64(_find(packed[1], s, word, shift))
    return np.int64(packed[3][s, _place(packed, s, r, many, missing, word, shift)])


@_listed
def _many(sums, s, r, m, many, pending, most):
    """How many tokens have r p > q, for each row of a list: as `_missing`, a guide's places first."""
    rising, guide, n = sums[4], sums[7], 0
    top = guide.shape[1] - 2
    for c in range(m):
        part = U(np.int64(r[c] * top))
        low, high = guide[U(s[c]), part], guide[U(s[c]), part + U(1)]
        if r[c] == 1.0:
            high = low
        many[c] = low
        pending[n], most[n] = c, high
        n += low < high
    for i in range(n):
        one = U(pending[i])
        low, high, state, ratio = U(many[one]), U(most[i]), U(s[one]), r[one]
        while low < high:
            middle = (low + high) >> U(1)
            below = rising[state, middle] < ratio
            low = middle + U(1) if below else low
            high = high if below else middle
        many[one] = low


@_compiled
def _mass(above, s, r, many):
    """Mass of r p - q over the first `many` tokens."""
    if many == 0:
        return 0.0
    return max(r * above[U(s), U(many - 1), 0] - above[U(s), U(many - 1), 1], 0.0)


@_listed
def _places(above, s, who, r, want, m, low, high):
    """The bisections of `_place` for the rows of a list, r and the mass wanted of each: a step of all of them at a time."""
    going = m > 0
    while going:
        going = False
        for c in range(m):
            middle, state = (low[c] + high[c]) >> 1, U(s[U(who[c])])
            over = r[c] * above[state, U(middle), 0] - above[state, U(middle), 1] > want[c]
            further = low[c] < high[c]
            high[c] -= (high[c] - middle) * np.int32(further & over)  # products: the compiler makes branches of choices
            low[c] += (middle + 1 - low[c]) * np.int32(further & (not over))
            going |= low[c] < high[c]
