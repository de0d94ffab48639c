"""sqs.horizon: a batch of L drafts with T accepted emits T + 1 tokens and loses L − T drafts."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, V, eq, total, x
from simspec.claims.claim import Instance
from simspec.claims.sqs.horizon import HORIZON, HORIZON_CORRECTED


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1, factor: int = 1) -> None:
    """Every number of batches, every length and every number of accepted drafts."""
    L = d.weights("L")
    A = d.weights("A")
    lost = sp.IndexedBase("lost", real=True)
    means = d.define("drafts that are not accepted", lost[x], L[x] - sign * A[x])
    rest = d.sum("over the batches", means, x)
    d.qed(
        d.derive(
            "tokens less drafts",
            eq(total(A[x], x) + factor * V - total(L[x], x), V - constant * total(lost[x], x)),
            rest,
        )
    )


def by_size() -> Iterator[Instance]:
    """One batch, then two, of up to two drafts."""
    batches = [(length, accepted) for length in (1, 2) for accepted in range(length + 1)]
    for number in (1, 2):
        for first in batches:
            for last in batches if number == 2 else [None]:
                sequence = [first] if last is None else [first, last]
                yield {"drafted": [b[0] for b in sequence], "accepted": [b[1] for b in sequence]}


PROOFS = (
    Refutation(
        HORIZON,
        by_size,
        scope="one batch, then two, of up to two drafts",
        repaired={
            "one draft lost in every batch": lambda: (
                c for c in by_size() if all(a - b == 1 for a, b in zip(c["drafted"], c["accepted"], strict=True))
            ),
            "the corrected statement": HORIZON_CORRECTED,
        },
    ),
    Proof(
        HORIZON_CORRECTED,
        prove,
        drop={"factor": 0},
        bind=lambda drafted, accepted: {"L": drafted, "A": accepted, "V": len(drafted)},
    ),
)
