"""Shapes of draft trees: a node is the tuple of its children, a leaf is ().  The root is the text so far, and no draft."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from simspec.checks import whole_number
from simspec.methods.block import DEEPEST

__all__ = ["Drafted", "Shape", "chain", "every_shape", "full", "height", "nodes"]

Shape: TypeAlias = "tuple[Shape, ...]"
"""A tree without tokens: ((), ((),)) has two children, the second of which has one."""

Drafted: TypeAlias = "tuple[tuple[int, Drafted], ...]"
"""A drafted tree: the children of a node in the order of their tests, each a token and what hangs below it."""

MOST_LISTED = 12
"""Most nodes of the trees that are listed: there are 208,012 of that many."""


def nodes(shape: Shape) -> int:
    """Number of drafts.

    >>> nodes(((), ((),)))
    3
    """
    count = 0
    open_ = [shape]
    while open_:
        children = open_.pop()
        count += len(children)
        open_ += children
    return count


def height(shape: Shape) -> int:
    """Most drafts on a path.

    >>> height(((), ((),)))
    2
    """
    levels = 0
    level = shape
    while level:
        levels = levels + 1
        level = tuple(child for node in level for child in node)
    return levels


def chain(gamma: int) -> Shape:
    """γ drafts on one path.

    >>> chain(2)
    (((),),)
    """
    return full(1, gamma)


def full(arity: int, levels: int) -> Shape:
    """Every node down to a level has the same number of children.

    >>> full(2, 1)
    ((), ())
    """
    whole_number("arity", arity, 1, None, "a number of children that is positive")
    shape: Shape = ()
    for _ in range(whole_number("levels", levels, 0, DEEPEST, f"a number of levels from 0 to {DEEPEST}")):
        shape = (shape,) * arity
    return shape


def every_shape(count: int) -> Iterator[Shape]:
    """Every tree with a number of drafts; there are as many as the Catalan number of it.

    >>> list(every_shape(2))
    [((), ()), (((),),)]
    """
    whole_number("count", count, 0, MOST_LISTED, f"a number of nodes from 0 to {MOST_LISTED}")
    if count == 0:
        yield ()
        return
    for below in range(count):
        for first in every_shape(below):
            for others in every_shape(count - 1 - below):
                yield (first, *others)
