"""What rounds of traversal verification are, one path at a time in plain Python: the yardstick of the compiled backend.

A round draws a tree of a given shape from the root's state, judges it from its leaves to its root, and emits the path to the
node that is accepted and one token more.  Nodes are numbered in the order in which they are drawn, a parent and then what
hangs below it: the root is 0, of N + 1.  Round t has the Philox counters from token t (N + 1) on, read as in
`simspec.kernels.rounds.reference`:

* word 0 of counter i draws node i + 1 (i < N),
* word 1 of counter i is the uniform of node i + 1 (i < N),
* word 2 of counter i draws the last token of a round that has accepted node i.

On a chain these are the rounds of `simspec.kernels.rounds.block`, number by number.

Why tables suffice.  After some deletions at a node in state s what is left of the target is :math:`(p - u q)_+ / d`, where d is
the mass of :math:`(p - u q)_+`: deleting one more child divides :math:`(a M - S)_+`, with :math:`S = q / (1 - Q)` on tokens not
tried and Q the mass of those tried (0 with replacement), so that u grows by :math:`d / (a (1 - Q))`.  A deleted child has
:math:`a M < S`, so nothing of M is left on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.rounds.block import reference as block
from simspec.kernels.rounds.block.reference import BlockLaws
from simspec.kernels.rounds.reference import Plan, _typed, draw, uniforms
from simspec.kernels.rounds.several.reference import another

__all__ = ["Candidate", "TreeLaws", "candidates", "ends", "paths", "run"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class TreeLaws(NamedTuple):
    """Tables of S states and V tokens, and the tree.

    Attributes
    ----------
    draft : cumulative sums of q (S, V)
    sums : tables in the order of q/p
    ends : for each node the number after the last below it (N + 1,)
    replace : whether children of a node are independent
    """

    draft: Floats
    sums: BlockLaws
    ends: NDArray[np.int32]
    replace: bool


class Candidate(NamedTuple):
    """A node that is judged: its number, the tokens that lead to it, its a, its state, and r: what is left of p is (r p - q)_+.

    With r = 0 nothing was deleted there, and p is left.
    """

    node: int
    text: tuple[int, ...]
    a: float
    state: int
    r: float


def ends(shape: Sequence[Any]) -> NDArray[np.int32]:
    """For each node, in the order in which they are drawn, the number after the last below it.

    Raises ValueError for a text, which would be a tree without end: every letter is a text of one letter.

    >>> ends((((), ()), ())).tolist()
    [5, 4, 3, 4, 5]
    """
    node_ends = list[int]()
    open_: list[tuple[int, Sequence[Any]]] = [(-1, shape)]
    while open_:
        node, children = open_.pop()
        if isinstance(children, str):
            raise ValueError(f"shape: {children!r}; expected nested sequences")
        if node >= 0:  # all below it have their numbers
            node_ends[node] = len(node_ends)
            continue
        open_.append((len(node_ends), ()))
        open_ += [(-1, child) for child in reversed(children)]
        node_ends.append(0)
    return np.array(node_ends, dtype=np.int32)


def candidates(laws: TreeLaws, u: Floats, start: int) -> Iterator[Candidate]:
    """The nodes of a tree in the order in which they are judged: each is accepted with probability a, the root for sure.

    What is drawn and every a are the same whatever the uniforms say, so that probabilities can be multiplied.

    Parameters
    ----------
    laws : TreeLaws
    u : numbers (N,) in [0, 1), which draw the nodes
    start : state of the root

    >>> from simspec.kernels.rounds.block.reference import block_laws
    >>> p, q = np.array([[0.25, 0.75]]), np.array([[0.75, 0.25]])
    >>> sums = block_laws(p, q, np.zeros(2, dtype=np.int64))
    >>> for node in candidates(TreeLaws(sums.draft, sums, ends(((), ())), True), np.array([0.5, 0.5]), 0):
    ...     print(node.text, round(node.a, 6), round(node.r, 6))
    (0,) 0.333333 0.0
    (0,) 0.0 0.0
    () 1.0 0.666667
    """
    yield from _below(laws, u, 0, (), start, 1.0)


def _below(laws: TreeLaws, u: Floats, node: int, text: tuple[int, ...], s: int, a: float) -> Iterator[Candidate]:
    """Candidates at a node and below it, where its a is at first as given."""
    table = laws.draft[s]
    ratio = laws.sums.ratio[s]
    end = int(laws.ends[node])
    shift = 0.0
    mass = 1.0
    rest = 1.0
    r = 0.0
    refused_tokens = list[int]()
    child = node + 1
    while child < end and rest > 0 and a > 0:  # with a = 0 all below it have a = 0
        word = float(u[child - 1])
        x = int(draw(table, word)) if laws.replace else another(table, refused_tokens, word * rest)
        if x == len(table):
            break
        child_acceptance = min(1.0, a * max(float(ratio[x]) - shift, 0.0) * rest / mass)
        yield from _below(laws, u, child, (*text, x), int(laws.sums.following[x]), child_acceptance)
        first = shift == 0
        further = 1.0 / a if first else shift + mass / (a * rest)
        there = a if first else 1.0 / further
        missing = block.beyond(laws.sums, s, there)[1]
        z = missing if first else min(a, a * (further * missing / mass)) if missing > 0 else 0.0
        if missing > 0:
            shift = further
            mass = further * missing
            r = there
        a = z / (z + (1.0 - a)) if z + (1.0 - a) > 0 else 1.0
        if not laws.replace:
            refused_tokens.append(x)
            rest -= float(table[x] - (table[x - 1] if x else 0.0))
        child = int(laws.ends[child])
    yield Candidate(node, text, a, s, r)


def _round(laws: TreeLaws, u: Floats, start: int) -> tuple[int, ...]:
    """Tokens of one round, from numbers (N + 1, 4)."""
    for node, text, a, s, r in candidates(laws, u[:-1, 0], start):
        if node == 0 or u[node - 1, 1] < a:
            last = float(u[node, 2])
            x = int(draw(laws.sums.target[s], last)) if r == 0 else block.residual(laws.sums, s, r, last)
            return *text, x
    raise AssertionError("the root is accepted for sure")


def run(
    laws: TreeLaws, gamma: int, rounds: int, key: int, rows: Any, start: int = 0, purpose: int = 0
) -> tuple[Integers, Integers, Integers, Integers]:
    """As `simspec.kernels.rounds.reference.run`, gamma the levels of the tree.

    >>> from simspec.kernels.rounds.block.reference import block_laws
    >>> sums = block_laws(np.ones((1, 1)), np.ones((1, 1)), np.zeros(1, dtype=np.int64))
    >>> accepted, state, tokens, counts = run(TreeLaws(sums.draft, sums, ends(((), ())), True), 1, 2, 0, range(1))
    >>> accepted.tolist(), tokens.tolist(), counts.tolist()
    ([[1, 1]], [[0, 0, 0, 0]], [[4]])
    """
    size = len(rows)
    drafts = len(laws.ends) - 1
    state = np.full(size, start)
    accepted = np.zeros((size, rounds), dtype=np.int64)
    tokens = np.full((size, rounds * (gamma + 1)), -1)
    counts = np.zeros(laws.draft.shape, dtype=np.int64)
    length = np.zeros(size, dtype=np.int64)
    for t in range(rounds):
        u = uniforms(key, rows, drafts, t, purpose)
        for n in range(size):
            text = _round(laws, u[n], int(state[n]))
            accepted[n, t] = len(text) - 1
            for x in text:
                counts[state[n], x] += 1
                tokens[n, length[n]] = x
                length[n] += 1
                state[n] = laws.sums.following[x]
    return accepted, state, tokens, counts


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool) -> tuple[Any, Any, Any, Any]:
    """`run` for what `tree_tables` makes, in the types of `simspec.kernels.rounds.Rounds`."""
    return _typed(run(rule.laws, *plan), tokens, counts)
