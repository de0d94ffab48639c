"""Penalties that are counted once a call see none of its drafts, and the text depends on the draft model.

`process.stale`, with its correction: practice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, broken, identity, law, procedure
from simspec.claims.process.parts import drafter, models, one_draft, target, text_before, two_tokens, written_by
from simspec.claims.texts import markov, written
from simspec.laws import Scalar, tv
from simspec.methods.processors.filters import frequency_penalty
from simspec.methods.processors.rules import after_draft_tv, stale

__all__ = ["seen", "unseen"]

HALVES = np.stack([law("1/2", "1/2")] * 3)


def _emitted(p: Array, q: Array, factor: Scalar, gamma: int, length: int, same: int) -> Array:
    penalty = frequency_penalty(factor)
    return written_by(markov(p), drafter(q, factor, same), lambda text: stale(penalty, text), gamma, length)


STALE = procedure(
    name="process.stale",
    statement=r"Penalties that see only the text before the block leave the text to the processed target",
    reference="practice, on Leviathan et al. 2023",
    instances=models,
    lhs=_emitted,
    rhs=lambda p, factor, length: written(target(p, factor), p.shape[-1], length),
    sources=("exact",),
    corrected_by=("process.stale-corrected",),
    within=({"p": HALVES, "q": HALVES, "factor": F(1, 2), "gamma": 1, "length": 2, "same": 0},),
    note="A token that was drafted and accepted in this call is not yet penalised at the next position of the same call.",
)


def seen(p: Array, factor: Scalar, last: int) -> Array:
    """Row x: the processed law after the text and x."""
    before = text_before(last)
    return np.stack([target(p, factor)((*before, x)) for x in range(p.shape[-1])])


def unseen(p: Array, factor: Scalar, last: int) -> Array:
    """Row x: the law after the text and x where only the tokens of the text are penalised."""
    before = text_before(last)
    return np.stack([frequency_penalty(factor)(before, p[x + 1]) for x in range(p.shape[-1])])


def _two_token_tv(p: Array, q: Array, factor: Scalar, last: int) -> Any:
    before = text_before(last)
    penalty = frequency_penalty(factor)
    law_of_text = written_by(markov(p), markov(q), lambda text: stale(penalty, text), 1, 2, before)
    return tv(law_of_text, two_tokens(target(p, factor), before))


def _of_accepted(p: Array, q: Array, factor: Scalar, last: int) -> Any:
    first = target(p, factor)(text_before(last))
    return after_draft_tv(first, q[last], unseen(p, factor, last), seen(p, factor, last))


STALE_CORRECTED = identity(
    name="process.stale-corrected",
    statement=r"With one draft a call the next two tokens are at total variation $\sum_x \min(p(x), q(x))\, "
    r"\mathrm{TV}(s_x, f_x)$ from those of the processed target, $p$ its law and $q$ the draft's at the first token, $f_x$ the "
    r"processed law after an accepted $x$ and $s_x$ the one whose penalties have not seen $x$",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=one_draft,
    lhs=_two_token_tv,
    rhs=_of_accepted,
    tight=({"p": HALVES, "q": HALVES, "factor": F(0), "last": 0},),
    sources=("exact",),
    note="So the first token of every call is right, and what is wrong depends on the draft model: the better the draft, the "
    "farther the text. It is right only where the penalty of x changes nothing after every x that can be accepted.",
    broken=[
        broken(
            "the draft's share is left out",
            rhs=lambda p, factor, last: tv(unseen(p, factor, last), seen(p, factor, last)).sum(),
        )
    ],
)
