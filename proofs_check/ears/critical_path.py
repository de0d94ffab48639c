"""ears.critical-path: on one coin the second test decides alone, so one comparison is enough."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

from proofs_check.language import Refutation, laws
from simspec.claims.claim import Instance
from simspec.claims.ears.critical_path import CRITICAL_PATH
from simspec.claims.ears.single_threshold import SINGLE_THRESHOLD


def by_size() -> Iterator[Instance]:
    """Pairs of laws by vocabulary and denominator, β = 1."""
    for vocab in (1, 2):
        for p in laws(vocab, 2):
            for q in laws(vocab, 2):
                yield {"p": p, "q": q, "beta": F(1)}


PROOFS = (
    Refutation(
        CRITICAL_PATH,
        by_size,
        scope="β = 1, laws of one and two tokens in halves",
        repaired={"one comparison, as ears.single-threshold says": SINGLE_THRESHOLD},
    ),
)
