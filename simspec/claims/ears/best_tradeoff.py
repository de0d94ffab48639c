"""No rule gains more acceptance over speculative decoding than its total variation from the target.

`ears.best-tradeoff`, with its readings: own statement (the frontier of acceptance and total variation).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken, identity, law
from simspec.claims.claim import Evidence
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import rows_for
from simspec.claims.draw import RealDraw
from simspec.claims.ears.parts import (
    AS_OFTEN,
    HALF,
    accepted_of,
    any_rule,
    as_often,
    competitor,
    rule_of,
    shares_of,
    some_step,
)
from simspec.laws import Scalar, overlap, top_p
from simspec.logits.bank import MissingPart
from simspec.methods import (
    SD,
    Method,
    acceptance_rate,
    curve,
    ears,
    fresh,
    lenience,
    levelled,
    mixture,
    output_law,
    tv,
    typical,
)

__all__ = ["side_by_side"]

RULES: dict[str, Method] = {
    "speculative decoding": SD,
    "EARS at 0.1": ears(0.1),
    "EARS at 0.1, fresh draw": replace(ears(0.1), residual=fresh),
    "lenience 0.8": lenience(0.8),
    "lenience 0.8, levelled": levelled(lenience(0.8)),
    "mixture with 0.1 of the draft": mixture(0.1),
    "typical acceptance": typical(),
}
_MOST_KL = 10.0


def side_by_side(data: Data) -> list[Evidence]:
    """What rules gain and pay on a bank, with the whole laws and with the nucleus of mass 0.9 of each."""
    draw = RealDraw(data.main, data.seed, rows_for(data, 12, 24, 10_000))
    try:
        p, q = draw.pair(data.main.vocab)
    except MissingPart:  # a bank without a draft has nothing to measure
        return []
    evidence = []
    model = data.main.provenance["models"]["target"]["name"]
    for mass, laws in (("", (p, q)), (", nucleus of 0.9", (top_p(p, 0.9), top_p(q, 0.9)))):
        for row in curve(RULES, *laws):
            control = {
                "the best of any rule at that TV": float(row.frontier.mean()),
                "mean TV": float(row.tv.mean()),
                f"mean KL(output ‖ p), cut at {_MOST_KL:g}": float(np.minimum(row.kl, _MOST_KL).mean()),
                "contexts with infinite KL": float(np.isinf(row.kl).mean()),
                "mean probability of a token with p = 0": float(row.support.mean()),
            }
            label = f"{data.describe(data.main, draw.rows)}{mass}: {row.name}, mean acceptance"
            evidence.append(Evidence(label, model, len(p), float(row.acceptance.mean()), control=control))
    return evidence


BEST = bound(
    name="ears.best-tradeoff",
    statement=r"Every rule on drafts from $q$ — any kept mass $0 \le k \le q$, any residual — has $\alpha \le "
    r"\alpha_{\mathrm{SD}} + \mathrm{TV}(\text{output}, p)$",
    reference="own statement (the frontier of acceptance and total variation), known: Yin et al. 2024, Theorem 5",
    instances=any_rule,
    lhs=lambda p, q, k, r: acceptance_rate(rule_of(k, r), p, q),
    rhs=lambda p, q, k, r: overlap(p, q) + tv(rule_of(k, r), p, q),
    tight=({"p": HALF, "q": law(1, 0), "k": law("3/4", 0), "r": law(0, 1)},),
    evidence=side_by_side,
    note="What is emitted includes what is kept: α ≤ Σ min(output, q) ≤ Σ min(p, q) + TV(output, p).",
    broken=[
        broken("7/8 of the bias", rhs=lambda p, q, k, r: overlap(p, q) + tv(rule_of(k, r), p, q) * F(7, 8)),
        broken("7/8 of the overlap", rhs=lambda p, q, k, r: overlap(p, q) * F(7, 8) + tv(rule_of(k, r), p, q)),
    ],
)


def _relaxed(draw: Draw) -> Instance:
    step = some_step(draw, also=("share",))
    p = step["p"]
    q = step["q"]
    return {"p": p, "q": q, "k": np.minimum(p, q) + shares_of(step["share"]) * np.maximum(q - p, 0)}


AT_LEAST_SD = "k is at least min(p, q): nothing is rejected that speculative decoding keeps"


def _keeping(k: Array) -> Method:
    return replace(SD, accept=lambda p, d: k)


ATTAINED = identity(
    name="ears.best-tradeoff.attained",
    statement=r"Every rule with $\min(p, q) \le k \le q$ and the residual of speculative decoding has "
    r"$\mathrm{TV}(\text{output}, p) = \alpha - \alpha_{\mathrm{SD}}$: EARS, lenience and mixtures with the "
    r"draft all are on the frontier of acceptance and total variation",
    reference="own statement",
    instances=_relaxed,
    assumes={AT_LEAST_SD: lambda p, q, k: bool(np.all(k >= np.minimum(p, q)))},
    lhs=lambda p, q, k: tv(_keeping(k), p, q),
    rhs=lambda p, q, k: acceptance_rate(_keeping(k), p, q) - overlap(p, q),
    outside={AT_LEAST_SD: {"p": HALF, "q": law("3/4", "1/4"), "k": law("1/2", 0)}},
    note="As ears.bias.residual: k − min(p, q) lives where q > p, the residual where p > q. Total variation alone "
    "does not choose between such rules; Kullback–Leibler divergence (ears.best-tradeoff-kl) and the support "
    "(ears.support) do.",
    broken=[
        broken("any rule at all", instances=any_rule, assumes={}),
        broken("half of the excess", rhs=lambda p, q, k: np.maximum(k - p, 0).sum() / 2),
    ],
)


def _against_levelled(draw: Draw) -> Instance:
    """The competitor is the levelled law itself, looked at where it is lowest."""
    instance = dict(competitor(draw))
    o = output_law(levelled(lenience(instance["factor"])), instance["p"], instance["q"])
    return {**instance, "o": o, "eta": min(x / y for x, y in zip(o, instance["p"], strict=True) if y)}


BEST_EVERY = bound(
    name="ears.best-tradeoff.every-divergence",
    statement=r"Of all rules on drafts from $q$ that accept at least as often as lenience $\ell$, lenience with the "
    r"levelled residual $\mathrm{norm}((a p - q)_+)$ emits the law closest to $p$ in every $f$-divergence: for every "
    r"$\eta \ge 0$, $\sum_x (o^*_x - \eta p_x)_+ \le \sum_x (\text{output}_x - \eta p_x)_+$, $o^* = \mathrm{clip}(q, "
    r"a p, p/\ell)$",
    reference="own statement (the frontier of acceptance and every divergence)",
    instances=lambda draw: {**competitor(draw), "eta": draw.number(0, 4)},
    assumes={AS_OFTEN: as_often},
    lhs=lambda p, q, factor, eta: _over(output_law(levelled(lenience(factor)), p, q), p, eta),
    rhs=lambda p, q, o, eta: _over(output_law(accepted_of(o), p, q), p, eta),
    tight=({"p": HALF, "q": law("3/4", "1/4"), "factor": F(1, 2), "o": law("3/4", "1/4"), "eta": F(1)},),
    outside={AS_OFTEN: {"p": HALF, "q": law("3/4", "1/4"), "factor": F(1, 2), "o": HALF, "eta": F(1)}},
    note="A rule that emits o keeps h ≤ min(o, q). For η ≤ a the sum of o* is 1 − η, for η ≥ 1/ℓ it is 0, and no law has "
    "less; in between (o − ηp)₊ − (o* − ηp)₊ ≥ h − k token by token, and Σ(h − k) ≥ 0. The divergences with f(x) = (x − "
    "η)₊ generate all others: the slope f'(o*/p) is f'(1/ℓ) where o* < q and f'(a) where o* > q, so that D(o) − D(o*) ≥ "
    "(f'(1/ℓ) − f'(a)) Σ(h − k). The level a is the least (1 − Σk + Σ_S k)/Σ_S p over sets S of smallest k/p.",
    broken=[
        broken(
            "the lenient rule without levelling",
            lhs=lambda p, q, factor, eta: _over(output_law(lenience(factor), p, q), p, eta),
            instances=lambda draw: _against_levelled(draw),
        ),
        broken(
            "the competitor is the target itself",
            instances=lambda draw: {**(i := competitor(draw)), "o": i["p"], "eta": F(1)},
            assumes={},
        ),
    ],
)


def _over(o: Array, p: Array, eta: Scalar) -> Any:
    return np.maximum(o - eta * p, 0).sum(axis=-1)
