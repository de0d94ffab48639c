"""Steps from a pair of laws to smaller ones, by which what was found is made small before it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

import numpy as np

from simspec.audit.levels import is_tree
from simspec.audit.pairs import Pair
from simspec.laws import Array

__all__ = ["rounded", "smaller"]


def smaller(pair: Pair) -> Iterator[Pair]:
    """Pairs with a draft less, a token less, or rounder masses; none of laws that are a tree.

    >>> [one.p.tolist() for one in smaller(Pair("", np.array([[0.25, 0.75]]), np.zeros((0, 2))))]
    [[[1.0]], [[1.0]], [[0.0, 1.0]], [[0.5, 0.5]]]
    """
    if is_tree(pair.p):
        return
    name, p, q = pair
    if len(q):
        yield Pair(name, p[:-1], q[:-1])
        yield Pair(name, p[1:], q[1:])
    for token in range(pair.vocab):
        rest = [np.delete(laws, token, axis=1) for laws in (p, q)]
        if pair.vocab > 1 and all((laws.sum(axis=1) > 0).all() for laws in rest):
            p_rest, q_rest = (laws / laws.sum(axis=1, keepdims=True) for laws in rest)
            yield Pair(name, p_rest, q_rest)
    for parts in (1, 2, 4):
        less = rounded(p, parts), rounded(q, parts)
        if _denominator(p, q) > parts:
            yield Pair(name, *less)


def _denominator(p: Array, q: Array) -> int:
    masses = [float(x) for x in (*p.ravel(), *q.ravel())]
    return max(Fraction(x).limit_denominator(1000).denominator for x in masses)


def rounded(laws: Array, parts: int) -> Array:
    """Laws (rows, V) with masses that are multiples of 1/parts: rounded down, the rest to the largest remainders.

    >>> rounded(np.array([[0.7, 0.2, 0.1]]), 4).tolist()
    [[0.75, 0.25, 0.0]]
    """
    out = np.floor(laws * parts)
    for row, law in zip(out, laws, strict=True):
        for token in islice(np.argsort(row - law * parts, kind="stable"), int(parts - row.sum())):
            row[token] += 1
    return out / parts
