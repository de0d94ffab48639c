"""The best tree with n nodes accepts at most about log n drafts, with a constant of the target's entropy.

`tree.speed-of-light` in two readings, a sharper constant and the limit: Pankratov and Alistarh 2025 (arXiv 2512.11718).
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from simspec.claims.authoring import (
    Array,
    Broken,
    Draw,
    Instance,
    at_least,
    bound,
    broken,
    exact,
    law,
    other_claim,
    swapped,
)
from simspec.claims.balls import ball, log, plogp
from simspec.claims.tree.eagle_best import best, of_paths
from simspec.laws import Scalar

__all__ = ["accepted", "entropy", "exits", "mean_best", "moments", "one_law", "random_bound", "second", "tree"]


def one_law(draw: Draw) -> Instance:
    """A law without zeros over two or three tokens, and a number of nodes."""
    weights = draw.weights(draw.integer(2, 3))
    return {"p": weights / weights.sum(), "nodes": draw.integer(1, 8)}


def tree(p: Array, nodes: int) -> frozenset[tuple[int, ...]]:
    """The most likely texts where every token has law p."""
    return best(p[None], nodes)


def accepted(p: Array, nodes: int) -> Any:
    """What the best tree accepts where every token has law p."""
    return of_paths(p[None], tree(p, nodes))


def entropy(p: Array) -> Any:
    """Entropy in nats."""
    return -plogp(p).sum()


def exits(p: Array, nodes: int) -> Any:
    """Texts by which a tree of so many nodes is left: (n + 1)(V − 1) + 1."""
    return (nodes + 1) * (len(p) - 1) + 1


def second(p: Array, squared: int) -> Any:
    """Σ p log² p, or the square of the entropy."""
    return entropy(p) ** 2 if squared else sum((ball(mass) * log(mass) ** 2 for mass in p), start=ball(0))


_REFERENCE = "Pankratov and Alistarh 2025 (arXiv 2512.11718), abstract; with E[H²]: EACL 2026, abstract"

EQUAL = bound(
    name="tree.speed-of-light.equal",
    statement=r"Where every token has the same law $p$, the best tree with $n$ nodes has "
    r"$E[\tau] \le (\mu + \mu_2) \log n/\mu^2 + C$, $\mu$ "
    r"the entropy, $\mu_2 = \sum p \log^2 p$ (or $\mu_2 = \mu^2$) and $C = (\log 2V)/\mu - 1$ independent of $n$",
    reference=_REFERENCE,
    instances=lambda draw: {**one_law(draw), "squared": draw.integer(0, 1)},
    lhs=lambda p, nodes: ball(accepted(p, nodes)) * entropy(p) ** 2,
    rhs=lambda p, nodes, squared: (
        (entropy(p) + second(p, squared)) * log(nodes) + entropy(p) * log(2 * len(p)) - entropy(p) ** 2
    ),
    sources=("exact",),
    corrected_by=("tree.speed-of-light.equal-sharp",),
    note="Both sides times μ². The constant C is ours; the factor of log n can be 1/μ alone.",
    broken=[
        Broken(
            "half of the bound",
            lambda _: {"rhs": lambda p, nodes: other_claim("tree.speed-of-light.equal-sharp").rhs(p, nodes) / 2},
        )
    ],
)

EQUAL_SHARP = bound(
    name="tree.speed-of-light.equal-sharp",
    statement=r"Where every token has the same law $p$ of entropy $\mu$, the best tree with $n$ nodes has $E[\tau] \le "
    r"\log((n + 1)(V - 1) + 1)/\mu - 1$",
    reference="sharper than Pankratov and Alistarh 2025 (arXiv 2512.11718), abstract",
    instances=one_law,
    lhs=lambda p, nodes: ball(accepted(p, nodes) + 1) * entropy(p),
    rhs=lambda p, nodes: log(exits(p, nodes)),
    tight=({"p": law("1/2", "1/2"), "nodes": 2},),
    sources=("exact",),
    note="Both sides times μ: the text by which a tree is left has entropy (E[τ] + 1) μ, and there are so many of them. "
    "Equality for uniform laws and full trees.",
    broken=[swapped()],
)


def _mixed(draw: Draw) -> Instance:
    laws = [draw.weights(2) for _ in range(2)]
    return {
        "laws": exact([weights / weights.sum() for weights in laws]),
        "weight": draw.number(0, 1),
        "nodes": 1 + draw.integer(0, 3) * 2 // 3,
        "squared": draw.integer(0, 1),
    }


def mean_best(laws: Array, weight: Scalar, nodes: int) -> Any:
    """Mean over laws drawn independently at the nodes of what the best tree accepts, which sees them."""
    contexts = 2**nodes - 1
    total: Any = 0
    for kinds in product(range(2), repeat=contexts):
        chance: Any = 1
        for kind in kinds:
            chance = chance * ((1 - weight) if kind else weight)
        if chance:
            table = laws[list(kinds)]
            total += chance * of_paths(table, best(table, nodes))
    return total


def moments(laws: Array, weight: Scalar, squared: int) -> tuple[Any, Any]:
    """μ and μ₂."""
    weights = [(ball(weight), laws[0]), (ball(1 - weight), laws[1])]
    return sum(w * entropy(p) for w, p in weights), sum(w * second(p, squared) for w, p in weights)


def random_bound(laws: Array, weight: Scalar, nodes: int, squared: int) -> Any:
    """The right side, times μ²."""
    mean, second = moments(laws, weight, squared)
    logarithm = log(nodes) + log(2) - 1 - log(mean * second / (mean + second))
    return (mean + second) * logarithm


RANDOM = bound(
    name="tree.speed-of-light.random",
    statement=r"Where the laws at the nodes are drawn independently, of mean entropy $\mu$, the best tree with $n$ "
    r"nodes (which sees "
    r"them) has $E[\tau] \le (\mu + \mu_2) \log n/\mu^2 + C$, $\mu_2 = E[\sum p \log^2 p]$ (or $E[H^2]$), "
    r"$C = (\mu + \mu_2)(\log V - 1 - \log(\mu \mu_2/(\mu + \mu_2)))/\mu^2$",
    reference=_REFERENCE,
    instances=_mixed,
    lhs=lambda laws, weight, nodes, squared: (
        ball(mean_best(laws, weight, nodes)) * moments(laws, weight, squared)[0] ** 2
    ),
    rhs=random_bound,
    sources=("exact",),
    note="Both sides times μ²; the constant C is ours. Nodes below 1/n add at most 1, and the others form a tree that does not "
    "see the law at the node it ends in, so that its exits have entropy (1 + y) μ ≤ log V + log n + "
    "log(1 + y); the tangent of "
    "the last logarithm at μ₂ μ/(μ + μ₂) gives the factor.",
    broken=[broken("zero", rhs=lambda: ball(0))],
)

TIGHT = bound(
    name="tree.speed-of-light-tight",
    statement=r"Where every token has the same law the bound is tight: $E[\tau] \ge (\mu + \mu_2) \log n/\mu^2 - C$ "
    r"with a constant $C$",
    reference="Pankratov and Alistarh 2025 (arXiv 2512.11718), abstract (“tight”)",
    instances=lambda draw: {"levels": draw.integer(1, 24), "allowance": draw.integer(0, 8)},
    lhs=lambda levels, allowance: ball(levels + allowance),
    rhs=lambda levels: (1 / log(2) + 1) * log(2 ** (levels + 1) - 2),
    relation=at_least,
    sources=("exact",),
    against=({"levels": 7, "allowance": 4},),
    corrected_by=("tree.speed-of-light-tight-corrected",),
    note="For the uniform law over two tokens and full trees of D levels, n = 2^(D+1) − 2, E[τ] is D, μ = log 2 and μ₂ = μ²: the "
    "right side grows by log 2 + 1 a level, so it passes E[τ] + C for every C. E[τ]/log n goes to 1/μ.",
)

TIGHT_CORRECTED = bound(
    name="tree.speed-of-light-tight-corrected",
    statement=r"$E[\tau] \ge \log(p_{\min}((n + 1)(V - 1) + 1))/\mu - 1$",
    reference="correction of Pankratov and Alistarh 2025 (arXiv 2512.11718), abstract",
    instances=one_law,
    lhs=lambda p, nodes: ball(accepted(p, nodes) + 1) * entropy(p),
    rhs=lambda p, nodes: log(min(p) * exits(p, nodes)),
    relation=at_least,
    sources=("exact",),
    note="Both sides times μ; p_min is the smallest mass of p. The best tree is left by texts whose probabilities differ by no "
    "more than this factor. What follows for large n: tree.speed-of-light-tight-corrected.limit.",
    broken=[swapped()],
)

LIMIT = bound(
    name="tree.speed-of-light-tight-corrected.limit",
    statement=r"Where every token has the same law of $V \ge 2$ tokens, none of mass 0, the best tree with $n$ nodes has $\log "
    r"p_{\min} - \mu \le \mu\,E[\tau] - \log n \le \log 2V - \mu$: so $E[\tau]/\log n \to 1/\mu$, at a distance of "
    r"the order of $1/\log n$",
    reference="correction of Pankratov and Alistarh 2025 (arXiv 2512.11718), abstract",
    instances=one_law,
    relation=at_least,
    lhs=lambda p, nodes: np.array([1, -1]) * (ball(accepted(p, nodes)) * entropy(p)),
    rhs=lambda p, nodes: np.array([log(min(p)) + log(nodes) - entropy(p), entropy(p) - log(nodes) - log(2 * len(p))]),
    sources=("exact",),
    note="p_min is the smallest mass of p. From both sides: tree.speed-of-light.equal-sharp and "
    "tree.speed-of-light-tight-corrected.",
    broken=[
        broken("minus the number of nodes as the second entry", lhs=lambda p, nodes: np.array([0, -1]) * ball(nodes)),
        broken("the two entries are exchanged", lhs=lambda p, nodes: np.array([-1, 0]) * ball(nodes)),
    ],
)
