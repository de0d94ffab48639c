"""`ears.beta-tradeoff`, with its readings: EARS, design trade-offs (β)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Claim, F, at_least, bound, law
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import HALF, fresh_ears, some_step
from simspec.methods import acceptance_rate, bias, ears

ORDER = "the second β is not smaller"


def _tradeoff(name: str, method: Any, reading: str, note: str, printed: Printed) -> Claim:
    return bound(
        name=name,
        printed=printed,
        statement=rf"Acceptance and $\mathrm{{TV}}(\text{{output}}, p)$ are both non-decreasing in $\beta$ ({reading})",
        reference="EARS, design trade-offs (β)",
        instances=lambda draw: {**(step := some_step(draw)), "more": step["beta"] + draw.number(0, 1)},
        assumes={ORDER: lambda beta, more: more >= beta},
        lhs=lambda p, q, more: np.stack([f(method(more), p, q) for f in (acceptance_rate, bias)]),
        rhs=lambda p, q, beta: np.stack([f(method(beta), p, q) for f in (acceptance_rate, bias)]),
        relation=at_least,
        tight=({"p": law(1, 0), "q": HALF, "beta": F(0), "more": F(1)},),
        outside={ORDER: {"p": HALF, "q": law(1, 0), "beta": F(1), "more": F(0)}},
        note=note,
    )


SENTENCE = Printed(
    place="EARS, design tradeoffs",
    text="Lower β (0.05) is conservative, higher β (0.2) increases throughput but risks quality degradation",
    read=r"Acceptance and bias are both non-decreasing in $\beta$.",
)

TRADEOFF_FRESH = _tradeoff(
    "ears.beta-tradeoff.fresh",
    fresh_ears,
    "rejected: a fresh draw",
    "TV = G + Σ(min(p, q) − κp)₊ with κ = α_SD + G: when G grows by δ, the second part falls by at most δ Σp = δ.",
    printed=SENTENCE,
)
TRADEOFF_RESIDUAL = _tradeoff(
    "ears.beta-tradeoff.residual",
    ears,
    "rejected: the residual",
    "min((q − p)₊, t q) grows with t, and the bias is the acceptance gained.",
    printed=SENTENCE,
)
