"""What claims about SQS and C-SQS share: lattice points, subsets, schemes and their instances."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, exact, is_exact
from simspec.laws import Scalar, uniform
from simspec.methods.csqs.conformal import csqs
from simspec.methods.method import Method
from simspec.methods.sqs.quantised import quantise, sparsify, sqs, top_mask

__all__ = [
    "ROWS",
    "bits_of",
    "code_length",
    "compositions",
    "every_subset",
    "few",
    "fine",
    "fixed_or_adaptive",
    "flat",
    "kept_size",
    "lattice_points",
    "numbers",
    "scheme",
    "sent_law",
    "sizes",
    "small_lattice",
    "some_kept",
    "subsets",
    "top_of",
    "worst_rounding",
]

ROWS = 6
"""Rows of a batch of floating-point laws that a claim looks at: sorting a whole vocabulary is what takes the time."""


def few(laws: Array) -> Array:
    """A few rows of a batch, spread over it; one exact law passes."""
    return laws if laws.ndim == 1 else laws[:: -(-len(laws) // ROWS)]


def top_of(draw: Draw, vocab: int) -> int:
    """A number of kept tokens: any for a small vocabulary, at most 200 of a large one."""
    return draw.integer(1, vocab if draw.exact else min(vocab, 200))


def fine(draw: Draw) -> int:
    """A resolution: coarse in exact trials, up to twice the paper's in floating point."""
    return draw.integer(1, 6 if draw.exact else 200)


def some_kept(draw: Draw) -> Instance:
    """A draft law, any set of kept tokens that holds the most likely one, and a resolution."""
    n = draw.vocab()
    q = few(draw.law(n))
    return {"q": q, "kept": draw.mask(n) | top_mask(q, 1), "resolution": fine(draw)}


def sizes(kept: Array, like: Array) -> Any:
    """Number of kept tokens K in the arithmetic of the array `like`."""
    count = kept.sum(axis=-1)
    return exact(count)[()] if is_exact(like) else count


def worst_rounding(size: Any, resolution: int) -> Any:
    r"""Largest distance between a law over K tokens and its nearest lattice point: :math:`m (K - m) / (K\ell)` with
    :math:`m = \min(\ell, \lfloor K/2 \rfloor)`.

    >>> worst_rounding(F(2), 1), worst_rounding(F(3), 1), worst_rounding(F(100), 1)
    (Fraction(1, 2), Fraction(2, 3), Fraction(99, 100))
    """
    up = np.minimum(resolution, size // 2) if np.ndim(size) else min(resolution, size // 2)
    return up * (size - up) / (size * resolution)


@lru_cache(maxsize=256)
def compositions(total: int, parts: int, low: int = 0) -> tuple[tuple[int, ...], ...]:
    """Every way to write `total` as an ordered sum of `parts` integers of at least `low`.

    >>> compositions(2, 2), compositions(2, 2, low=1)
    (((0, 2), (1, 1), (2, 0)), ((1, 1),))
    """
    return tuple(_compositions(total, parts, low))


def _compositions(total: int, parts: int, low: int) -> Iterator[tuple[int, ...]]:
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(low, total + 1):
        for rest in _compositions(total - first, parts - 1, low):
            yield (first, *rest)


def scheme(k: int, resolution: int, threshold: Scalar | None = None) -> Method:
    """K-SQS at k, or one step of C-SQS when a threshold is given (empty set: the most likely token is kept)."""
    return sqs(k, resolution) if threshold is None else csqs(threshold, resolution)


def fixed_or_adaptive(draw: Draw, vocab: int) -> dict[str, Any]:
    """K-SQS, or C-SQS with a start, a step size and a target."""
    scheme_parameters: dict[str, Any] = {
        "k": top_of(draw, vocab),
        "resolution": draw.integer(1, 3) if draw.exact else fine(draw),
    }
    if not draw.integer(0, 1):
        return {**scheme_parameters, "threshold": None, "step_size": None, "dropped_target": None}
    low = F(1, 8) if draw.exact else 0.125
    return {
        **scheme_parameters,
        "threshold": draw.number(0, 1) if draw.exact else draw.number(0, 0.01),
        "step_size": low + draw.number(0, 2),
        "dropped_target": draw.number(low, 1 - low),
    }


def flat(vocab: int) -> Array:
    """The exact uniform law.

    >>> flat(2).tolist()
    [Fraction(1, 2), Fraction(1, 2)]
    """
    return exact(np.ones(vocab, dtype=int)) / vocab


def every_subset(vocab: int) -> Array:
    """All tokens kept."""
    return np.ones(vocab, dtype=bool)


def sent_law(q: Array, kept: Array, resolution: int) -> Array:
    """The law on the lattice that is sent."""
    return quantise(sparsify(q, kept), resolution, kept) / resolution


def code_length(messages: int) -> int:
    """Bits of the shortest fixed-length code for so many messages: the least n with 2ⁿ at least their number."""
    n = 0
    while 2**n < messages:
        n += 1
    return n


@lru_cache(maxsize=256)
def lattice_points(k: int, resolution: int, low: int = 0) -> frozenset[tuple[int, ...]]:
    """Every vector of counts that the quantiser returns for a law over k tokens: it returns each lattice point itself."""
    grid = np.array(compositions(resolution, k, low)).reshape(-1, k)
    if not len(grid):
        return frozenset()
    count_vectors = quantise(exact(grid) / resolution, resolution)
    return frozenset(tuple(int(v) for v in row) for row in count_vectors.tolist())


def numbers(*counts: Any) -> Array:
    """Exact numbers in an array."""
    return np.array([F(c) for c in counts], dtype=object)


def subsets(vocab: int, k: int) -> set[tuple[bool, ...]]:
    """Every set that top-K selects from some law: the K most likely tokens of the uniform law on them."""
    masks = set()
    for tokens in combinations(range(vocab), k):
        mask = np.isin(np.arange(vocab), tokens)
        selected = top_mask(uniform(mask, like=exact([1])), k) if k else mask
        masks.add(tuple(selected.tolist()))
    return masks


def small_lattice(draw: Draw, vocab: int = 5, resolution: int = 5) -> Instance:
    """A vocabulary, fewer kept tokens, and a resolution, all small."""
    n = draw.integer(2, vocab)
    return {"vocab": n, "k": draw.integer(1, n - 1), "resolution": draw.integer(1, resolution)}


def bits_of(count: int) -> int:
    """Bits that number so many things."""
    return (count - 1).bit_length()


def kept_size(kept: Array) -> F:
    """How many tokens are kept, as an exact number."""
    return F(int(kept.sum()))
