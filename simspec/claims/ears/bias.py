"""The bias of EARS in one step is the acceptance that it gains, and more with a fresh draw.

`ears.bias`, with its readings: EARS, open question 2 (own statement).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, broken, identity
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import fresh_ears, pardoned, some_step, tolerance
from simspec.methods import SD, acceptance_rate, ears, tv

SENTENCE = Printed(
    place="EARS, open question 2",
    text="Does the pardon path induce a distribution shift that violates theoretical guarantee of "
    "sampling strictly from target model’s distribution?",
    read="The question answered in closed form, for both readings of a rejection.",
)

BIAS_FRESH = identity(
    name="ears.bias.fresh",
    statement=r"$\mathrm{TV}(\text{output}, p) = G + \sum_x \big(\min(p_x, q_x) - \kappa p_x\big)_+$ with $\kappa = "
    r"\alpha_{\mathrm{EARS}} = \alpha_{\mathrm{SD}} + G$: the acceptance gained and more (rejected: a fresh draw from "
    r"$p$)",
    reference="EARS, open question 2 (own statement)",
    instances=some_step,
    lhs=lambda p, q, beta: tv(fresh_ears(beta), p, q),
    rhs=lambda p, q, beta: _fresh_bias(p, q, pardoned(p, q, beta).sum(axis=-1, keepdims=True)),
    note="The output is k + (1 − κ)p, so TV is Σ(k − κp)₊; with κ ≤ 1 and min(k, p) = min(p, q) each term is (k − p)₊ "
    "+ (min(p, q) − κp)₊. The second part falls as κ grows and vanishes at κ = 1.",
    printed=SENTENCE,
    broken=[
        broken("the whole pardoned mass", rhs=lambda p, q, beta: pardoned(p, q, beta).sum(axis=-1)),
        broken("the rule with a residual", lhs=lambda p, q, beta: tv(ears(beta), p, q)),
    ],
)

BIAS_RESIDUAL = identity(
    name="ears.bias.residual",
    statement=r"$\mathrm{TV}(\text{output}, p) = G = \sum_x \min\big((q_x - p_x)_+, t\,q_x\big) = "
    r"\alpha_{\mathrm{EARS}} - \alpha_{\mathrm{SD}}$: the bias is the acceptance gained, for every $p$, $q$ and "
    r"$\beta$ (rejected: the residual)",
    reference="EARS, open question 2 (own statement)",
    instances=some_step,
    lhs=lambda p, q, beta: np.stack([tv(ears(beta), p, q)] * 2),
    rhs=lambda p, q, beta: np.stack(
        [pardoned(p, q, beta).sum(axis=-1), acceptance_rate(ears(beta), p, q) - acceptance_rate(SD, p, q)]
    ),
    note="The output is p + g − G r. g lives where q > p, r where p > q, so nothing cancels.",
    printed=SENTENCE,
    broken=[
        broken("the rule with a fresh draw", lhs=lambda p, q, beta: np.stack([tv(fresh_ears(beta), p, q)] * 2)),
        broken(
            "the tolerated mass of the whole draft",
            rhs=lambda p, q, beta: np.stack([(tolerance(p, beta) * q).sum(axis=-1)] * 2),
        ),
    ],
)


def _fresh_bias(p: Array, q: Array, gained: Array) -> Any:
    overlap_mass = np.minimum(p, q)
    rate = overlap_mass.sum(axis=-1, keepdims=True) + gained
    return gained[..., 0] + np.maximum(overlap_mass - rate * p, 0).sum(axis=-1)
