"""numerics.greedy-identical: two logits that differ by no more than twice ε can change places."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from proofs_check.language import Refutation
from simspec.claims.authoring import F
from simspec.claims.claim import Instance
from simspec.claims.numerics.tokens import GREEDY_IDENTICAL


def _shifts(margin: int) -> Iterator[Instance]:
    """Two logits with a margin, each moved by a multiple of half of ε = 1."""
    for first in range(-2, 3):
        for second in range(-2, 3):
            z = np.array([F(margin), F(0)])
            yield {"z": z, "shift": np.array([F(first, 2), F(second, 2)]), "epsilon": F(1)}


PROOF = Refutation(
    GREEDY_IDENTICAL,
    lambda: _shifts(1),
    scope="two tokens, with half of the margin that would be enough",
    repaired={"a margin above 2ε": lambda: _shifts(3)},
)
