"""Small models in order of size: tables of laws over two tokens, penalties, and calls of drafts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product

import numpy as np

from proofs_check.language import laws
from simspec.claims.claim import Instance

__all__ = ["by_size", "one_draft", "unpenalised"]


def by_size() -> Iterator[Instance]:
    """Tables whose rows are certain, then in halves; penalties 0, 1/2 and 1; one draft a call, one token and two."""
    for size in (1, 2):
        rows = list(laws(2, size))
        for length, factor in product((1, 2), (F(0), F(1, 2), F(1))):
            for table in product(rows, repeat=4):
                p = np.stack(table[:3])
                q = np.stack([table[3]] * 3)
                yield {"p": p, "q": q, "factor": factor, "gamma": 1, "length": length, "same": 0}


def unpenalised() -> Iterator[Instance]:
    """The same without a penalty."""
    return (instance for instance in by_size() if instance["factor"] == 1)


def one_draft() -> Iterator[Instance]:
    """The same tables and penalties, for one call after no token and after each."""
    for instance in by_size():
        if instance["length"] == 1:
            yield from ({**instance, "last": last} for last in range(3))
