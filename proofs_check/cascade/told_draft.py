"""cascade.told-draft: the middle model's token has its law, so the target's step is one with another law reported."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from proofs_check.language import Proof, Refutation, laws
from proofs_check.numerics.draft_noise import NORMED, prove
from simspec.claims.cascade.told_draft import TOLD_DRAFT, TOLD_DRAFT_CORRECTED
from simspec.claims.claim import Instance
from simspec.laws import Array


def _values(p: Array, m: Array, q: Array) -> dict[str, Any]:
    chance = [min(a / b, 1) if b else int(a > 0) for a, b in zip(p, q, strict=True)]
    over = np.maximum(p - q, 0)
    return {"p": p, "q": m, "t": q, "r": over / over.sum() if over.sum() else p, "a": chance, "V": len(p)}


def _triples(same: bool) -> Iterator[Instance]:
    for size in range(1, 4):
        for p, m, q in product(laws(2, size), laws(2, size), laws(2, size)):
            if not same or (m == q).all():
                yield {"p": p, "m": m, "q": q}


PROOFS = (
    Refutation(
        TOLD_DRAFT,
        lambda: _triples(False),
        scope="the first by a common denominator, with two tokens",
        repaired={
            "a middle model that is the draft": lambda: _triples(True),
            "within their distance": TOLD_DRAFT_CORRECTED,
        },
    ),
    Proof(TOLD_DRAFT_CORRECTED, prove, drop=NORMED, bind=_values),
)
