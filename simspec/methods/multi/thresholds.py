"""The optimum at the size of a real vocabulary: the set of tokens that bounds it is found among those with the least p/q.

For independent drafts D(all in H) is q(H)^K, without replacement an integral over the time at which the first token
outside H would come (`leaving`).  Tokens are put into buckets of p/q; where a bucket cannot hold the minimum it is left
alone, the others are split again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array
from simspec.methods.multi.greedy import greedy_acceptance
from simspec.methods.multi.leaving import ORDER, leaving

__all__ = ["Sets", "bits_of", "iid_optimum", "optimal_acceptance", "part", "share", "swor_optimum"]

Floats = NDArray[np.float64]

FIRST_SHIFT = 50
SHIFT = 6
"""How many low bits of p/q a bucket leaves open at first, and how many fewer each time that it is split."""
CLOSE = 1e-12
"""How much lower than what was found an acceptance has to be to be looked for."""


def optimal_acceptance(p: Array, q: Array, k: int, drafts: str = "iid") -> Any:
    """Largest acceptance of any lossless rule with K drafts of one step; error at most 1e-10 on float64.

    Parameters
    ----------
    p, q : laws (..., V) of floats
    k : int >= 1; drafts
    drafts : "iid", "swor" (without replacement), "greedy" (`greedy_drafts`) or "hub" (K = 2)

    >>> p, q = np.array([0.25, 0.75]), np.array([0.75, 0.25])
    >>> print(*(round(float(optimal_acceptance(p, q, 2, drafts)), 9) for drafts in ("iid", "swor", "greedy", "hub")))
    0.6875 1.0 1.0 1.0
    """
    if drafts in {"greedy", "hub"}:  # as sets of drafts a hub is greedy drafting with two
        return greedy_acceptance(p, q, k if drafts == "greedy" else 2)
    by = {"iid": iid_optimum, "swor": swor_optimum}
    if drafts not in by:
        raise ValueError(f"drafts: {drafts!r}; expected iid, swor, greedy or hub")
    rows = zip(p.reshape(-1, p.shape[-1]), q.reshape(-1, p.shape[-1]), strict=True)
    return np.array([by[drafts](a, b, k) for a, b in rows]).reshape(p.shape[:-1])[()]


def share(acceptance: Any, p: Array, q: Array, k: int, drafts: str = "iid") -> Any:
    """An acceptance as a part of the largest with the same drafts; 1 where nothing can be accepted.

    >>> from simspec.methods.multi.acceptance import rrs_acceptance
    >>> p, q = np.array([0.25, 0.75]), np.array([0.75, 0.25])
    >>> print(round(float(share(rrs_acceptance(p, q, 2), p, q, 2)), 6))
    0.909091
    """
    return part(acceptance, optimal_acceptance(p, q, k, drafts))


def part(acceptance: Any, best: Any) -> Any:
    """An acceptance over the largest; 1 where that is 0.

    >>> print(part(0.25, 0.5), part(0.0, 0.0))
    0.5 1.0
    """
    return np.where(best > 0, acceptance / np.where(best > 0, best, 1), 1.0)[()]


def iid_optimum(p: Array, q: Array, k: int) -> float:
    """Least p(H) + 1 − q(H)^K over the sets of least p/q, claim ``multi.threshold.iid``; laws (V,).

    >>> print(iid_optimum(np.array([0.25, 0.75]), np.array([0.75, 0.25]), 2))
    0.6875
    """
    return _least(*_drafted(p, q), lambda sets: 1 - sets.q**k)


def swor_optimum(p: Array, q: Array, k: int) -> float:
    """The same for drafts without replacement, whose D(all in H) is no function of q(H); laws (V,).

    >>> print(round(swor_optimum(np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.25, 0.25]), 2), 9))
    0.583333333
    """
    target, draft_law = _drafted(p, q)
    bits = bits_of(target, draft_law)
    grid = leaving(draft_law, min(k, len(draft_law)), bits)
    remainder = draft_law.copy()
    remainder[grid.single] = 0
    ranks = bits[grid.single]

    def leaves(sets: Sets) -> Floats:
        return grid.probability(sets.rest, sets.sums, np.searchsorted(ranks, sets.upto, side="right"))

    return _least(target, draft_law, leaves, remainder, bits)


def _drafted(p: Array, q: Array) -> tuple[Floats, Floats]:
    """Both laws on the tokens that are ever drafted."""
    target = np.asarray(p, dtype=np.float64)
    draft_law = np.asarray(q, dtype=np.float64)
    drafted = draft_law > 0
    return (target, draft_law) if drafted.all() else (target[drafted], draft_law[drafted])


class Sets(NamedTuple):
    """Growing sets of tokens {p/q <= t}, one for each t: masses inside and outside, Σ w(x) inside for each weight asked for.

    Attributes
    ----------
    p, q, rest : Σ p and Σ q inside, Σ q outside (sets,)
    sums : (weights, sets)
    upto : the largest p/q inside, as the bits of a float64, which have the order of the numbers
    """

    p: Floats
    q: Floats
    rest: Floats
    sums: Floats
    upto: NDArray[np.int64]


Leaves = Callable[[Sets], Floats]
"""Probability that some draft is outside a set."""


def _least(
    p: Floats, q: Floats, leaves: Leaves, remainder: Floats | None = None, bits: NDArray[np.int64] | None = None
) -> float:
    """Least p(H) + P(some draft is outside H) over the sets {p/q <= t} and the empty one; of drafted tokens."""
    tokens: tuple[Floats, ...] = (p, q) if remainder is None else (p, q, remainder)
    bits = bits_of(p, q) if bits is None else bits
    best = 1.0
    waiting = [(bits, tokens, np.zeros(2 if remainder is None else 2 + ORDER), 0.0, FIRST_SHIFT)]
    while waiting:
        bits, tokens, before, after, shift = waiting.pop()
        lowest = bits.min() >> shift
        place = bits >> shift
        place -= lowest
        some = np.flatnonzero(np.bincount(place))
        parts = np.stack([np.bincount(place, weights=m)[some] for m in _masses(tokens)])
        inside = before[:, None] + np.cumsum(parts, axis=1)
        outside = after + np.append(np.cumsum(parts[1, :0:-1])[::-1], 0)
        key = some + lowest
        value = inside[0] + leaves(Sets(inside[0], inside[1], outside, inside[2:], ((key + 1) << shift) - 1))
        best = min(best, float(value.min()))
        if not shift:
            continue
        # within a bucket Σ p grows at least as its least p/q says, and D(all in H) is convex in q(H)
        gain = parts[0] - (key << shift).view(np.float64) * parts[1]
        for b in np.flatnonzero(value - gain < best - CLOSE):
            members = np.flatnonzero(place == some[b])
            smallest_ratio = bits[members].min().view(np.float64)
            if value[b] - (parts[0, b] - smallest_ratio * parts[1, b]) >= best - CLOSE:
                continue  # the tokens of the bucket have one p/q, or nearly
            sums_below = inside[:, b] - parts[:, b]
            waiting.append(
                (bits[members], tuple(m[members] for m in tokens), sums_below, float(outside[b]), max(shift - SHIFT, 0))
            )
    return best


def _masses(tokens: tuple[Floats, ...]) -> Iterator[Floats]:
    """p, q and powers of what is left of q; the memory of a power is used again for the next."""
    yield from tokens[:2]
    for remainder in tokens[2:]:
        power = remainder.copy()
        for _ in range(ORDER):
            yield power
            power *= remainder


def bits_of(p: Floats, q: Floats) -> NDArray[np.int64]:
    """p/q as the bits of a float64: integers in the same order, infinity the last.

    >>> bits_of(np.array([0.0, 1.0]), np.array([1.0, 1.0])).tolist() == [0, 1023 << 52]
    True
    """
    with np.errstate(over="ignore"):
        return (p / q).view(np.int64)
