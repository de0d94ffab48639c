"""rdk.no-extra-data: two affinities draft two laws from the same draft and the same shared vocabulary."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from proofs_check.language import Refutation, laws
from simspec.claims.claim import Instance
from simspec.claims.rdk.identity_is_tli import IDENTITY_IS_TLI
from simspec.claims.rdk.no_extra_data import NO_EXTRA_DATA


def by_size() -> Iterator[Instance]:
    """Two tokens, one shared; affinities of zeros and ones."""
    rows = list(laws(2, 1))
    maps = [np.stack(pair) for pair in product(rows, rows)]
    for q, (M, M2) in product(laws(2, 1), product(maps, maps)):
        yield {"q": q, "shared": np.array([True, False]), "M": M, "M2": M2}


PROOFS = (
    Refutation(
        NO_EXTRA_DATA,
        by_size,
        scope="two tokens, the first shared, laws and affinities of zeros and ones",
        repaired={
            "one affinity": lambda: (c for c in by_size() if (c["M"] == c["M2"]).all()),
            "the identity, which is TLI": IDENTITY_IS_TLI,
        },
    ),
)
