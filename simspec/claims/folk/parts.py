"""What folk claims share: pairs of laws, drafts that are most likely for sure, output laws of one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, exact, is_exact
from simspec.laws.unchecked import normalise
from simspec.methods import SD, output_law
from simspec.methods.block import Outcome

__all__ = [
    "at_top",
    "chances",
    "few",
    "first_token",
    "given_q",
    "off",
    "pair",
    "replaced",
    "rest_of_p",
    "some_bias",
    "top",
    "whether",
]


def pair(draw: Draw) -> Instance:
    """A target and a draft law."""
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def few(draw: Draw) -> Instance:
    """A pair of laws over two or three tokens, for rules that are enumerated."""
    vocab = 2 + draw.integer(0, 1)
    return {"p": draw.law(vocab), "q": draw.law(vocab)}


def top(q: Array) -> Array:
    """The first most likely token of q as a law: all mass on it.

    >>> top(np.array([0.25, 0.5, 0.25])).tolist()
    [0.0, 1.0, 0.0]
    """
    hot = np.zeros_like(q)
    np.put_along_axis(hot, np.argmax(q, axis=-1)[..., None], 1, axis=-1)
    return exact(hot) if is_exact(q) else hot


def at_top(p: Array, q: Array) -> Any:
    """p of the most likely token of q.

    >>> at_top(np.array([0.75, 0.25]), np.array([0.25, 0.75]))
    np.float64(0.25)
    """
    return (p * top(q)).sum(axis=-1)


def off(p: Array, token: Array) -> Array:
    """p without a token, renormalised; p where nothing is left.

    >>> off(np.array([0.5, 0.25, 0.25]), np.array([1.0, 0.0, 0.0])).tolist()
    [0.0, 0.5, 0.5]
    """
    return normalise(p * (1 - token), otherwise=p)


def rest_of_p(p: Array, q: Array) -> Array:
    """norm((p − q)₊), the residual law of speculative decoding; p where it has no mass.

    >>> rest_of_p(np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.0, 1.0]
    """
    return normalise(np.maximum(p - q, 0), otherwise=p)


def replaced(kept: Array, residual: Array) -> Array:
    """Law of the emitted token: what is kept, and the residual law with the mass that is not."""
    return kept + (1 - kept.sum(axis=-1, keepdims=True)) * residual


def whether(holds: bool) -> Any:
    """1 where a statement is true, else 0: for statements that say more than, or not equal."""
    return np.asarray(holds).astype(int) if np.ndim(holds) else int(holds)


def some_bias(law: Array, p: Array) -> Any:
    """1 where the output law is not p, beyond rounding, else 0."""
    return whether(abs(law - p).sum(axis=-1) > (0 if is_exact(np.asarray(law)) else 1e-9))


def first_token(found: Sequence[Outcome], vocab: int, accepted: int | None = None) -> Array:
    """Mass of the first emitted token over outcomes, of those that accept a number of drafts where one is given."""
    law = exact([0] * vocab)
    for o in found:
        if accepted is None or o.accepted == accepted:
            law[o.tokens[0]] += o.probability
    return law


def chances(found: Sequence[Outcome], most: int) -> Array:
    """P(τ = 0), …, P(τ = most)."""
    law = exact([0] * (most + 1))
    for o in found:
        law[o.accepted] += o.probability
    return law


def given_q(law: Callable[..., Array]) -> Callable[..., Array]:
    """What is emitted where drafts are drawn from a law made of q, and the verifier is told q."""
    return lambda p, q, **rest: output_law(SD, p, q, drawn=law(q, **rest))
