"""What claims on parallel drafters share: targets of two tokens, texts that calls write, what is accepted of a draft law."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance
from simspec.claims.texts import masses
from simspec.methods.block import Outcome, Prefix

__all__ = ["SOURCE", "overlaps", "pair_of_tokens", "rejections", "texts_of_calls"]

SOURCE = "own statement, on parallel heads as of Gloeckle et al. 2024 and Cai et al. 2024"


def pair_of_tokens(draw: Draw) -> Instance:
    """A target's law `a` of a first token, its laws `P` of the second after each, and a draft law `q` of the second."""
    vocab = 2 + draw.integer(0, 1)
    return {"a": draw.law(vocab), "P": np.stack([draw.law(vocab) for _ in range(vocab)]), "q": draw.law(vocab)}


def overlaps(P: Array, q: Array) -> Array:
    """Σ_y min(P(y|x), q(y)) after each first token x.

    >>> [str(m) for m in overlaps(np.array([[F(1), F(0)], [F(0), F(1)]]), np.array([F(3, 4), F(1, 4)]))]
    ['3/4', '1/4']
    """
    shared: Array = np.minimum(P, q).sum(axis=1)
    return shared


def rejections(P: Array, q: Array) -> Array:
    """TV(P(·|x), q) after each first token x."""
    return 1 - overlaps(P, q)


def texts_of_calls(call: Callable[[Prefix], Iterable[Outcome]], vocab: int, length: int) -> Array:
    """Law of the first tokens that calls write one after the other, each given the text so far."""
    law: dict[Prefix, F] = {}
    open_texts: dict[Prefix, F] = {(): F(1)}
    while open_texts:
        text, weight = open_texts.popitem()
        for outcome in call(text):
            longer = text + outcome.tokens
            books = law if len(longer) >= length else open_texts
            key = longer[:length]
            books[key] = books.get(key, F(0)) + weight * outcome.probability
    return masses(law, vocab, length)
