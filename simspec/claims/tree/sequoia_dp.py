"""Dynamic programming finds the tree that accepts the most, where only a child's number matters.

`tree.sequoia-dp`: Sequoia (Chen et al. 2024, arXiv 2402.12374; restored).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from simspec.claims.authoring import Array, Draw, Instance, broken, exact, identity
from simspec.methods.tree.best import best_of_all

__all__ = ["most"]


def _rates(draw: Draw) -> Instance:
    return {"rates": exact([draw.number(0, 1) for _ in range(draw.integer(1, 3))]), "nodes": draw.integer(0, 5)}


def most(rates: Array, nodes: int) -> Any:
    """F(n), by the recursion as it stands: over all splits into positive parts, one for each child."""

    @cache
    def best(nodes_left: int, child: int) -> Any:
        """What `left` nodes give as child number `child` and those after it, with what hangs below them."""
        if not nodes_left or child == len(rates):
            return 0
        return max(
            rates[child] * (1 + best(n - 1, 0)) + best(nodes_left - n, child + 1) for n in range(1, nodes_left + 1)
        )

    return best(nodes, 0)


SEQUOIA_DP = identity(
    name="tree.sequoia-dp",
    statement=r"Where child number $j$ of any reached node is accepted with $a_j$, the tree with $n$ nodes that accepts the most "
    r"has $F(n) = \max \sum_j a_j (1 + F(n_j - 1))$ over the splits $n_1 + n_2 + \dots = n$ into positive parts, $F(0) = 0$",
    reference="Sequoia (Chen et al. 2024, arXiv 2402.12374; restored)",
    instances=_rates,
    lhs=most,
    rhs=lambda rates, nodes: best_of_all(nodes, rates).accepted,
    sources=("exact",),
    note="With parts that may be zero it needs that the rates do not rise: child number 2 cannot stand without child number 1.",
    broken=[broken("every node at the best rate", lhs=lambda rates, nodes: nodes * rates.max())],
)
