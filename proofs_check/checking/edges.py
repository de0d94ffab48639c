"""Instances of a claim of one's own where formulas break: ends, ties, zeros, the numbers that its code names, many tokens.

The claim alone is decided there, by its own formula, and not its proof: it is looked at far from where it draws instances, and
a proof can be compared with it only near.  Claims that ship have been searched for counterexamples and are read by people.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from types import CodeType
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance
from simspec.claims.deciding.shrink import violated
from simspec.claims.draw import ExactDraw

__all__ = ["EdgeDraw", "broken_at", "named_numbers"]

SIZES = tuple(round(2 ** (power / 2)) for power in range(6, 21))
"""Numbers of tokens that are tried, one after the other, while the formula is cheap; beyond them those that the code names."""
CHEAP = 8
"""Seconds of processor time that a size may take, by what the one before took."""
STEEP = 5
"""How much more than in proportion a size may take: of a formula that grows exponentially the next would not end."""
SHORT = 0.005
"""Seconds below which nothing is said of growth."""
MOST = 2_000_000
"""Tokens, at most."""
NAMES = 24
"""Numbers that the code names, at most."""
ENDS = (Fraction(0), Fraction(1, 2), Fraction(1))
"""Which part of each range is drawn: its low end, its middle, its high end."""


class EdgeDraw(ExactDraw):
    """The same end of every range, or a number that is named, where it lies in the range; laws begin or end with that number.

    Parameters
    ----------
    end : 0 for the low end of a range, 1 for the high one.
    wanted : a number for every range that holds it, the first and the last mass of every law.
    size : the number of tokens, where it is free.

    >>> EdgeDraw(Fraction(1)).integer(0, 9), EdgeDraw(Fraction(0), Fraction(1, 7)).law(3).tolist()
    (9, [Fraction(1, 7), Fraction(6, 7), Fraction(0, 1)])
    """

    def __init__(self, end: Fraction, wanted: Fraction | None = None, size: int | None = None) -> None:
        super().__init__()
        self.end, self.wanted, self.size = end, wanted, size

    def integer(self, low: int, high: int) -> int:
        """An integer in [low, high]."""
        if self.wanted is not None and self.wanted.denominator == 1 and low <= self.wanted <= high:
            return int(self.wanted)
        return low + int((high - low) * self.end)

    def number(self, low: Any, high: Any) -> Fraction:
        """A number in [low, high]."""
        low = Fraction(low)
        high = Fraction(high)
        return self.wanted if self.wanted is not None and low <= self.wanted <= high else low + (high - low) * self.end

    def vocab(self, low: int = 1, matrix: bool = False) -> int:
        """So many tokens; few for a matrix."""
        return max(low, self.LARGEST if self.size is None or matrix else self.size)

    def law(self, vocab: int) -> Any:
        """All mass on one token; or the wanted mass on the first (at the high end the last), the rest on the one beside it."""
        masses = np.full(vocab, Fraction(0), dtype=object)
        places = (0, min(1, vocab - 1)) if self.end < 1 else (vocab - 1, max(0, vocab - 2))
        first = self.wanted if self.wanted is not None and 0 <= self.wanted <= 1 else self.end
        masses[places[1]] = 1 - first
        masses[places[0]] += first
        return masses


def named_numbers(claim: Claim) -> list[Fraction]:
    """Numbers that the code of a claim's formulas and assumptions names, and quotients of two of them, smallest first.

    >>> from simspec.claims.claim import at_most
    >>> claim = Claim("own.claim", "bound", "", "", lambda p: p[0] / 7, at_most, lambda p: 1, lambda draw: {"p": draw.law(2)})
    >>> [*map(str, named_numbers(claim))]
    ['7', '1/7']
    """
    functions = [claim.lhs, claim.rhs, *claim.assumes.values()]
    whole = sorted({n for f in functions for n in _constants(getattr(f, "__code__", None)) if 1 < n <= MOST})[:NAMES]
    quotients = {Fraction(a, b) for a, b in product([1, *whole], whole) if a < b}
    return [*map(Fraction, whole), *sorted(quotients)]


def _constants(code: CodeType | None) -> Iterator[int]:
    """Whole numbers in a function's code, those of functions inside of it among them."""
    for constant in code.co_consts if code is not None else ():
        if type(constant) is int:
            yield abs(constant)
        elif isinstance(constant, CodeType):
            yield from _constants(constant)


def broken_at(claim: Claim) -> str | None:
    """Where a claim of one's own does not hold, in words; None where it holds at all edges.

    >>> from simspec.claims import find
    >>> broken_at(find(["sd.acceptance"])[0]) is None
    True
    """
    if claim.instances is None:
        return None
    wanted = named_numbers(claim)
    near = (EdgeDraw(end, number) for number in (None, *wanted) for end in ENDS)
    return next(filter(None, (_broken(claim, draw) for draw in near)), None) or _broken_of_many(claim, wanted)


def _broken_of_many(claim: Claim, wanted: Sequence[Fraction]) -> str | None:
    """The same at growing numbers of tokens, and at those that the code names and one more, while the formula is cheap."""
    named = {int(number) + more for number in wanted if number > EdgeDraw.LARGEST for more in (0, 1)}
    last = SHORT / STEEP
    last_size = SIZES[0]
    for size in sorted({*SIZES, *named}):
        in_proportion = last * size / last_size
        if in_proportion > CHEAP:
            return None
        start = time.process_time()
        if broken := _broken(claim, EdgeDraw(Fraction(1, 2), size=size)):
            return broken
        seconds = time.process_time() - start
        if seconds > max(SHORT, STEEP * in_proportion):
            return None
        last = max(seconds, SHORT / STEEP)
        last_size = size
    return None


def _broken(claim: Claim, draw: EdgeDraw) -> str | None:
    """What a draw gives, in words, where that is within the assumptions and refutes the claim."""
    try:
        instance = claim.draw(draw)
        if claim.broken_assumptions(instance) or not violated(claim.slack(instance)):
            return None
    except Exception:  # code of a user's, far from where it is used: what has no value there refutes nothing
        return None
    return f"the claim does not hold at an edge of its instances: {_shown(instance)}"


def _shown(instance: Instance) -> str:
    """An instance in a line: the first numbers of each value."""
    parts = []
    for name, value in instance.items():
        entries = np.ravel(np.asarray(value, dtype=object))
        text = ", ".join(map(str, entries[:4])) + (f", … ({len(entries):,} numbers)" if len(entries) > 4 else "")
        parts.append(f"{name} = {text}")
    return "; ".join(parts)
