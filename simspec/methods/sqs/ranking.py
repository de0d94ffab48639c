r"""Numbers of subsets: each subset of k of n places has one, 0 to C(n, k) - 1, in the order of `simspec.methods.sqs.codec`."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

from simspec.checks import check_memory, whole_number
from simspec.laws import Array
from simspec.methods.sqs.payload import check_binomial

__all__ = ["check_rank", "number_of", "places_of"]


def check_rank(name: str, rank: int, size: int, k: int, expected: str) -> int:
    """Return `rank` when it numbers one of the subsets of k of `size` places that can be written down.

    `name` is the argument that makes them many.

    >>> check_rank("vocab", 6, 4, 2, "the number of a subset, 0 to 5")
    Traceback (most recent call last):
    ...
    ValueError: rank: 6; expected the number of a subset, 0 to 5
    """
    check_memory(name, size, 16 * size)  # a mask and counts
    check_binomial(name, size, k)
    if not 0 <= rank < math.comb(size, k):
        raise ValueError(f"rank: {_short(rank)}; expected {expected}")
    return int(rank)


def number_of(name: str, places: Array) -> int:
    """Number of a subset of places (a mask, perhaps of length 0).

    >>> number_of("mask", np.array([True, False]))
    1
    """
    tokens = np.flatnonzero(places).tolist()
    check_binomial(name, len(places), len(tokens))

    def rank(begin: int, end: int, first: int, size: int) -> int:
        """Of tokens[begin:end] among the `size` places from `first` on."""
        k = end - begin
        if k in (0, size):
            return 0
        if k == 1:
            return first + size - 1 - tokens[begin]
        half = size // 2
        middle = bisect_left(tokens, first + half, begin, end)
        before = 0
        for j, term in _terms(half, size - half, k):
            if j == middle - begin:
                break
            before += term
        lower = rank(begin, middle, first, half)
        upper = rank(middle, end, first + half, size - half)
        return before + lower * math.comb(size - half, end - middle) + upper

    return rank(0, len(tokens), 0, len(places))


def places_of(rank: int, size: int, k: int) -> Array:
    """The mask of k places of `size` with a number that `check_rank` takes, the inverse of `number_of`.

    Raises ValueError for k below 0 or above `size`.

    >>> places_of(1, 2, 1).tolist()
    [True, False]
    """
    k = whole_number("k", k, 0, size, f"a number of places from 0 to {size}")
    mask = np.zeros(size, dtype=bool)

    def fill(rank: int, first: int, size: int, k: int) -> None:
        if k in (0, size):
            mask[first : first + k] = True
        elif k == 1:
            mask[first + size - 1 - rank] = True
        else:
            half = size // 2
            terms = _terms(half, size - half, k)
            j, term = next(terms)
            while rank >= term:
                rank -= term
                j, term = next(terms)
            lower, upper = divmod(rank, math.comb(size - half, k - j))
            fill(lower, first, half, j)
            fill(upper, first + half, size - half, k - j)

    fill(rank, 0, size, k)
    return mask


def _terms(a: int, b: int, k: int) -> Iterator[tuple[int, int]]:
    """(j, C(a, j) C(b, k - j)) for every j with a term that is not zero, rising."""
    j = max(0, k - b)
    term = math.comb(a, j) * math.comb(b, k - j)
    while True:
        yield j, term
        if j == min(a, k):
            return
        term = term * ((a - j) * (k - j)) // ((j + 1) * (b - k + j + 1))
        j += 1


def _short(number: int) -> str:
    return str(number) if abs(number) < 10**20 else f"a number of {number.bit_length()} bits"
