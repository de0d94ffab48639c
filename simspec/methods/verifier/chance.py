"""Programs with chance: one body that is both enumerated, exactly, and run with uniforms.

A program asks a `Chance` for every random decision.  `every` runs it once for each sequence of decisions and multiplies
their probabilities; `UniformChance` runs it with uniform random numbers, `many` runs many calls at once.  So a rule is written
once, as it is told in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array, Scalar

__all__ = ["Chance", "SharedUniform", "UniformChance", "every", "many"]

T = TypeVar("T")
Uniforms = Callable[[int, NDArray[np.int64]], NDArray[np.float64]]


class Chance(Protocol):
    """What a program asks for its random decisions."""

    def draw(self, weights: Sequence[Any] | Array) -> int:
        """A place i, with probability weights[i] / sum of the weights: none negative, some positive."""
        ...

    def keep(self, mass: Scalar, total: Scalar) -> bool:
        """Yes with probability min(1, part / whole): whether u * whole < part for a uniform u in [0, 1)."""
        ...


class _Script:
    """Chance that follows earlier decisions, then takes the first that is possible and remembers the others."""

    def __init__(self, decided: list[tuple[int, Any]]) -> None:
        self.decided, self.weight, self.at = decided, 1, 0
        self.others: list[list[tuple[int, Any]]] = []

    def draw(self, weights: Sequence[Any] | Array) -> int:
        if self.at == len(self.decided):
            total = sum(weights)
            total = Fraction(total) if isinstance(total, int) else total
            ways = [(i, w / total) for i, w in enumerate(weights) if w > 0]
            if not ways:
                raise ValueError(f"weights: {list(weights)}; expected one that is positive")
            self.others += [[*self.decided, way] for way in ways[:0:-1]]
            self.decided = [*self.decided, ways[0]]
        choice, probability = self.decided[self.at]
        self.at += 1
        self.weight = self.weight * probability
        return choice

    def keep(self, mass: Scalar, total: Scalar) -> bool:
        if mass <= 0:
            return False
        return mass >= total or self.draw([mass, total - mass]) == 0


def every(program: Callable[[Chance], T]) -> Iterator[tuple[Any, T]]:
    """Every way in which a program can go: probability and result, in the order of its decisions.

    The program must be pure but for its chance, and ask for finitely many decisions.  Exact on fractions.

    >>> from fractions import Fraction
    >>> third = Fraction(1, 3)
    >>> for probability, heads in every(lambda chance: chance.keep(third, 1) + chance.keep(third, 1)):
    ...     print(probability, heads)
    1/9 2
    2/9 1
    2/9 1
    4/9 0
    """
    scripts: list[list[tuple[int, Any]]] = [[]]
    while scripts:
        script = _Script(scripts.pop())
        result = program(script)
        scripts += script.others
        yield script.weight, result


class UniformChance:
    """Chance from uniform random numbers in [0, 1): `draw` inverts the cumulative weights.

    >>> uniforms = iter([0.5, 0.2])
    >>> chance = UniformChance(lambda: next(uniforms))
    >>> chance.draw([1, 3]), chance.keep(1, 4)
    (1, True)
    """

    def __init__(self, uniform: Callable[[], float]) -> None:
        self.uniform = uniform

    def draw(self, weights: Sequence[Any] | Array) -> int:
        """The smallest place whose cumulative weight is above u times their sum."""
        remaining = self.uniform() * sum(weights)
        last = -1
        for i, w in enumerate(weights):
            if w > 0:
                last = i
                if remaining < w:
                    return i
                remaining -= w
        if last < 0:
            raise ValueError(f"weights: {list(weights)}; expected one that is positive")
        return last  # rounding left a little beyond the end

    def keep(self, mass: Scalar, total: Scalar) -> bool:
        """Whether u * whole < part."""
        return bool(self.uniform() * total < mass)


class _Split:
    """Chance for many calls at once: follows earlier decisions, then tosses for every call and goes on with some."""

    def __init__(self, decided: tuple[int, ...], calls: NDArray[np.int64], uniforms: Uniforms) -> None:
        self.decided, self.calls, self.uniforms, self.at = decided, calls, uniforms, 0
        self.others: list[tuple[tuple[int, ...], NDArray[np.int64]]] = []

    def draw(self, weights: Sequence[Any] | Array) -> int:
        masses = np.array([float(w) for w in weights])
        if not masses.any():
            raise ValueError(f"weights: {list(weights)}; expected one that is positive")
        upto = np.cumsum(masses)[: np.flatnonzero(masses)[-1] + 1]
        return self._decide(lambda u: np.searchsorted(upto[:-1], u * upto[-1], side="right"))

    def keep(self, mass: Scalar, total: Scalar) -> bool:
        return self._decide(lambda u: (u * float(total) >= float(mass)).astype(np.int64)) == 0

    def _decide(self, of: Callable[[NDArray[np.float64]], NDArray[np.int64]]) -> int:
        if self.at == len(self.decided):
            places = of(self.uniforms(self.at, self.calls))
            ways = [((*self.decided, int(way)), self.calls[places == way]) for way in np.unique(places)]
            self.others += ways[:0:-1]
            self.decided, self.calls = ways[0]
        self.at += 1
        return self.decided[self.at - 1]


def many(
    program: Callable[[Chance], T], n: int, uniforms: np.random.Generator | Array
) -> Iterator[tuple[NDArray[np.int64], T]]:
    """n calls of a program, each with uniforms of its own: those that decide alike run together.

    Yields the numbers of some calls and their common result; each call comes once.  The program must be pure but for
    its chance.  Runs the program once for every sequence of decisions that occurs, so it is quick where these are few.

    Parameters
    ----------
    program : chance -> result
    n : int; calls
    uniforms : a generator, or uniforms (n, C) in [0, 1): the k-th decision of a call takes the k-th of its row

    >>> rng = np.random.default_rng(0)
    >>> {heads: len(calls) for calls, heads in many(lambda chance: chance.keep(1, 4), 1000, rng)}
    {True: 231, False: 769}
    >>> [calls.tolist() for calls, _ in many(lambda chance: chance.keep(1, 4), 2, np.array([[0.5], [0.2]]))]
    [[1], [0]]
    """
    toss = _tosses(uniforms)
    scripts: list[tuple[tuple[int, ...], NDArray[np.int64]]] = [((), np.arange(n))] if n else []
    while scripts:
        chance = _Split(*scripts.pop(), toss)
        result = program(chance)
        scripts += chance.others
        yield chance.calls, result


def _tosses(uniforms: np.random.Generator | Array) -> Uniforms:
    if isinstance(uniforms, np.random.Generator):
        return lambda at, calls: uniforms.random(len(calls))
    return lambda at, calls: uniforms[calls, at]


class SharedUniform:
    """One uniform number that is used for several decisions: each narrows the interval in which it lies.

    >>> def twice(chance):  # the second question has the answer of the first
    ...     uniform = SharedUniform(chance)
    ...     return uniform.keep(1, 4), uniform.keep(1, 4)
    >>> [(str(weight), both) for weight, both in every(twice)]
    [('1/4', (True, True)), ('3/4', (False, False))]
    """

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.low: Any = 0
        self.high: Any = 1

    def draw(self, weights: Sequence[Any] | Array) -> int:
        """The smallest place whose cumulative weight is above u times their sum."""
        total = sum(weights)
        total = Fraction(total) if isinstance(total, int) else total
        upto = [0, *(cumulative / total for cumulative in accumulate(weights))]
        inside = [(max(a, self.low), min(b, self.high)) for a, b in pairwise(upto)]
        place = self.chance.draw([max(b - a, 0) for a, b in inside])
        self.low, self.high = inside[place]
        return place

    def keep(self, mass: Scalar, total: Scalar) -> bool:
        """Whether u * whole < part."""
        return mass > 0 and (mass >= total or self.draw([mass, total - mass]) == 0)
