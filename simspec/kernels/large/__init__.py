r"""What a row's large tokens say of its acceptance: the few that pass a cut are drawn alone, means stand for the others.

A token has a target logit s z and a draft logit :math:`s(\rho z + \sqrt{1 - \rho^2}\, e)`, z and e normal or Student-t.  It is
large where z or e passes its cut.  `large_tokens` draws nothing of a row but its large tokens, and gives what they say;
`of_large` says it of tokens that are at hand; what both are for: `simspec.studies.levels`.

Reference and Numba backend differ by rounding only, below 1e-12; the reference defines the result.
"""

from __future__ import annotations

import math

import numpy as np

from simspec.kernels.choose import choose
from simspec.kernels.large.reference import Array, Cut, Pairs, Stream, cut_at, of_large

__all__ = ["Cut", "Pairs", "Stream", "cut_at", "fast_draws", "large_tokens", "of_large"]


def fast_draws(pairs: Pairs, key: int, row: int, purpose: int) -> Array:
    """One whole row of float32 draws, those of `simspec.kernels.synthetic`, whose bound `draw_bound` says.

    >>> bool(abs(fast_draws(Pairs(10_000, math.inf, 1.0, 0.5), 1, 0, 0).mean()) < 0.05)
    True
    """
    from simspec.kernels.synthetic import CHUNK, numba_synthetic

    out = np.empty(-(-pairs.vocab // CHUNK) * CHUNK, dtype=np.float32)
    head = np.uint64(key & 0xFFFFFFFF), np.uint64(key >> 32), np.uint64(row), np.uint32(purpose)
    numba_synthetic.draws(*head, pairs.df, out)
    if pairs.df < math.inf:
        out *= np.float32(math.sqrt(pairs.df))
    return out[: pairs.vocab]


SMALL = 4096
"""Tokens below which the reference does the work."""


def large_tokens(
    pairs: Pairs, cut: Cut, before: Cut | None, stream: Stream, count: Array, *, threads: int | None = None
) -> Array:
    """Acceptance and gain that the large tokens of rows say, less what those say that pass a higher cut.

    Parameters
    ----------
    pairs : Pairs
    cut, before : Cut
        `before` has higher cuts; None: nothing is taken away.
    stream : Stream
        the counters of the draws: of each token two uniforms, which of the two cuts it passes and z, and e.
    count : integers (n,), 0 to `stream.width`
        how many large tokens each of n rows has; in a row of V tokens it is binomial, of V and `cut.large`.

    Returns
    -------
    float64 array (n, 2)
        acceptance of speculative decoding; what EARS of the tolerance of `pairs` gains over it.

    Raises
    ------
    ValueError
        for counts that do not fit.

    >>> pairs = Pairs(1000, float("inf"), 2.0, 0.9)
    >>> large_tokens(pairs, cut_at(pairs, 2), None, Stream(1, 0, 0, 8), np.array([2, 0])).round(2).tolist()
    [[0.6, 0.0], [0.66, 0.0]]
    """
    count = np.asarray(count)
    if count.ndim != 1 or (count.size and not 0 <= count.min() <= count.max() <= stream.width):
        raise ValueError(f"count: {count}; expected one axis, from 0 to {stream.width}, the counters of a row")
    if count.size * stream.width > 2**32:
        raise ValueError(f"count: {count.size} rows of {stream.width} counters; expected at most 2**32 counters")
    function = choose("large", "large_tokens", int(count.sum()), SMALL, threads=threads)
    return np.asarray(function(pairs, cut, before, stream, count))
