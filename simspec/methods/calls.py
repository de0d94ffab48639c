"""What made a rule, or one of its maps: a function and its arguments, by which it prints, compares and pickles.

A rule is made of closures, which print as addresses, differ whenever they are made, and do not travel to other
processes; the call that made them does all three.  `simspec.methods.method.Method` carries one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from functools import cached_property, partial, update_wrapper
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Call", "Constant", "Map", "alike", "written"]

SHORT = 8
"""Entries of an array that is written out."""


class Call:
    """A function and what it was given.

    Arrays are kept as they are, not copied: who changes one afterwards changes the rule.

    >>> Call(round, 1.25, ndigits=1), Call(round, 1.25, 1) == Call(round, 1.25, ndigits=1)
    (round(1.25, ndigits=1), True)
    """

    def __init__(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
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
        arguments = self._with_defaults()
        theirs = other._with_defaults()
        return arguments.keys() == theirs.keys() and all(
            alike(value, theirs[name]) for name, value in arguments.items()
        )

    def __hash__(self) -> int:
        return hash(self.function)

    def _with_defaults(self) -> dict[str, Any]:
        defaults = {n: p.default for n, p in inspect.signature(self.function).parameters.items()}
        return {**defaults, **self.arguments}

    def __repr__(self) -> str:
        """As it is typed, without arguments that are the default."""
        parts = []
        parameters = inspect.signature(self.function).parameters
        for name, value in self.arguments.items():
            default = parameters[name].default
            if default is inspect.Parameter.empty:
                parts.append(written(value))
            elif not alike(value, default):
                parts.append(f"{name}={written(value)}")
        return f"{self.function.__name__}({', '.join(parts)})"


class Constant(NamedTuple):
    """A value that stands in a module under a name, such as speculative decoding.

    >>> Constant("math", "pi"), Constant("math", "pi").again()()
    (pi, 3.141592653589793)
    """

    module: str
    name: str

    def again(self) -> partial[Any]:
        """What gives the same value once more."""
        return partial(_constant, *self)

    def __repr__(self) -> str:
        return self.name


def _constant(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


class Map:
    """A map of laws that knows the call that made it; otherwise the function that it wraps.

    >>> from simspec.methods import dense
    >>> dense(np.eye(2)), dense(np.eye(2)) == dense(np.eye(2))
    (dense(<float64 array (2, 2)>), True)
    """

    __wrapped__: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], call: Call) -> None:
        update_wrapper(self, function)
        self.call = call

    def __call__(self, *laws: Any) -> Any:
        return self.__wrapped__(*laws)

    def __eq__(self, other: object) -> bool:
        return self.call == other.call if isinstance(other, Map) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.call)

    def __repr__(self) -> str:
        return repr(self.call)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.call.again(), ()


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
    if isinstance(a, tuple) and isinstance(b, tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
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
    if isinstance(value, Map | tuple) or not callable(value):
        return repr(value)
    return getattr(value, "__name__", type(value).__name__)
