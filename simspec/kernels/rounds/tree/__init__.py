"""Rounds of traversal verification: a tree of drafts is judged from its leaves to its root, by tables in the order of q/p.

The tree has one shape for all rounds; its children are drawn from the draft law at their parent's state, independently or without
replacement.  A node is drawn only when the walk comes to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from simspec.checks import truth
from simspec.kernels.cuda.launch import together
from simspec.kernels.random import Draws
from simspec.kernels.rounds import Rounds, _following, _Packing, _planned
from simspec.kernels.rounds.block import _law
from simspec.kernels.rounds.block.reference import block_laws
from simspec.kernels.rounds.tree import reference

__all__ = ["MOST", "run_tree_rounds", "tree_tables"]

MOST = 512
"""Most drafts of a tree."""
SMALL = 64
"""Positions below which the reference does the work, which takes one path at a time."""


@dataclass(frozen=True)
class _TreeTables(_Packing):
    """Laws of both models in each state, and the tree, ready to be drawn from; made by `tree_tables`.

    Memory: at most 150 bytes a state and token, without replacement 170.
    """

    laws: reference.TreeLaws
    levels: int
    """Most drafts on a path."""
    device: bool = False
    """Whether they were given as CuPy arrays, so that rounds run, and give their results, on the device."""
    kernel = "rounds.tree"

    @property
    def states(self) -> int:
        return int(self.laws.draft.shape[0])

    @property
    def drafts(self) -> int:
        """Counters of a round for each token that it can emit, rounded up."""
        return -(-len(self.laws.ends) // (self.levels + 1))


def tree_tables(
    p: ArrayLike, q: ArrayLike, shape: Sequence[Any], *, replace: bool = True, following: ArrayLike | None = None
) -> _TreeTables:
    """Tables of target laws p and draft laws q (S, V), which are normalised, for trees of one shape.

    Parameters
    ----------
    p, q : laws (S, V)
        of a node in each state; the root has the state in which the round starts.  NumPy arrays; for independent children two
        CuPy arrays to run on their device.
    shape : nested sequences
        a node is the sequence of its children, a leaf is empty: ``((), ((),))``, as `simspec.methods.tree.Shape`; at most 512
        drafts.
    replace : bool
        True: children are drawn independently; False: without those before them, renormalised, as long as any token is left.
    following : integers (V,), optional
        state after each token; by default the only state for S = 1, the token itself for S = V.

    Raises
    ------
    ValueError
        for shapes that do not fit, masses that are negative or not finite, rows without mass, a state that does not exist, a
        tree that is none or too large.

    Examples
    --------
    >>> import numpy as np
    >>> tree_tables(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), ((), ((),))).levels
    2
    """
    device = together(p=p, q=q)
    replace = truth("replace", replace)
    if device and not replace:
        raise ValueError(
            "p: on a device, without replacement; expected NumPy arrays, as only independent drafts run there"
        )
    target = _law("p", p)
    draft = _law("q", q)
    if target.shape != draft.shape:
        raise ValueError(f"q: shape {draft.shape}; expected {target.shape}, that of p")
    levels = _levels(shape)
    sums = block_laws(target, draft, _following(following, *target.shape))
    return _TreeTables(reference.TreeLaws(sums.draft, sums, reference.ends(shape), replace), levels, device)


def _levels(shape: Any) -> int:
    """Most drafts on a path of a tree that is checked."""
    count = 0
    levels = -1
    level = [shape]
    while level:
        if any(not isinstance(node, list | tuple) for node in level):
            raise ValueError(f"shape: {shape!r}; expected the nested sequences of children, leaves empty")
        level = [child for node in level for child in node]
        count = count + len(level)
        levels = levels + 1
        if count > MOST:
            raise ValueError(f"shape: more than {MOST} drafts; expected at most so many")
    return levels


def run_tree_rounds(
    rule: _TreeTables,
    draws: Draws,
    *,
    rounds: int,
    start: int = 0,
    tokens: bool = False,
    counts: bool = False,
    threads: int | None = None,
) -> Rounds:
    r"""Run rounds of traversal verification (Weng et al. 2025): draw a tree, keep the path to a node, emit one token more.

    Arguments and result are those of `simspec.kernels.rounds.run_rounds`, with the levels of the tree in place of gamma;
    ``accepted`` counts the drafts on the path that is kept.  On a chain the paths are those of
    `simspec.kernels.rounds.block.run_block_rounds`.

    Raises
    ------
    ValueError
        for an argument out of its range; rounds times drafts must be below 2**32, with the tree's levels rounded up.

    Notes
    -----
    The compiled loop, and for independent children the CUDA kernel, equal `reference.run` integer
    by integer.  A node is accepted when a uniform on the grid
    (n + 1/2) / 2**32 is below its a.  With :math:`g(u)` the mass of :math:`(p - u q)_+`, of which cumulative sums give
    :math:`g` to :math:`e = 4 V u \epsilon` (:math:`\epsilon` = 2**-53), a deletion after which :math:`g(u_2)` is left of
    :math:`g(u_1)` has :math:`Z = a\,g(u_2)/g(u_1)`, known to :math:`2 e / g(u_1)`: rounding grows only as the target is used up.

    References
    ----------
    Weng et al. 2025, arXiv 2505.12398.

    Examples
    --------
    Equal laws: the first leaf is kept.

    >>> import numpy as np
    >>> p = np.array([[0.5, 0.5]])
    >>> run_tree_rounds(tree_tables(p, p, (((),), ())), Draws(0, range(1)), rounds=3).accepted.tolist()
    [[2, 2, 2]]
    """
    if not isinstance(rule, _TreeTables):
        raise ValueError(f"rule: {type(rule).__name__}; expected what tree_tables makes")
    return _planned(SMALL, rule, draws, (rule.levels, rounds, start), tokens, counts, threads, spare=48_000)
