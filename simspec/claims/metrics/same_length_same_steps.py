"""`metrics.same-length-same-steps`, with its correction: ROCm/ATOM #1948; llama.cpp #27711."""

from __future__ import annotations

from simspec.claims.authoring import Array, identity, law
from simspec.claims.metrics.parts import mean_length, overshoot, same_mean, steps_needed

SAME = "the two lengths are equal"


def _equal(w: Array, v: Array) -> bool:
    return bool(mean_length(w) == mean_length(v))


UNEQUAL = {"w": law(0, 1), "v": law(1, 0), "tokens": 2}

SAME_STEPS = identity(
    name="metrics.same-length-same-steps",
    statement=r"Two schedules with equal $AL$ need the same expected number of verify steps for every number $T$ of tokens",
    reference="ROCm/ATOM #1948; llama.cpp #27711",
    instances=same_mean,
    assumes={SAME: _equal},
    lhs=lambda w, tokens: steps_needed(w, tokens),
    rhs=lambda v, tokens: steps_needed(v, tokens),
    sources=("exact",),
    outside={SAME: UNEQUAL},
    against=({"w": law(0, 1, 0), "v": law("1/2", 0, "1/2"), "tokens": 2},),
    corrected_by=("metrics.same-length-same-steps-corrected",),
    within=({"w": law("1/3", "1/3", "1/3"), "v": law("4/9", "1/9", "4/9"), "tokens": 2},),
    note="Always two tokens a step: two tokens take one step. One or three, a coin each time: they take a step and a half.",
)

SAME_STEPS_CORRECTED = identity(
    name="metrics.same-length-same-steps-corrected",
    statement=r"Two schedules with equal $AL$ need expected numbers of verify steps for $T$ tokens that differ by "
    r"$1/AL$ times the difference of the tokens expected beyond $T$, so by at most $\gamma/AL$",
    reference="correction of ROCm/ATOM #1948 and llama.cpp #27711",
    instances=same_mean,
    assumes={SAME: _equal},
    lhs=lambda w, v, tokens: steps_needed(w, tokens) - steps_needed(v, tokens),
    rhs=lambda w, v, tokens: (overshoot(w, tokens) - overshoot(v, tokens)) / mean_length(w),
    sources=("exact",),
    outside={SAME: UNEQUAL},
    note="By Wald's equation AL times the expected number of steps is T and the tokens beyond, each schedule for itself.",
)
