"""Acceptance and bias both rise with the tolerance β.

`ears.beta-tradeoff`, with its readings: EARS, design trade-offs (β).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Claim, F, at_least, bound, broken, law
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import HALF, fresh_ears, some_step
from simspec.laws import overlap
from simspec.methods import acceptance_rate, ears, gain, tv

ORDER = "the second β is not smaller"


def _exchanged(claim: Any) -> dict[str, Any]:
    """The two values of β exchanged, without the assumption on their order."""
    instances = claim.instances
    return {"instances": lambda draw: {**(i := instances(draw)), "beta": i["more"], "more": i["beta"]}, "assumes": {}}


def _gains_more(p: Array, q: Array, more: Any) -> Array:
    return np.stack([overlap(p, q), gain(ears(more), p, q) + F(1, 64)])


def _tradeoff(name: str, method: Callable[..., Any], reading: str, note: str, printed: Printed) -> Claim:
    """Return the claim in one reading: `method` maps a tolerance β to the rule that the claim is about."""
    return bound(
        name=name,
        printed=printed,
        statement=rf"Acceptance and $\mathrm{{TV}}(\text{{output}}, p)$ are both non-decreasing in $\beta$ ({reading})",
        reference="EARS, design trade-offs (β)",
        instances=lambda draw: {**(step := some_step(draw)), "more": step["beta"] + draw.number(0, 1)},
        assumes={ORDER: lambda beta, more: more >= beta},
        lhs=lambda p, q, more: np.stack([f(method(more), p, q) for f in (acceptance_rate, tv)]),
        rhs=lambda p, q, beta: np.stack([f(method(beta), p, q) for f in (acceptance_rate, tv)]),
        relation=at_least,
        tight=({"p": law(1, 0), "q": HALF, "beta": F(0), "more": F(1)},),
        # with the two β in the wrong order the statement fails: the assumption is needed
        outside={ORDER: {"p": HALF, "q": law(1, 0), "beta": F(1), "more": F(0)}},
        note=note,
        broken=[
            Broken("the two β are exchanged", _exchanged),
            broken("the gain at the larger β, and a little more", rhs=_gains_more),
        ],
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
