"""Programs with chance: one body that is both enumerated, exactly, and run with coins.

A program asks a `Chance` for every random decision.  `every` runs it once for each sequence of decisions and multiplies
their probabilities; `Coins` runs it with uniform random numbers.  So a rule is written once, as it is told in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from simspec.laws import Array

__all__ = ["Chance", "Coins", "every"]

T = TypeVar("T")


class Chance(Protocol):
    """What a program asks for its random decisions."""

    def draw(self, weights: Sequence[Any] | Array) -> int:
        """A place i, with probability weights[i] / sum of the weights: none negative, some positive."""
        ...

    def keep(self, part: Any, whole: Any) -> bool:
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

    def keep(self, part: Any, whole: Any) -> bool:
        if part <= 0:
            return False
        return part >= whole or self.draw([part, whole - part]) == 0


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


class Coins:
    """Chance from uniform random numbers in [0, 1): `draw` inverts the cumulative weights.

    >>> uniforms = iter([0.5, 0.2])
    >>> coins = Coins(lambda: next(uniforms))
    >>> coins.draw([1, 3]), coins.keep(1, 4)
    (1, True)
    """

    def __init__(self, uniform: Callable[[], float]) -> None:
        self.uniform = uniform

    def draw(self, weights: Sequence[Any] | Array) -> int:
        """The smallest place whose cumulative weight is above u times their sum."""
        left = self.uniform() * sum(weights)
        last = -1
        for i, w in enumerate(weights):
            if w > 0:
                last = i
                if left < w:
                    return i
                left -= w
        if last < 0:
            raise ValueError(f"weights: {list(weights)}; expected one that is positive")
        return last  # rounding left a little beyond the end

    def keep(self, part: Any, whole: Any) -> bool:
        """Whether u * whole < part."""
        return bool(self.uniform() * whole < part)
