"""`relaxed.optimal-residual`: 2411.00841 (restored)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, at_least, identity, law
from simspec.claims.relaxed.ensemble_pareto import any_rule, rule_of
from simspec.claims.relaxed.parts import FAR, HALF
from simspec.laws import normalise
from simspec.methods import bias

__all__ = ["filling", "nearest"]


def filling(p: Array, k: Array) -> Array:
    """norm((p − k)₊), the residual that is best for the kept mass k."""
    return normalise(np.maximum(p - k, 0), otherwise=p)


def nearest(p: Array, q: Array, k: Array) -> Any:
    """TV(output, p) with that residual."""
    return bias(rule_of(k, filling(p, k)), p, q)


def _over(p: Array, k: Array) -> Any:
    return np.maximum(k - p, 0).sum(axis=-1)


OPTIMAL_RESIDUAL = identity(
    name="relaxed.optimal-residual",
    statement=r"For given kept mass $k \le q$, the least $\mathrm{TV}(\text{output}, p)$ over residual laws is $\sum_x "
    r"(k(x) - p(x))_+$: no residual does better, and $\mathrm{norm}((p - k)_+)$ attains it",
    reference="Yin et al. 2024 (arXiv 2411.00841, restored)",
    instances=any_rule,
    relation=at_least,
    lhs=lambda p, q, k, r: np.array([bias(rule_of(k, r), p, q), nearest(p, q, k), -nearest(p, q, k)], dtype=object),
    rhs=lambda p, k: np.array([_over(p, k), _over(p, k), -_over(p, k)], dtype=object),
    tight=({"p": HALF, "q": FAR, "k": law("3/4", 0), "r": law(0, 1)},),
    sources=("exact",),
)
