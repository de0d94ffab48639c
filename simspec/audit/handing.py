"""What a sampler is handed where that is not what it is judged by: rows that it must process, or rows of a large vocabulary.

`Pair.p` and `Pair.q` are always the laws by which texts are judged.  Where `Pair.handed` is set, a sampler gets other
arrays, and its tokens are read back:

- `Raw`: the sampler gets rows as a model gives them, and must emit the law that a processor makes of them;
- `Sparse`: the sampler gets rows of a large vocabulary in which few ids have mass.  The judged laws have a token for each
  of these ids, and a last one, without mass, which stands for all other ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import Broken, Sampler, UniformSampler, checked_tokens, copied, is_equal
from simspec.audit.levels import Laws, as_levels
from simspec.audit.pairs import Pair
from simspec.checks import short
from simspec.laws import Array, softmax

__all__ = [
    "Processor",
    "Raw",
    "Sparse",
    "handed",
    "handed_with_uniforms",
    "of_logits",
    "processed",
    "spread",
    "weights_of",
]

Processor = Callable[[Array, NDArray[np.int64]], Any]
"""processor(rows (n, V), prefix (n, t)) -> weights (n, V): what becomes of the laws of token t + 1 after t tokens.

Rows are probabilities.  The weights are divided by their sum, so a mask or a factor is enough.  `of_logits` makes one of a
function that works on logits."""

CELLS = 2**24
"""Most numbers of an array (n, gamma + 1, V) that a launch on a large vocabulary stands for: 128 MiB in double precision."""


class Raw(NamedTuple):
    """Rows before a processor.

    Attributes
    ----------
    p, q : the laws that a sampler is handed
    processor : what it must do to the rows of p
    weights : what the processor makes of p, as levels of a tree, not divided by their sums: exact where they are dyadic
    """

    p: Any
    q: Any
    processor: Processor
    weights: tuple[Array, ...]

    def call(self, p: Laws, q: Laws, n: int, call: Callable[[Any, Any, slice], Any]) -> Any:
        """What a call returns on the rows, in place of the laws p and q by which it is judged."""
        return _unchanged(self.p, self.q, slice(0, n), call)

    def drafts(self, drafts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Drafts as they are."""
        return drafts


class Sparse(NamedTuple):
    """Rows of a large vocabulary.

    Attributes
    ----------
    ids : the ids that have mass, ascending
    size : tokens of the vocabulary

    >>> Sparse((1, 3), 5).dense(np.array([[0.25, 0.75, 0.0]])).tolist()
    [[0.0, 0.25, 0.0, 0.75, 0.0]]
    >>> Sparse((1, 3), 5).places(np.array([[3, 4], [1, -1]])).tolist()
    [[1, 2], [0, -1]]
    """

    ids: tuple[int, ...]
    size: int

    def dense(self, laws: Array) -> Array:
        """Laws (..., k + 1) as rows (..., size)."""
        rows = np.zeros((*laws.shape[:-1], self.size))
        rows[..., list(self.ids)] = laws[..., :-1]
        return rows

    def places(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """Ids as tokens of the judged laws."""
        ids = np.array(self.ids)
        near = np.minimum(np.searchsorted(ids, tokens), len(ids) - 1)
        return np.where(tokens < 0, -1, np.where(ids[near] == tokens, near, len(ids)))

    def drafts(self, drafts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Drafts (n, ...) as ids."""
        return np.where(drafts < 0, -1, np.array([*self.ids, -1])[drafts])

    def call(self, p: Laws, q: Laws, n: int, call: Callable[[Any, Any, slice], Any]) -> Any:
        """Tokens that n calls emit, as tokens of the judged laws; in launches of so few rows that memory is bounded."""
        rows_p = self.dense(np.asarray(p))
        rows_q = self.dense(np.asarray(q))
        rows = max(CELLS // rows_p.size, 1)
        launches = []
        for start in range(0, n, rows):
            launch = slice(start, min(start + rows, n))
            result = _unchanged(rows_p, rows_q, launch, call)
            ids = np.asarray(result.get("tokens") if isinstance(result, Mapping) else result)
            count = launch.stop - launch.start
            launches.append(self.places(checked_tokens(ids, count, len(rows_p), self.size)))
        return np.concatenate(launches)


def _unchanged(p: Any, q: Any, rows: slice, call: Callable[[Any, Any, slice], Any]) -> Any:
    """What a call for some rows of a batch returns on copies of laws; raises Broken where it changes them."""
    copies = [copied(laws, False) for laws in (p, q)]
    result = call(copies[0], copies[1], rows)
    for name, copy, laws in zip("pq", copies, (p, q), strict=True):
        if not is_equal(copy, laws):
            raise Broken(f"changes its input {name}")
    return result


def handed(sampler: Sampler, pair: Pair) -> Sampler:
    """A sampler that takes the laws of a pair, hands on what the pair says, and returns tokens of these laws.

    >>> def first(p, q, n, rng):
    ...     return np.full((n, 1), p[0].argmax())
    >>> pair = spread(Pair("", np.array([[0.25, 0.75]]), np.zeros((0, 2))), (7, 99_999), 100_000)
    >>> handed(first, pair)(pair.p, pair.q, 2, None).tolist()
    [[1], [1]]
    """
    if pair.handed is None:
        return sampler
    way = pair.handed
    return lambda p, q, n, rng: way.call(p, q, n, lambda a, b, rows: sampler(a, b, rows.stop - rows.start, rng))


def handed_with_uniforms(sampler: UniformSampler, pair: Pair) -> UniformSampler:
    """The same of a sampler that takes its drafts and uniforms."""
    if pair.handed is None:
        return sampler
    way = pair.handed

    def on_rows(p: Laws, q: Laws, drafts: NDArray[np.int64], uniforms: Array) -> Any:
        ids = way.drafts(drafts)
        return way.call(p, q, len(ids), lambda a, b, rows: sampler(a, b, ids[rows], uniforms[rows]))

    return on_rows


def spread(pair: Pair, ids: tuple[int, ...], size: int) -> Pair:
    """A pair of k tokens as one of a large vocabulary: token i gets the i-th id, all other ids have no mass.

    Raises ValueError unless ids are k, ascending, and below `size`.

    >>> spread(Pair("", np.array([[0.25, 0.75]]), np.zeros((0, 2))), (0, 4), 5).p.tolist()
    [[0.25, 0.75, 0.0]]
    """
    if len(ids) != pair.vocab or list(ids) != sorted({*ids}) or not 0 <= ids[0] <= ids[-1] < size:
        raise ValueError(f"ids: {ids}; expected {pair.vocab} different ids in ascending order, from 0 to {size - 1}")
    p, q = (np.pad(laws, ((0, 0), (0, 1))) for laws in (pair.p, pair.q))
    return Pair(pair.name, p, q, Sparse(tuple(ids), size))


def processed(pair: Pair, processor: Processor) -> Pair:
    """A pair whose rows a sampler must process: it is handed the pair's laws, and judged by what the processor makes of p.

    Raises ValueError where the processor raises, or does not return weights.

    By hand: a token that stands in the prefix gets half of its mass, and 1/4 : 1/2 are 1/3 and 2/3.

    >>> def halved(rows, prefix):
    ...     seen = (prefix[:, :, None] == np.arange(rows.shape[1])).any(axis=1)
    ...     return np.where(seen, rows / 2, rows)
    >>> pair = processed(Pair("", np.full((2, 2), 0.5), np.full((1, 2), 0.5)), halved)
    >>> pair.p[0].tolist(), pair.handed.weights[1].tolist()
    ([0.5, 0.5], [[0.25, 0.5], [0.5, 0.25]])
    """
    if pair.handed is not None:
        raise ValueError(f"processor: the pair “{pair.name}” has rows of its own; expected a pair of plain laws")
    weights = tuple(weights_of(level, processor) for level in as_levels(pair.p))
    p = tuple(level / level.sum(axis=-1, keepdims=True) for level in weights)
    return Pair(pair.name, p, as_levels(pair.q), Raw(pair.p, pair.q, processor, weights))


def weights_of(level: Array, processor: Processor) -> Array:
    """What a processor makes of a level of a tree, for all prefixes at once; raises ValueError where it makes no weights.

    >>> weights_of(np.array([0.25, 0.75]), lambda rows, prefix: 2 * rows).tolist()
    [0.5, 1.5]
    """
    vocab = level.shape[-1]
    length = level.ndim - 1
    rows = level.reshape(-1, vocab)
    prefixes = np.array(list(np.ndindex((vocab,) * length)), dtype=np.int64).reshape(len(rows), length)
    try:
        weights = np.asarray(processor(rows.copy(), prefixes), dtype=np.float64)
    except Exception as error:
        raise ValueError(
            f"processor: raises {type(error).__name__}: {short(str(error))} on rows {rows.shape} with prefixes "
            f"{prefixes.shape}; expected processor(rows (n, V), prefix (n, t)) -> weights (n, V)"
        ) from error
    if weights.shape != rows.shape:
        raise ValueError(f"processor: returns shape {weights.shape}; expected {rows.shape}, that of the rows")
    is_wrong = ~np.isfinite(weights).all(axis=1) | (weights < 0).any(axis=1) | (weights.sum(axis=1) <= 0)
    if is_wrong.any():
        row = weights[is_wrong][0].tolist()
        raise ValueError(
            f"processor: returns the weights {short(str(row))}; expected none below 0 or NaN, and a positive sum.  "
            "Rows are probabilities; of_logits(f) of simspec.audit.handing makes a processor of an f on logits"
        )
    return weights.reshape(level.shape)


def of_logits(function: Callable[[Array, NDArray[np.int64]], Any]) -> Processor:
    """A processor of a function on logits, ``function(logits (n, V), prefix (n, t)) -> logits (n, V)``.

    A mass of 0 is a logit of -inf.

    >>> of_logits(lambda logits, prefix: 2 * logits)(np.array([[0.25, 0.75]]), np.zeros((1, 0))).round(3).tolist()
    [[0.1, 0.9]]
    """

    def processor(rows: Array, prefix: NDArray[np.int64]) -> Array:
        with np.errstate(divide="ignore"):
            logits = np.log(rows)
        return softmax(np.asarray(function(logits, prefix), dtype=np.float64))

    return processor
