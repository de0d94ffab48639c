"""Tree shapes as an algebra: subtrees are numbered, child m of s is kid[s, m] where has[s, m] is 1, and is accepted with a[m]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, index, le, total
from simspec.methods.tree.shapes import Shape

__all__ = ["K", "N", "Tree", "m", "n", "numbered", "s", "start", "values", "worth"]

s = index("s")
m = index("m")
start = index("start")
n, N = sp.symbols("n N", integer=True, nonnegative=True)
K = sp.Symbol("K", integer=True, positive=True)


class Tree(NamedTuple):
    """Symbols and facts of what a subtree accepts."""

    a: Any
    has: Any
    kid: Any
    W: Any
    none: Fact
    more: Fact
    marks: Fact
    part: Fact


def worth(d: Derivation, text: str = "a child is there or not") -> Tree:
    """W[n, s]: what the first n levels of a subtree accept on average, a reached child m with a[m]."""
    a = d.weights("a", m)
    has = d.weights("has", s, m)
    kid = d.map("kid")
    W = sp.IndexedBase("W", real=True)
    marks, mark_at_most_one = d.domain(text, eq(has[s, m] * (1 - has[s, m]), 0), le(has[s, m], 1))
    none, level_step = d.recursion(
        "accepted in so many levels",
        eq(W[0, s], 0),
        eq(W[n + 1, s], total(has[s, m] * a[m] * (1 + W[n, kid[s, m]]), m, upto=K)),
    )
    return Tree(a=a, has=has, kid=kid, W=W, none=none, more=level_step, marks=marks, part=mark_at_most_one)


def numbered(shape: Shape, numbers: dict[Shape, int]) -> dict[Shape, int]:
    """A shape and all its subtrees, numbered from 1."""
    if shape not in numbers:
        numbers.setdefault(shape, len(numbers) + 1)
        for child in shape:
            numbered(child, numbers)
    return numbers


def values(shapes: Sequence[Shape], rates: Any) -> dict[str, Any]:
    """What the symbols stand for; shapes are all that occur, in order of their numbers."""
    number = {shape: at for at, shape in enumerate(shapes, 1)}

    def kid(at: int, child: int) -> int:
        below = shapes[at - 1]
        return number[below[child - 1]] if child <= len(below) else at

    return {
        **{"a": rates, "K": len(rates), "kid": kid, "V": 1},
        **{"has": lambda at, child: int(child <= len(shapes[at - 1]))},
        "ranges": {"s": range(1, len(shapes) + 1), "m": range(1, len(rates) + 1), "n": range(1)},
    }
