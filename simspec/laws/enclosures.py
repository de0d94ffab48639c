"""Enclosures among exact numbers: balls (python-flint's `arb`) that certainly contain what they stand for.

`simspec.claims.balls` makes them; here they are brought together with fractions, with which Python does not add them, and
divided where the divisor may be zero.  Nothing here loads python-flint.
"""

from __future__ import annotations

from numbers import Rational
from typing import Any

import numpy as np

from simspec.laws.arrays import Array, first

__all__ = ["check_finite", "encloses", "shares", "smaller", "together"]


def _kind(x: Any) -> type | None:
    """The type of the enclosures that an array holds; None where it holds none."""
    if getattr(x, "dtype", None) != np.dtype(object):
        return None
    return next((kind for kind in set(map(type, x.ravel().tolist())) if kind.__module__.startswith("flint")), None)


def encloses(x: Any) -> bool:
    """Whether some element of an array is an enclosure.

    >>> encloses(np.array([0.5])), encloses(np.array([1], dtype=object))
    (False, False)
    """
    return _kind(x) is not None


def together(*arrays: Array) -> tuple[Array, ...]:
    """The same arrays; where one of them holds enclosures, those of fractions and integers become enclosures too.

    Floats stay what they are: no enclosure contains what they were rounded from.

    >>> from simspec.claims.balls import enclose
    >>> from simspec.laws import exact
    >>> [float(x.sum()) for x in together(exact([1, 2]), enclose(exact([1, 2])))]
    [3.0, 3.0]
    """
    kind = next((kind for kind in map(_kind, arrays) if kind is not None), None)
    return arrays if kind is None else tuple(_enclosed(x, kind) for x in arrays)


def _enclosed(x: Array, kind: Any) -> Array:
    if getattr(x, "dtype", np.dtype(float)).kind not in "iuO":
        return x
    return np.frompyfunc(lambda v: kind(v.numerator) / v.denominator if isinstance(v, Rational) else v, 1, 1)(
        x.astype(object)
    )


def shares(numerator: Array, denominator: Array, otherwise: Any = 0) -> Array:
    """Enclosures of part/whole for 0 <= part <= whole; `otherwise` where the whole is 0.

    Where the whole may be 0 and need not be, nothing is divided: a share is between 0 and 1, whatever the whole is.
    `otherwise` must be between 0 and 1, too.

    >>> from simspec.claims.balls import enclose, power
    >>> nothing = power(enclose(np.array([2])), 2) - power(4, 1)  # 0, but for the width of an enclosure
    >>> float(shares(nothing, nothing).sum()) in (0.0, 0.5)
    True
    """
    return np.frompyfunc(_share, 3, 1)(numerator, denominator, otherwise)


def _share(numerator: Any, denominator: Any, otherwise: Any) -> Any:
    if denominator == 0:  # certainly
        return otherwise
    return (
        numerator / denominator if denominator != 0 else type(denominator)(0.5, 0.5)
    )  # the ball around 1/2 that reaches from 0 to 1


def smaller(x: Array, y: Array) -> Array:
    """The smaller of two numbers, element by element: `np.minimum`, and of enclosures one of the smaller number.

    >>> smaller(np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.25]
    """
    if not (encloses(x) or encloses(y)):
        return np.minimum(x, y)
    return np.frompyfunc(lambda a, b: a.min(b), 2, 1)(*together(x, y))


def check_finite(x: Array, name: str) -> None:
    """Refuse enclosures that are not finite, as a quotient by one that contains 0 is, by row and token."""
    if not encloses(x):
        return
    bad = np.frompyfunc(lambda v: hasattr(v, "is_finite") and not v.is_finite(), 1, 1)(x).astype(bool)
    if bad.any():
        where = first(bad)
        raise ValueError(
            f"{name}: row {where[:-1]} holds {x[where]} at token {where[-1]}; expected finite enclosures (a quotient by one "
            "that contains 0 is none: `leftover(keep)` and `simspec.laws.enclosures.shares` divide by none)"
        )
