r"""Back-off n-gram table of a corpus: TASC's corpus drafter (5.2).

N-grams never cross from one text into the next.  What a drafter is and which law it proposes: `ngram_drafter`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simspec.laws import Array
from simspec.methods.tasc.drafter import Match, Part, check_settings, tail

__all__ = ["Memory", "Ngrams", "memory", "train"]


@dataclass(frozen=True, eq=False, repr=False)
class Ngrams:
    """Counts of all n-grams of a corpus up to order `n_max`, read longest context first; made by `train`.

    Contexts are nodes of a tree that is walked from the newest token back: one look-up in a hash table a token, so at
    most n_max - 1 of them however large the corpus is.  What follows node i is
    ``tokens[starts[i]:starts[i + 1]]``, in ascending order.

    >>> table = train([[0, 1, 2], [0, 1, 3]], n_max=3, vocab=4)
    >>> match = table.match([0, 1])
    >>> match.order, match.tokens.tolist(), match.counts.tolist()
    (3, [2, 3], [1, 1])
    >>> table
    Ngrams(n_max=3, min_count=1, vocab=4: 9 n-grams after 4 contexts)
    """

    n_max: int
    min_count: int
    vocab: int
    n_min: int
    most_frequent: int
    children: dict[int, int]
    starts: Array
    tokens: Array
    counts: Array

    @property
    def window(self) -> int:
        """Longest context read, n_max - 1."""
        return self.n_max - 1

    def __repr__(self) -> str:
        return (
            f"Ngrams(n_max={self.n_max}, min_count={self.min_count}, vocab={self.vocab}: "
            f"{len(self.tokens):,} n-grams after {len(self.starts) - 1:,} contexts)"
        )

    def match(self, context: Sequence[int]) -> Match:
        """Counts after the longest suffix of `context` that some kept n-gram continues.

        Of the orders n_max..n_min the first that knows the context answers; none: the most frequent token, order 0.
        """
        node = 0
        order = 1
        for token in reversed(tail(context, self.window, self.vocab)):
            child = self.children.get(node * self.vocab + token)
            if child is None:
                break
            node = child
            order = order + 1
        start, stop = self.starts[node : node + 2].tolist()
        if order < self.n_min or start == stop:
            return Match(0, np.array([self.most_frequent]), np.array([1]))
        return Match(order, self.tokens[start:stop], self.counts[start:stop])

    def parts(self, context: Sequence[int]) -> list[Part]:
        """The law proportional to the counts of `match`."""
        return [Part(1, *self.match(context)[1:])]

    def begin(self, prompt: Sequence[int]) -> Ngrams:
        """Itself: a corpus does not depend on the prompt."""
        return self

    def append(self, token: int) -> None:
        """Nothing: a corpus does not depend on the text."""


def train(
    texts: Sequence[Sequence[int]], n_max: int = 4, min_count: int = 1, vocab: int | None = None, n_min: int = 1
) -> Ngrams:
    r"""Back-off n-gram table of a corpus.

    Parameters
    ----------
    texts : sequences of tokens
        no n-gram crosses from one text into the next; no text, or empty ones, give the drafter that knows nothing.
    n_max : int >= 1
        largest order; a context has up to n_max - 1 tokens.  (TASC writes the context with n_max tokens beside models
        of n-grams; here :math:`M_2` is a bigram model.)
    min_count : int >= 1
        n-grams seen fewer times are left out, and what is left is normalised (TASC's :math:`p_{\min}`).
    vocab : int, optional; number of tokens V; by default one more than the largest token
    n_min : int >= 1
        smallest order that is asked.  TASC asks all n up to n_max, so the last to be asked is :math:`M_1`, the law of
        single tokens; with 2, an unknown context goes straight to the most frequent token.

    Returns
    -------
    Ngrams
        where nothing matches it says the most frequent token of the corpus, counted before anything is left out; of
        equally frequent tokens, and in an empty corpus, the lowest.

    Raises ValueError for a token outside 0..V - 1, an order or a count below 1, and an unknown vocabulary (no tokens,
    no `vocab`).

    TASC 5.2 (corpus drafter).  Training sorts the n-grams once an order.

    >>> table = train([[0, 1, 0, 1, 0, 2]], n_max=2)
    >>> from simspec.methods.tasc.drafter import law
    >>> law(table, [0]).round(6).tolist()
    [0.0, 0.666667, 0.333333]
    >>> law(train([[0, 1, 0, 1, 0, 2]], n_max=2, min_count=2), [0]).tolist()
    [0.0, 1.0, 0.0]
    """
    pieces = [_array(text) for text in texts]
    flat = np.concatenate([np.zeros(0, dtype=np.int64), *pieces])
    if vocab is None:
        if not len(flat):
            raise ValueError(f"texts: {len(pieces)} without any token; expected tokens, or vocab to be given")
        vocab = int(flat.max()) + 1
    check_settings(n_max, min_count, vocab, n_min)
    if len(flat) and not (flat.min() >= 0 and flat.max() < vocab):
        bad = int(flat[(flat < 0) | (flat >= vocab)][0])
        raise ValueError(f"texts: token {bad}; expected tokens 0..{vocab - 1}")

    depth = np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(len(piece)) for piece in pieces)])
    children: dict[int, int] = {}
    sizes = []
    tokens = []
    counts = []
    nodes = 0
    places = np.arange(len(flat))  # tokens whose n-gram was kept at every smaller order
    context = np.zeros(len(flat), dtype=np.int64)  # node of the context before each of them
    for length in range(n_max):
        has_depth = depth[places] >= length
        places = places[has_depth]
        context = context[has_depth]
        if length and not len(places):
            break  # no text is that long, or no n-gram frequent enough
        if length:  # one token further back
            keys, row = np.unique(context * vocab + flat[places - length], return_inverse=True)
        else:
            keys = np.zeros(1, dtype=np.int64)
            row = context
        grams, inverse, frequencies = np.unique(row * vocab + flat[places], return_inverse=True, return_counts=True)
        is_frequent = frequencies >= min_count  # a longer n-gram is never more frequent, so what is left out stays out
        follow = np.bincount(grams[is_frequent] // vocab, minlength=len(keys))
        alive = follow > 0
        if length:
            children.update(zip(keys[alive].tolist(), range(nodes, nodes + int(alive.sum())), strict=True))
        else:
            alive[0] = True  # the empty context is always a node
        number = nodes + np.cumsum(alive) - 1
        nodes += int(alive.sum())
        sizes.append(follow[alive])
        tokens.append((grams[is_frequent] % vocab).astype(np.int32))
        counts.append(frequencies[is_frequent].astype(np.int32))
        going = is_frequent[inverse]
        places = places[going]
        context = number[row[going]]
    starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    top_token = int(np.bincount(flat, minlength=vocab).argmax())
    return Ngrams(
        n_max=n_max,
        min_count=min_count,
        vocab=vocab,
        n_min=n_min,
        most_frequent=top_token,
        children=children,
        starts=starts,
        tokens=np.concatenate(tokens),
        counts=np.concatenate(counts),
    )


def _array(text: Sequence[int]) -> Array:
    tokens = np.asarray(text)
    if tokens.ndim != 1 or (tokens.size and tokens.dtype.kind not in "iu"):
        raise ValueError(f"texts: {str(text)[:40]!r}; expected sequences of integer tokens")
    return tokens.astype(np.int64)


class Memory(NamedTuple):
    """Size of a table: bytes of its arrays and its hash table, kept n-grams of all orders, and contexts."""

    bytes: int
    ngrams: int
    contexts: int


def memory(table: Ngrams) -> Memory:
    """Memory that a corpus table holds, counted from its arrays, its hash table and the integers in that.

    With n_max = 4 it is about 70 bytes for each n-gram when all are kept, and 40 to 50 with min_count = 5 (tables of
    5,000 to 800,000 n-grams of words; 64-bit CPython).

    >>> size = memory(train([[0, 1, 2], [0, 1, 3]], n_max=3))
    >>> size.ngrams, size.contexts
    (9, 4)
    """
    arrays = (table.starts, table.tokens, table.counts)
    integers = sum(sys.getsizeof(key) + sys.getsizeof(node) for key, node in table.children.items())
    size = sum(array.nbytes for array in arrays) + sys.getsizeof(table.children) + integers
    return Memory(size, len(table.tokens), len(table.starts) - 1)
