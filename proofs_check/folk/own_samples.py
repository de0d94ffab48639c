"""folk.own-samples: with a sample for each, a candidate has a chance of its own; with one sample for all it has none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from proofs_check.folk._samples import proof
from proofs_check.language import Refutation, laws
from simspec.claims.claim import Instance
from simspec.claims.folk.own_samples import OWN_SAMPLES, OWN_SAMPLES_CORRECTED


def by_size() -> Iterator[Instance]:
    """Laws and two candidates, by vocabulary and denominator."""
    for vocab, denominator in product((1, 2), (1, 2, 3)):
        for p in laws(vocab, denominator):
            yield from ({"p": p, "candidates": pair} for pair in product(range(vocab), repeat=2))


PROOFS = (
    Refutation(
        OWN_SAMPLES,
        by_size,
        scope="the first by vocabulary and denominator: both candidates are the first token",
        repaired={
            "two different candidates of two tokens": lambda: (i for i in by_size() if len({*i["candidates"]}) == 2),
            "one sample for both": OWN_SAMPLES_CORRECTED,
        },
    ),
    proof(OWN_SAMPLES_CORRECTED, lambda p, candidates: [1]),
)
