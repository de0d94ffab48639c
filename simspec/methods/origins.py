"""What made a rule, or one of its maps: a function and its arguments, by which it prints, compares and pickles.

A rule is made of closures, which print as addresses, differ whenever they are made, and do not travel to other
processes; the call that made them does all three.  How a `Method` uses it is `simspec.methods.naming`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from fractions import Fraction
from functools import cached_property, partial, update_wrapper, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

__all__ = ["Call", "NamedMap", "alike", "named", "written"]

SHORT = 8
"""Entries of an array that is written out."""
P = ParamSpec("P")
T = TypeVar("T")


class Call:
    """A function and what it was given.

    Arrays are kept as they are, not copied: who changes one afterwards changes the rule.

    >>> Call(round, (1.25,), {"ndigits": 1}), Call(round, (1.25, 1), {}) == Call(round, (1.25,), {"ndigits": 1})
    (round(1.25, ndigits=1), True)
    """

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self.function = function
        self._given = [deepcopy(x) if isinstance(x, list) else x for x in args], dict(kwargs)

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """What was given, by name."""
        args, kwargs = self._given
        return dict(inspect.signature(self.function).bind(*args, **kwargs).arguments)

    def again(self) -> partial[Any]:
        """What makes the same once more, and can be pickled where the function and its arguments can."""
        args, kwargs = self._given
        return partial(self.function, *args, **kwargs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Call) or self.function is not other.function:
            return False
        mine, theirs = (self._whole(), other._whole())
        return mine.keys() == theirs.keys() and all(alike(value, theirs[name]) for name, value in mine.items())

    def __hash__(self) -> int:
        return hash(self.function)

    def _whole(self) -> dict[str, Any]:
        defaults = {n: p.default for n, p in inspect.signature(self.function).parameters.items()}
        return {**defaults, **self.arguments}

    def __repr__(self) -> str:
        parts, known = [], inspect.signature(self.function).parameters
        for name, value in self.arguments.items():
            default = known[name].default
            if default is inspect.Parameter.empty:
                parts.append(written(value))
            elif not alike(value, default):
                parts.append(f"{name}={written(value)}")
        return f"{self.function.__name__}({', '.join(parts)})"


class NamedMap:
    """A map of laws that knows the call that made it; otherwise the function that it wraps.

    >>> from simspec.methods import dense
    >>> dense(np.eye(2)), dense(np.eye(2)) == dense(np.eye(2))
    (dense(<float64 array (2, 2)>), True)
    """

    __wrapped__: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], origin: Call) -> None:
        update_wrapper(self, function)
        self.origin = origin

    def __call__(self, *laws: Any) -> Any:
        return self.__wrapped__(*laws)

    def __eq__(self, other: object) -> bool:
        return self.origin == other.origin if isinstance(other, NamedMap) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.origin)

    def __repr__(self) -> str:
        return repr(self.origin)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.origin.again(), ()


def named(factory: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that makes a rule or a map of laws, so that what it makes prints, compares and pickles.

    Pickling needs a function of a module, as it does of any function.

    >>> from simspec.methods import SD, Method, acceptance_rate
    >>> @named
    ... def scaled(share: float) -> Method:
    ...     return SD._replace(keep=lambda p, d: share * SD.accept(p, d))
    >>> scaled(0.5), scaled(0.5) == scaled(share=0.5), scaled(0.5) == scaled(0.25)
    (scaled(0.5), True, False)
    """

    @wraps(factory)
    def made(*args: P.args, **kwargs: P.kwargs) -> T:
        found: Any = factory(*args, **kwargs)
        origin = Call(made, args, kwargs)
        if callable(found):
            return NamedMap(found, origin)  # type: ignore[return-value]
        from simspec.methods.naming import NamedMethod  # which needs `Method`, and `Method`'s file needs this one

        return NamedMethod.of(found, origin)

    return made


def alike(a: Any, b: Any) -> bool:
    """Whether two arguments are the same, arrays by their elements and their type.

    >>> alike(np.array([1, 2]), np.array([1, 2])), alike(np.array([1.0]), np.array([1])), alike(0.5, Fraction(1, 2))
    (True, False, True)
    """
    if a is b:
        return True
    if hasattr(a, "dtype") and hasattr(b, "dtype"):
        return a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())
    if hasattr(a, "shape") or hasattr(b, "shape"):
        return False
    return bool(a == b)


def written(value: Any) -> str:
    """An argument for reading: fractions and numbers as they are, functions by name, long arrays by their shape.

    >>> written(Fraction(1, 10)), written(np.array([True, False])), written(np.zeros(100)), written(len)
    ('1/10', '[True, False]', '<float64 array (100,)>', 'len')
    """
    if isinstance(value, np.generic):
        return written(value.item())
    if hasattr(value, "dtype"):
        if np.ndim(value) == 1 and len(value) <= SHORT:
            return written(value.tolist())
        return f"<{value.dtype} array {tuple(value.shape)}>"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, NamedMap | tuple) or not callable(value):
        return repr(value)
    return getattr(value, "__name__", type(value).__name__)
