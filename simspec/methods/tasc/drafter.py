r"""What an n-gram drafter is, the law it proposes, and the table of one text that grows.

The model of order n, :math:`M_n`, counts which token follows each context of n - 1 tokens.  A table holds the orders
1..n_max without the n-grams seen fewer than `min_count` times, and is asked for the longest context it knows (TASC 5.2).
The table of a corpus is in `simspec.methods.tasc.corpus_table`; mixtures and drafts are in `simspec.methods.tasc.drafters`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from simspec import laws
from simspec.checks import check_memory
from simspec.laws import Array
from simspec.methods.parameters import LONGEST

if TYPE_CHECKING:
    from simspec.kernels.ngram.text import TextNgrams

__all__ = ["Drafter", "Match", "Part", "PromptNgrams", "check_settings", "check_tokens", "combine", "law", "tail"]


class Part(NamedTuple):
    """One term of a drafter's law: `weight` times the law proportional to `counts` on `tokens` (ascending, distinct)."""

    weight: Any
    tokens: Array
    counts: Array


class Match(NamedTuple):
    """What follows the longest known context: the order of the model that answers, and the counts of each next token.

    Order 0 means that no model answers; the one token is then the most frequent token.
    """

    order: int
    tokens: Array
    counts: Array


class Drafter(Protocol):
    """What proposes tokens: `Ngrams`, `PromptNgrams`, and what `simspec.methods.tasc.drafters` makes of them.

    `window` is the number of last tokens of the context that can matter besides what was appended.
    """

    @property
    def vocab(self) -> int:
        """Number of tokens V."""

    @property
    def window(self) -> int:
        """Longest context read."""

    def parts(self, context: Sequence[int]) -> list[Part]:
        """Terms of the law of the next token; their weights sum to one."""

    def begin(self, prompt: Sequence[int]) -> Self:
        """The drafter at the end of a new prompt: what it learnt from another text is gone."""

    def append(self, token: int) -> None:
        """Let the drafter see the next token of the text."""


def check_tokens(tokens: Sequence[int], vocab: int, name: str) -> list[int]:
    """Return tokens as a list of Python integers when each lies in 0..vocab - 1.

    >>> check_tokens([0, 3], 3, "context")
    Traceback (most recent call last):
    ...
    ValueError: context: token 3; expected tokens 0..2
    """
    if isinstance(tokens, np.ndarray):
        tokens = tokens.tolist()
    for token in tokens:
        if not (type(token) is int or isinstance(token, Integral)) or not 0 <= token < vocab:
            raise ValueError(f"{name}: token {token!r}; expected tokens 0..{vocab - 1}")
    return [int(token) for token in tokens]


def check_settings(n_max: int, min_count: int, vocab: int, n_min: int) -> None:
    """Raise ValueError unless these are settings of a table.

    >>> check_settings(0, 1, 2, 1)
    Traceback (most recent call last):
    ...
    ValueError: n_max: 0; expected an integer of at least 1
    """
    for name, value in (("n_max", n_max), ("min_count", min_count), ("vocab", vocab)):
        if not isinstance(value, Integral) or not value >= 1:
            raise ValueError(f"{name}: {value}; expected an integer of at least 1")
    if n_max > LONGEST:
        raise ValueError(f"n_max: {n_max}; expected at most {LONGEST}, orders are asked one by one")
    check_memory("vocab", vocab, 8 * vocab)  # one law
    if not isinstance(n_min, Integral) or not 1 <= n_min <= n_max:
        raise ValueError(f"n_min: {n_min}; expected 1 <= n_min <= {n_max}, the largest order")


def tail(context: Sequence[int], window: int, vocab: int) -> list[int]:
    """The last `window` tokens of a context, checked.

    >>> tail([3, 1, 2], 2, 4)
    [1, 2]
    """
    return check_tokens(context[max(len(context) - window, 0) :], vocab, "context")


def law(drafter: Drafter, context: Sequence[int], exact: bool = False) -> Array:
    r"""Law of the next token that a drafter proposes after a context.

    For a table: counts after the longest known context, normalised, :math:`c(x)/\sum_y c(y)`; where none is known, all
    mass on the most frequent token.  For a mixture: the mixture of its parts' laws.

    Parameters
    ----------
    drafter : Ngrams, PromptNgrams, or what `mixed` and `ngrammys` return
    context : tokens; only the last `drafter.window` are read
    exact : bool; fractions instead of float64

    Returns
    -------
    law (V,)

    Finding the context takes at most n_max - 1 look-ups in a hash table, however large the corpus; reading the law out
    takes time proportional to V.

    >>> from simspec.methods.tasc.corpus_table import train
    >>> table = train([[0, 1, 2], [0, 1, 3]], n_max=3, vocab=4)
    >>> law(table, [3, 0, 1], exact=True).tolist()
    [Fraction(0, 1), Fraction(0, 1), Fraction(1, 2), Fraction(1, 2)]
    """
    return combine(drafter.parts(context), drafter.vocab, exact)


def combine(parts: Sequence[Part], vocab: int, exact: bool = False) -> Array:
    """The law that parts add up to.

    >>> one, two = Part(0.25, np.array([0, 2]), np.array([1, 3])), Part(0.75, np.array([2]), np.array([7]))
    >>> combine([one, two], vocab=3).tolist()
    [0.0625, 0.0, 0.9375]
    """
    if exact:
        out = np.full(vocab, Fraction(0), dtype=object)
        for weight, tokens, counts in parts:
            out[tokens] += Fraction(weight) * laws.normalise(laws.exact(counts))
        return out
    out = np.zeros(vocab)
    for weight, tokens, counts in parts:
        masses = np.asarray(counts, dtype=np.float64)
        out[tokens] += float(weight) * (masses / masses.sum())
    return out


@dataclass(eq=False, repr=False)
class PromptNgrams:
    """Back-off n-gram table of one text, kept up to date as the text grows: TASC's prompt drafter.

    The same rules as `simspec.methods.tasc.drafters.train` on that one text; nothing is rebuilt, a token costs n_max updates.
    The n-grams are those of `simspec.kernels.ngram.text.TextNgrams`.

    Parameters
    ----------
    n_max, min_count, n_min
        as in `train`.
    vocab : int

    >>> table = PromptNgrams(n_max=2, vocab=3).begin([0, 1, 0])
    >>> law(table, [0]).tolist()
    [0.0, 1.0, 0.0]
    >>> table.append(2)
    >>> law(table, [0]).tolist()
    [0.0, 0.5, 0.5]
    """

    n_max: int
    vocab: int
    min_count: int = 1
    n_min: int = 1

    def __post_init__(self) -> None:
        check_settings(self.n_max, self.min_count, self.vocab, self.n_min)

    def __repr__(self) -> str:
        return (
            f"PromptNgrams(n_max={self.n_max}, vocab={self.vocab}, min_count={self.min_count}, n_min={self.n_min}: "
            f"{len(self.ngrams):,} tokens)"
        )

    @cached_property
    def ngrams(self) -> TextNgrams:
        """All n-grams of the text so far."""
        from simspec.kernels.ngram.text import TextNgrams

        return TextNgrams(self.n_max, capacity=0)

    @property
    def window(self) -> int:
        """Longest context read, n_max - 1."""
        return self.n_max - 1

    @property
    def most_frequent(self) -> int:
        """The most frequent token so far, of equals the lowest."""
        return int(self.ngrams.draft(1, (), n_min=1)[0])

    def begin(self, prompt: Sequence[int]) -> PromptNgrams:
        """A new table with these settings that has seen `prompt` alone."""
        table = PromptNgrams(self.n_max, self.vocab, self.min_count, self.n_min)
        table.ngrams.extend(check_tokens(prompt, self.vocab, "prompt"))
        return table

    def append(self, token: int) -> None:
        """Count the next token of the text after each of its contexts."""
        self.ngrams.append(*check_tokens([token], self.vocab, "token"))

    def match(self, context: Sequence[int]) -> Match:
        """Counts after the longest suffix of `context` that some kept n-gram continues, as `Ngrams.match`."""
        return Match(*self.ngrams.match(tail(context, self.window, self.vocab), self.min_count, self.n_min))

    def parts(self, context: Sequence[int]) -> list[Part]:
        """The law proportional to the counts of `match`."""
        return [Part(1, *self.match(context)[1:])]
