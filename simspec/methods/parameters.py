"""Parameters of a method: one number, checked, and brought into the arithmetic of the laws it meets."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from simspec.laws import Array, is_exact

__all__ = ["check_number", "number"]


def check_number(name: str, value: Any, fits: Callable[[Any], bool], expected: str) -> Any:
    """Return `value` when it is one number that fits.

    Raises
    ------
    ValueError
        naming the argument, its value and what was expected; also for NaN, an array, and what is no number.

    Examples
    --------
    >>> check_number("weight", 2, lambda v: 0 <= v <= 1, "a weight between 0 and 1")
    Traceback (most recent call last):
    ...
    ValueError: weight: 2; expected a weight between 0 and 1
    """
    try:
        good = np.ndim(value) == 0 and bool(fits(value))
    except TypeError:
        good = False
    if not good:
        raise ValueError(f"{name}: {value}; expected {expected}")
    return value.item() if isinstance(value, np.generic) else value


def number(value: Any, like: Array) -> Any:
    """A parameter in the arithmetic of an array: a fraction beside fractions, a Python float beside floats.

    So 0.5 keeps exact laws exact, and a fraction or a float64 parameter keeps float32 laws in float32.  A parameter beyond
    the range of the array's floats is moved to the end of the range: it becomes neither infinite nor zero.

    >>> number(0.5, like=np.array([1], dtype=object)), number(Fraction(1, 2), like=np.array([1.0]))
    (Fraction(1, 2), 0.5)
    """
    value = value.item() if isinstance(value, np.generic) else value
    if is_exact(like):
        return Fraction(value) if isinstance(value, int | float) else value
    kind = np.finfo(like.dtype if like.dtype.kind == "f" else np.float64)
    if value:
        size = min(max(abs(value), Fraction(float(kind.tiny))), Fraction(float(kind.max)))
        value = value if size == abs(value) else float(size if value > 0 else -size)
    return float(value) if isinstance(value, Fraction) else value
