"""`pad.two-descriptions`: PAD 3.2 and 3.3."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import identity
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import classifier_first, classifier_last, described, flagged_step
from simspec.methods import kept_mass, output_law, pad

TWO_DESCRIPTIONS = identity(
    name="pad.two-descriptions",
    statement="“If not a pivot accept, otherwise follow SD” (3.2) and “run SD, query the classifier where SD rejects” (3.3) "
    "accept the same drafts for the same coins, and are the method `pad`",
    reference="PAD 3.2 and 3.3",
    instances=flagged_step,
    lhs=lambda p, q, flags: np.concatenate([m := described(classifier_first, p, q, flags), m[3:], (m[0] + m[1])[None]]),
    rhs=lambda p, q, flags: np.concatenate(
        [described(classifier_last, p, q, flags), output_law(pad(flags), p, q)[None], kept_mass(pad(flags), p, q)[None]]
    ),
    note="A draft is rejected exactly when it is called a pivot and its coin fails, in either order; the left side runs both "
    "algorithms over every draft and both cells of its coin. The classifier must not look at the coin.",
    printed=Printed(
        place="PAD 3.2",
        text="if … directly accept … otherwise follow standard SD",
        read="Against 3.3, where the classifier is asked only after a rejection: both give one law.",
        restored="the classifier’s answer: no pivot",
    ),
)
