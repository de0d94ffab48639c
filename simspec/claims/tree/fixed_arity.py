"""`tree.fixed-arity`: Sequoia (Chen et al. 2024, arXiv 2402.12374; restored)."""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, F, Instance, bound, exact
from simspec.methods.tree.best import accepted_drafts
from simspec.methods.tree.shapes import Shape


def _tree(draw: Draw) -> Instance:
    arity = draw.integer(1, 3)
    masses = [draw.integer(0, 4) for _ in range(arity)]
    return {
        "rates": exact([F(m, sum(masses) + draw.integer(1, 4)) for m in masses]),
        "shape": _shape(draw, arity, 3),
    }


def _shape(draw: Draw, arity: int, levels: int) -> Shape:
    return tuple(_shape(draw, arity, levels - 1) for _ in range(draw.integer(0, arity) if levels else 0))


def _ceiling(rates: Array) -> Any:
    return rates.sum() / (1 - rates.sum())


FIXED_ARITY = bound(
    name="tree.fixed-arity",
    statement=r"Where child number $j$ of any reached node is accepted with $a_j$, $A = a_1 + \dots + a_K < 1$, a tree in which "
    r"no node has more than $K$ children has $E[\tau] \le A/(1 - A)$, however many nodes it has",
    reference="Sequoia (Chen et al. 2024, arXiv 2402.12374; restored)",
    instances=_tree,
    lhs=lambda rates, shape: accepted_drafts(shape, rates),
    rhs=_ceiling,
    assumes={"A is below one": lambda rates: rates.sum() < 1},
    outside={"A is below one": {"rates": exact([1, 1]), "shape": ((),)}},
    tight=({"rates": exact([0]), "shape": ()},),
    sources=("exact",),
    note="Level d of the tree accepts at most A^d; the full tree comes as near as one likes.",
)
