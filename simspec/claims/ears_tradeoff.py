"""Claims about what EARS gains and what it pays: total variation against acceptance.

What any rule can reach is in `simspec.claims.ears_best`.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, at_most, equal
from simspec.claims.draw import Draw
from simspec.claims.ears import HALF, fresh_ears, pardoned, some_step, tolerance
from simspec.claims.sd import law
from simspec.laws import Array, overlap, tv
from simspec.methods import SD, acceptance_rate, bias, ears, gain

__all__ = ["CLAIMS"]

# --- the bias -------------------------------------------------------------------------------------------------------

BIAS_RESIDUAL = Claim(
    name="ears.bias.residual",
    kind="identity",
    statement=r"$\mathrm{TV}(\text{output}, p) = G = \sum_x \min\big((q_x - p_x)_+, t\,q_x\big) = "
    r"\alpha_{\mathrm{EARS}} - \alpha_{\mathrm{SD}}$: the bias is the acceptance gained, for every $p$, $q$ and "
    r"$\beta$ (rejected: the residual)",
    reference="EARS, open question 2 (own statement)",
    instances=some_step,
    lhs=lambda p, q, beta: np.stack([bias(ears(beta), p, q)] * 2),
    rhs=lambda p, q, beta: np.stack(
        [pardoned(p, q, beta).sum(axis=-1), acceptance_rate(ears(beta), p, q) - acceptance_rate(SD, p, q)]
    ),
    relation=equal,
    note="The output is p + g − G r. g lives where q > p, r where p > q, so nothing cancels.",
)

BIAS_FRESH = Claim(
    name="ears.bias.fresh",
    kind="identity",
    statement=r"$\mathrm{TV}(\text{output}, p) = G + \sum_x \big(\min(p_x, q_x) - \kappa p_x\big)_+$ with $\kappa = "
    r"\alpha_{\mathrm{EARS}} = \alpha_{\mathrm{SD}} + G$: the acceptance gained and more (rejected: a fresh draw from "
    r"$p$)",
    reference="EARS, open question 2 (own statement)",
    instances=some_step,
    lhs=lambda p, q, beta: bias(fresh_ears(beta), p, q),
    rhs=lambda p, q, beta: _fresh_bias(p, q, pardoned(p, q, beta).sum(axis=-1, keepdims=True)),
    relation=equal,
    note="The output is k + (1 − κ)p, so TV is Σ(k − κp)₊; with κ ≤ 1 and min(k, p) = min(p, q) each term is (k − p)₊ "
    "+ (min(p, q) − κp)₊. The second part falls as κ grows and vanishes at κ = 1.",
)


def _fresh_bias(p: Array, q: Array, gained: Array) -> Any:
    kept = np.minimum(p, q)
    rate = kept.sum(axis=-1, keepdims=True) + gained
    return gained[..., 0] + np.maximum(kept - rate * p, 0).sum(axis=-1)


BOUND_RESIDUAL = Claim(
    name="ears.bias-bound.residual",
    kind="bound",
    statement=r"$\mathrm{TV}(\text{output}, p) \le \beta(1 - \max p)$ (rejected: the residual)",
    reference="not printed; EARS, open question 2",
    instances=some_step,
    lhs=lambda p, q, beta: bias(ears(beta), p, q),
    rhs=lambda p, q, beta: tolerance(p, beta)[..., 0],
    relation=at_most,
    tight=({"p": law("1/2", "1/2", 0), "q": law(0, 0, 1), "beta": F(1)},),
    corrected_by=("ears.bias-bound.residual-sharp",),
    note="G ≤ t Σ q. The constant is reached by a draft that shares no token with the target.",
)

BOUND_RESIDUAL_SHARP = Claim(
    name="ears.bias-bound.residual-sharp",
    kind="bound",
    statement=r"$\mathrm{TV}(\text{output}, p) \le \min\big(\mathrm{TV}(p, q),\; t\, q\{q > p\}\big)$ (rejected: the "
    r"residual)",
    reference="own statement, sharpening ears.bias-bound.residual",
    instances=some_step,
    lhs=lambda p, q, beta: bias(ears(beta), p, q),
    rhs=lambda p, q, beta: np.minimum(tv(p, q), tolerance(p, beta)[..., 0] * np.where(q > p, q, 0).sum(axis=-1)),
    relation=at_most,
    tight=(
        {"p": law("1/2", "1/2"), "q": law(1, 0), "beta": F(2)},
        {"p": law("1/2", "1/4", "1/4"), "q": law("1/4", 0, "3/4"), "beta": F(1, 2)},
    ),
    note="A sum of minima is at most either sum, and (q − p)₊ adds up to TV(p, q) over {q > p}. Both sides of the "
    "minimum are reached.",
)

BOUND_FRESH = Claim(
    name="ears.bias-bound.fresh",
    kind="bound",
    statement=r"$\mathrm{TV}(\text{output}, p) \le \beta(1 - \max p)$ (rejected: a fresh draw from $p$)",
    reference="not printed; EARS, open question 2",
    instances=some_step,
    lhs=lambda p, q, beta: bias(fresh_ears(beta), p, q),
    rhs=lambda p, q, beta: tolerance(p, beta)[..., 0],
    relation=at_most,
    corrected_by=("ears.bias-bound.fresh-corrected",),
    note="At β = 0 the right side is 0 and the output is still biased (ears.beta-zero.fresh).",
)

BOUND_FRESH_CORRECTED = Claim(
    name="ears.bias-bound.fresh-corrected",
    kind="bound",
    statement=r"$\mathrm{TV}(\text{output}, p) \le \alpha_{\mathrm{EARS}} (1 - \alpha_{\mathrm{SD}}) \le "
    r"(\alpha_{\mathrm{SD}} + t)(1 - \alpha_{\mathrm{SD}})$ (rejected: a fresh draw from $p$)",
    reference="correction of ears.bias-bound.fresh",
    instances=some_step,
    lhs=lambda p, q, beta: np.stack([bias(fresh_ears(beta), p, q), acceptance_rate(ears(beta), p, q) * tv(p, q)]),
    rhs=lambda p, q, beta: np.stack(
        [
            acceptance_rate(fresh_ears(beta), p, q) * (1 - overlap(p, q)),
            (overlap(p, q) + tolerance(p, beta)[..., 0]) * tv(p, q),
        ]
    ),
    relation=at_most,
    tight=({"p": HALF, "q": law(1, 0), "beta": F(0)}, {"p": HALF, "q": law(1, 0), "beta": F(1)}),
    note="TV = κ TV(k/κ, p) = κ(1 − Σ min(k/κ, p)), and Σ min(k/κ, p) ≥ Σ min(k, p) = α_SD. At β = 0 it is α(1 − α), "
    "up to a quarter.",
)

# --- in β -----------------------------------------------------------------------------------------------------------


def _two_betas(draw: Draw) -> Instance:
    step = some_step(draw)
    return {**step, "more": step["beta"] + draw.number(0, 1)}


ORDER = "the second β is not smaller"


def _tradeoff(name: str, method: Any, reading: str, note: str) -> Claim:
    return Claim(
        name=name,
        kind="bound",
        statement=rf"Acceptance and $\mathrm{{TV}}(\text{{output}}, p)$ are both non-decreasing in $\beta$ ({reading})",
        reference="EARS, design trade-offs (β)",
        instances=_two_betas,
        assumes={ORDER: lambda beta, more: more >= beta},
        lhs=lambda p, q, more: np.stack([f(method(more), p, q) for f in (acceptance_rate, bias)]),
        rhs=lambda p, q, beta: np.stack([f(method(beta), p, q) for f in (acceptance_rate, bias)]),
        relation=at_least,
        tight=({"p": law(1, 0), "q": HALF, "beta": F(0), "more": F(1)},),
        outside={ORDER: {"p": HALF, "q": law(1, 0), "beta": F(1), "more": F(0)}},
        note=note,
    )


TRADEOFF_FRESH = _tradeoff(
    "ears.beta-tradeoff.fresh",
    fresh_ears,
    "rejected: a fresh draw",
    "TV = G + Σ(min(p, q) − κp)₊ with κ = α_SD + G: when G grows by δ, the second part falls by at most δ Σp = δ.",
)
TRADEOFF_RESIDUAL = _tradeoff(
    "ears.beta-tradeoff.residual",
    ears,
    "rejected: the residual",
    "min((q − p)₊, t q) grows with t, and the bias is the acceptance gained.",
)

# --- no residual repairs it -----------------------------------------------------------------------------------------


ANY_RESIDUAL = Claim(
    name="ears.fidelity.any-residual",
    kind="bound",
    statement=r"No way to go on after a rejection repairs EARS: for every residual law $r$, "
    r"$\mathrm{TV}(\text{output}, p) \ge \alpha_{\mathrm{EARS}} - \alpha_{\mathrm{SD}}$",
    reference="own statement, answering EARS, open question 2",
    instances=lambda draw: some_step(draw, also=("r",)),
    lhs=lambda p, q, beta, r: bias(ears(beta)._replace(residual=lambda p, d: r), p, q),
    rhs=lambda p, q, beta: gain(ears(beta), p, q),
    relation=at_least,
    tight=({"p": HALF, "q": law(1, 0), "beta": F(1, 2), "r": law(0, 1)},),
    note="Output ≥ k, so TV ≥ Σ(k − p)₊ = G. The residual of speculative decoding reaches it: ears.bias.residual.",
)


CLAIMS = (
    BIAS_FRESH,
    BIAS_RESIDUAL,
    BOUND_FRESH,
    BOUND_FRESH_CORRECTED,
    BOUND_RESIDUAL,
    BOUND_RESIDUAL_SHARP,
    TRADEOFF_FRESH,
    TRADEOFF_RESIDUAL,
    ANY_RESIDUAL,
)
