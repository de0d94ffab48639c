"""Checks at the public door: each returns its argument or says which row of it is wrong, where, and what was expected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any

import numpy as np

from simspec.laws.arrays import CURE, Array, as_array, converted, first, shape

__all__ = [
    "any_mass",
    "check_arithmetic",
    "check_floats",
    "check_law",
    "check_logits",
    "check_mask",
    "check_masses",
    "check_pair",
]


def check_law(p: Array, name: str = "p") -> Array:
    r"""Return `p` unchanged when it is a law: finite, non-negative, each row summing to one.

    Exact arrays must sum to exactly 1; floating-point rows may miss 1 by at most :math:`8\sqrt V\,\epsilon` plus the
    rounding of 16- and 32-bit inputs (1e-6 relative), so that a law made by any softmax passes and a forgotten
    normalisation does not.

    Parameters
    ----------
    p : array (..., V), or lists of numbers
    name : str
        the argument's name, for the message.

    Raises
    ------
    ValueError
        naming the argument, the row, its value and what was expected; the usual cause is logits or counts passed
        where a law was expected.  Also for None, single numbers, ragged lists, and floats among fractions.

    Examples
    --------
    >>> check_law(np.array([0.25, 0.75])).sum()
    np.float64(1.0)
    >>> check_law(np.array([0.5, 0.25]), "q")
    Traceback (most recent call last):
    ...
    ValueError: q: row () sums to 0.75; a law sums to 1 over its last axis (normalise it, or apply softmax to logits)
    """
    p = as_array(p, name)
    if p.size == 0:
        return p
    _check_masses(p, name)
    if _any_mass.get():
        return p
    sums = p.sum(axis=-1)
    if p.dtype == object:
        bad = np.asarray(sums != 1)
    else:
        bad = ~(abs(sums - 1) <= 1e-6 + 8 * p.shape[-1] ** 0.5 * _ulp(p.dtype))
    if bad.any():
        row = first(bad)
        value = sums[row] if np.ndim(sums) else sums
        raise ValueError(
            f"{name}: row {row} sums to {_shown(value)}; a law sums to 1 over its last axis "
            "(normalise it, or apply softmax to logits)"
        )
    return p


_any_mass = ContextVar("any_mass", default=False)


@contextmanager
def any_mass() -> Iterator[None]:
    """Weights of any mass pass for laws meanwhile: two formulas that are one at laws may differ there.

    >>> with any_mass():
    ...     check_law(np.array([0.5, 0.25])).sum()
    np.float64(0.75)
    """
    token = _any_mass.set(True)
    try:
        yield
    finally:
        _any_mass.reset(token)


@cache
def _ulp(dtype: np.dtype[Any]) -> float:
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0


def _check_masses(x: Array, name: str) -> None:
    """Refuse a negative or NaN element (of enclosures, what is certainly negative)."""
    if 0 in x.strides:  # repeated rows are looked at once, however many they are
        x = x[tuple(slice(None if step else 1) for step in x.strides)]
    if x.dtype == object:
        try:
            bad = np.asarray(x < 0, dtype=bool)
        except TypeError:
            raise ValueError(f"{name}: elements that cannot be compared with 0; expected numbers") from None
        good = not bad.any()
    else:
        good = bool(x.min() >= 0)  # NaN spreads through min
    if good:
        return
    where = first(bad if x.dtype == object else ~(x >= 0))
    raise ValueError(
        f"{name}: row {where[:-1]} holds the mass {_shown(x[where])} at token {where[-1]}; "
        "expected masses that are finite and not negative"
    )


def _shown(value: Any) -> str:
    """A number for a message: fractions as they are, floats to six digits."""
    return f"{float(value):.6g}" if hasattr(value, "dtype") or isinstance(value, float) else str(value)


def check_masses(x: Array, name: str = "x") -> Array:
    """Return masses that are finite and not negative, rows of any sum, as an array.

    >>> check_masses([[1, -3]])
    Traceback (most recent call last):
    ...
    ValueError: x: row (0,) holds the mass -3 at token 1; expected masses that are finite and not negative
    """
    x = as_array(x, name)
    if x.size == 0:
        return x
    _check_masses(x, name)
    if x.dtype.kind == "f":
        with np.errstate(over="ignore"):
            sums = x.sum(axis=-1)
        if not bool((sums < np.inf).all()):
            raise ValueError(f"{name}: row {first(~(sums < np.inf))} sums to inf; expected masses with a finite sum")
    return x


def check_mask(shared: Array, vocab: int | None = None, name: str = "shared") -> Array:
    """Return `shared` as a boolean mask with at least one true element in every row.

    Raises
    ------
    ValueError
        for an empty shared vocabulary, a non-boolean mask or a wrong length.

    Examples
    --------
    >>> check_mask(np.array([False, False]))
    Traceback (most recent call last):
    ...
    ValueError: shared: no token is true; expected a shared vocabulary of at least one token
    """
    native = isinstance(getattr(shared, "dtype", None), np.dtype) and hasattr(shared, "__array_function__")
    mask = shared if native else converted(shared, name, "a boolean mask with one element per token")
    if mask.dtype != bool:
        raise ValueError(f"{name}: dtype {mask.dtype}; expected a boolean mask with one element per token")
    if mask.ndim == 0 or (vocab is not None and mask.shape[-1] != vocab):
        raise ValueError(f"{name}: shape {shape(mask)}; expected one element per token, (..., {vocab or 'V'})")
    if not mask.any(axis=-1).all():
        raise ValueError(f"{name}: no token is true; expected a shared vocabulary of at least one token")
    return mask


def check_pair(p: Array, q: Array, names: tuple[str, str] = ("p", "q")) -> tuple[Array, Array]:
    """Return two laws over one vocabulary and in one arithmetic (fractions or floats), checked.

    >>> check_pair(np.array([1.0]), np.array([0.5, 0.5]))
    Traceback (most recent call last):
    ...
    ValueError: q: 2 tokens where p has 1; expected laws over one vocabulary
    """
    p = check_law(p, names[0])
    q = check_law(q, names[1])
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(
            f"{names[1]}: {q.shape[-1]} tokens where {names[0]} has {p.shape[-1]}; expected laws over one vocabulary"
        )
    try:
        if p.shape != q.shape:
            np.broadcast_shapes(p.shape, q.shape)
    except ValueError:
        raise ValueError(
            f"{names[1]}: shape {shape(q)} where {names[0]} has {shape(p)}; expected leading axes that broadcast"
        ) from None
    check_arithmetic(q, p, names[1])
    return p, q


def check_arithmetic(x: Array, like: Array, name: str) -> None:
    """Refuse floats beside fractions, which together become floats, and enclosures beside fractions (integers pass).

    >>> check_arithmetic(np.array([0.5]), np.array([1], dtype=object), "q")
    Traceback (most recent call last):
    ...
    ValueError: q: float64 beside fractions; expected one arithmetic (convert floats with `exact`; powers, roots and
        logarithms of fractions: simspec.claims.balls)
    """
    if x.dtype == like.dtype != object:
        return
    arithmetic = _arithmetic(x)
    theirs = _arithmetic(like)
    if arithmetic and theirs and arithmetic != theirs and "fractions" in (arithmetic, theirs):
        raise ValueError(
            f"{name}: {arithmetic} beside {theirs}; expected one arithmetic (convert floats with `exact`; {CURE})"
        )


def _arithmetic(x: Array) -> str:
    """Floats of which size, fractions, or enclosures; nothing for integers, which suit all."""
    if x.dtype.kind == "f":
        return str(x.dtype)
    if x.dtype != object:
        return ""
    return "enclosures" if any(map(_encloses, set(map(type, x.ravel().tolist())))) else "fractions"


@lru_cache(maxsize=256)
def _encloses(kind: type) -> bool:
    return kind.__module__.startswith("flint")


def check_floats(p: Array, name: str, quantity: str) -> None:
    """Refuse fractions where a logarithm is taken; arrays of enclosures pass.

    >>> check_floats(np.array([1], dtype=object), "p", "an entropy")
    Traceback (most recent call last):
    ...
    ValueError: p: fractions, of which an entropy is not exact; expected floats (powers, roots and logarithms of
        fractions: simspec.claims.balls)
    """
    if p.dtype == object and not all(hasattr(v, "log") for v in p.ravel().tolist()):
        raise ValueError(f"{name}: fractions, of which {quantity} is not exact; expected floats ({CURE})")


def check_logits(z: Array, name: str) -> Array:
    """Return logits as an array of floats with a largest one in every row; minus infinity is a token never drawn."""
    z = as_array(z, name)
    if z.dtype == object:
        raise ValueError(f"{name}: fractions, of which an exponential is not exact; expected floats ({CURE})")
    if z.dtype.kind != "f":
        z = z.astype(np.float64)
    if z.size:
        top = z.max(axis=-1)  # NaN spreads through max
        bad = ~(abs(top) < np.inf)
        if bad.any():
            row = first(bad)
            raise ValueError(
                f"{name}: row {row} has the largest logit {float(top[row] if top.ndim else top)}; expected logits that "
                "are finite or minus infinity, with at least one finite in each row"
            )
    return z
