"""Rejection probability and bias sum to at least the total variation of target and draft.

`relaxed.tradeoff`, and the frontier that it draws: 2411.00841 (restored).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, broken, exact, identity
from simspec.claims.relaxed.ensemble_pareto import any_rule
from simspec.claims.relaxed.optimal_residual import nearest
from simspec.claims.relaxed.parts import shares
from simspec.laws import Scalar, overlap, tv

__all__ = ["spent"]


def _two(draw: Draw) -> Instance:
    it = any_rule(draw)
    p = it["p"]
    q = it["q"]
    larger_kept = np.minimum(p, q) + shares(draw, len(p)) * np.maximum(q - p, 0)
    return {"p": p, "q": q, "k": it["k"], "kept": larger_kept}


def _paid(p: Array, q: Array, k: Array) -> Any:
    """Probability of a rejection and the least total variation."""
    return 1 - k.sum() + nearest(p, q, k)


TRADEOFF = identity(
    name="relaxed.tradeoff",
    statement=r"The probability of a rejection and the least $\mathrm{TV}(\text{output}, p)$ have the sum "
    r"$\mathrm{TV}(p, q)$ for every kept mass $l$ with $\min(p, q) \le l \le q$, and no smaller one for any $k "
    r"\le q$",
    reference="Yin et al. 2024 (arXiv 2411.00841, restored)",
    instances=_two,
    relation=at_least,
    lhs=lambda p, q, k, kept: np.array([_paid(p, q, k), _paid(p, q, kept), -_paid(p, q, kept)], dtype=object),
    rhs=lambda p, q: np.array([tv(p, q), tv(p, q), -tv(p, q)], dtype=object),
    sources=("exact",),
    broken=[
        broken(
            "twice the total variation", rhs=lambda p, q: np.array([2 * tv(p, q), tv(p, q), -tv(p, q)], dtype=object)
        )
    ],
)


def spent(p: Array, q: Array, epsilon: Scalar) -> Array:
    """min(p, q), and of the rest of q the share that a total variation of ε pays.

    >>> [str(mass) for mass in spent(exact([1, 0]), exact([0, 1]), F(1, 4))]
    ['0', '1/4']
    """
    alpha = overlap(p, q)
    share = min(F(1), epsilon / (1 - alpha)) if alpha < 1 else F(1)
    return np.minimum(p, q) + share * np.maximum(q - p, 0)


def _reached(p: Array, q: Array, k: Array, epsilon: Scalar) -> Array:
    """The most that is possible where k is kept; what the rule that spends ε accepts, and minus what it pays."""
    spent_mass = spent(p, q, epsilon)
    return exact([min(F(1), overlap(p, q) + nearest(p, q, k)), spent_mass.sum(), -nearest(p, q, spent_mass)])


TRADEOFF_BEST = identity(
    name="relaxed.tradeoff.best",
    statement=r"The best acceptance at total variation $\varepsilon$ is $\min(1, \alpha + \varepsilon)$: no kept mass $k \le q$ "
    r"with a residual at that distance accepts more, and $\min(p, q)$ with the share $\min(1, \varepsilon/(1 - \alpha))$ of "
    r"$(q - p)_+$ accepts so much and is no farther from $p$",
    reference="Yin et al. 2024 (arXiv 2411.00841, restored)",
    instances=lambda draw: {**any_rule(draw), "epsilon": draw.number(0, 1)},
    relation=at_least,
    lhs=_reached,
    rhs=lambda p, q, k, epsilon: exact([k.sum(), min(F(1), overlap(p, q) + epsilon), -epsilon]),
    sources=("exact",),
    broken=[
        broken("ε is taken off the last entry", rhs=lambda p, q, k, epsilon: exact([k.sum() + epsilon, 0, -epsilon])),
        broken(
            "half of ε as last entry",
            rhs=lambda p, q, epsilon: exact([0, min(F(1), overlap(p, q) + epsilon), -epsilon / 2]),
        ),
    ],
)
