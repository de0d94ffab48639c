"""`csqs.beyond-one`, with its correction: SQS, proof of Lemma 4."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Draw, F, Instance, identity, law
from simspec.claims.claim import Printed
from simspec.claims.csqs.parts import number
from simspec.claims.sqs.parts import few
from simspec.laws import tv
from simspec.methods.sqs.quantised import dropped_mass, sparsify, threshold_mask


def _beyond(draw: Draw) -> Instance:
    return {"q": few(draw.law(draw.vocab())), "threshold": 1 + number(draw, "1/8", 1)}


BEYOND_ONE = identity(
    name="csqs.beyond-one",
    statement=r"If $\beta_n > 1$, thresholding discards all but the top outcome, so $\mathrm{TV}(\tilde q_n, q_n) = 1$",
    reference="SQS, proof of Lemma 4",
    instances=_beyond,
    lhs=lambda q, threshold: tv(q, sparsify(q, threshold_mask(q, threshold, keep_top=True))),
    rhs=lambda q: q.sum(axis=-1),
    within=({"q": law("1/2", "1/2"), "threshold": F(9, 8)},),
    corrected_by=("csqs.beyond-one-corrected",),
    note="If the top outcome stays, the distance is 1 − max q < 1. If Eq. 6 is taken at its word, the top outcome goes too, and "
    "no q̃ exists; only the dropped mass is 1.",
    printed=Printed(
        place="SQS, proof of Lemma 4",
        text="thresholding discards all but the top outcome, so …",
        read="Both halves of the sentence together: the top outcome is kept, and all mass is dropped.",
    ),
)

BEYOND_ONE_CORRECTED = identity(
    name="csqs.beyond-one-corrected",
    statement=r"If $\beta_n > \max_x q_n(x)$: read literally $X$ is empty and the dropped mass is 1; keep-top gives "
    r"$\mathrm{TV}(\tilde q_n, q_n) = 1 - \max_x q_n(x)$",
    reference="correction of SQS, proof of Lemma 4",
    instances=lambda draw: {**(drawn := _beyond(draw)), "threshold": drawn["q"].max() * drawn["threshold"]},
    assumes={"β exceeds max q": lambda q, threshold: bool(np.all(q.max(axis=-1) < threshold))},
    lhs=lambda q, threshold: np.stack(
        [
            tv(q, sparsify(q, threshold_mask(q, threshold, keep_top=True))),
            dropped_mass(q, threshold_mask(q, threshold, keep_top=False)),
            threshold_mask(q, threshold, keep_top=False).sum(axis=-1),
        ]
    ),
    rhs=lambda q: np.stack([1 - q.max(axis=-1), q.sum(axis=-1), 0 * q.sum(axis=-1)]),
    outside={"β exceeds max q": {"q": law(1), "threshold": F(1)}},
    note="sqs.dropped-mass with X = {top}; β > 1 is not needed, β above the largest probability is.",
)
