"""`rdk.percentage`, with its correction: RDK 6.2."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import OWN_FIGURES, F, identity
from simspec.claims.claim import Printed

PERCENTAGE = identity(
    name="rdk.percentage",
    statement=r"500 of 200,000 tokens is 0.00025 % of the vocabulary",
    reference="RDK 6.2",
    lhs=lambda kept, vocab: F(100 * kept, vocab),
    rhs=lambda: F(25, 100_000),
    against=({"kept": 500, "vocab": 200_000},),
    within=OWN_FIGURES,
    corrected_by=("rdk.percentage-corrected",),
    note="The printed figure is a thousand times too small: 0.00025 % of 200,000 is half a token.",
    printed=Printed(
        place="RDK 6.2",
        text="pruning to 0.00025% of the vocabulary (500 tokens from an original 200k)",
        read="As arithmetic.",
    ),
)

PERCENTAGE_CORRECTED = identity(
    name="rdk.percentage-corrected",
    statement=r"500 of 200,000 tokens is 0.25 % of the vocabulary: 99.75 % is pruned",
    reference="correction of RDK 6.2",
    lhs=lambda kept, vocab: np.array([F(100 * kept, vocab), F(100 * (vocab - kept), vocab)]),
    rhs=lambda: np.array([F(1, 4), F(9975, 100)]),
    tight=({"kept": 500, "vocab": 200_000},),
)
