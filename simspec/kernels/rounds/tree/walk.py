"""Buffers of rows that walk down one tree together, in `numba_tree` beside."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.rounds.groups import TOGETHER

__all__ = ["Walk", "starts", "walk"]


class Walk(NamedTuple):
    """Lists of a group, and numbers of its rows, those at each level first.

    Attributes
    ----------
    drawing, waiting : rows at the node of a level that go on to its next child, and those that do not (levels, rows)
    many : lengths of both lists, number of the node, its next child, children deleted (5, levels)
    state, text : of a row's node at a level, and the token that leads on from it (levels, rows)
    least, uniform : tokens of what is left at a level, and the uniform of its node (levels, rows)
    a, u, mass, rest, r, missing : of a row at a level, as in the reference, all but a once a child was deleted (levels, rows)
    low, high : between which sums of q the tokens tried lie, those of a level one after the other (tokens, rows)
    starts : where those of a level begin (levels + 1,)
    at, ends : the level of the node that a row accepts, and its counter (rows,)
    lasts, kinds : rows by what draws their last token: the target, a tabulated law, a bisection (3, rows); how many of each
    tried_low, tried_high : `low` and `high` of a list (tokens, rows)
    who, kept, numbers, counters : for a list
    """

    drawing: NDArray[np.int32]
    waiting: NDArray[np.int32]
    many: NDArray[np.int64]
    state: NDArray[np.int32]
    text: NDArray[np.int32]
    least: NDArray[np.int32]
    uniform: NDArray[np.uint32]
    a: NDArray[np.float64]
    u: NDArray[np.float64]
    mass: NDArray[np.float64]
    rest: NDArray[np.float64]
    r: NDArray[np.float64]
    missing: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    starts: NDArray[np.int64]
    at: NDArray[np.int32]
    ends: NDArray[np.uint32]
    lasts: NDArray[np.int32]
    kinds: NDArray[np.int64]
    tried_low: NDArray[np.float64]
    tried_high: NDArray[np.float64]
    who: NDArray[np.int32]
    kept: NDArray[np.uint8]
    numbers: tuple[NDArray[np.float64], ...]
    counters: NDArray[np.uint32]


def walk(begins: NDArray[np.int64]) -> Walk:
    """Buffers of a group on a tree whose levels remember so many tokens, one after the other.

    >>> walk(np.array([0, 2, 3])).low.shape == (3, TOGETHER)
    True
    """
    levels = len(begins) - 1
    drawing, waiting, state, text, token_counts = np.zeros((5, levels, TOGETHER), np.int32)
    a, u, mass, rest, r, missing = np.zeros((6, levels, TOGETHER))
    uniform = np.zeros((levels, TOGETHER), np.uint32)
    row_counts = np.zeros((5, levels), np.int64)
    low, high = np.zeros((2, int(begins[-1]), TOGETHER))
    tried_low, tried_high = np.zeros((2, int(np.diff(begins).max()) + 1, TOGETHER))
    (at, who) = np.zeros((2, TOGETHER), np.int32)
    (ends, counters) = np.zeros((2, TOGETHER), np.uint32)
    is_accepted = np.zeros(TOGETHER, np.uint8)
    lists = drawing, waiting, row_counts, state, text, token_counts, uniform
    masses = a, u, mass, rest, r, missing, low, high
    last = at, ends, np.zeros((3, TOGETHER), np.int32), np.zeros(3, np.int64)
    return Walk(
        *lists,
        *masses,
        begins,
        *last,
        tried_low,
        tried_high,
        who,
        is_accepted,
        tuple(np.zeros((7, TOGETHER))),
        counters,
    )


def starts(ends: NDArray[np.int32], tokens_per_child: int) -> NDArray[np.int64]:
    """Where the tokens of each level begin: so many for each of the most children that a node of the level has.

    >>> starts(np.array([5, 4, 3, 4, 5]), 1).tolist()
    [0, 2, 4, 4]
    """
    level_sizes: list[int] = []
    level = 0
    todo = [0]
    while todo:
        level_sizes.append(0)
        below: list[int] = []
        for node in todo:
            child = node + 1
            before = len(below)
            while child < ends[node]:
                below.append(child)
                child = int(ends[child])
            level_sizes[level] = max(level_sizes[level], tokens_per_child * (len(below) - before))
        level = level + 1
        todo = below
    return np.cumsum([0, *level_sizes])
