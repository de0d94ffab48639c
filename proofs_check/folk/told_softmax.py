"""folk.told-softmax: argmax q is drawn from a point mass, and told as one the step is lossless."""

from __future__ import annotations

from proofs_check.folk._one_step import by_size
from proofs_check.folk._told import proof
from proofs_check.language import Refutation
from simspec.claims.folk.parts import top
from simspec.claims.folk.told_softmax import TOLD_SOFTMAX, TOLD_SOFTMAX_CORRECTED

PROOFS = (
    Refutation(
        TOLD_SOFTMAX,
        by_size,
        scope="the first pair by vocabulary and denominator",
        repaired={
            "q is a point mass": lambda: (i for i in by_size() if i["q"].max() == 1),
            "told that it was certain": TOLD_SOFTMAX_CORRECTED,
        },
    ),
    proof(TOLD_SOFTMAX_CORRECTED, lambda p, q: top(q)),
)
