"""At most one token of a batch is rejected and resampled.

`sqs.one-resample`: SQS 2, before Theorem 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_most, broken, procedure, shifted
from simspec.claims.claim import Printed

__all__ = ["rejected"]


def rejected(p: Array, q: Array, drafts: Sequence[int], coins: Sequence[F]) -> list[bool]:
    """Which drafts of a batch the test would reject: that of probability 1 − p/q̂ where p < q̂, by a coin of its own.

    >>> from simspec.claims.authoring import matrix
    >>> rejected(matrix("1/4 3/4"), matrix("1/2 1/2"), [0], [F(1, 2)])
    [True]
    """
    return [bool(c * q[n][x] >= p[n][x]) for n, (x, c) in enumerate(zip(drafts, coins, strict=True))]


def _batch(draw: Draw) -> Instance:
    """Laws at each place of a batch, drafts that the draft law can draw, and the coins of the tests in [0, 1)."""
    vocab = draw.integer(1, 3)
    length = draw.integer(1, 4)
    p, q = ([draw.law(vocab) for _ in range(length)] for _ in range(2))
    drafts = []
    for row in q:
        draftable = np.flatnonzero(row > 0).tolist()
        drafts.append(draftable[draw.integer(0, len(draftable) - 1)])
    return {"p": p, "q": q, "drafts": drafts, "coins": [F(draw.integer(0, 7), 8) for _ in range(length)]}


def _resampled(p: Array, q: Array, drafts: Sequence[int], coins: Sequence[F]) -> int:
    """Drafts that are rejected and resampled: the cloud goes through them in order, and the batch ends with the first."""
    count = 0
    for wrong in rejected(p, q, drafts, coins):
        if wrong:
            count += 1
            break
    return count


ONE_RESAMPLE = procedure(
    name="sqs.one-resample",
    statement="At most one token of a batch is rejected and resampled, whatever is drafted and however the tests come out",
    reference="SQS 2, before Theorem 1",
    instances=_batch,
    lhs=_resampled,
    rhs=lambda: 1,
    relation=at_most,
    sources=("exact",),
    tight=({"p": [[F(0), F(1)]], "q": [[F(1), F(0)]], "drafts": [0], "coins": [F(0)]},),
    note="A draft is tested only while all before it were accepted. The drafts behind it are lost, too: Fig. 3 counts them in "
    "N_tot-rej, and the resampling rate of section 4 does not.",
    printed=Printed(
        place="SQS 2",
        text="Note that there is at most one rejected and resampled token per batch.",
        read="For every outcome of the tests.",
    ),
    broken=[
        shifted(1),
        broken(
            "all rejections in place of the first", lhs=lambda p, q, drafts, coins: sum(rejected(p, q, drafts, coins))
        ),
    ],
)
