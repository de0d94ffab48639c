"""`relaxed.tradeoff`: 2411.00841 (restored)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.relaxed.ensemble_pareto import any_rule
from simspec.claims.relaxed.optimal_residual import nearest
from simspec.claims.relaxed.parts import shares
from simspec.claims.words import Array, Draw, Instance, at_least, identity
from simspec.laws import tv


def _two(draw: Draw) -> Instance:
    it = any_rule(draw)
    p, q = it["p"], it["q"]
    most = np.minimum(p, q) + shares(draw, len(p)) * np.maximum(q - p, 0)
    return {"p": p, "q": q, "k": it["k"], "kept": most}


def _paid(p: Array, q: Array, k: Array) -> Any:
    """Probability of a rejection and the least total variation."""
    return 1 - k.sum() + nearest(p, q, k)


TRADEOFF = identity(
    name="relaxed.tradeoff",
    statement=r"The probability of a rejection and the least $\mathrm{TV}(\text{output}, p)$ have the sum "
    r"$\mathrm{TV}(p, q)$ for every kept mass $l$ with $\min(p, q) \le l \le q$, and no smaller one for any $k "
    r"\le q$: the best acceptance at total variation $\varepsilon$ is $\min(1, \alpha + \varepsilon)$",
    reference="Yin et al. 2024 (arXiv 2411.00841, restored)",
    instances=_two,
    relation=at_least,
    lhs=lambda p, q, k, kept: np.array([_paid(p, q, k), _paid(p, q, kept), -_paid(p, q, kept)], dtype=object),
    rhs=lambda p, q: np.array([tv(p, q), tv(p, q), -tv(p, q)], dtype=object),
    sources=("exact",),
)
