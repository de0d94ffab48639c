"""`folk.eagle-greedy`, with its correction: EAGLE #110."""

from __future__ import annotations

from simspec.claims.authoring import Draw, Instance, identity, law
from simspec.claims.folk.q_one import deterministic


def _printed(draw: Draw) -> Instance:
    return {"p": law("51/100", "49/100")}


EAGLE_GREEDY = identity(
    name="folk.eagle-greedy",
    statement=r"$p = q = (0.51, 0.49)$, the first token the only candidate: the second token is never emitted",
    reference="EAGLE #110",
    instances=_printed,
    lhs=lambda p: deterministic(p, [0])[1],
    rhs=lambda p: p[1] * 0,
    sources=("exact",),
    corrected_by=("folk.eagle-greedy-corrected",),
    note="The candidate is refused with probability 0.49, and what is left is the second token.",
)

EAGLE_GREEDY_CORRECTED = identity(
    name="folk.eagle-greedy-corrected",
    statement=r"$p = q = (0.51, 0.49)$, the first token the only candidate: the second token is emitted with probability"
    r" 0.49",
    reference="correction of EAGLE #110",
    instances=_printed,
    lhs=lambda p: deterministic(p, [0])[1],
    rhs=lambda p: p[1],
    sources=("exact",),
)
