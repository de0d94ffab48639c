"""Methods by name: what made one, how it prints, when two are the same, and how it is pickled.

`ears(1/10)` is such a name, and so is ``ears(1/10)._replace(residual=fresh)``.  A method of closures that nothing named
prints the names of its maps, equals what has the same maps, and pickles where they do.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from simspec.methods.calls import Call, alike, written
from simspec.methods.method import Method
from simspec.methods.sd import SD

__all__ = ["Change", "NamedMethod"]


class Change:
    """A method, and the maps that stand in place of its own.

    >>> Change(SD, {"residual": SD.keep})
    SD._replace(residual=_keep)
    """

    base: Method
    maps: dict[str, Any]

    def __init__(self, base: Method, maps: Mapping[str, Any]) -> None:
        origin = getattr(base, "origin", None)
        if isinstance(origin, Change):  # a change of a change is one
            base, maps = origin.base, {**origin.maps, **maps}
        self.base, self.maps = base, dict(maps)

    def again(self) -> partial[Method]:
        """What makes the same once more."""
        return partial(_changed, self.base, self.maps)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Change) or self.base != other.base or self.maps.keys() != other.maps.keys():
            return False
        return all(alike(value, other.maps[name]) for name, value in self.maps.items())

    def __hash__(self) -> int:
        return hash(tuple(self.maps))

    def __repr__(self) -> str:
        return f"{self.base!r}._replace({', '.join(f'{name}={written(value)}' for name, value in self.maps.items())})"


class NamedMethod(Method):
    """A Method that knows what made it; in all else one.

    >>> from simspec.methods import ears
    >>> isinstance(ears(0.5), Method), ears(0.5), ears(0.5) == ears(0.5)
    (True, ears(0.5), True)
    """

    origin: Call | Change

    @classmethod
    def of(cls, method: Method, origin: Call | Change) -> Any:
        """The same three maps, with what made them."""
        made = cls._make(method)
        made.origin = origin
        return made


NamedMethod.__name__ = NamedMethod.__qualname__ = "Method"  # as messages call it, and fingerprints of studies


def _changed(base: Method, maps: dict[str, Any]) -> Method:
    return base._replace(**maps)


def _repr(method: Method) -> str:
    """The name where there is one; else the maps by name, without the addresses that differ at every run."""
    if method is SD:
        return "SD"
    origin = getattr(method, "origin", None)
    return (
        repr(origin) if origin else f"Method({', '.join(getattr(f, '__qualname__', type(f).__name__) for f in method)})"
    )


def _equal(method: Method, other: object) -> bool:
    if not isinstance(other, Method):
        return False
    mine, theirs = getattr(method, "origin", None), getattr(other, "origin", None)
    return tuple.__eq__(method, other) or (mine is not None and mine == theirs)


def _unequal(method: Method, other: object) -> bool:
    return not _equal(method, other)


def _hash(method: Method) -> int:
    """From the names of the maps: the same for methods that are equal because one call made them."""
    return hash(tuple(getattr(f, "__qualname__", type(f).__name__) for f in method))


def _reduce(method: Method) -> tuple[Any, ...]:
    if method is SD:
        return _sd, ()
    origin = getattr(method, "origin", None)
    return (origin.again(), ()) if origin else (Method, tuple(method))


def _sd() -> Method:
    return SD


_plain_replace = Method._replace


def _replace(method: Method, /, **maps: Any) -> Method:
    """The method with other maps in place of some; refuses names that are no map's."""
    made = _plain_replace(Method(*method), **maps)
    return NamedMethod.of(made, Change(method, maps))


# given from here, since they are no part of what a method computes: the class's own text enters fingerprints of studies
for _name, _given in {
    "__repr__": _repr,
    "__eq__": _equal,
    "__ne__": _unequal,
    "__hash__": _hash,
    "__reduce__": _reduce,
    "_replace": _replace,
    "__replace__": _replace,
}.items():
    setattr(Method, _name, _given)
