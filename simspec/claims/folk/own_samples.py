"""`folk.own-samples`, with its correction: fms-extras #12."""

from __future__ import annotations

from simspec.claims.authoring import Draw, Instance, identity
from simspec.claims.folk.parts import first_token
from simspec.methods.joint.match import match_candidates, own_samples


def _two(draw: Draw) -> Instance:
    p = draw.law(draw.vocab(2))
    return {"p": p, "candidates": (draw.integer(0, len(p) - 1), draw.integer(0, len(p) - 1))}


OWN_SAMPLES = identity(
    name="folk.own-samples",
    statement=r"Two candidates, each compared with its own sample of the target; the first that is equal is emitted, else the "
    r"first sample: output law $p$",
    reference="fms-extras #12",
    instances=_two,
    lhs=lambda p, candidates: first_token(own_samples(lambda x: p, lambda x: p, candidates), len(p)),
    rhs=lambda p: p,
    sources=("exact",),
    corrected_by=("folk.own-samples-corrected",),
    note="Candidates get a chance each: they come out too often. Two different candidates that have all of the mass do no harm.",
)

OWN_SAMPLES_CORRECTED = identity(
    name="folk.own-samples-corrected",
    statement=r"Candidates all compared with one sample of the target, which is emitted: output law $p$, for any candidates "
    r"that do not see the sample",
    reference="correction of fms-extras #12",
    instances=_two,
    lhs=lambda p, candidates: first_token(match_candidates(lambda x: p, lambda x: p, candidates), len(p)),
    rhs=lambda p: p,
    sources=("exact",),
)
