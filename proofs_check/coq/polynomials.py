"""Which facts, and which products of them, add up to a contradiction: linear programs over the coefficients of monomials.

The program only says what to multiply; Coq multiplies and adds up by itself, so nothing here has to be trusted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "Column",
    "Inequality",
    "Polynomial",
    "column_of",
    "combination",
    "degree_of",
    "generators_of",
    "has",
    "place_of",
    "remainder",
    "roots_of",
    "solution",
    "used_of",
]

Polynomial = Any
"""An element of a polynomial ring over the rationals (SymPy's `PolyElement`)."""

COLUMNS = 2500
ROWS = 1500
DEGREE = 8
"""Larger programs are not tried."""
FEW = 9
"""Of so many inequalities all products of three are tried."""
LEVELS = 5
"""The last one, of squares of second differences, is tried only where all else fails."""
WIDE_LEVELS = 5
WIDE_COLUMNS = 6000
WIDE_ROWS = 4000
"""The same of a wider search, where the first has found nothing."""
ITERATIONS = 20_000
SMALL = 1e-7
"""Coefficients below this are none."""


class Inequality(NamedTuple):
    """A polynomial that is not negative, or positive, with Coq's term for that."""

    poly: Polynomial
    strict: bool
    term: str


class Column(NamedTuple):
    """A polynomial that is known to be zero, not negative or positive: what Coq's proof of it is made of."""

    poly: Polynomial
    kind: str
    parts: tuple[Any, ...]
    taken: tuple[tuple[Polynomial, str], ...] = ()  # multiples of equations that were taken away from the product


def combination(
    zero: Sequence[tuple[Polynomial, str]],
    some: Sequence[Inequality],
    target: Polynomial | None = None,
    squared: Sequence[Polynomial] | None = None,
    is_widest: bool = False,
) -> list[Column] | None:
    """What adds up to a contradiction; with a target, the multiples of what is zero that add up to it.  None: not found.

    Parameters
    ----------
    zero : polynomials that are zero, with Coq's terms.
    some : polynomials that are not negative.
    target : what is to be shown to be zero.
    squared : what may be worth squaring; with it, even if it is empty, the search is a wider one.
    is_widest : whether products are divided by the equations too, and roots of squares in the facts are squared.
    """
    if squared is not None and target is None:
        if not is_widest:
            return _wider(zero, some, squared)
        return _divided(zero, some) or _wider(zero, some, [*squared, *roots_of(some)])
    for level in range(LEVELS):
        columns = list(_columns(zero, some if target is None else (), level))
        if len(columns) > COLUMNS:
            return None
        used_columns = solution(columns, target)
        if used_columns is not None:
            return used_columns
    return None


def _wider(
    zero: Sequence[tuple[Polynomial, str]], some: Sequence[Inequality], squared: Sequence[Polynomial]
) -> list[Column] | None:
    """What adds up to a contradiction: products of up to four facts, and squares times such products, by and by."""
    for level in range(WIDE_LEVELS):
        every = (*_equations(zero, some, min(level, 2)), *_multiplied(some, squared, level))
        columns = [c for c in every if c.poly]
        if len(columns) > WIDE_COLUMNS:
            return None
        used_columns = solution(columns, None, WIDE_ROWS)
        if used_columns is not None:
            return used_columns
    return None


def _divided(zero: Sequence[tuple[Polynomial, str]], some: Sequence[Inequality]) -> list[Column] | None:
    """What adds up to a contradiction once equations have been used to make products smaller; squares are left out."""
    bounds = sorted(some[:-1], key=lambda f: len(generators_of(f.poly) - generators_of(some[-1].poly)))
    for size in (1, 2, 3):
        few = bounds[: (len(bounds), 24, 12)[size - 1]]
        columns = []
        for n in range(size + 1):
            for parts in combinations_with_replacement(few, n):
                columns += [Column(p.poly, p.kind, p.parts) for p in _with(parts, some[-1])]
        columns = [remainder(c, zero) for c in columns if degree_of(c.poly) <= DEGREE]
        columns += [Column(m, "=", (q, term)) for e, term in zero for q, m in [(e.ring(1), e)]]
        used_columns = solution([c for c in columns if c.poly], None, WIDE_ROWS)
        if used_columns is not None:
            return used_columns
    return None


def _with(parts: tuple[Inequality, ...], contrary: Inequality) -> list[Column]:
    """A product of facts, and that with what is to be contradicted."""
    return ([column_of(parts)] if parts else []) + [column_of((*parts, contrary))]


def remainder(c: Column, zero: Sequence[tuple[Polynomial, str]]) -> Column:
    """A product less the multiples of equations that its division leaves out."""
    if not zero or not c.poly:  # SymPy gives zero no quotients at all
        return c
    quotients, rest = c.poly.div([e for e, _ in zero])
    multiples = tuple((q, term) for q, (_, term) in zip(quotients, zero, strict=True) if q)
    return Column(rest, c.kind, c.parts, multiples)


def generators_of(p: Polynomial) -> set[Polynomial]:
    """The generators of the ring that stand in a polynomial."""
    return set(used_of([p], p.ring))


def roots_of(some: Sequence[Inequality], constants: bool = False) -> list[Polynomial]:
    """Sums and differences of what is squared in one of the facts: a and b c for a² + b² c²; `constants`: numbers, too."""
    bases: dict[Polynomial, None] = {}
    for f in some:
        ring = f.poly.ring
        roots = []
        for monomial, c in f.poly.terms():
            size = _root(abs(c))
            if size is not None and (constants or any(monomial)) and not any(e % 2 for e in monomial):
                roots.append(ring.term_new(tuple(e // 2 for e in monomial), size))
        if len(roots) <= FEW:
            bases |= dict.fromkeys(a + s * b for a, b in combinations(roots, 2) for s in (-1, 1))
    return list(bases)


def _root(c: Any) -> Any:
    """The square root of a rational number, if it is one."""
    above, below = math.isqrt(int(c.numerator)), math.isqrt(int(c.denominator))
    return type(c)(above, below) if (above**2, below**2) == (c.numerator, c.denominator) else None


def _multiplied(some: Sequence[Inequality], squared: Sequence[Polynomial], level: int) -> Iterator[Column]:
    """Products of facts, more of them at a higher level, and squares times what is left of such a product."""
    for n in range(1, (1, 2, 3, 3, 4)[level] + 1):
        if math.comb(len(some) + n - 1, n) <= WIDE_COLUMNS // 2:
            yield from map(column_of, filter(_low, combinations_with_replacement(some, n)))
        elif n == 3:
            yield from map(
                column_of, filter(_low, ((a, b, some[-1]) for a, b in combinations_with_replacement(some, 2)))
            )
    if level < 2 or not some:
        return
    ring = some[0].poly.ring
    used = used_of((f.poly for f in some), ring)
    plain = [a + s * b for a, b in combinations([*used, ring(1)], 2) for s in (-1, 1)]
    bases = list(dict.fromkeys([*squared, *used, *(plain if level > 2 else ())]))
    most = 2 if level > 2 and len(bases) * len(some) ** 2 < 2 * WIDE_COLUMNS else 1
    products = [column_of(parts) for n in range(1, most + 1) for parts in combinations_with_replacement(some, n)]
    degrees = [degree_of(product.poly) for product in products]
    for base in bases:
        square = base**2
        yield Column(square, ">=", (base,))
        room = DEGREE - 2 * degree_of(base)
        for product, degree in zip(products, degrees, strict=True):
            if degree <= room:
                yield Column(square * product.poly, ">=", (base, *product.parts))


def _columns(zero: Sequence[tuple[Polynomial, str]], some: Sequence[Inequality], level: int) -> Iterator[Column]:
    """Facts alone; equations by numbers and products with what contradicts; all pairs, and squares; some products of three;
    squares of second differences in place of those, alone and times what is positive."""
    yield from _equations(zero, some, level)
    for f in some:
        yield Column(f.poly, ">" if f.strict else ">=", (f,))
    if level == 0 or not some:
        return
    pairs = list(combinations_with_replacement(some, 2)) if level > 1 else [(a, some[-1]) for a in some]
    yield from map(column_of, filter(_low, pairs))
    if level > 1:
        yield from _squares(some)
    if level > 3:
        yield from _differences(some)
    elif level > 2 and len(some) <= FEW:
        yield from map(column_of, filter(_low, combinations_with_replacement(some, 3)))
    elif level > 2:
        yield from map(column_of, filter(_low, ((a, b, some[-1]) for a, b in pairs)))


def _equations(zero: Sequence[tuple[Polynomial, str]], some: Sequence[Inequality], level: int) -> Iterator[Column]:
    """Equations times numbers, and times products of two at a higher level."""
    if not zero:
        return
    factors = _factors(zero, some, level)
    for e, term in zero:
        for m in factors:
            if degree_of(e) + degree_of(m) <= DEGREE:
                yield Column(e * m, "=", (m, term))


def _low(parts: Sequence[Inequality]) -> bool:
    return sum(degree_of(f.poly) for f in parts) <= DEGREE


def column_of(parts: Sequence[Inequality]) -> Column:
    """The product of what is not negative."""
    product = math.prod(f.poly for f in parts)
    return Column(product, ">" if all(f.strict for f in parts) else ">=", tuple(parts))


def _squares(some: Sequence[Inequality]) -> Iterator[Column]:
    ring = some[0].poly.ring
    used = used_of((f.poly for f in some), ring)
    for k, a in enumerate(used):
        yield Column(a**2, ">=", (a,))
        for b in used[k + 1 :]:
            yield Column((a - b) ** 2, ">=", (a - b,))
            yield Column((a + b) ** 2, ">=", (a + b,))


def _differences(some: Sequence[Inequality]) -> Iterator[Column]:
    """Squares of a + b − 2c."""
    ring = some[0].poly.ring
    used = used_of((f.poly for f in some), ring)
    if len(used) > FEW:
        return
    for a, b in combinations(used, 2):
        for c in used:
            if c not in (a, b):
                yield Column((a + b - 2 * c) ** 2, ">=", (a + b - 2 * c,))
                for f in some:
                    if f.strict and degree_of(f.poly) + 2 <= DEGREE:
                        yield Column(f.poly * (a + b - 2 * c) ** 2, ">=", (a + b - 2 * c, f))


def has(p: Polynomial, g: Polynomial) -> bool:
    """Whether a generator of the ring stands in a polynomial."""
    at = place_of(g)
    return any(m[at] for m in p)


def place_of(g: Polynomial) -> int:
    """The place of a generator among those of its ring.

    SymPy's own search compares polynomials, and its `monoms` sorts what needs no order: these functions are called most of all.
    """
    (exponents,) = g
    return int(exponents.index(1))


def used_of(polynomials: Iterable[Polynomial], ring: Any) -> list[Polynomial]:
    """The generators that stand in one of some polynomials, in the order of the ring."""
    places = {at for p in polynomials for m in p for at, exponent in enumerate(m) if exponent}
    return [g for at, g in enumerate(ring.gens) if at in places]


def _factors(zero: Sequence[tuple[Polynomial, str]], some: Sequence[Inequality], level: int) -> list[Polynomial]:
    ring = zero[0][0].ring
    factors = [ring(1)]
    if level == 0:
        return factors
    used = used_of((*(e for e, _ in zero), *(f.poly for f in some)), ring)
    factors += used
    if level > 1 and len(zero) * len(used) ** 2 < COLUMNS:
        factors += [a * b for k, a in enumerate(used) for b in used[k:]]
    return factors


def degree_of(p: Polynomial) -> int:
    """The total degree."""
    return max(map(sum, p), default=0)


def solution(columns: Sequence[Column], target: Polynomial | None, most_rows: int = ROWS) -> list[Column] | None:
    """The columns that a solution of the linear program uses."""
    from scipy.optimize import linprog

    if not columns:
        return [] if target is not None and not target else None
    program = _program(columns, target, most_rows)
    if program is None:
        return None
    matrix, right = program
    free = [k for k, c in enumerate(columns) if c.kind == "="]
    cost = np.ones(matrix.shape[1])
    options: Any = {"maxiter": ITERATIONS}
    answer: Any = linprog(cost, A_eq=matrix, b_eq=right, bounds=(0, None), method="highs-ds", options=options)
    if answer.status != 0:
        return None
    size = np.abs(answer.x[: matrix.shape[1] - len(free)])
    size[free] += np.abs(answer.x[matrix.shape[1] - len(free) :])
    return [c for k, c in enumerate(columns) if size[k] > SMALL]


def _program(columns: Sequence[Column], target: Polynomial | None, most_rows: int) -> tuple[Any, np.ndarray] | None:
    """Equations that the multiples solve: the sum is the target; or it is zero, and what is positive in it counts one."""
    from scipy.sparse import csc_matrix, hstack

    n = len(columns)
    rows = dict[tuple[int, ...], int]()
    entries = [(rows.setdefault(m, len(rows)), k, float(c)) for k, p in enumerate(columns) for m, c in p.poly.terms()]
    if target is None:
        constant = rows.setdefault((0,) * len(columns[0].poly.ring.gens), len(rows))
        last = len(rows)
        entries += [(constant, n, 1.0), (last, n, 1.0)]  # the number one, which is positive
        entries += [(last, k, 1.0) for k, c in enumerate(columns) if c.kind == ">"]
        right = np.zeros(last + 1)
        n = n + 1
        right[last] = 1.0
    else:
        if any(m not in rows for m in target.monoms()):
            return None
        right = np.zeros(len(rows))
        for monomial, c in target.terms():
            right[rows[monomial]] = float(c)
    if len(right) > most_rows:
        return None
    at_row, at_column, values = zip(*entries, strict=True)
    plus = csc_matrix((values, (at_row, at_column)), shape=(len(right), n))
    free = [k for k, c in enumerate(columns) if c.kind == "="]  # these may be taken away too
    return (hstack([plus, -plus[:, free]], format="csc") if free else plus), right
