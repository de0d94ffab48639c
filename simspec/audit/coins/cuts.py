"""Where a coin changes what a sampler does: places that the laws suggest, and fractions recognised in measured places.

A coin u that is compared with p/q, or with a cumulative sum, cuts [0, 1) at a rational of the inputs.  Bisection finds
the place to 2^-46; a fraction is recognised there when one of the suggested places lies within the tolerance, or when
the simplest fraction within it is so simple that chance alone would hardly put it there.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from simspec.audit.levels import Laws
from simspec.laws import Array

__all__ = ["FINE", "Cut", "on_grid", "recognised", "simplest", "suggested", "suggested_on_grid"]

FINE, COARSE = 2.0**-42, 2.0**-22
"""How far a cut may be from a fraction: for code in double precision, and in single."""
SIMPLE = {FINE: 2**16, COARSE: 2**6}
"""Largest denominator that is recognised within each: (denominator)^2 times the tolerance is at most 2^-10."""


class Cut(NamedTuple):
    """A place in [0, 1] where a coin changes what is emitted.

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
        """How far from it a coin is surely on one side."""
        return self.slack + self.rounding + 2.0**-48


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of smallest denominator in [low, high], 0 <= low <= high.

    >>> from fractions import Fraction
    >>> print(simplest(Fraction(332, 1000), Fraction(334, 1000)))
    1/3
    """
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    whole -= 1
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))


def suggested(p: Laws, q: Laws) -> list[Fraction]:
    """Places in (0, 1) where a verifier may cut a coin: masses, ratios of masses, cumulative sums of laws and residuals.

    Parameters
    ----------
    p, q : arrays of fractions (gamma + 1, V) and (gamma, V), or levels of a tree

    >>> from simspec.laws import exact
    >>> print(*suggested(exact(np.array([[0.25, 0.75], [1.0, 0.0]])), exact(np.array([[0.5, 0.5]]))))
    1/4 1/2 2/3 3/4
    """
    found: set[Fraction] = {Fraction(1, 2)}
    for row in (*_rows(p), *_rows(q)):
        found.update(_sums(row))
        found.update(row)
    for a, b in zip(_rows(p[: len(q)]), _rows(q), strict=True):
        found.update(x / y for x, y in zip(a, b, strict=True) if y)
        found.update(y / x for x, y in zip(a, b, strict=True) if x)
        left = np.maximum(a - b, 0 * a)
        if left.any():
            found.update(_sums(left))
    return sorted(Fraction(x) for x in found if 0 < x < 1)


def _rows(laws: Laws) -> list[Array]:
    return [row for level in laws for row in level.reshape(-1, level.shape[-1])]


def _sums(weights: Array) -> list[Fraction]:
    sums = np.cumsum(weights)
    return [Fraction(x) / Fraction(sums[-1]) for x in sums]


def suggested_on_grid(places: list[Fraction], bits: int) -> list[Fraction]:
    """Multiples of 2^-bits around each of some places, and those next to 0 and 1: where coins on a grid may be cut.

    >>> print(*suggested_on_grid([Fraction(1, 3)], 3))
    1/8 1/4 3/8 7/8
    """
    step = Fraction(1, 2**bits)
    found = {step, 1 - step}
    for place in places:
        below = place * 2**bits // 1 * step
        found.update((below, below + step))
    return sorted(x for x in found if 0 < x < 1)


def on_grid(high: float, bits: int) -> Cut:
    """The cut just below or at a place, where coins are multiples of 2^-bits: it is one of these, exactly.

    >>> print(on_grid(0.2500001, 8).at)
    1/4
    """
    return Cut(Fraction(int(high * 2**bits), 2**bits))


def recognised(low: float, high: float, known: list[Fraction]) -> Cut:
    """The cut that lies between two floats, as a fraction where one is recognised.

    >>> print(recognised(0.33333333333333, 0.33333333333334, []).at)
    1/3
    >>> recognised(0.7182818284590, 0.7182818284591, []).slack > 0
    True
    """
    exact_low, exact_high = Fraction(low), Fraction(high)
    for tolerance in (FINE, COARSE):
        reach = Fraction(tolerance)
        near = (max(exact_low - reach, Fraction(0)), min(exact_high + reach, Fraction(1)))
        inside = [x for x in known if near[0] <= x <= near[1]]
        one = inside[0] if len(inside) == 1 else simplest(*near)
        if len(inside) == 1 or one.denominator <= SIMPLE[tolerance]:
            return Cut(one, 0.0, float(max(abs(one - exact_low), abs(exact_high - one))))
    middle = (exact_low + exact_high) / 2
    return Cut(middle, float((exact_high - exact_low) / 2))
