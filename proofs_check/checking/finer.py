"""What only looks true for lack of detail: numbers that nearly agree, and givens that hold of no more than is drawn.

Enclosures that overlap are compared again, so narrow that the numbers at hand are told apart; laws and numbers are drawn whose
fractions are finer than every number that is given; and what is given may not end a whole number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.rules import smt
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.smt import Unproved, certificate
from proofs_check.rules.terms import Relation, V, gt, is_bound, is_index, is_token, le
from proofs_check.rules.values import evaluate
from simspec.claims import balls
from simspec.claims.claim import Claim, Instance
from simspec.claims.draw import ExactDraw

__all__ = ["FineDraw", "Unsure", "bits", "digits", "ended", "fine", "follows_soon", "narrower"]

Unsure = list[tuple[Relation, Mapping[str, Any]]]
"""Statements that hold of enclosures that overlap, and the values of their names."""
LEAST = 128
"""To how many binary digits two numbers agree that are taken for one, at least."""
MOST = 1 << 14
"""Numbers that only more digits tell apart are not compared."""
SPARE = 192
"""Binary digits that a calculation may lose."""
HASTE_MS = 1_000
"""Milliseconds for the question whether a number is ended; what a solver leaves open is no end."""


# --- numbers that nearly agree --------------------------------------------------------------------------------------------


def bits(value: Any) -> int:
    """How many binary digits tell a number from others: those of numerator and denominator, or of an enclosure's size.

    >>> bits(Fraction(1, 1024)), bits(Fraction(3)), bits(balls.exp(Fraction(-700))) > 1000
    (11, 2, True)
    """
    if balls.is_ball(value):
        middle = value.mid()
        if not middle.is_finite() or middle == 0:
            return 0
        mantissa, exponent = middle.man_exp()
        return abs(int(exponent) + int(abs(mantissa)).bit_length())
    value = Fraction(value)
    return max(abs(value.numerator).bit_length(), value.denominator.bit_length())


def digits(relations: Iterable[Relation], unsure: Unsure, values: Mapping[str, Any]) -> int:
    """To how many binary digits numbers must agree to be taken for one: more than any number here has.

    Counted are the numbers written in some statements, those of an instance, and all parts of the statements in question.

    >>> v = sp.Symbol("v", real=True)
    >>> digits([le(v, sp.Rational(1, 2**100))], [], {"v": Fraction(0)})
    330
    """
    sizes = [
        bits(Fraction(int(n.p), int(n.q))) for r in relations for s in (r.lhs, r.rhs) for n in s.atoms(sp.Rational)
    ]
    sizes += [bits(v) for v in _numbers(tuple(values.values()))]
    sizes += [bits(v) for v in _parts(unsure, values)]
    number_of_digits = LEAST + 2 * max(sizes, default=0)
    if number_of_digits > MOST:
        raise ValueError(
            f"numbers of {number_of_digits} binary digits: too large or too small to compare enclosures with"
        )
    return number_of_digits


def _parts(unsure: Unsure, values: Mapping[str, Any]) -> Iterator[Any]:
    """Values of all parts of statements at their places, those of bound names apart; once where nothing in a part varies."""
    parts = {id(r): [p for side in (r.lhs, r.rhs) for p in sp.preorder_traversal(side) if _whole(p)] for r, _ in unsure}
    names = {
        id(p): frozenset(s.name for s in p.atoms(sp.Symbol)) for expressions in parts.values() for p in expressions
    }
    visited: set[tuple[Any, ...]] = set()
    for r, at in unsure:
        varied = {name: v if type(v) is int else id(v) for name, v in at.items() if values.get(name) is not v}
        for expression in parts[id(r)]:
            key = (id(expression), *((name, v) for name, v in varied.items() if name in names[id(expression)]))
            if key in visited:
                continue
            visited.add(key)
            try:
                yield evaluate(expression, at)
            except (KeyError, TypeError):  # the name of an array
                continue


def _whole(part: Any) -> bool:
    """Whether a part of an expression may have a value of its own: it is no label, and nothing in it is bound."""
    if not isinstance(part, sp.Expr) or isinstance(part, (sp.IndexedBase, sp.Idx)):
        return False
    return not any(map(is_bound, part.free_symbols))


def _numbers(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for member in value:
            yield from _numbers(member)
    elif isinstance(value, (int, Fraction)) or balls.is_ball(value):
        yield value


@contextmanager
def narrower(digits: int) -> Iterator[None]:
    """Enclosures of so many binary digits, and some to spare."""
    from flint import ctx

    before = balls.PRECISION
    balls.PRECISION = ctx.prec = digits + SPARE
    try:
        yield
    finally:
        balls.PRECISION = ctx.prec = before


# --- no more than is drawn ------------------------------------------------------------------------------------------------


class FineDraw(ExactDraw):
    """Laws and numbers with fractions much finer than an `ExactDraw` makes them: one part in `grain`, all but one, or between.

    >>> FineDraw(np.random.default_rng(1), 10**9).number(0, 1).denominator > 1000
    True
    """

    def __init__(self, rng: np.random.Generator, grain: int) -> None:
        super().__init__(rng=rng)
        self.grain = grain
        self.lot = rng

    def number(self, low: Any, high: Any) -> Fraction:
        """A number in [low, high], most often near an end."""
        low = Fraction(low)
        high = Fraction(high)
        return low + (high - low) * Fraction(self._part(), self.grain)

    def _part(self) -> int:
        inner = 1 + int(self.lot.integers(1 << 62)) * self.grain // (1 << 62)
        return min(self.grain, (1, 1, self.grain - 1, inner)[int(self.lot.integers(4))])

    def _masses(self, vocab: int, low: int) -> list[int]:
        return [0 if low == 0 and not self.lot.integers(3) else self._part() for _ in range(vocab)]


def fine(claim: Claim, given: Iterable[Relation], number: int, seed: int = 0) -> Iterator[Instance]:
    """Exact instances of a claim with fractions finer than every number in what is given."""
    if claim.instances is None:
        return
    rationals = [n for r in given for s in (r.lhs, r.rhs) for n in s.atoms(sp.Rational)]
    grain = (1 << 20) * lcm(*(int(n.q) for n in rationals)) * max(
        (abs(int(n.p)) for n in rationals if n), default=1
    ) ** 2 + 1
    rng = np.random.default_rng(seed)
    count = 0
    for _ in range(50 * number):
        instance = claim.draw(FineDraw(rng, grain))
        if not claim.broken_assumptions(instance):
            count += 1
            yield instance
        if count == number:
            return


def ended(d: Derivation) -> str | None:
    """A whole number that what is given ends, though no assumption of the claim does; None where there is none.

    Asked of the statements between numbers together, and of each of the others where what it multiplies is positive.
    """
    assumptions = [r for name, rs in d.givens.items() if name not in d.supposed | d.assumed for r in rs]
    between = [r for r in assumptions if not any(is_token(s) or is_index(s) for s in r.free_symbols)]
    for s in sorted({s for r in assumptions for s in r.numbers if _counts(s)}, key=str):
        for some in [_connected(s, between), *([r] for r in assumptions if r not in between and s in r.numbers)]:
            if some and (last := _end(s, some)):
                return f"what is given ends {s}, at {last} or before ({some[0]})"
    return None


def _counts(s: Any) -> bool:
    """Whether a name is of a whole number: the size of the vocabulary, or a counter."""
    return s == V or (
        isinstance(s, sp.Symbol) and bool(s.is_integer) and not (is_token(s) or is_index(s) or is_bound(s))
    )


def _connected(s: sp.Symbol, relations: Sequence[Relation]) -> list[Relation]:
    """Statements that share a name with one that is about `s`, and so on."""
    symbols: set[Any] = {s}
    connected: list[Relation] = []
    while new_relations := [r for r in relations if r not in connected and r.free_symbols & symbols]:
        connected += new_relations
        symbols = symbols.union(*(r.free_symbols for r in new_relations))
    return connected


def _end(s: sp.Symbol, relations: Sequence[Relation]) -> int | None:
    """A bound on a whole number that follows from some statements; None where none is seen."""
    sizes = [abs(int(p)) for r in relations for e in (r.lhs, r.rhs) for n in e.atoms(sp.Rational) for p in (n.p, n.q)]
    last = 10**6 * (1 + max(sizes, default=0)) ** 3
    parts = {a for r in relations for e in (r.lhs, r.rhs) for a in e.atoms(sp.Indexed)}
    generic = [gt(a, 0) for a in sorted(parts, key=str)]
    assumptions = (
        [*relations, *generic]
        if any(is_token(t) or is_index(t) for r in relations for t in r.free_symbols)
        else relations
    )
    return last if follows_soon(le(s, last), assumptions) and not follows_soon(le(1, 0), assumptions) else None


def follows_soon(r: Relation, assumptions: Sequence[Relation]) -> bool:
    """Whether a solver sees in a second that a statement follows; sums and functions are names to it."""
    before = smt.TIMEOUT_MS
    smt.TIMEOUT_MS = HASTE_MS
    try:
        certificate(r, assumptions)
    except Unproved:
        return False
    finally:
        smt.TIMEOUT_MS = before
    return True
