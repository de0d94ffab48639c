"""What claims on processors share: models whose laws depend on the last token, a penalty, and texts written by calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance
from simspec.claims.texts import markov, masses
from simspec.laws import Scalar
from simspec.methods.block import Model, Prefix
from simspec.methods.processors.filters import frequency_penalty, processed
from simspec.methods.verifier.verifier import Verifier, outcomes

__all__ = ["drafter", "models", "one_draft", "table", "target", "text_before", "two_tokens", "written_by"]


def table(draw: Draw, vocab: int) -> Array:
    """Laws (V + 1, V) of a model: row 0 before the text, row x + 1 after token x."""
    return np.stack([draw.law(vocab) for _ in range(vocab + 1)])


def models(draw: Draw) -> Instance:
    """A target and a draft over two tokens, a penalty, calls of gamma drafts; `same` where the draft is penalised too."""
    return {
        "p": table(draw, 2),
        "q": table(draw, 2),
        "factor": draw.number(0, 1),
        "gamma": draw.integer(1, 2),
        "length": draw.integer(1, 2),
        "same": draw.integer(0, 1),
    }


def one_draft(draw: Draw) -> Instance:
    """A target and a draft, a penalty, and the token before the call, counted from 1 (none: 0)."""
    vocab = draw.integer(2, 3)
    return {
        "p": table(draw, vocab),
        "q": table(draw, vocab),
        "factor": draw.number(0, 1),
        "last": draw.integer(0, vocab),
    }


def text_before(last: int) -> Prefix:
    """The text before a call, of one token or none.

    >>> text_before(0), text_before(2)
    ((), (1,))
    """
    return (last - 1,) if last else ()


def target(p: Array, factor: Scalar) -> Model:
    """The processed target: each law with the tokens of the whole text penalised."""
    return processed(markov(p), frequency_penalty(factor))


def drafter(q: Array, factor: Scalar, same: int) -> Model:
    """The draft, with the same penalty where `same` is 1."""
    return target(q, factor) if same else markov(q)


def written_by(
    model: Model, draft: Model, verifier: Callable[[Prefix], Verifier], gamma: int, length: int, before: Prefix = ()
) -> Array:
    """Law of the next tokens, written by calls one after the other; each call's verifier is made for the text so far."""
    law: dict[Prefix, Any] = {}
    open_texts: dict[Prefix, Any] = {(): 1}
    while open_texts:
        text, weight = open_texts.popitem()
        so_far = (*before, *text)

        def after(of: Model, so_far: Prefix = so_far) -> Model:
            return lambda drafts: of((*so_far, *drafts))

        for outcome in outcomes(verifier(so_far), after(model), after(draft), gamma):
            longer = (*text, *outcome.tokens)
            books = law if len(longer) >= length else open_texts
            key = longer[:length]
            books[key] = books.get(key, 0) + weight * outcome.probability
    return masses(law, len(model(before)), length)


def two_tokens(model: Model, before: Prefix = ()) -> Array:
    """Law of the next two tokens of a model, in the order of `written_by`."""
    first = model(before)
    return np.array([first[x] * mass for x in range(len(first)) for mass in model((*before, x))], dtype=object)
