r"""A draft that counts: n-gram laws of texts, smoothed as Witten and Bell do, in the form of a network.

.. math:: p_n(w \mid c) = \frac{N(c, w) + T(c)\, p_{n-1}(w \mid c')}{N(c) + T(c)}

N(c, w) counts w after the context c, N(c) is their sum, T(c) how many different tokens follow c, and c' is c without its
first token; the last law is uniform (Chen and Goodman 1999, section 2.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NGrams", "Read"]


class Read:
    """The tokens that were read so far, in the place of a cache of keys and values."""

    def __init__(self, tokens: list[int]) -> None:
        self.tokens = tokens

    def crop(self, length: int) -> None:
        """Keep so many tokens, or leave so many out where the length is negative."""
        del self.tokens[length:]


class NGrams:
    """Counts of texts, called as networks of transformers are.

    Parameters
    ----------
    texts : token ids; counts go across no two texts
    order : n >= 1; at 1 the frequencies of single tokens
    vocab : number of tokens
    device : on which logits are returned

    Examples
    --------
    >>> grams = NGrams([[0, 1, 0, 1, 0, 2]], 2, 3)
    >>> grams.law([0]).round(4).tolist()  # after 0: token 1 twice, token 2 once, and 2 parts of the unigram law
    [0.1778, 0.5333, 0.2889]
    """

    def __init__(self, texts: Sequence[Sequence[int]], order: int, vocab: int, device: str = "cpu") -> None:
        self.order = order
        self.vocab = vocab
        self.device = device
        followers: list[dict[tuple[int, ...], dict[int, int]]] = [{} for _ in range(order)]
        for ids in texts:
            tokens = [int(i) for i in ids]
            for at, token in enumerate(tokens):
                for length in range(min(order - 1, at) + 1):
                    counts = followers[length].setdefault(tuple(tokens[at - length : at]), {})
                    counts[token] = counts.get(token, 0) + 1
        self._tables = [
            {context: (np.array(list(counts)), np.array(list(counts.values()))) for context, counts in table.items()}
            for table in followers
        ]

    def law(self, context: Sequence[int]) -> NDArray[np.float64]:
        """Law (V,) after a context."""
        law = np.full(self.vocab, 1 / self.vocab)
        for length in range(min(self.order - 1, len(context)) + 1):
            followed = self._tables[length].get(tuple(context[len(context) - length :]))
            if followed is None:  # no longer context was seen either
                break
            tokens, counts = followed
            total = counts.sum() + len(tokens)
            law *= len(tokens) / total
            law[tokens] += counts / total
        return law

    def forward(
        self, input_ids: Any, attention_mask: Any = None, past_key_values: Any = None, use_cache: bool = False
    ) -> Any:
        """Logits (rows, tokens, V) after each token, and what was read."""
        import torch

        rows = input_ids.tolist()
        before = [] if past_key_values is None else past_key_values.tokens
        longest = self.order - 1
        logits = np.empty((len(rows), len(rows[0]), self.vocab), dtype=np.float32)
        for row, ids in enumerate(rows):
            text = [*before, *ids]
            for at in range(len(ids)):
                end = len(before) + at + 1
                logits[row, at] = np.log(self.law(text[max(0, end - longest) : end] if longest else []))
        read = Read([*before, *rows[0]]) if use_cache else None
        return SimpleNamespace(logits=torch.from_numpy(logits).to(self.device), past_key_values=read)

    __call__ = forward
