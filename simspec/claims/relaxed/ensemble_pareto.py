"""No one-step rule accepts more often than the static ensemble of the same bias.

`relaxed.ensemble-pareto` in two readings, with a correction: 2604.07622, Proposition 1 (restored).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken, exact, identity, law
from simspec.claims.relaxed.parts import FAR, HALF, pair, shares
from simspec.laws import Scalar, overlap, tv
from simspec.methods import SD, Method, acceptance_rate, output_law
from simspec.methods import tv as output_tv
from simspec.methods.relaxed import ensemble

__all__ = ["any_rule", "rule_of"]

PAPER = "Wang et al. 2026 (arXiv 2604.07622), Proposition 1 (restored)"
SAME = "the rule is as far from p as the ensemble"
FRONTIER = "the rule accepts as much as any at its total variation"


def rule_of(k: Array, r: Array) -> Method:
    """The rule that keeps the mass k, and draws from r after a rejection."""
    return replace(SD, accept=lambda p, d: k, residual=lambda p, d: r)


def any_rule(draw: Draw) -> Instance:
    """Two laws, a kept mass k ≤ q, a residual."""
    it = pair(draw)
    p = it["p"]
    q = it["q"]
    parts = shares(draw, len(p))
    shares_above = shares(draw, len(p))
    if draw.integer(0, 1):
        parts = parts * 0 + 1
    return {**it, "k": parts * np.minimum(p, q) + shares_above * np.maximum(q - p, 0), "r": draw.law(len(p))}


def _alike(draw: Draw) -> Instance:
    it = any_rule(draw)
    p = it["p"]
    q = it["q"]
    far = output_tv(rule_of(it["k"], it["r"]), p, q)
    largest_distance = tv(p, q)
    if 0 < far <= largest_distance:
        return {**it, "w": 1 - far / largest_distance}
    aim = (p + q) / 2
    return {"p": p, "q": q, "k": np.minimum(aim, q), "r": SD.residual(aim, q), "w": F(1, 2)}


def _same(p: Array, q: Array, k: Array, r: Array, w: Scalar) -> bool:
    return bool(output_tv(rule_of(k, r), p, q) == (1 - w) * tv(p, q))


BEST = bound(
    name="relaxed.ensemble-pareto.best",
    statement=r"No one-step rule accepts more than the static ensemble of the same $\mathrm{TV}(\text{output}, p)$",
    reference=PAPER,
    instances=_alike,
    assumes={SAME: _same},
    lhs=lambda p, q, k, r: acceptance_rate(rule_of(k, r), p, q),
    rhs=lambda p, q, w: acceptance_rate(ensemble(w), p, q),
    outside={SAME: {"p": HALF, "q": FAR, "k": FAR, "r": FAR, "w": F(1, 2)}},
    sources=("exact",),
    note="As ears.best-tradeoff: α ≤ Σ min(p, q) + TV(output, p), and an ensemble attains it.",
    broken=[broken("the overlap of speculative decoding", rhs=lambda p, q: overlap(p, q))],
)


def _frontier(draw: Draw) -> Instance:
    it = pair(draw)
    p = it["p"]
    q = it["q"]
    return {**it, "k": np.minimum(p, q) + shares(draw, len(p)) * np.maximum(q - p, 0), "r": SD.residual(p, q)}


def _turned(p: Array, q: Array, k: Array, r: Array) -> Any:
    """How far output − p is from a multiple of q − p: the sum of all 2 × 2 determinants of the two."""
    output_shift = output_law(rule_of(k, r), p, q) - p
    draft_shift = q - p
    return abs(np.multiply.outer(output_shift, draft_shift) - np.multiply.outer(draft_shift, output_shift)).sum()


UNIQUE = identity(
    name="relaxed.ensemble-pareto.unique",
    statement=r"Every rule on the frontier of acceptance and total variation is a static ensemble: its output law is on "
    r"the line from $p$ to $q$",
    reference=PAPER,
    instances=_frontier,
    assumes={
        FRONTIER: lambda p, q, k, r: bool(
            acceptance_rate(rule_of(k, r), p, q) == overlap(p, q) + output_tv(rule_of(k, r), p, q)
        )
    },
    lhs=_turned,
    rhs=lambda: 0,
    outside={FRONTIER: {"p": law(1, 0, 0), "q": law(0, 1, 0), "k": law(0, 0, 0), "r": law(0, 0, 1)}},
    sources=("exact",),
    corrected_by=("relaxed.ensemble-pareto.unique-corrected",),
    within=(
        {
            "p": law("1/8", "1/8", "3/4"),
            "q": law("3/8", "3/8", "1/4"),
            "k": exact([F(1, 8), F(3, 8), F(1, 4)]),
            "r": law(0, 0, 1),
        },
    ),
    note="With three tokens a rule may keep more of one excess of q than of another. With two it holds.",
)


def _short(p: Array, q: Array, k: Array, r: Array) -> Any:
    """How much less is accepted than any rule of the same total variation could."""
    rule = rule_of(k, r)
    return overlap(p, q) + output_tv(rule, p, q) - acceptance_rate(rule, p, q)


def _beside(p: Array, q: Array, k: Array, r: Array) -> Any:
    """Σ (min(o, q) − k) and what o has above max(p, q) or lacks below min(p, q)."""
    o = output_law(rule_of(k, r), p, q)
    outside = np.maximum(o - np.maximum(p, q), 0) + np.maximum(np.minimum(p, q) - o, 0)
    return (np.minimum(o, q) - k + outside).sum(axis=-1)


UNIQUE_CORRECTED = identity(
    name="relaxed.ensemble-pareto.unique-corrected",
    statement=r"Every rule with kept mass $k$ and output law $o$ misses the frontier by $\alpha_{\mathrm{SD}} + "
    r"\mathrm{TV}(o, p) - \alpha = \sum_x (\min(o, q) - k) + \sum_x \mathrm{dist}(o, [\min(p, q), \max(p, "
    r"q)])$",
    reference="correction of " + PAPER,
    instances=any_rule,
    lhs=_short,
    rhs=_beside,
    sources=("exact",),
    note="No term is negative, so a rule is on the frontier exactly when o is between p and q at every token and k = min(o, q).",
    broken=[broken("Σ(q − k)", rhs=lambda p, q, k: (q - k).sum())],
)
