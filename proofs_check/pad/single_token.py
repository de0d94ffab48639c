"""pad.single-token: a draft that errs at the second token too."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from proofs_check.language import Refutation, laws
from simspec.claims.authoring import law
from simspec.claims.claim import Instance
from simspec.claims.pad.single_token import SINGLE_TOKEN
from simspec.claims.pad.utility_preserved import UTILITY_CORRECTED


def by_size(horizon: int = 2) -> Iterator[Instance]:
    """Two states, success and failure; the first of two tokens leads to success, the second to failure."""
    step = np.array([[0, 1], [0, 1]])
    for rows in product(laws(2, 1), repeat=4):
        target = np.stack(rows[:2])
        draft = np.stack(rows[2:])
        flags = np.zeros((horizon, 2, 2), dtype=bool)
        yield {"target": target, "draft": draft, "step": step, "utility": law(1, 0), "horizon": horizon, "flags": flags}


PROOFS = (
    Refutation(
        SINGLE_TOKEN,
        by_size,
        scope="two states, two tokens, laws of zeros and ones, texts of two tokens",
        repaired={
            "texts of one token": lambda: by_size(1),
            "tokens worth less than their replacement are caught everywhere": UTILITY_CORRECTED,
        },
    ),
)
