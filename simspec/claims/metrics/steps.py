"""`metrics.steps`: golden acceptance lengths; ROCm/ATOM #1948."""

from __future__ import annotations

from simspec.claims.authoring import Draw, Instance, at_least, bound, law
from simspec.claims.metrics.parts import mean_length, steps_needed


def _texts(draw: Draw) -> Instance:
    return {"w": draw.law(draw.integer(1, 4)), "tokens": draw.integer(1, 5)}


STEPS = bound(
    name="metrics.steps",
    statement=r"Independent steps: the expected number of verify steps that emit $T$ tokens is at least $T/AL$",
    reference="golden acceptance lengths; ROCm/ATOM #1948",
    instances=_texts,
    lhs=lambda w, tokens: steps_needed(w, tokens),
    rhs=lambda w, tokens: tokens / mean_length(w),
    relation=at_least,
    sources=("exact",),
    tight=({"w": law(1), "tokens": 3}, {"w": law(0, 1), "tokens": 2}),
    note="The steps emit T tokens and those beyond T, which the last one emits too many (Wald); metrics.same-length-same-steps-"
    "corrected says by how much.",
)
