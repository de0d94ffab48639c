"""Stop strings that are looked for among drafts before they are tested end a text too often.

`process.stop-string`, with its correction: practice.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity, law, procedure
from simspec.laws import exact
from simspec.methods import SD
from simspec.methods.verifier.chance import Chance, every

__all__ = ["ended"]


def _pair(draw: Draw) -> Instance:
    p, q = draw.pair(draw.integer(1, 4))
    return {"p": p, "q": q}


def ended(p: Array, q: Array) -> Array:
    """For each token, where it is the stop string: probability that a step ends the text.

    It ends where the draft is the stop string, accepted or not, and where the emitted token is.

    >>> [str(m) for m in ended(law("1/4", "3/4"), law("1/2", "1/2"))]
    ['1/2', '3/4']
    """

    def program(chance: Chance) -> set[int]:
        draft = chance.draw(q)
        if chance.keep(p[draft], q[draft]):
            return {draft}
        return {draft, chance.draw(SD.residual(p, q))}

    ends = exact([0] * len(p))
    for weight, tokens in every(program):
        for token in tokens:
            ends[token] += weight
    return ends


STOP_STRING = procedure(
    name="process.stop-string",
    statement=r"A stop string that is looked for among the drafted tokens ends the text with the target's probability",
    reference="practice, on Leviathan et al. 2023",
    instances=_pair,
    lhs=ended,
    rhs=lambda p: p,
    sources=("exact",),
    corrected_by=("process.stop-string-corrected",),
    within=({"p": law("1/4", "3/4"), "q": law("1/2", "1/2")},),
    note="A match inside a rejected draft ends a text that does not contain the string.",
)

STOP_STRING_CORRECTED = identity(
    name="process.stop-string-corrected",
    statement=r"A stop token $s$ that is looked for among drafts, accepted or not, ends the text at a step with probability "
    r"$\max(p(s), q(s))$",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=_pair,
    lhs=ended,
    rhs=lambda p, q: np.maximum(p, q),
    sources=("exact",),
    note="It is right where the draft says the stop token no more often than the target; texts are never ended too rarely.",
    broken=[broken("the draft's probability", rhs=lambda q: q)],
)
