"""Claims about the best that any relaxed rule can do: acceptance against the distance of the output law from p.

Where EARS stands on these frontiers: `simspec.claims.ears_tradeoff`.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, at_most, equal
from simspec.claims.draw import Draw
from simspec.claims.ears import HALF, some_step
from simspec.claims.ears_measured import side_by_side
from simspec.claims.ears_paths import closeness
from simspec.claims.sd import law
from simspec.laws import Array, overlap
from simspec.methods import (
    SD,
    Method,
    acceptance_rate,
    bias,
    ears,
    lenience,
    levelled,
    output_law,
)

__all__ = ["CLAIMS"]

# --- what a residual can repair -------------------------------------------------------------------------------------


def _any_rule(draw: Draw) -> Instance:
    """Any kept mass k ≤ q: shares of min(p, q) and of (q − p)₊, token by token; any residual."""
    step = some_step(draw, also=("low", "high", "r"))
    p, q, low, high = step["p"], step["q"], _shares(step["low"]), _shares(step["high"])
    if draw.integer(0, 1):
        low = 0 * low + 1
    return {"p": p, "q": q, "k": low * np.minimum(p, q) + high * np.maximum(q - p, 0), "r": step["r"]}


def _shares(masses: Array) -> Array:
    """Numbers in [0, 1], one of them 1."""
    return masses / masses.max(axis=-1, keepdims=True)


def _rule(k: Array, r: Array) -> Method:
    return Method(propose=lambda q: q, keep=lambda p, d: k, residual=lambda p, d: r)


def _excess(k: Array, p: Array) -> Any:
    return np.maximum(k - p, 0).sum(axis=-1)


def _lacking(p: Array, k: Array) -> Array:
    """norm((p − k)₊), where nothing lacks p."""
    lack = np.maximum(p - k, 0)
    mass = lack.sum(axis=-1, keepdims=True)
    return np.where(mass > 0, lack / np.where(mass > 0, mass, 1), p)


REPAIRABLE = Claim(
    name="ears.fidelity.repairable",
    kind="bound",
    statement=r"For any rule with kept mass $k$ and any residual, $\mathrm{TV}(\text{output}, p) \ge \sum_x (k_x - "
    r"p_x)_+$, reached by the residual $\mathrm{norm}((p - k)_+)$: some residual makes a rule lossless if and only if "
    r"$k \le p$",
    reference="own statement",
    instances=_any_rule,
    lhs=lambda p, q, k, r: np.stack([bias(_rule(k, r), p, q), _excess(k, p)]),
    rhs=lambda p, q, k: np.stack([_excess(k, p), bias(_rule(k, _lacking(p, k)), p, q)]),
    relation=at_least,
    tight=({"p": HALF, "q": law(1, 0), "k": law("3/4", 0), "r": law(0, 1)},),
    note="Output ≥ k. With that residual a token above p gets nothing more, and one below p gets (1 − κ)/Σ(p − k)₊ ≤ "
    "1 of what it lacks. Of all k ≤ min(p, q) the largest is speculative decoding.",
)

# --- the best trade-off ---------------------------------------------------------------------------------------------

BEST = Claim(
    name="ears.best-tradeoff",
    kind="bound",
    statement=r"Every rule on drafts from $q$ — any kept mass $0 \le k \le q$, any residual — has $\alpha \le "
    r"\alpha_{\mathrm{SD}} + \mathrm{TV}(\text{output}, p)$",
    reference="own statement (the frontier of acceptance and total variation)",
    instances=_any_rule,
    lhs=lambda p, q, k, r: acceptance_rate(_rule(k, r), p, q),
    rhs=lambda p, q, k, r: overlap(p, q) + bias(_rule(k, r), p, q),
    relation=at_most,
    tight=({"p": HALF, "q": law(1, 0), "k": law("3/4", 0), "r": law(0, 1)},),
    evidence=side_by_side,
    note="What is emitted includes what is kept: α ≤ Σ min(output, q) ≤ Σ min(p, q) + TV(output, p).",
)


def _relaxed(draw: Draw) -> Instance:
    step = some_step(draw, also=("share",))
    p, q = step["p"], step["q"]
    return {"p": p, "q": q, "k": np.minimum(p, q) + _shares(step["share"]) * np.maximum(q - p, 0)}


AT_LEAST_SD = "k is at least min(p, q): nothing is rejected that speculative decoding keeps"


def _keeping(k: Array) -> Method:
    return SD._replace(keep=lambda p, d: k)


ATTAINED = Claim(
    name="ears.best-tradeoff.attained",
    kind="identity",
    statement=r"Every rule with $\min(p, q) \le k \le q$ and the residual of speculative decoding has "
    r"$\mathrm{TV}(\text{output}, p) = \alpha - \alpha_{\mathrm{SD}}$: EARS, lenience and mixtures with the "
    r"draft all are on the frontier of acceptance and total variation",
    reference="own statement",
    instances=_relaxed,
    assumes={AT_LEAST_SD: lambda p, q, k: bool(np.all(k >= np.minimum(p, q)))},
    lhs=lambda p, q, k: bias(_keeping(k), p, q),
    rhs=lambda p, q, k: acceptance_rate(_keeping(k), p, q) - overlap(p, q),
    relation=equal,
    outside={AT_LEAST_SD: {"p": HALF, "q": law("3/4", "1/4"), "k": law("1/2", 0)}},
    note="As ears.bias.residual: k − min(p, q) lives where q > p, the residual where p > q. Total variation alone "
    "does not choose between such rules; Kullback–Leibler divergence (ears.best-tradeoff-kl) and the support "
    "(ears.support) do.",
)


def _competitor(draw: Draw) -> Instance:
    """A lenience, and another law o whose largest acceptance Σ min(o, q) is at least that of lenience."""
    step = some_step(draw, also=("o",), rows=16)
    p, q, o = step["p"], step["q"], step["o"]
    factor = draw.number(F(1, 8) if draw.exact else 0.125, 1)
    kind = draw.integer(0, 2)
    if kind:  # a law made to be near: what EARS emits, or the target itself
        o = output_law(ears(step["beta"]), p, q) if kind == 1 else p
    rate, have = (np.asarray(x)[..., None] for x in (acceptance_rate(lenience(factor), p, q), overlap(o, q)))
    one: Any = F(1) if draw.exact else 1  # a quotient of two integers would be a float
    short = np.maximum(rate - have, 0) / np.where(have < 1, one - have, one)
    return {"p": p, "q": q, "factor": factor, "o": (1 - short) * o + short * q}


def _accepted_of(o: Array) -> Method:
    """The rule that emits o and accepts as much of it as can be: k = min(o, q)."""
    return Method(
        propose=lambda q: q,
        keep=lambda p, d: np.minimum(o, d),
        residual=lambda p, d: SD.residual(o, d),
    )


AS_OFTEN = "it accepts at least as often as lenience"


def _as_often(p: Array, q: Array, o: Array, factor: Any) -> bool:
    spare = np.asarray(overlap(o, q) - acceptance_rate(lenience(factor), p, q))
    return bool(np.all(spare >= (0 if spare.dtype == object else -1e-12)))


BEST_EVERY = Claim(
    name="ears.best-tradeoff.every-divergence",
    kind="bound",
    statement=r"Of all rules on drafts from $q$ that accept at least as often as lenience $\ell$, lenience with the "
    r"levelled residual $\mathrm{norm}((a p - q)_+)$ emits the law closest to $p$ in every $f$-divergence: for every "
    r"$\eta \ge 0$, $\sum_x (o^*_x - \eta p_x)_+ \le \sum_x (\text{output}_x - \eta p_x)_+$, $o^* = \mathrm{clip}(q, "
    r"a p, p/\ell)$",
    reference="own statement (the frontier of acceptance and every divergence)",
    instances=lambda draw: {**_competitor(draw), "eta": draw.number(0, 4)},
    assumes={AS_OFTEN: _as_often},
    lhs=lambda p, q, factor, eta: _over(output_law(levelled(lenience(factor)), p, q), p, eta),
    rhs=lambda p, q, o, eta: _over(output_law(_accepted_of(o), p, q), p, eta),
    relation=at_most,
    tight=({"p": HALF, "q": law("3/4", "1/4"), "factor": F(1, 2), "o": law("3/4", "1/4"), "eta": F(1)},),
    outside={AS_OFTEN: {"p": HALF, "q": law("3/4", "1/4"), "factor": F(1, 2), "o": HALF, "eta": F(1)}},
    note="A rule that emits o keeps h ≤ min(o, q). For η ≤ a the sum of o* is 1 − η, for η ≥ 1/ℓ it is 0, and no law has "
    "less; in between (o − ηp)₊ − (o* − ηp)₊ ≥ h − k token by token, and Σ(h − k) ≥ 0. The divergences with f(x) = (x − "
    "η)₊ generate all others: the slope f'(o*/p) is f'(1/ℓ) where o* < q and f'(a) where o* > q, so that D(o) − D(o*) ≥ "
    "(f'(1/ℓ) − f'(a)) Σ(h − k). The level a is the least (1 − Σk + Σ_S k)/Σ_S p over sets S of smallest k/p.",
)


def _over(o: Array, p: Array, eta: Any) -> Any:
    return np.maximum(o - eta * p, 0).sum(axis=-1)


BEST_KL = Claim(
    name="ears.best-tradeoff-kl",
    kind="bound",
    statement=r"Of all rules on drafts from $q$ that accept at least as often as lenience $\ell$, lenience with the "
    r"levelled residual emits the law closest to $p$: $\mathrm{KL}(\mathrm{clip}(q, a p, p/\ell) \Vert p) \le "
    r"\mathrm{KL}(\text{output} \Vert p)$; EARS at the same acceptance, too, is at least as far",
    reference="own statement (the frontier of acceptance and Kullback–Leibler divergence)",
    instances=_competitor,
    assumes={AS_OFTEN: _as_often},
    lhs=lambda p, q, o: closeness(output_law(_accepted_of(o), p, q), p),
    rhs=lambda p, q, factor: closeness(output_law(levelled(lenience(factor)), p, q), p),
    relation=at_most,
    tight=({"p": HALF, "q": law("3/4", "1/4"), "factor": F(1, 2), "o": law("3/4", "1/4")},),
    outside={AS_OFTEN: {"p": HALF, "q": law("3/4", "1/4"), "factor": F(1, 2), "o": HALF}},
    note="Compared as exp(−KL), 0 where a token with p = 0 is emitted. ears.best-tradeoff.every-divergence with f(x) "
    "= x log x: the projection of p on {o : Σ min(o, q) ≥ α}.",
)

CLAIMS = (REPAIRABLE, BEST, ATTAINED, BEST_EVERY, BEST_KL)
