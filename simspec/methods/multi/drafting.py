"""Laws of several drafts of one step: independent, without replacement, the most likely ones for sure, through a hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from simspec.laws import Array, Scalar, exact, is_exact
from simspec.laws.unchecked import normalise
from simspec.methods.block import Model, Prefix
from simspec.methods.verifier.verifier import Drafting

__all__ = ["DraftLaw", "greedy_drafts", "hub", "iid", "of_law", "outside_top", "swor"]

DraftLaw = Callable[[Any, int], Iterator[tuple[Any, Prefix]]]
"""(draft law, number of drafts K) -> every tuple of drafts and its probability."""


def iid(q: Array, k: int) -> Iterator[tuple[Any, Prefix]]:
    """K independent draws from q.

    >>> list(iid([0.5, 0.5], 1))
    [(0.5, (0,)), (0.5, (1,))]
    """
    support = [token for token, mass in enumerate(q) if mass > 0]
    for drafts in product(support, repeat=k):
        weight = 1
        for token in drafts:
            weight = weight * q[token]
        yield weight, drafts


def swor(q: Array, k: int) -> Iterator[tuple[Any, Prefix]]:
    """K draws from q without replacement; as many as q has tokens where those are fewer.

    >>> list(swor([0.5, 0.25, 0.25], 2))[0]
    (0.25, (0, 1))
    """
    support = [token for token, mass in enumerate(q) if mass > 0]

    def longer(weight: Scalar, drafts: Prefix) -> Iterator[tuple[Any, Prefix]]:
        others = [token for token in support if token not in drafts]
        if len(drafts) == k or not others:
            yield weight, drafts
            return
        rest = sum(q[token] for token in others)
        for token in others:
            yield from longer(weight * q[token] / rest, (*drafts, token))

    return longer(1, ())


def outside_top(q: Array, k: int) -> tuple[Array, Array]:
    """The K − 1 most likely tokens of q (the first among equals) as a mask, and q outside them, normalised.

    The law is zero where q has no token outside them.  Any leading axes.

    >>> top, rest = outside_top(np.array([0.5, 0.25, 0.25]), 2)
    >>> top.tolist(), rest.tolist()
    ([True, False, False], [0.0, 0.5, 0.5])
    """
    top = np.zeros(q.shape, dtype=bool)
    if k > 1:
        order = np.argsort(-q, axis=-1, kind="stable")[..., : k - 1]
        np.put_along_axis(top, order, True, axis=-1)
    rest = np.where(top, 0 * q, q)
    return top, normalise(rest, otherwise=rest)


def greedy_drafts(q: Array, k: int) -> Iterator[tuple[Any, Prefix]]:
    """The K − 1 most likely tokens of q for sure, the last from q outside them (Hu et al. 2025, arXiv 2502.18779).

    Where q has no token outside them they are all.

    >>> list(greedy_drafts([0.5, 0.25, 0.25], 2))
    [(0.5, (0, 1)), (0.5, (0, 2))]
    """
    law = np.asarray(q)
    top, rest = outside_top(law, k)
    sure = tuple(sorted(np.flatnonzero(top).tolist(), key=lambda token: -law[token]))
    ways = [(mass, (*sure, token)) for token, mass in enumerate(rest.tolist()) if mass > 0]
    yield from ways or [(1, sure)]


def hub(q: Array, k: int = 2) -> Iterator[tuple[Any, Prefix]]:
    """Two drafts of which one is a, the most likely token: (i, a) with q(i), (a, i) with q(a) q(i) / (1 − q(a)).

    Where q has no other token, a alone.  SpecHub (Sun et al. 2024, arXiv 2411.05289).

    >>> list(hub([0.5, 0.5]))
    [(0.5, (1, 0)), (0.5, (0, 1))]
    """
    if k != 2:
        raise ValueError(f"k: {k}; expected 2, a hub has two drafts")
    law = np.asarray(q)
    a = int(np.argmax(law))
    others = [(token, mass) for token, mass in enumerate(law.tolist()) if mass > 0 and token != a]
    if not others:
        yield 1, (a,)
        return
    rest = sum(mass for _, mass in others)
    yield from ((mass, (token, a)) for token, mass in others)
    yield from ((law.tolist()[a] * mass / rest, (a, token)) for token, mass in others)


def of_law(drafts: DraftLaw, k: int) -> Drafting:
    """A law of drafts as the drafting of one step: K of them from the draft model's law of the next token.

    >>> list(of_law(iid, 1)(lambda prefix: [1.0], 1))
    [(1.0, (0,))]
    """

    def drafting(draft: Model, gamma: int) -> Iterator[tuple[Any, Prefix]]:
        if gamma != 1:
            raise ValueError(f"gamma: {gamma}; expected 1, the drafts are all of one step")
        law = draft(())
        return drafts(exact(law) if is_exact(np.asarray(law)) else law, k)

    return drafting
