r"""A stand-in for a task's language model: an n-gram model with a cache, which writes texts.

.. math:: p(x \mid c) = (1-w)\,p_{n}(x \mid c) + w\,r(x \mid c)

:math:`p_n` is the back-off model of Witten and Bell (1991), which gives every token mass; r is the law of a prompt table
(Kuhn and De Mori's cache, 1990), which makes the model repeat its prompt and itself as much as held-out texts do.  It is
a model of real texts, and no transformer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from simspec.kernels import random as philox
from simspec.laws import Array
from simspec.methods.tasc.drafters import Ngrams, PromptNgrams, train
from simspec.studies.tasc.ngram_tasks import Row

__all__ = ["CACHES", "BackOff", "Target", "fitted"]
CACHES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7)
"""Weights of the cache that are tried."""
HELD = 20
"""Held-out pairs that the weight is fitted on, at most."""


class BackOff:
    r"""The Witten-Bell model of a table without left-out n-grams.

    .. math:: p_m(x) = \frac{c_m(x) + T_m\,p_{m-1}(x)}{N_m + T_m}, \qquad p_0 = 1/V,

    with N occurrences and T different tokens after the context of order m; an unknown context is passed over.

    >>> model = BackOff(train([[0, 1, 0, 1]], n_max=2, vocab=2))
    >>> model.law([0]).tolist()  # from (2 + 2/2)/6 = 1/2 each to (0 + 1/2)/3 and (2 + 1/2)/3
    [0.16666666666666666, 0.8333333333333334]
    """

    def __init__(self, table: Ngrams) -> None:
        if table.min_count != 1:
            raise ValueError(f"table: min_count {table.min_count}; expected 1, a table of all n-grams")
        self.table = table
        self.known: dict[tuple[int, ...], list[tuple[Array, Array]]] = {}
        self.rows: dict[tuple[int, ...], Row] = {}

    def orders(self, context: Sequence[int]) -> list[tuple[Array, Array]]:
        """Tokens and counts after each known context, the shortest first."""
        newest = tuple(context[max(len(context) - self.table.window, 0) :])
        if newest not in self.known:
            matches = (self.table.match(newest[len(newest) - n :]) for n in range(len(newest) + 1))
            self.known[newest] = [(m.tokens, m.counts) for n, m in enumerate(matches) if m.order == n + 1]
        return self.known[newest]

    def mass(self, context: Sequence[int], tokens: Array) -> Array:
        """Mass of `tokens` after a context."""
        p = np.full(len(tokens), 1 / self.table.vocab)
        for there, counts in self.orders(context):
            place = np.minimum(np.searchsorted(there, tokens), len(there) - 1)
            occurrences = np.where(there[place] == tokens, counts[place], 0)
            p = (occurrences + len(there) * p) / (counts.sum() + len(there))
        return p

    def law(self, context: Sequence[int]) -> Array:
        """Law of the next token, (V,)."""
        return self.mass(context, np.arange(self.table.vocab))

    def row(self, context: Sequence[int]) -> Row:
        """The law after a context, for a mixture; made once."""
        newest = tuple(context[max(len(context) - self.table.window, 0) :])
        if newest not in self.rows:
            law = self.law(newest)
            place = int(law.argmax())
            higher_orders = [
                (dict(zip(t.tolist(), c.tolist(), strict=True)), int(c.sum())) for t, c in self.orders(newest)[1:]
            ]
            self.rows[newest] = Row(place, float(law[place]), partial(_mass, self.singles, higher_orders))
        return self.rows[newest]

    @cached_property
    def singles(self) -> list[float]:
        """Law of a token without context."""
        return self.law(()).tolist()

    def draw(self, context: Sequence[int], uniforms: Sequence[float]) -> int:
        """A token of the law; uniform i decides whether order i (from the longest) speaks, the last one which token."""
        for uniform, (there, counts) in zip(uniforms, reversed(self.orders(context)), strict=False):
            total = int(counts.sum())
            if uniform * (total + len(there)) < total:
                return _of_counts(there, counts, uniforms[-1])
        return int(uniforms[-1] * self.table.vocab)


def _mass(singles: Sequence[float], higher_orders: Sequence[tuple[dict[int, int], int]], token: int) -> float:
    p = singles[token]
    for counts, total in higher_orders:
        p = (counts.get(token, 0) + len(counts) * p) / (total + len(counts))
    return p


def _of_counts(tokens: Array, counts: Array, uniform: float) -> int:
    ends = np.cumsum(counts)
    return int(tokens[np.searchsorted(ends, uniform * ends[-1], side="right")])


@dataclass(frozen=True, eq=False)
class Target:
    """The stand-in: back-off model, weight of the cache, settings of the cache, and the token that ends a text."""

    model: BackOff
    weight: float
    cache: PromptNgrams
    end: int

    def write(self, prompt: Sequence[int], longest: int, key: int, row: int) -> list[int]:
        """Text that the stand-in writes after a prompt, up to its end token or `longest` tokens.

        Parameters
        ----------
        key, row : int, of the random numbers; each row has its own
        """
        orders = self.model.table.n_max
        uniforms = philox.uniform(key, [row], range(longest * (orders + 2)))[0].reshape(longest, orders + 2).tolist()
        state = self.cache.begin(prompt)
        text_so_far = list(prompt)
        for place in range(longest):
            context = text_so_far[max(len(text_so_far) - orders + 1, 0) :]
            if uniforms[place][0] < self.weight:
                _, tokens, counts = state.match(context)
                token = _of_counts(tokens, counts, uniforms[place][-1])
            else:
                token = self.model.draw(context, uniforms[place][1:])
            state.append(token)
            text_so_far.append(token)
            if token == self.end:
                break
        return text_so_far[len(prompt) :]


def _masses(
    model: BackOff, cache: PromptNgrams, prompt: Sequence[int], text: Sequence[int]
) -> list[tuple[float, float]]:
    """Mass of each token of a text under the model and under the cache."""
    state = cache.begin(prompt)
    text_so_far = list(prompt)
    out = []
    for token in text:
        context = text_so_far[max(len(text_so_far) - model.table.window, 0) :]
        _, tokens, counts = state.match(context)
        model_mass = float(model.mass(context, np.array([token]))[0])
        out.append((model_mass, float(counts[tokens == token].sum() / counts.sum())))
        state.append(token)
        text_so_far.append(token)
    return out


def fitted(
    texts: Sequence[Sequence[int]],
    held_out_pairs: Sequence[tuple[list[int], list[int]]],
    vocab: int,
    end: int,
    n_max: int = 4,
) -> Target:
    """Fit the stand-in: counts on `texts`, and the cache's weight by likelihood on the held-out pairs.

    Parameters
    ----------
    texts : sequences of tokens
    held_out_pairs : pairs (prompt, text) that are not among `texts`
    vocab, end, n_max : int

    >>> target = fitted([[0, 1, 0, 1]], [([2, 3], [2, 3, 2, 3])], vocab=4, end=3, n_max=2)
    >>> target.weight  # what the texts never showed is in the prompt
    0.7
    """
    model = BackOff(train(texts, n_max, 1, vocab))
    cache = PromptNgrams(n_max, vocab)
    masses = np.array(
        [m for prompt, text in held_out_pairs[:HELD] for m in _masses(model, cache, prompt, text)]
    ).reshape(-1, 2)
    likelihoods = [np.log((1 - w) * masses[:, 0] + w * masses[:, 1]).sum() for w in CACHES]
    return Target(model, CACHES[int(np.argmax(likelihoods))], cache, end)
