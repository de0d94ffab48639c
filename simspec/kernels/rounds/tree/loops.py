"""The compiled twin of `simspec.kernels.rounds.tree.reference.run`: the same integers on every path.

Drafts are found as in `simspec.kernels.rounds.loops`, or as in `several.distinct` without replacement, what is left of the
target as in `block.loops`; the same float64 operations in the same order as the reference do the rest.  A node is drawn when
the walk comes to it, so nothing is spent on nodes after the one that is accepted, or below one with a = 0.

What a round costs beside one of token verification: each node that is judged takes a draft, and where it is deleted and its
parent judged after it, a bisection for the mass that it leaves.  A coin that fails for sure saves the bisection.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.compiled import kernel
from simspec.kernels.random import core
from simspec.kernels.rounds.block import loops as block
from simspec.kernels.rounds.loops import WORDS, _compiled, _find, _spread
from simspec.kernels.rounds.reference import Plan
from simspec.kernels.rounds.several import distinct
from simspec.kernels.rounds.tree.reference import TreeLaws

__all__ = ["Packed", "pack", "paths"]

_philox, _narrow, _32 = core.rounds, core.narrow, np.uint64(32)
_missing, _fails, _last = block._missing, block._fails, block._last
_another, _insert = distinct._another, distinct._insert
NEAR, MARGIN = block.NEAR, block.MARGIN


class Packed(NamedTuple):
    """What the compiled loop reads: tables of block rounds; sums of q beside p/q (S, V, 2) without replacement; the tree."""

    sums: block.Packed
    cells: NDArray[np.float64]
    ends: NDArray[np.int32]


def pack(laws: TreeLaws) -> Packed:
    """`laws` as the compiled loop reads them."""
    one = np.ones((1, 1, 2))
    cells = one if laws.replace else np.stack([laws.draft, laws.sums.ratio], axis=-1)
    return Packed(block.pack(laws.sums), cells, laws.ends.copy())


@_compiled
def _open(nodes, numbers, level, node, s, a):
    """A node to be judged: number, state, tokens tried, tokens of what is left, next child; a, u, d, 1 - Q, r, mass at r."""
    nodes[level, 0], nodes[level, 1], nodes[level, 2], nodes[level, 3], nodes[level, 4] = node, s, 0, 0, node + 1
    numbers[level, 0], numbers[level, 1], numbers[level, 2] = a, 0.0, 1.0
    numbers[level, 3], numbers[level, 4], numbers[level, 5] = 1.0, 0.0, 0.0


@_compiled
def _child(packed, nodes, numbers, level, word, tried, shift):
    """The token that is drawn for a node's next child, or V where none is left, and the child's a."""
    sums, cells = packed[0], packed[1]
    s, a, u, mass, rest = nodes[level, 1], numbers[level, 0], numbers[level, 1], numbers[level, 2], numbers[level, 3]
    if tried.shape[1] == 0:
        x = np.int64(_find(sums[0], s, word, shift))
        return x, min(1.0, a * max(sums[2][s, x] - u, 0.0) * rest / mass)
    x = np.int64(_another(cells, sums[0][1], s, tried[level], nodes[level, 2], (word + 0.5) * 2.0**-32 * rest))
    if x == cells.shape[1]:
        return x, 0.0
    return x, min(1.0, a * max(cells[s, x, 1] - u, 0.0) * rest / mass)


@_compiled
def _delete(sums, nodes, numbers, level, coin, last):
    """What a node's deleted child leaves of its target, and of a: 0 where the node's own coin fails for sure."""
    s, a, shift, mass = nodes[level, 1], numbers[level, 0], numbers[level, 1], numbers[level, 2]
    first = shift == 0.0
    if last and level:
        u = (coin + 0.5) * 2.0**-32
        if _fails(sums, s, a, u) if first else (1.0 - a > NEAR and u > a + MARGIN):
            numbers[level, 0] = 0.0
            return
    further = 1.0 / a if first else shift + mass / (a * numbers[level, 3])
    there = a if first else 1.0 / further
    many, missing = _missing(sums, s, there)
    z = 0.0
    if missing > 0:
        z = missing if first else min(a, a * (further * missing / mass))
        numbers[level, 1], numbers[level, 2] = further, further * missing
        numbers[level, 4], numbers[level, 5] = there, missing
        nodes[level, 3] = many
    rest = z + (1.0 - a)
    numbers[level, 0] = z / rest if rest > 0 else 1.0


@_compiled
def _forget(cells, nodes, numbers, level, x, tried):
    """A deleted child is not drawn again."""
    if tried.shape[1]:
        s = nodes[level, 1]
        _insert(tried[level], nodes[level, 2], x)
        nodes[level, 2] += 1
        numbers[level, 3] -= cells[s, x, 0] - (cells[s, x - 1, 0] if x else 0.0)


@_compiled
def _judge(packed, words, n, start, room, shift):
    """The level of the node that is accepted; its tokens and the one after them stand in the room's text."""
    nodes, numbers, tried, text = room
    sums, ends, level = packed[0], packed[2], np.int64(0)
    _open(nodes, numbers, level, np.int64(0), start, 1.0)
    while True:
        node, child = nodes[level, 0], nodes[level, 4]
        if child < ends[node] and numbers[level, 3] > 0 and numbers[level, 0] > 0:
            x, a = _child(packed, nodes, numbers, level, words[0, n + child - 1], tried, shift)
            nodes[level, 4] = ends[child]
            if x < sums[2].shape[1]:
                text[level] = x
                level += 1
                _open(nodes, numbers, level, child, np.int64(0 if len(sums[2]) == 1 else sums[6][x]), a)
                continue
        s = nodes[level, 1]
        if node == 0 or (words[1, n + node - 1] + 0.5) * 2.0**-32 < numbers[level, 0]:
            word, r = words[2, n + node], numbers[level, 4]
            if r == 0.0:
                text[level] = _find(sums[1], s, word, shift)
            else:
                text[level] = _last(sums, s, r, nodes[level, 3], numbers[level, 5], word, shift)
            return level
        level -= 1
        parent = nodes[level, 0]
        coin = words[1, n + parent - 1] if parent else np.uint32(0)
        _delete(sums, nodes, numbers, level, coin, nodes[level, 4] == ends[parent])
        _forget(packed[1], nodes, numbers, level, text[level], tried)


@kernel
def _run(packed, rounds, k0, k1, rows, start, purpose, accepted, state, tokens, counts, room, words, first, last):
    """Rounds of rows first .. last - 1; `tokens` and `counts` of size zero are not filled; buffers to work in."""
    sums, text = packed[0], room[3]
    following = sums[6]
    shift = np.int64(32)
    while (sums[0][1].shape[1] - 1) >> (32 - shift) > 1:
        shift -= 1
    one, width = len(sums[2]) == 1, len(packed[2])
    few = words.shape[1] // width
    for i in range(first, last):
        low, high = _narrow(rows[i]), _narrow(rows[i] >> _32)
        s, length = np.int64(start), 0
        for t0 in range(0, rounds, few):
            some = min(few, rounds - t0)
            base = np.uint32(t0 * width)
            for j in range(some * width):
                w = _philox(_narrow(base + np.uint32(j)), low, high, purpose, k0, k1)
                words[0, j] = w[0]
                words[1, j] = w[1]
                words[2, j] = w[2]
            for t in range(some):
                level = _judge(packed, words, t * width, s, room, shift)
                for j in range(level + 1):
                    x = text[j]
                    if tokens.size:
                        tokens[i, length] = x
                    if counts.size:
                        counts[s, x] += 1
                    length += 1
                    s = np.int64(0 if one else following[x])
                accepted[i, t0 + t] = level
        if tokens.size:
            for j in range(length, tokens.shape[1]):
                tokens[i, j] = -1
        state[i] = s


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Twin of `reference.paths`; see `simspec.kernels.rounds.tree.run_tree_rounds` for the arguments."""
    levels, width = plan.gamma + 1, len(rule.laws.ends)
    tried = (levels, 0 if rule.laws.replace else width)
    made = partial(_run, rule.packed)

    def run(gamma: int, *given: Any) -> None:
        room = (
            np.empty((levels, 5), np.int64),
            np.empty((levels, 6)),
            np.empty(tried, np.int64),
            np.empty(levels, np.int64),
        )
        words = np.empty((3, max(1, WORDS // width) * width), dtype=np.uint32)
        made(*given[:-2], room, words, *given[-2:])

    return _spread(run, rule, plan, tokens, counts, threads, rule.drafts)
