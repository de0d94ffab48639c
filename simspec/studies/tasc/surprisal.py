r"""Surprisal of each token of a text under an n-gram model with Witten-Bell smoothing, in bits.

The model of order n asks for the n - 1 tokens before: :math:`p_n(w \mid h) = (c(hw) + T(h)\,p_{n-1}(w \mid h')) / (c(h) +
T(h))`, T(h) being the number of different tokens seen after h, h' the context without its oldest token, and p_0 uniform.
It has no parameter to tune, so that tokenizers can be compared under models fitted in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simspec.checks import whole_number
from simspec.laws import Array
from simspec.methods.tasc.merging import checked_texts

__all__ = ["surprisals"]


class _Flat:
    """Texts one after another, and what stands k tokens before each token (`vocab` before the start of its text)."""

    def __init__(self, texts: Sequence[Sequence[int]], vocab: int) -> None:
        rows = checked_texts(texts, vocab)
        self.vocab = vocab
        self.token = np.array([t for row in rows for t in row], dtype=np.int64)
        self.depth = np.array([i for row in rows for i in range(len(row))], dtype=np.int64)

    def back(self, k: int) -> Array:
        return np.where(self.depth >= k, self.token[np.maximum(np.arange(len(self.token)) - k, 0)], self.vocab)


def surprisals(
    train: Sequence[Sequence[int]], texts: Sequence[Sequence[int]], vocab: int, order: int = 2
) -> NDArray[np.float64]:
    r"""Surprisal :math:`-\log_2 p_n(w \mid h)` of each token of `texts`, one text after another, for n = 1 ... `order`.

    Parameters
    ----------
    train : sequences of token ids in [0, vocab)
        what the model is fitted to; contexts stay within a text and begin with a mark of its start.
    texts : sequences of token ids in [0, vocab)
    vocab : int
    order : int >= 1; longest n-gram of the largest model

    Returns
    -------
    array (order, tokens)
        row n - 1 belongs to the model of order n.

    Raises ValueError for a training text without tokens, a token outside the vocabulary, or an order below one.

    Witten and Bell 1991 (method C), interpolated.

    Of ``0 1 0``, p(0) = (2 + 2 / 2) / (3 + 2) = 3/5.

    >>> bits = surprisals([[0, 1, 0]], [[0, 1]], vocab=2, order=1)
    >>> (2**-bits).round(6).tolist()
    [[0.6, 0.4]]
    """
    whole_number("order", order, 1, None, "the longest n-gram of a model, >= 1")
    flat_train = _Flat(train, vocab)
    flat_texts = _Flat(texts, vocab)
    if not len(flat_train.token):
        raise ValueError(f"train: {len(train)} texts without a token; expected at least one token")
    width = vocab + 1
    p = np.full(len(flat_texts.token), 1 / vocab)
    bits_by_order = []
    row = np.zeros(len(flat_train.token), dtype=np.int64)
    text_contexts = np.zeros(len(flat_texts.token), dtype=np.int64)
    for k in range(order):
        if k:  # one token further back; -1 is a context that was never seen, and below 0 there are no keys
            keys, row = np.unique(row * width + flat_train.back(k), return_inverse=True)
            text_contexts = _find(keys, text_contexts * width + flat_texts.back(k))
        grams, gram_counts = np.unique(row * width + flat_train.token, return_counts=True)
        times = np.bincount(row)
        kinds = np.bincount(grams // width)
        place = _find(grams, text_contexts * width + flat_texts.token)
        count = np.where(place >= 0, gram_counts[place], 0)
        p = np.where(
            text_contexts >= 0, (count + kinds[text_contexts] * p) / (times[text_contexts] + kinds[text_contexts]), p
        )
        bits_by_order.append(-np.log2(p))
    return np.stack(bits_by_order)


def _find(keys: Array, sought: Array) -> Array:
    """Place of each wanted number among sorted keys, -1 where it is not there."""
    place = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
    return np.where(keys[place] == sought, place, -1)
