"""The best tree accepts at least about log n / log log n drafts, where rejections fall as a power.

`tree.power-law`: Sequoia (Chen et al. 2024, arXiv 2402.12374; restored), and the bound that it follows from.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, exact, rate, swapped
from simspec.claims.balls import ball, log
from simspec.methods.tree.best import accepted_drafts
from simspec.methods.tree.shapes import full

__all__ = ["asked", "full_tree", "least_arity", "nodes_of"]

C = Fraction(1, 8)
"""The constant that is tried."""


def _growing(draw: Draw) -> Instance:
    levels = draw.integer(6, 60)
    power = draw.integer(1, (levels**2).bit_length() - 1)  # 2^b ≤ D²
    fewest = nodes_of(levels, power)
    next_nodes = nodes_of(levels + 1, power)
    return {"levels": levels, "power": power, "nodes": fewest + (next_nodes - fewest) * draw.integer(0, 8) // 8}


def least_arity(levels: int, power: int) -> int:
    """The least K with K^b ≥ D²."""
    arity = 1
    while arity**power < levels**2:
        arity += 1
    return arity


def full_tree(levels: int, power: int) -> Any:
    """What the full tree accepts where 1 − (a_1 + … + a_K) = K^(−b) is as large as it may be."""
    reached = 1 - Fraction(1, least_arity(levels, power) ** power)
    return ball(sum(reached**d for d in range(1, levels + 1)))


def nodes_of(levels: int, power: int) -> int:
    """Nodes of the full tree with that many children."""
    arity = least_arity(levels, power)
    return int(sum(arity**d for d in range(1, levels + 1)))


def asked(power: int, nodes: int) -> Any:
    """c b log n / log log n."""
    return ball(C * power) * log(nodes) / log(log(nodes))


POWER_LAW = rate(
    name="tree.power-law",
    statement=r"Where child number $j$ of any reached node is accepted with $a_j$ and $1 - (a_1 + \dots + a_K) \le "
    r"K^{-b}$, the "
    r"best tree has $E[\tau] \ge c\,b \log n/\log\log n$ for large $n$ and a constant $c > 0$",
    reference="Sequoia (Chen et al. 2024, arXiv 2402.12374; restored)",
    instances=_growing,
    lhs=full_tree,
    rhs=asked,
    relation=at_least,
    sources=("exact",),
    note="With c = 1/8, for every b and every n from the nodes of the full tree of D ≥ 6 levels, D² ≥ 2^b, with the least K of "
    "K^b ≥ D² (whose E[τ] is compared: the best tree has no less), to those of the next such tree: E[τ] ≥ D − 1 by "
    "tree.full-tree, and log n is of the order (2/b) D log D.",
    broken=[swapped()],
)


def _levels(draw: Draw) -> Instance:
    masses = [draw.integer(0, 8) for _ in range(draw.integer(1, 3))]
    rates = exact(masses) / (sum(masses) + draw.integer(0, 2)) if any(masses) else exact(masses)
    return {"rates": rates, "levels": draw.integer(0, 4)}


def _at_least(rates: Array, levels: int) -> Any:
    return levels * (1 - levels * (1 - rates.sum()))


FULL_TREE = bound(
    name="tree.full-tree",
    statement=r"Where child number $j$ of any reached node is accepted with $a_j$ , $\epsilon = 1 - (a_1 + \dots + "
    r"a_K) \ge 0$, the "
    r"full tree of $D$ levels with $K$ children has $E[\tau] \ge D (1 - D \epsilon)$",
    reference="own; it proves tree.power-law",
    instances=_levels,
    lhs=lambda rates, levels: accepted_drafts(full(len(rates), levels), rates),
    rhs=_at_least,
    relation=at_least,
    tight=({"rates": np.asarray(exact([1])), "levels": 2},),
    sources=("exact",),
    broken=[broken("the complement of the rates", rhs=lambda rates, levels: levels * (1 - rates.sum() + 1))],
)
