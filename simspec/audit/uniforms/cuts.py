"""Where a uniform changes what a sampler does: places that the laws suggest, and fractions recognised in measured places.

A uniform u that is compared with p/q, or with a cumulative sum, cuts [0, 1) at a rational of the inputs.  Bisection finds
the place to 2^-46; a fraction is recognised there when one of the suggested places lies within the tolerance, or when
the simplest fraction within it is so simple that chance alone would hardly put it there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from simspec.audit.levels import Laws
from simspec.laws import Array

__all__ = ["FINE", "Cut", "on_grid", "recognised", "simplest", "suggested", "suggested_later", "suggested_on_grid"]

FINE = 2.0**-42
COARSE = 2.0**-22
"""How far a cut may be from a fraction: for code in double precision, and in single."""
SIMPLE = {FINE: 2**16, COARSE: 2**6}
"""Largest denominator that is recognised within each: (denominator)^2 times the tolerance is at most 2^-10."""

SIBLINGS = 3
"""Most siblings of a node whose places are computed: they are V^2 times as many with each further one."""


class Cut(NamedTuple):
    """A place in [0, 1] where a uniform changes what is emitted.

    Attributes
    ----------
    at : Fraction
    slack : float; the cut lies within this of `at`: 0 where it was recognised as a fraction
    rounding : float; where it was recognised, how far from `at` the code cuts at most
    """

    at: Fraction
    slack: float = 0.0
    rounding: float = 0.0

    @property
    def margin(self) -> float:
        """How far from it a uniform is surely on one side."""
        return self.slack + self.rounding + 2.0**-48


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of smallest denominator in [low, high], 0 <= low <= high.

    >>> from fractions import Fraction
    >>> print(simplest(Fraction(332, 1000), Fraction(334, 1000)))
    1/3
    """
    integer_part = -(-low.numerator // low.denominator)
    if integer_part <= high:
        return Fraction(integer_part)
    integer_part -= 1
    return integer_part + 1 / simplest(1 / (high - integer_part), 1 / (low - integer_part))


def suggested(p: Laws, q: Laws) -> list[Fraction]:
    """Places in (0, 1) where a verifier may cut a uniform: masses, ratios of masses, cumulative sums of laws and residuals.

    Parameters
    ----------
    p, q : arrays of fractions (gamma + 1, V) and (gamma, V), or levels of a tree

    >>> from simspec.laws import exact
    >>> print(*suggested(exact(np.array([[0.25, 0.75], [1.0, 0.0]])), exact(np.array([[0.5, 0.5]]))))
    1/4 1/2 2/3 3/4
    """
    places: set[Fraction] = {Fraction(1, 2)}
    for row in (*_rows(p), *_rows(q)):
        places.update(_sums(row))
        places.update(row)
    for a, b in zip(_rows(p[: len(q)]), _rows(q), strict=True):
        places.update(x / y for x, y in zip(a, b, strict=True) if y)
        places.update(y / x for x, y in zip(a, b, strict=True) if x)
        residual = np.maximum(a - b, 0 * a)
        if residual.any():
            places.update(_sums(residual))
    return sorted(Fraction(x) for x in places if 0 < x < 1)


def suggested_later(p: Laws, q: Laws, siblings: int) -> list[Fraction]:
    """Places in (0, 1) where a verifier of several siblings may cut the uniforms of the second one, and of later ones.

    The target of a sibling is what those refused before have left of p, divided by its sum; its draft law is q, or q
    without these tokens.  Of more than `SIBLINGS` siblings the places of the first ones are given.

    >>> from simspec.laws import exact
    >>> p, q = exact(np.array([[9, 5, 2], [16, 0, 0]]) / 16), exact(np.array([[8, 3, 5]]) / 16)
    >>> Fraction(2, 3) in suggested_later(p, q, 2)  # r/q of token 0: (1/3) / (1/2)
    True
    """
    places: set[Fraction] = set()
    for target, draft in zip(_rows(p[: len(q)]), _rows(q), strict=True):
        _add_later(places, target, draft, draft, min(siblings, SIBLINGS) - 1)
    return sorted(x for x in places if 0 < x < 1)


def _add_later(places: set[Fraction], target: Array, draft: Array, without: Array, siblings: int) -> None:
    """Add the places of so many siblings that follow a refusal under a target, by a draft law or by what it has left."""
    if siblings <= 0:
        return
    for law in (draft, without):
        rest = np.maximum(target - law, 0 * target)
        rest = rest / rest.sum() if rest.any() else target
        for token in np.flatnonzero(without):
            fewer = without.copy()
            fewer[token] = 0
            fewer = fewer / fewer.sum() if fewer.any() else draft
            for next_law in (draft, fewer):
                places.update(Fraction(x) / y for x, y in zip(rest, next_law, strict=True) if y)
                residual = np.maximum(rest - next_law, 0 * rest)
                places.update(_sums(residual) if residual.any() else _sums(rest))
            _add_later(places, rest, draft, fewer, siblings - 1)


def _rows(laws: Laws) -> list[Array]:
    return [row for level in laws for row in level.reshape(-1, level.shape[-1])]


def _sums(weights: Array) -> list[Fraction]:
    sums = np.cumsum(weights)
    return [Fraction(x) / Fraction(sums[-1]) for x in sums]


def suggested_on_grid(places: list[Fraction], bits: int) -> list[Fraction]:
    """Multiples of 2^-bits around each of some places, and those next to 0 and 1: where uniforms on a grid may be cut.

    >>> print(*suggested_on_grid([Fraction(1, 3)], 3))
    1/8 1/4 3/8 7/8
    """
    step = Fraction(1, 2**bits)
    on_grid = {step, 1 - step}
    for place in places:
        below = place * 2**bits // 1 * step
        on_grid.update((below, below + step))
    return sorted(x for x in on_grid if 0 < x < 1)


def on_grid(high: float, bits: int) -> Cut:
    """The cut just below or at a place, where uniforms are multiples of 2^-bits: it is one of these, exactly.

    >>> print(on_grid(0.2500001, 8).at)
    1/4
    """
    return Cut(Fraction(int(high * 2**bits), 2**bits))


def recognised(low: float, high: float, suggestions: list[Fraction]) -> Cut:
    """The cut that lies between two floats, as a fraction where one is recognised; `suggestions` places come in order.

    >>> print(recognised(0.33333333333333, 0.33333333333334, []).at)
    1/3
    >>> recognised(0.7182818284590, 0.7182818284591, []).slack > 0
    True
    """
    exact_low = Fraction(low)
    exact_high = Fraction(high)
    for tolerance in (FINE, COARSE):
        reach = Fraction(tolerance)
        near = (max(exact_low - reach, Fraction(0)), min(exact_high + reach, Fraction(1)))
        inside = suggestions[bisect_left(suggestions, near[0]) : bisect_right(suggestions, near[1])]
        candidate = inside[0] if len(inside) == 1 else simplest(*near)
        if len(inside) == 1 or candidate.denominator <= SIMPLE[tolerance]:
            return Cut(candidate, 0.0, float(max(abs(candidate - exact_low), abs(exact_high - candidate))))
    middle = (exact_low + exact_high) / 2
    return Cut(middle, float((exact_high - exact_low) / 2))
