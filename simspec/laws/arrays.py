"""Arrays of numbers: what counts as one, and whether its arithmetic is exact."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from numbers import Number, Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_array", "as_fractions", "converted", "exact", "first", "inexact", "is_exact", "shape"]

Array = NDArray[Any]
"""A NumPy or CuPy array, or a NumPy object array of fractions; CuPy's are written as NumPy's, whose methods they have."""

Scalar = float | Fraction
"""One number: a float, an integer or a fraction; formulas run on each of them, and on certified enclosures of them."""

CURE = "powers, roots and logarithms of fractions: simspec.claims.balls"
"""What to do where a formula leaves the fractions."""


def shape(x: Array) -> tuple[int, ...]:
    """Shape as plain integers."""
    return tuple(np.shape(x))


def inexact(x: Array) -> Any | None:
    """First element of an object array whose arithmetic rounds (a float among fractions, a decimal); None without one.

    Integers, fractions and enclosures (`simspec.claims.balls`) do not round.
    """
    values = x.ravel().tolist()
    bad = tuple(t for t in set(map(type, values)) if _rounds(t))
    return next(v for v in values if isinstance(v, bad)) if bad else None


@lru_cache(maxsize=256)
def _rounds(kind: type) -> bool:
    """Whether arithmetic on numbers of a type rounds."""
    return issubclass(kind, Number) and not issubclass(kind, Rational)


@lru_cache(maxsize=256)
def _sound(kind: type) -> bool:
    """Whether elements of a type are numbers that are not rounded."""
    return hasattr(kind, "__truediv__") and not _rounds(kind)


def is_exact(x: Array) -> bool:
    """Whether arithmetic on `x` is exact: an object array whose elements are integers, fractions or enclosures.

    The elements decide, not the dtype: a power of a fraction is a float, and an object array holds it as well.

    >>> is_exact(np.array([1.0])), is_exact(np.array([1, 2], dtype=object)), is_exact(np.array([1, 0.5], dtype=object))
    (False, True, False)
    """
    return getattr(x, "dtype", None) == np.dtype(object) and inexact(x) is None


def as_array(x: Any, name: str) -> Array:
    """`x` as an array of real numbers with the vocabulary on its last axis; lists of numbers are converted, and so are
    PyTorch's and JAX's arrays that are on the CPU, of a type NumPy has, and without gradients.

    Raises
    ------
    ValueError
        naming the argument, for None, a single number, ragged lists, an empty vocabulary, booleans, text and complex
        numbers, and for floats among fractions.
    """
    if not (isinstance(getattr(x, "dtype", None), np.dtype) and hasattr(x, "__array_function__")):
        x = converted(x if x is not None else [], name, "rows of one length")
        if x.shape == (0,):
            raise ValueError(f"{name}: None or empty; expected an array with a last axis of at least one token")
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ValueError(f"{name}: shape {shape(x)}; expected a last axis of at least one token")
    kind = x.dtype.kind
    if kind == "b":
        raise ValueError(f"{name}: boolean; expected probabilities (a mask is normalised by `uniform`)")
    if kind == "O":
        _check_elements(x, name)
    elif kind not in "iuf":
        raise ValueError(f"{name}: dtype {x.dtype}; expected real numbers")
    return x


def converted(x: Any, name: str, expected: str) -> Array:
    """`x` as a NumPy array.

    Raises ValueError naming the argument, with the cure where it is a tensor that NumPy cannot read.

    >>> converted([0.5, 0.5], "p", "numbers").shape
    (2,)
    """
    try:
        return np.asarray(x)
    except (ValueError, TypeError, RuntimeError) as error:
        if hasattr(x, "detach"):
            cure = "a tensor on the CPU, without gradients, of a type NumPy has: x.detach().float().cpu()"
            raise ValueError(f"{name}: {type(x).__name__} that NumPy cannot read; expected {cure}") from None
        raise ValueError(f"{name}: {type(x).__name__} that is no array ({error}); expected {expected}") from None


def _check_elements(x: Array, name: str) -> None:
    if all(map(_sound, set(map(type, x.ravel().tolist())))):
        return
    strange = next((v for v in _one_of_each(x.ravel().tolist()) if not hasattr(v, "__truediv__")), None)
    if strange is not None or any(v is None for v in x.ravel().tolist()):
        raise ValueError(f"{name}: an element is {strange!r}; expected numbers")
    rounds = inexact(x)
    if rounds is not None:
        raise ValueError(
            f"{name}: floats among fractions ({rounds!r}); expected one arithmetic (convert floats with `exact`; {CURE})"
        )


def _one_of_each(values: Iterable[Any]) -> Iterable[Any]:
    return {type(v): v for v in values}.values()


def exact(x: Any) -> Array:
    """Object array of the fractions that the numbers of `x` are (floats convert without rounding); rows of numbers will do.

    Raises
    ------
    ValueError
        naming the first element that is no finite number.

    Examples
    --------
    >>> exact(np.array([1, 0.5])).tolist()
    [Fraction(1, 1), Fraction(1, 2)]
    """
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise ValueError(f"x: no array ({error}); expected rows of one length") from None
    flat = array.ravel().tolist()
    out = np.empty(len(flat), dtype=object)
    try:
        out[:] = [Fraction(v) for v in flat]
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"x: an element is {next(filter(_no_number, flat))!r}; expected finite numbers") from None
    return out.reshape(shape(array))


def _no_number(value: Any) -> bool:
    try:
        Fraction(value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return True
    return not isfinite(value)


def as_fractions(x: Any) -> Any:
    """Integers among exact numbers as fractions, so that dividing them stays exact; anything else passes.

    >>> as_fractions(np.array([2], dtype=object)).tolist(), as_fractions(np.array([2])).tolist()
    ([Fraction(2, 1)], [2])
    """
    if isinstance(x, int):
        return Fraction(x)
    if getattr(x, "dtype", None) != np.dtype(object):
        return x
    return _fractions(x)


_fractions = np.frompyfunc(lambda v: Fraction(v) if isinstance(v, int) else v, 1, 1)


def first(flags: Array) -> tuple[int, ...]:
    """Index of the first true element of a (possibly zero-dimensional) boolean array.

    >>> first(np.array([[False, False], [False, True]]))
    (1, 1)
    """
    flags = np.asarray(flags.get() if hasattr(flags, "get") else flags, dtype=bool)
    return tuple(int(i) for i in np.argwhere(flags)[0])
