"""Parameters of a method: one number, checked, and brought into the arithmetic of the laws it meets."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from simspec.checks import check_memory, whole_number
from simspec.laws import Array, Scalar, is_exact

__all__ = ["check_horizon", "check_number", "check_probability", "number", "within"]


def check_number(name: str, value: Any, fits: Callable[[Any], bool], expected: str) -> Any:
    """Return `value` when it is one number that fits.

    Raises ValueError naming the argument, its value and what was expected; also for NaN, an array, and what is no
    number.

    >>> check_number("weight", 2, lambda v: 0 <= v <= 1, "a weight between 0 and 1")
    Traceback (most recent call last):
    ...
    ValueError: weight: 2; expected a weight between 0 and 1
    """
    try:
        good = np.ndim(value) == 0 and value is not None and bool(fits(value))
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ValueError(f"{name}: {value}; expected {expected}")
    return value.item() if isinstance(value, np.generic) else value


def check_probability(name: str, value: Scalar) -> None:
    """Refuse what is no probability, nor an array of them.

    >>> check_probability("miss", 1.5)
    Traceback (most recent call last):
    ...
    ValueError: miss: 1.5; expected a probability between 0 and 1
    """
    if not within(value, 1):
        raise ValueError(f"{name}: {value!r}; expected a probability between 0 and 1")


def within(value: Scalar | Array, limit: float) -> bool:
    """Whether numbers, one or an array of them, lie between 0 and a limit.

    >>> within([0, 0.5], 1), within("a", 1), within(np.nan, 1)
    (True, False, False)
    """
    try:
        return bool(np.all((np.asarray(value) >= 0) & (np.asarray(value) <= limit)))
    except (TypeError, ValueError):
        return False


LONGEST = 10**6
"""Most tokens of a text that is followed token by token: what takes longer is refused."""


def check_horizon(name: str, value: int, row: int = 0) -> int:
    """Return a number of tokens when a text of that length can be followed, and `row` bytes a token kept in memory.

    >>> check_horizon("horizon", 10**9)
    Traceback (most recent call last):
    ...
    ValueError: horizon: 1000000000; would take a step for each token, expected at most 1000000
    """
    value = whole_number(name, value, 0, None, "a number of tokens that is not negative")
    check_memory(name, value, (value + 1) * row)
    if value > LONGEST:
        raise ValueError(f"{name}: {value}; would take a step for each token, expected at most {LONGEST}")
    return value


def number(value: Scalar, like: Array) -> Any:
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
