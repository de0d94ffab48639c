"""Of two drafts the one with the smaller divergence from the target is not always accepted more often.

`loss.kl-orders`, with its correction: Samarin et al. 2026 (arXiv 2602.23881), abstract.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, at_most, bound, broken, law
from simspec.claims.balls import ball
from simspec.claims.greedy.parts import positive_law
from simspec.claims.relaxed.parts import divergence
from simspec.laws import overlap

__all__ = ["advantage"]

CLOSER = "the first draft has the smaller divergence"


def _drafts(draw: Draw) -> Instance:
    vocab = draw.vocab(2)
    p = draw.law(vocab)
    return {"p": p, "q": positive_law(draw, vocab), "rival": positive_law(draw, vocab)}


def _closer_first(draw: Draw) -> Instance:
    """The same, the draft with the smaller divergence first."""
    it = dict(_drafts(draw))
    if divergence(it["p"], it["rival"]) < divergence(it["p"], it["q"]):
        it["q"], it["rival"] = it["rival"], it["q"]
    return it


def _is_closer(p: Array, q: Array, rival: Array) -> bool:
    return bool(divergence(p, q) < divergence(p, rival))


KL_ORDERS = bound(
    name="loss.kl-orders",
    statement=r"Of two drafts the one with the smaller $\mathrm{KL}(p \Vert q)$ is accepted more often",
    reference="Samarin et al. 2026 (arXiv 2602.23881), abstract at hand: what KL training takes for granted",
    instances=_closer_first,
    assumes={CLOSER: _is_closer},
    lhs=lambda p, q: overlap(p, q),
    relation=at_least,
    rhs=lambda p, rival: overlap(p, rival),
    outside={CLOSER: {"p": law("1/2", "1/2"), "q": law("1/4", "3/4"), "rival": law("1/2", "1/2")}},
    sources=("exact",),
    corrected_by=("loss.kl-orders-corrected",),
    against=({"p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "rival": law("1/16", "15/16")},),
    within=({"p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "rival": law("1/16", "15/16")},),
    note="The divergence punishes a draft that gives a token of the target too little more than one that gives it "
    "too much.",
)


def advantage(p: Array, q: Array, rival: Array) -> Any:
    """Twice the square of what the rival accepts beyond the draft, 0 where it accepts no more."""
    gain = np.maximum(overlap(p, rival) - overlap(p, q), 0)
    return ball(2 * gain * gain)


KL_ORDERS_CORRECTED = bound(
    name="loss.kl-orders-corrected",
    statement=r"No draft is accepted more often than $q$ by more than $\sqrt{\mathrm{KL}(p \Vert q)/2}$, whatever "
    r"its own divergence",
    reference="correction of Samarin et al. 2026 (arXiv 2602.23881)",
    instances=_drafts,
    lhs=advantage,
    relation=at_most,
    rhs=lambda p, q: divergence(p, q),
    tight=[{"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "rival": law("1/4", "3/4")}],
    sources=("exact",),
    note="The rival p has acceptance 1, so that this is Pinsker's inequality; ½ is its largest constant.",
    broken=[broken("four times the square", lhs=lambda p, q, rival: 2 * advantage(p, q, rival))],
)
