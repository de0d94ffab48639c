"""sqs.k-no-significance: of two equally likely tokens one is dropped at K = 1, none at K = 2."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from proofs_check.language import Refutation, laws
from simspec.claims.claim import Instance
from simspec.claims.sqs.k_no_significance import K_NO_SIGNIFICANCE


def by_size(sizes: tuple[int, ...] = (1, 2)) -> Iterator[Instance]:
    """Two tokens, laws in halves, resolution 1, then 2."""
    for resolution, p, q, k, k2 in product((1, 2), laws(2, 2), laws(2, 2), sizes, sizes):
        yield {"p": p, "q": q, "k": k, "k2": k2, "resolution": resolution}


PROOFS = (
    Refutation(
        K_NO_SIGNIFICANCE,
        by_size,
        scope="two tokens, laws in halves, resolutions 1 and 2",
        repaired={"one K": lambda: by_size((2,))},
    ),
)
