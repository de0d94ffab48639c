"""Texts of two tokens in order of size: at the second token draft and target agree, so that only the first is verified.

After the first token the text succeeds with a chance of its own.  Sizes: tokens, then the denominator of all masses and
chances; tokens are numbered by falling chance, which leaves out no process up to renaming.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from proofs_check.language import laws
from simspec.claims.claim import Instance
from simspec.claims.pad.parts import process_of
from simspec.claims.rational import Rational as F
from simspec.laws import Array
from simspec.methods import Process

__all__ = ["SIZES", "THIRDS", "Sizes", "everything", "fan", "fans", "with_flags"]

Sizes = Sequence[tuple[int, int]]
SIZES: Sizes = ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2))
"""Tokens and denominators that are searched."""
THIRDS: Sizes = (*SIZES, (3, 3))


def fan(p: Array, q: Array, chances: Sequence[F]) -> dict[str, Any]:
    """The process: states are the start, success, failure, and one for each chance in between."""
    coins = [c for c in dict.fromkeys(chances) if 0 < c < 1]
    tokens = range(len(chances))
    sure = [F(int(x == 0)) for x in tokens]
    tosses = [[c, 1 - c] + [F(0)] * (len(chances) - 2) for c in coins]
    goes = [1 if c == 1 else 2 if c == 0 else 3 + coins.index(c) for c in chances]
    ends = [[1] * len(tokens), [2] * len(tokens)] + [[1] + [2] * (len(tokens) - 1)] * len(coins)
    after = [sure, sure, *tosses]
    return {
        "target": np.array([list(p), *after], dtype=object),
        "draft": np.array([list(q), *after], dtype=object),
        "step": np.array([goes, *ends]),
        "utility": np.array([F(int(s == 1)) for s in range(len(after) + 1)], dtype=object),
        "horizon": 2,
    }


def fans(sizes: Sizes = SIZES) -> Iterator[dict[str, Any]]:
    """All such processes, in order of size."""
    for vocab, denominator in sizes:
        grid = [F(k, denominator) for k in range(denominator, -1, -1)]
        for p in laws(vocab, denominator):
            for q in laws(vocab, denominator):
                if (p != q).any() and (p + q > 0).all():  # otherwise there are fewer tokens
                    yield from (fan(p, q, chances) for chances in combinations_with_replacement(grid, vocab))


def with_flags(recall: Callable[[Process], Any], sizes: Sizes = SIZES, **extra: Any) -> Iterator[Instance]:
    """Those processes with the fewest flags that a classifier without error raises."""
    for process in fans(sizes):
        yield {**process, "flags": recall(process_of(**process)), **extra}


def everything(process: Process) -> Any:
    """Every token called a pivot."""
    return np.ones((process.horizon, *process.target.shape), dtype=bool)
