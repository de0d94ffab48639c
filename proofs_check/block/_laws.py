"""Pairs of laws that do not depend on the context, by size, as two models and a number of drafts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from proofs_check.language import laws
from simspec.claims.claim import Instance

__all__ = ["by_size"]


def by_size(vocab: int = 2, gamma: int = 2, finest: int = 3) -> Iterator[Instance]:
    """All pairs of laws, by the denominator of their masses; the same after every text."""
    for denominator in range(1, finest + 1):
        for p, q in product(list(laws(vocab, denominator)), repeat=2):
            yield {"p": np.stack([p] * (vocab + 1)), "q": np.stack([q] * (vocab + 1)), "gamma": gamma}
