"""Learning which n-grams of tokens to merge.

The reference and the Numba loops give the same integers.  One step needs the one before, so the loops run on one thread,
with the interpreter lock released.  They take about ten seconds to compile, once: machine code is cached.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import check_memory, whole_number
from simspec.kernels.choose import which
from simspec.kernels.merges import reference
from simspec.kernels.merges.reference import COUNTINGS, Ngram

__all__ = ["Corpus", "Loops", "corpus"]

SMALL = 512
"""Tokens below which the reference does the work."""
COUNTED = 2**19
"""About how many n-grams are counted at a time: some tenths of a second."""
HEAVIEST = 2**47 - 1
"""Largest weight of a text: the largest count of the loops."""

Integers = NDArray[np.int64]


def corpus(tokens: ArrayLike, lengths: ArrayLike, vocab: int, weights: ArrayLike | None = None) -> Corpus:
    r"""Texts in which n-grams can be found and merged, step by step.

    With `begin` n-grams are counted; then `best` gives the one of the highest reward :math:`\mathrm{freq}(t^n)\,(n - 1)`, and
    `merge` puts a new token in its place, from left to right.  Of equal rewards the shorter n-gram is taken, then the one
    first in the order of ids.  With ``n_max = 2`` and all occurrences counted this is byte-pair encoding.

    Parameters
    ----------
    tokens : integers (N,)
        ids in [0, vocab) of all texts, one text after another.
    lengths : integers (T,)
        tokens of each text; n-grams never reach from one text into the next.  For counts within words give each
        different word as a text, with its frequency as the weight; for counts across words give whole texts.
    vocab : int
    weights : integers (T,), optional
        how often each text counts, >= 1; once when left out.

    Raises
    ------
    ValueError
        for an argument outside its domain, or more than the compiled loops can hold: 2^30 tokens and texts, 2^30 ids,
        2^29 different n-grams, n-grams of 4095 tokens, counts of 2^47.

    Notes
    -----
    Time: N n_max steps to count, then for each merge the places of its rarest token and O(n_max^2) for each occurrence.
    Memory beside the arguments: at most 20 bytes a token (28 with weights), 40 a text (48), 20 for each of the `vocab` ids
    and of twice the new ones (28 while room for more is made), and 160 for each different n-gram there is at once, 240
    while their table grows (64 in the table, at most half of it in use when it is made).

    Examples
    --------
    >>> texts = corpus([0, 1, 0, 1, 2], [5], vocab=3)
    >>> texts.begin(2, "occurrences", 1)
    >>> texts.best(), texts.merge((0, 1), 3), texts.best()
    (((0, 1), 2), 2, ((3, 2), 1))
    """
    ids, sizes, times = _checked(tokens, lengths, vocab, weights)
    implementation = Loops if which(len(ids), SMALL) == "numba" else reference.Corpus
    return implementation(ids, sizes, vocab, times)


def _checked(tokens: ArrayLike, lengths: ArrayLike, vocab: int, weights: ArrayLike | None) -> tuple[Any, Any, Any]:
    """Tokens, lengths and weights as arrays, when they fit together: what the compiled loops rely on."""
    ids = _integers("tokens", tokens)
    sizes = _integers("lengths", lengths)
    times = None if weights is None else _integers("weights", weights)
    if not isinstance(vocab, int | np.integer) or vocab < 1:
        raise ValueError(f"vocab: {vocab}; expected a number of tokens >= 1")
    if len(ids) and not 0 <= ids.min() <= ids.max() < vocab:
        raise ValueError(f"tokens: from {ids.min()} to {ids.max()}; expected whole numbers in [0, {vocab})")
    fit = not len(sizes) or 0 <= sizes.min() <= sizes.max() <= len(ids)  # else their sum may wrap
    if not fit or sizes.sum() != len(ids):
        raise ValueError(f"lengths: sum {sum(sizes.tolist())}; expected lengths >= 0 that add up to {len(ids)} tokens")
    if times is not None and (len(times) != len(sizes) or (len(times) and times.min() < 1)):
        raise ValueError(f"weights: {len(times)} numbers; expected one >= 1 for each of {len(sizes)} texts")
    if times is not None and len(times) and times.max() > HEAVIEST:
        raise ValueError(f"weights: {times.max()}; expected at most {HEAVIEST}")
    return ids, sizes, times


def _integers(name: str, values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(f"{name}: {array.dtype} of shape {array.shape}; expected one row of integers")
    return array


class Loops:
    """The compiled backend of `reference.Corpus`; made by `corpus`.

    Attributes
    ----------
    total : int
        tokens of all texts, each text as often as it counts.
    """

    def __init__(self, tokens: ArrayLike, lengths: ArrayLike, vocab: int, weights: ArrayLike | None = None) -> None:
        """Lay the tokens of all texts out in cells and count single tokens, weighted; n-grams are counted later."""
        from simspec.kernels.merges import numba_merges as merges_loops
        from simspec.kernels.merges import table as merges_table

        flat, text_lengths, times = _checked(tokens, lengths, vocab, weights)
        self._loops, self._limits = merges_loops, merges_table
        if max(len(flat) + len(text_lengths) + 1, vocab) > merges_table.LARGEST:
            actual_sizes = f"{len(flat)} in {len(text_lengths)} texts, {vocab} ids"
            raise ValueError(f"tokens: {actual_sizes}; expected at most {merges_table.LARGEST} of each")
        check_memory("vocab", vocab, 20 * vocab)
        sizes, self._ids, self._vocab = text_lengths.astype(np.int64), vocab, vocab
        self._ends = np.cumsum(sizes)
        self._starts = self._ends - sizes + np.arange(1, len(sizes) + 1)  # of the texts, among the cells
        ids = flat.astype(np.int32)
        self._cells, self._places, self._start, self._size = merges_loops.lay(ids, sizes, vocab)
        self._free = self._room = len(flat)
        self._weight = np.zeros(0, dtype=np.int64)
        self._counts, self.total = self._size.astype(np.int64), len(flat)
        if times is not None:
            # in Python's integers: products of int64 could overflow before the check
            self.total = sum(a * b for a, b in zip(sizes.tolist(), times.tolist(), strict=True))
            if self.total > merges_table.MOST:
                raise ValueError(f"weights: {self.total} tokens in all; expected at most {merges_table.MOST}")
            repeated = np.repeat(times.astype(np.int64), sizes)
            self._weight = np.zeros(len(self._cells), dtype=np.int64)
            self._weight[self._cells >= 0] = repeated
            self._counts[:] = 0
            np.add.at(self._counts, ids, repeated)
        self._n_max, self._rule = 1, (1, False)  # n-grams are not counted
        self._ngrams = np.zeros((1, 2), np.int64), np.zeros((1, 2), np.int64), np.zeros(merges_table.META, np.int64)

    @property
    def token(self) -> Integers:
        """For each place at first: the token that begins there, -1 where none does any more."""
        alone = np.delete(self._cells, np.append(self._starts - 1, len(self._cells) - 1))
        return np.where(alone < 0, -1, alone).astype(np.int64)

    @property
    def counts(self) -> Integers:
        """How often each token occurs."""
        return self._counts[: self._ids]

    def lists(self) -> list[list[int]]:
        """The texts as they are now."""
        alive = np.flatnonzero(self._cells >= 0)
        cuts = np.searchsorted(alive, self._starts[1:])
        return [text.tolist() for text in np.split(self._cells[alive], cuts)] if len(self._starts) else []

    def find(self, ngram: Sequence[int], overlapping: bool = False) -> Integers:
        """First places of the occurrences, in order: all, or those that a pass from the left merges."""
        cells = self._find(ngram, not overlapping).astype(np.int64)
        return cells - np.searchsorted(self._starts, cells, side="right")

    def _find(self, ngram: Sequence[int], apart: bool) -> NDArray[np.int32]:
        ngram_ids = _integers("ngram", ngram)
        if not len(ngram_ids) or not 0 <= ngram_ids.min() <= ngram_ids.max() < self._ids:
            return np.zeros(0, dtype=np.int32)
        ngram_ids = ngram_ids.astype(np.int64)
        return self._loops.find(self._cells, self._places, self._start, self._size, ngram_ids, apart)

    def follow(self, places: ArrayLike, n: int) -> Integers:
        """Tokens (K, n) from each place on; -1 after the end of its text."""
        at = _integers("places", places)
        n = whole_number("n", n, 0, 2**31 - 1)
        if len(at) and not 0 <= at.min() <= at.max() < self._room:
            raise ValueError(f"places: from {at.min()} to {at.max()}; expected places of 0..{self._room - 1}")
        check_memory("n", n, 16 * n * max(len(at), 8))
        at = at.astype(np.int64)
        at = at + np.searchsorted(self._ends, at, side="right") + 1
        columns = []
        for _ in range(n):
            here = self._cells[at]
            columns.append(here)
            step = self._cells[np.minimum(at + 1, len(self._cells) - 1)]
            at = np.where(here < 0, at, at + np.where(step < 0, -step, 1))
        return np.stack(columns, axis=1).astype(np.int64) if n else np.zeros((len(at), 0), dtype=np.int64)

    def merge(self, ngram: Sequence[int], new: int) -> int:
        """Put the token `new` in the place of each occurrence, from the left; how many there were.

        Raises
        ------
        ValueError
            for less than two tokens, an id out of range, or, while n-grams are counted, one that has been used.
        """
        reference.check_merge(ngram, new, self._ids if self._n_max > 1 else 0)
        if new > self._limits.LARGEST:
            raise ValueError(f"new: {new}; expected at most {self._limits.LARGEST}")
        check_memory("new", new, 20 * max(0, new - self._vocab))
        heads = self._find(ngram, True)
        table, heap, meta = self._ngrams
        n = len(ngram)
        merged, table, heap = self._loops.merge(
            self._cells, self._weight, heads, n, new, self._n_max, table, heap, meta
        )
        self._ngrams = table, heap, meta
        self._grow(new)
        self._keep(new, heads)
        if merged:  # else the n-gram may hold ids that are not there
            np.subtract.at(self._counts, list(ngram), merged)
            self._counts[new] += merged
        self.total -= merged * (n - 1)
        return int(merged)

    def _grow(self, new: int) -> None:
        """Make room for a new id: for twice as many as there are beyond the first ones, not for twice the vocabulary."""
        self._ids = max(self._ids, new + 1)
        if new >= len(self._size):
            extra = max(new + 1 - self._vocab, 2 * (len(self._size) - self._vocab), 64) + self._vocab - len(self._size)
            for name in ("_start", "_size", "_counts"):  # one after another, so that one is held twice at most
                x = getattr(self, name)
                setattr(self, name, np.concatenate([x, np.zeros(extra, dtype=x.dtype)]))

    def _keep(self, new: int, heads: NDArray[np.int32]) -> None:
        """Note where a token has come to stand, behind all other places."""
        if self._size[new]:
            first = self._start[new]
            heads = np.union1d(self._places[first : first + self._size[new]], heads)
        end = self._free + len(heads)
        if end > len(self._places):
            larger = np.empty(max(end, min(2 * len(self._places), self._free + self.total)), dtype=np.int32)
            larger[: self._free] = self._places[: self._free]
            self._places = larger
        self._places[self._free : end] = heads
        self._start[new], self._size[new], self._free = self._free, len(heads), end

    def begin(self, n_max: int, counting: str, min_count: int) -> None:
        """Count all n-grams of 2 to `n_max` tokens; from now on `best` gives them, and `merge` keeps the counts."""
        reference.check_counting(n_max, counting, min_count)
        longest = int(np.diff(self._starts, append=len(self._cells)).max(initial=3)) - 1
        self._n_max = min(n_max, max(longest, 2))
        if self._n_max > (limit := self._limits.LONGEST):
            raise ValueError(f"n_max: {n_max}; expected at most {limit}, as texts are longer")
        self._rule = min(min_count, self._limits.MOST + 1), counting == COUNTINGS[0]
        table = np.zeros((1 << 12, 2), np.int64)
        heap = np.empty((1 << 10, 2), np.int64)
        meta = np.zeros(self._limits.META, np.int64)
        cells = len(self._cells)
        step = max(1, COUNTED // self._n_max)
        for first in range(0, cells, step):  # in pieces, as the loops do not hear Ctrl-C
            last = min(first + step, cells)
            table, heap = self._loops.count(self._cells, self._weight, self._n_max, first, last, table, heap, meta)
        self._ngrams = table, heap, meta

    def best(self) -> tuple[Ngram, int]:
        """The n-gram of the highest reward, which is then used up, and its reward; an empty one when none is left."""
        if self._n_max == 1:
            raise ValueError(reference.NOT_BEGUN)
        table, heap, meta = self._ngrams
        best_ngram, reward, heap = self._loops.best(
            *(self._cells, self._weight, self._places, self._start, self._size),
            *(table, heap, meta, self._n_max, *self._rule),
        )
        self._ngrams = table, heap, meta
        return tuple(best_ngram.tolist()), int(reward)


Corpus = reference.Corpus | Loops
