"""Pairs of a large vocabulary: few tokens have mass, at ids where kernels go wrong.

Kernels go through a row in tiles, and hold ids in types of a few bits.  What goes wrong there shows only where the mass is
at the first or the last token, at the border of a tile, or beyond what a type holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from simspec.audit.handing import Processor, processed, spread
from simspec.audit.levels import as_levels
from simspec.audit.pairs import MOST_TOKENS, Pair, revealing
from simspec.checks import whole_number
from simspec.laws import Array

__all__ = ["BORDERS", "MOST_IDS", "judged_pairs", "pairs_to_try", "sparse"]

BORDERS = (1024, 8192, 32_768, 65_536)
"""First ids of a tile of 2^10 or 2^13 tokens, and those beyond 16 bits with and without a sign."""
MOST_IDS = 256_000
"""Most tokens of a vocabulary."""


def sparse(gamma: int = 1, vocab: int = MOST_IDS) -> list[Pair]:
    """Pairs with mass at three ids: around each border and at the last token, at the ends, and at the ends and a border.

    Parameters
    ----------
    gamma : int from 0 to 4; drafts of a call
    vocab : int from `MOST_TOKENS` + 1 to `MOST_IDS`; tokens of the rows that a sampler is handed

    >>> [pair.handed.ids for pair in sparse(1, 10_000)]
    [(1023, 1024, 9999), (8191, 8192, 9999), (0, 9998, 9999), (0, 8192, 9999), (0, 8192, 9999)]
    """
    gamma = whole_number("gamma", gamma, 0, 4, "a number of drafts from 0 to 4")
    vocab = whole_number("vocab", vocab, MOST_TOKENS + 1, MOST_IDS)
    borders = [border for border in BORDERS if border < vocab - 1]
    last = vocab - 1
    uneven = np.array([1, 2, 5]) / 8
    fresh = np.array([1, 0, 3]) / 4
    middle = borders[-1] if borders else vocab // 2
    pairs = [(f"ids around {border}", uneven, uneven[::-1], (border - 1, border, last)) for border in borders]
    pairs += [
        ("first and last ids", uneven, uneven[::-1], (0, last - 1, last)),
        ("first, border and last id", uneven, np.roll(uneven, 1), (0, middle, last)),
        ("two ways to recover at the ends", fresh, np.array([0.0, 1.0, 0.0]), (0, middle, last)),
    ]
    return [
        spread(Pair(f"{name} of {vocab:,}", _rolled(p, gamma + 1), _rolled(q, gamma)), ids, vocab)
        for name, p, q, ids in pairs
    ]


def _rolled(law: Array, rows: int) -> Array:
    """A law in each row, moved by one token from row to row, so that a wrong row shows."""
    return np.array([np.roll(law, i) for i in range(rows)]).reshape(rows, len(law))


def pairs_to_try(
    gamma: int = 2,
    vocab: int = 3,
    edges: bool = True,
    prefixes: bool = False,
    small: Callable[[int, int, bool, bool], list[Pair]] = revealing,
) -> list[Pair]:
    """The pairs of an audit: `small` ones, or `sparse` ones where the vocabulary is larger than these have.

    >>> pairs_to_try(1, 2)[0].size, pairs_to_try(1, 60)[0].size
    (2, 60)
    """
    if not isinstance(vocab, int | np.integer) or vocab <= MOST_TOKENS:
        return small(gamma, vocab, edges, prefixes)
    if prefixes:
        raise ValueError(f"vocab: {vocab}; expected at most {MOST_TOKENS} together with prefixes")
    return sparse(gamma, vocab)


def judged_pairs(pairs: Sequence[Pair], processor: Processor | None, prefixes: bool) -> list[Pair]:
    """Pairs as they are, or processed where there is a processor; their raw rows are levels of a tree if `prefixes`.

    >>> judged_pairs(revealing(1, 2)[:1], lambda rows, prefix: rows * 2, False)[0].p[0].tolist()
    [0.25, 0.75]
    """
    if processor is None:
        return list(pairs)
    if prefixes:
        pairs = [pair._replace(p=as_levels(pair.p), q=as_levels(pair.q)) for pair in pairs]
    return [processed(pair, processor) for pair in pairs]
