"""The widest search for what contradicts a goal: products of bounds and of numbers with a sign, and squares times those.

As in `polynomials`, a linear program finds only what to multiply; Coq multiplies and adds up by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, combinations_with_replacement, islice

import numpy as np

from proofs_check.coq.polynomials import (
    Column,
    Inequality,
    Polynomial,
    column_of,
    degree_of,
    generators_of,
    place_of,
    remainder,
    roots_of,
    solution,
)

__all__ = ["contradiction"]

COLUMNS = 4000
ROWS = 5000
HIGHEST = 7
"""No product is of a higher degree."""
BOUNDS = 4
"""So many facts at most are multiplied, beside numbers that have a sign."""
RATIOS = (-2, -1, 1, 2)
"""What is squared is one number less such a multiple of another."""

Degrees = Mapping[Polynomial, int]


def contradiction(
    zero: Sequence[tuple[Polynomial, str]], some: Sequence[Inequality], squared: Sequence[Polynomial]
) -> list[Column] | None:
    """What adds up to a contradiction; None where nothing is found.

    No product has more of a number as a factor than the contrary of the goal has; or than any fact has, or once more.

    Parameters
    ----------
    zero : polynomials that are zero, with Coq's terms.
    some : polynomials that are not negative; the last one is the contrary of the goal.
    squared : what may be worth squaring.
    """
    used_columns = _contradiction(zero, some, squared)
    once = _once(some)
    return _contradiction(zero, once, squared) if used_columns is None and len(once) < len(some) else used_columns


def _once(some: Sequence[Inequality]) -> list[Inequality]:
    """Facts without those that another one says, too; the last one, the contrary of the goal, stays."""
    by_polynomial: dict[Polynomial, Inequality] = {}
    for f in some[:-1]:
        if f.poly not in by_polynomial or f.strict:
            by_polynomial[f.poly] = f
    return [*by_polynomial.values(), some[-1]]


def _contradiction(
    zero: Sequence[tuple[Polynomial, str]], some: Sequence[Inequality], squared: Sequence[Polynomial]
) -> list[Column] | None:
    """The same from these facts; of the products only so many, the short ones first."""
    contrary = some[-1]
    signs = [f for f in some[:-1] if len(f.poly.terms()) == 1 and degree_of(f.poly) == 1]
    bounds = [f for f in some[:-1] if f not in signs and degree_of(f.poly) > 0]
    bases = [*squared, *_roots(contrary.poly, signs, zero), *_differences(contrary.poly)]
    gens = contrary.poly.ring.gens
    contrary_degrees = [_degree_in(contrary.poly, g) for g in gens]
    of_all = [max(_degree_in(f.poly, g) for f in some) for g in gens]
    for largest in dict.fromkeys((tuple(contrary_degrees), tuple(of_all), tuple(n + 1 for n in of_all))):
        degrees = dict(zip(gens, largest, strict=True))
        for squares in (False, True):
            columns = list(islice(_products(signs, bounds, contrary, degrees), COLUMNS))
            if squares:
                columns += islice(_squares(signs, [*bounds, contrary], bases, degrees), COLUMNS)
            columns = [*_equations(zero), *(remainder(c, zero) for c in columns)]
            used_columns = solution([c for c in columns if c.poly], None, ROWS)
            if used_columns is not None:
                return used_columns
    return None


def _degree_in(p: Polynomial, g: Polynomial) -> int:
    at = place_of(g)
    return max((m[at] for m in p), default=0)


def _within(p: Polynomial, degrees: Degrees) -> bool:
    return all(_degree_in(p, g) <= degree for g, degree in degrees.items())


def _equations(zero: Sequence[tuple[Polynomial, str]]) -> Iterator[Column]:
    """Equations, and those times one or two numbers, less multiples of the others."""
    gens = sorted({g for p, _ in zero for g in generators_of(p)}, key=str)
    for k, (e, term) in enumerate(zero):
        others = [*zero[:k], *zero[k + 1 :]]
        for m in (e.ring(1), *gens, *(a * b for a, b in combinations_with_replacement(gens, 2))):
            if degree_of(m) + degree_of(e) <= HIGHEST:
                column = Column(e * m, "=", (m, term))
                yield column
                reduced = remainder(column, others)
                if reduced != column:
                    yield reduced


def _products(
    signs: Sequence[Inequality], bounds: Sequence[Inequality], contrary: Inequality, degrees: Degrees
) -> Iterator[Column]:
    """Products of bounds, at most one of them the contrary of the goal, and those with numbers that have a sign."""
    bound_products = [parts for n in range(BOUNDS + 1) for parts in combinations_with_replacement(bounds, n)]
    bound_products += [(*parts, contrary) for parts in bound_products if len(parts) < BOUNDS]
    largest = np.array([degrees[g] for g in contrary.poly.ring.gens])
    degrees_of = {
        id(f): np.array([_degree_in(f.poly, g) for g in contrary.poly.ring.gens]) for f in (*signs, *bounds, contrary)
    }
    start = np.zeros(len(largest), dtype=int)
    remaining = [(parts, largest - sum((degrees_of[id(f)] for f in parts), start)) for parts in bound_products]
    remaining = [
        (parts, spare) for parts, spare in remaining if (spare >= 0).all() and _degree_of_all(parts) <= HIGHEST
    ]
    for size in range(HIGHEST):
        for factors in islice(combinations_with_replacement(signs, size), COLUMNS):
            factor_degrees = sum((degrees_of[id(f)] for f in factors), start)
            if (factor_degrees > largest).any():
                continue
            for parts, spare in remaining:
                if (
                    (parts or factors)
                    and (factor_degrees <= spare).all()
                    and _degree_of_all((*parts, *factors)) <= HIGHEST
                ):
                    yield column_of((*parts, *factors))


def _degree_of_all(parts: Sequence[Inequality]) -> int:
    return sum(degree_of(f.poly) for f in parts)


def _product_of(parts: Sequence[Inequality], contrary: Inequality) -> Polynomial:
    return math.prod((f.poly for f in parts), start=contrary.poly.ring(1))


def _squares(
    signs: Sequence[Inequality], bounds: Sequence[Inequality], bases: Sequence[Polynomial], degrees: Degrees
) -> Iterator[Column]:
    """Squares, and those times up to two facts."""
    for base in dict.fromkeys(bases):
        square = base**2
        if not _within(square, {g: n + 1 for g, n in degrees.items()}) or degree_of(square) > HIGHEST:
            continue
        yield Column(square, ">=", (base,))
        for facts in (*((f,) for f in (*signs, *bounds)), *combinations_with_replacement(signs, 2)):
            if _degree_of_all(facts) + degree_of(square) <= HIGHEST:
                yield Column(square * _product_of(facts, facts[0]), ">=", (base, *facts))


def _differences(contrary: Polynomial) -> list[Polynomial]:
    """Differences of multiples of two numbers that stand in the contrary of the goal."""
    gens = sorted(generators_of(contrary), key=str)
    return [a - t * b for a, b in combinations(gens, 2) for t in RATIOS] + [
        2 * a - t * b for a, b in combinations(gens, 2) for t in (-1, 1)
    ]


def _roots(
    contrary: Polynomial, signs: Sequence[Inequality], zero: Sequence[tuple[Polynomial, str]]
) -> list[Polynomial]:
    """Sums and differences of what is squared in the contrary of the goal, or in it times a number that has a sign."""
    short = [(e, term) for e, term in zero if len(e.terms()) <= 2]  # a number and its reciprocal
    multiples = [Inequality(contrary, False, "")]
    for f in signs:
        column = remainder(column_of((multiples[0], f)), short)
        multiples.append(Inequality(column.poly, False, ""))
    return roots_of(multiples, constants=True)
