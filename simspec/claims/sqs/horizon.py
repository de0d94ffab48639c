"""`sqs.horizon`, with its correction: SQS 2 and A.3."""

from __future__ import annotations

from simspec.claims.authoring import Draw, Instance, identity
from simspec.claims.claim import Printed


def _batches(draw: Draw) -> Instance:
    """Drafts of each batch, and how many of them are accepted."""
    drafted = [draw.integer(1, 4) for _ in range(draw.integer(1, 4))]
    return {"drafted": drafted, "accepted": [draw.integer(0, length) for length in drafted]}


HORIZON = identity(
    name="sqs.horizon",
    statement=r"$\sum_t L^t$, the $T$ of A.3, and $\sum_t (T^t + 1)$, the tokens of section 2, are the same number",
    reference="SQS 2 and A.3",
    instances=_batches,
    lhs=lambda drafted: sum(drafted),
    rhs=lambda accepted: sum(accepted) + len(accepted),
    sources=("exact",),
    within=({"drafted": [2, 2], "accepted": [0, 1]},),
    corrected_by=("sqs.horizon-corrected",),
    note="The first counts drafts, the second emitted tokens.",
    printed=Printed(
        place="SQS, A.3 and 2",
        text="T=∑ L_t, beside T=∑ (T^t+1)",
        read="The same number in both places.",
        restored="the sums, printed as formulas",
    ),
)

HORIZON_CORRECTED = identity(
    name="sqs.horizon-corrected",
    statement=r"$\sum_t (T^t + 1) - \sum_t L^t$ is the number of batches less the number of drafts that are not accepted: they "
    "agree exactly where as many drafts are lost as there are batches",
    reference="correction of SQS 2 and A.3",
    instances=_batches,
    lhs=lambda drafted, accepted: sum(accepted) + len(accepted) - sum(drafted),
    rhs=lambda drafted, accepted: len(drafted) - sum(a - b for a, b in zip(drafted, accepted, strict=True)),
    sources=("exact",),
)
