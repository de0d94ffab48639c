"""Arguments made wrong: other shapes, types, ranges and sizes, from a seeded generator."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

__all__ = ["mutated", "spoil"]

WHOLE = (-1, 0, 1, 2, 3, 7, 10**6, 2**31 - 1, 2**31, 2**32, 2**39, 10**12, 2**62, 2**63 - 1, 2**63, 2**64, -(2**63))
REAL = (0.0, -0.5, 0.5, 1.0, 1.5, 5e-324, -1e300, 1e300, float("nan"), float("inf"), -float("inf"), 2.0**63)
OTHER = (None, "x", "", True, (), [], [[1, 2], [3]], {}, 1j, b"", object)
TYPES = ("f2", "f4", "f8", "i1", "i4", "i8", "u1", "u8", "?", "c16", "O", ">f8", ">i4", "U3", "M8[s]", "g")

Rng = np.random.Generator
Array = np.ndarray


def spoil(arguments: tuple[Any, ...], named: dict[str, Any], rng: Rng) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with one of them, sometimes two or three, made wrong."""
    args, kwargs = list(arguments), dict(named)
    places: list[Any] = [*range(len(args)), *kwargs]
    for _ in range(1 + int(rng.integers(3) == 0) + int(rng.integers(6) == 0)):
        if places:
            place = places[int(rng.integers(len(places)))]
            holder: Any = args if isinstance(place, int) else kwargs
            holder[place] = mutated(holder[place], rng)
    return tuple(args), kwargs


def mutated(value: Any, rng: Rng) -> Any:
    """A value near the one given, or far from it."""
    if rng.integers(12) == 0:
        return _one(OTHER, rng)
    if isinstance(value, bool | np.bool_ | str | bytes | None):
        return _one((*OTHER, not value, 2, "zz", b"\x00\xff"), rng)
    if isinstance(value, int | np.integer):
        return _one((*WHOLE, int(value) + 1, int(value) - 1, int(value) * 1000, float(value), *REAL[:9]), rng)
    if isinstance(value, float | np.floating):
        return _one((*REAL, float(value) * 1e6, -float(value), *WHOLE[:8]), rng)
    if isinstance(value, np.ndarray):
        return _array(value, rng)
    if isinstance(value, range):
        return _one((range(0), range(-3, 5), range(10**12), range(5, 2, -1), range(2**64 - 2, 2**64 + 2), [1.5]), rng)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _replaced(value, [f.name for f in dataclasses.fields(value) if f.init], dataclasses.replace, rng)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _replaced(value, value._fields, lambda x, **new: x._replace(**new), rng)
    if isinstance(value, list | tuple):
        return _sequence(value, rng)
    if isinstance(value, Mapping):
        key = _one(tuple(value) or ("x",), rng)
        return _one(({**value, key: mutated(value.get(key), rng)}, {k: v for k, v in value.items() if k != key}), rng)
    return _one((*OTHER, *WHOLE[:6]), rng)


def _one(values: Any, rng: Rng) -> Any:
    return values[int(rng.integers(len(values)))]


def _replaced(value: Any, names: Any, replace: Callable[..., Any], rng: Rng) -> Any:
    if not names:
        return None
    name = _one(tuple(names), rng)
    return replace(value, **{name: mutated(getattr(value, name), rng)})


def _sequence(value: Any, rng: Rng) -> Any:
    if rng.integers(2) == 0:
        try:
            return _array(np.asarray(value), rng)
        except ValueError:
            return None
    items = list(value)
    match int(rng.integers(4)):
        case 0:
            items = items[:-1]
        case 1:
            items = items + items
        case 2 if items:
            items[int(rng.integers(len(items)))] = mutated(_one(items, rng), rng)
        case _:
            items = items * 700
    return type(value)(items) if type(value) in (list, tuple) else items


def _array(x: Array, rng: Rng) -> Any:
    return _one((_reshaped, _reshaped, _retyped, _revalued, _revalued, _revalued), rng)(x, rng)


def _reshaped(x: Array, rng: Rng) -> Any:
    axis = int(rng.integers(max(x.ndim, 1)))
    shorter = x.take(range(max(x.shape[axis] - 1, 0)), axis=axis) if x.ndim else x
    longer = np.concatenate([x, x], axis=axis) if x.ndim else x
    wide = np.repeat(x, 40, axis=axis) if x.ndim and x.size < 10**5 else x
    huge = np.broadcast_to(x, (2**33, *x.shape)) if rng.integers(4) == 0 else x
    other = (
        shorter,
        longer,
        wide,
        x[None],
        x[..., None],
        x.ravel(),
        x.T,
        x[..., ::-1],
        x[:0] if x.ndim else x,
        x[..., ::2],
    )
    strange = (
        huge,
        x.sum() if x.dtype.kind in "fiu" else x,
        np.asfortranarray(x),
        x.tolist(),
        np.broadcast_to(x, (3, *x.shape)),
    )
    return _one(other + strange if x.ndim else (x[None], x[()]), rng)


def _retyped(x: Array, rng: Rng) -> Any:
    with np.errstate(all="ignore"):
        try:
            return x.astype(_one(TYPES, rng))
        except (TypeError, ValueError, OverflowError):
            return None


def _revalued(x: Array, rng: Rng) -> Any:
    made = x.copy()
    made.flags.writeable = True
    if not made.size:
        return None
    at = np.unravel_index(int(rng.integers(made.size)), made.shape)
    rest: Any = (slice(None),) * made.ndim if rng.integers(4) == 0 else at
    values = WHOLE if made.dtype.kind in "iu" else (*REAL, 2.0, 1e6, -3.0)
    try:
        made[rest] = _one(values, rng)
    except (OverflowError, TypeError, ValueError):
        return made.astype(np.float64) * -1e6 if made.dtype.kind in "iu" else None
    return made
