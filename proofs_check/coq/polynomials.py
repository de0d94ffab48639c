"""Which facts, and which products of them, add up to a contradiction: linear programs over the coefficients of monomials.

The program only says what to multiply; Coq multiplies and adds up by itself, so nothing here has to be trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Column", "Inequality", "Polynomial", "combination"]

Polynomial = Any
"""An element of a polynomial ring over the rationals (SymPy's `PolyElement`)."""

COLUMNS, ROWS, DEGREE = 2500, 1500, 8
"""Larger programs are not tried."""
FEW = 9
"""Of so many inequalities all products of three are tried."""
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


def combination(
    zero: Sequence[tuple[Polynomial, str]], some: Sequence[Inequality], target: Polynomial | None = None
) -> list[Column] | None:
    """What adds up to a contradiction; with a target, the multiples of what is zero that add up to it.  None: not found.

    Parameters
    ----------
    zero : polynomials that are zero, with Coq's terms.
    some : polynomials that are not negative.
    target : what is to be shown to be zero.
    """
    for level in range(4):
        columns = list(_columns(zero, some if target is None else (), level))
        if len(columns) > COLUMNS:
            return None
        found = _solved(columns, target)
        if found is not None:
            return found
    return None


def _columns(zero: Sequence[tuple[Polynomial, str]], some: Sequence[Inequality], level: int) -> Iterator[Column]:
    """Facts alone; equations by numbers and products with what contradicts; all pairs, and squares; some products of three."""
    for e, term in zero:
        for m in _factors(e, zero, some, level):
            if _degree(e) + _degree(m) <= DEGREE:
                yield Column(e * m, "=", (m, term))
    for f in some:
        yield Column(f.poly, ">" if f.strict else ">=", (f,))
    if level == 0 or not some:
        return
    pairs = [(a, b) for k, a in enumerate(some) for b in some[k if level > 1 else len(some) - 1 :]]
    pairs = pairs if level > 1 else [(a, some[-1]) for a in some]
    for a, b in pairs:
        if _degree(a.poly) + _degree(b.poly) <= DEGREE:
            yield Column(a.poly * b.poly, ">" if a.strict and b.strict else ">=", (a, b))
    if level > 1:
        yield from _squares(some)
    if level > 2:
        every = some if len(some) <= FEW else some[-1:]
        for k, last in enumerate(every):
            for a, b in pairs if every is not some else ((a, b) for m, a in enumerate(some[: k + 1]) for b in some[m : k + 1]):
                if _degree(a.poly) + _degree(b.poly) + _degree(last.poly) <= DEGREE:
                    strict = a.strict and b.strict and last.strict
                    yield Column(a.poly * b.poly * last.poly, ">" if strict else ">=", (a, b, last))


def _squares(some: Sequence[Inequality]) -> Iterator[Column]:
    ring = some[0].poly.ring
    used = [g for g in ring.gens if any(_has(f.poly, g) for f in some)]
    for k, a in enumerate(used):
        yield Column(a**2, ">=", (a,))
        for b in used[k + 1 :]:
            yield Column((a - b) ** 2, ">=", (a - b,))
            yield Column((a + b) ** 2, ">=", (a + b,))


def _has(p: Polynomial, g: Polynomial) -> bool:
    at = p.ring.gens.index(g)
    return any(m[at] for m in p.monoms())


def _factors(
    e: Polynomial, zero: Sequence[tuple[Polynomial, str]], some: Sequence[Inequality], level: int
) -> list[Polynomial]:
    ring = e.ring
    found = [ring(1)]
    if level == 0:
        return found
    used = [g for g in ring.gens if any(_has(p, g) for p in (*[z for z, _ in zero], *[f.poly for f in some]))]
    found += used
    if level > 1 and len(zero) * len(used) ** 2 < COLUMNS:
        found += [a * b for k, a in enumerate(used) for b in used[k:]]
    return found


def _degree(p: Polynomial) -> int:
    return max((sum(m) for m in p.monoms()), default=0)


def _solved(columns: Sequence[Column], target: Polynomial | None) -> list[Column] | None:
    """The columns that a solution of the linear program uses."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_matrix

    if target is None and not columns:
        return None
    ring = columns[0].poly.ring if columns else target.ring
    constant = (0,) * len(ring.gens)
    rows: dict[tuple[int, ...], int] = {}
    data: list[float] = []
    at: tuple[list[int], list[int]] = [], []
    for k, column in enumerate(columns):
        for monomial, c in column.poly.terms():
            data.append(float(c))
            at[0].append(rows.setdefault(monomial, len(rows)))
            at[1].append(k)
    n = len(columns)
    if target is None:
        data.append(1.0)  # the number one, which is positive
        at[0].append(rows.setdefault(constant, len(rows)))
        at[1].append(n)
        n += 1
        last = len(rows)
        for k, column in enumerate(columns):
            if column.kind == ">":
                data.append(1.0)
                at[0].append(last)
                at[1].append(k)
        data.append(1.0)
        at[0].append(last)
        at[1].append(n - 1)
        right = np.zeros(last + 1)
        right[last] = 1.0
    else:
        if any(m not in rows for m in target.monoms()):
            return None if target else []
        right = np.zeros(len(rows))
        for monomial, c in target.terms():
            right[rows[monomial]] = float(c)
    if len(right) > ROWS:
        return None
    free = [k for k, c in enumerate(columns) if c.kind == "="]
    plus = csc_matrix((data, at), shape=(len(right), n))
    matrix = plus if not free else _beside(plus, free)
    cost = np.ones(matrix.shape[1])
    answer = linprog(cost, A_eq=matrix, b_eq=right, bounds=(0, None), method="highs-ds", options={"time_limit": 5.0})
    if answer.status != 0:
        return None
    size = np.abs(answer.x[:n])
    size[free] += np.abs(answer.x[n:])
    return [c for k, c in enumerate(columns) if size[k] > SMALL]


def _beside(plus: Any, free: Sequence[int]) -> Any:
    """With the negative of each column that may have any sign."""
    from scipy.sparse import hstack

    return hstack([plus, -plus[:, list(free)]], format="csc")
