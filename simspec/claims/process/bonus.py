"""A bonus token from the unprocessed law is wrong by what the processor does there, as often as all drafts are accepted.

`process.bonus`, with its correction: practice.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, F, broken, identity, procedure
from simspec.claims.process.parts import drafter, models, one_draft, target, text_before, two_tokens, written_by
from simspec.claims.process.stale import HALVES, seen
from simspec.claims.texts import markov, written
from simspec.laws import Scalar, tv
from simspec.methods.processors.filters import frequency_penalty
from simspec.methods.processors.rules import after_draft_tv, bonus


def _emitted(p: Array, q: Array, factor: Scalar, gamma: int, length: int, same: int) -> Array:
    penalty = frequency_penalty(factor)
    return written_by(markov(p), drafter(q, factor, same), lambda text: bonus(penalty, text), gamma, length)


BONUS = procedure(
    name="process.bonus",
    statement=r"Drawing the bonus token from the unprocessed law leaves the text to the processed target",
    reference="practice, on Leviathan et al. 2023",
    instances=models,
    lhs=_emitted,
    rhs=lambda p, factor, length: written(target(p, factor), p.shape[-1], length),
    sources=("exact",),
    corrected_by=("process.bonus-corrected",),
    within=({"p": HALVES, "q": HALVES, "factor": F(1, 2), "gamma": 1, "length": 2, "same": 0},),
    note="The token after the last accepted draft is sampled, not tested: what is sampled from has to be processed too.",
)


def _two_token_tv(p: Array, q: Array, factor: Scalar, last: int) -> Any:
    before = text_before(last)
    penalty = frequency_penalty(factor)
    law_of_text = written_by(markov(p), markov(q), lambda text: bonus(penalty, text), 1, 2, before)
    return tv(law_of_text, two_tokens(target(p, factor), before))


def _of_accepted(p: Array, q: Array, factor: Scalar, last: int) -> Any:
    first = target(p, factor)(text_before(last))
    return after_draft_tv(first, q[last], p[1:], seen(p, factor, last))


BONUS_CORRECTED = identity(
    name="process.bonus-corrected",
    statement=r"With one draft a call and a raw bonus token the next two tokens are at total variation $\sum_x \min(p(x), "
    r"q(x))\, \mathrm{TV}(u_x, f_x)$ from those of the processed target, $u_x$ the raw and $f_x$ the processed law after an "
    r"accepted $x$",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=one_draft,
    lhs=_two_token_tv,
    rhs=_of_accepted,
    tight=({"p": HALVES, "q": HALVES, "factor": F(0), "last": 0},),
    sources=("exact",),
    note="It is wrong as often as all drafts are accepted, so a better draft makes it worse.",
    broken=[
        broken("the draft's share is left out", rhs=lambda p, factor, last: tv(p[1:], seen(p, factor, last)).sum())
    ],
)
