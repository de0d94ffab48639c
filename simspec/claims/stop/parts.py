"""What claims on stopping share: one step with a draft that may be dropped, texts written by calls whose drafts end early."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance
from simspec.claims.texts import markov, masses
from simspec.laws import Scalar, exact
from simspec.methods.block import Model, Prefix
from simspec.methods.stop import dropping_last, survivors, told_verifier
from simspec.methods.verifier.chance import Chance, every
from simspec.methods.verifier.verifier import Drafting, Verifier, outcomes

__all__ = [
    "TOLD",
    "after",
    "by_text",
    "dropped",
    "models",
    "some_rule",
    "step",
    "surviving",
    "threshold",
]


def surviving(q: Array, t: Scalar) -> Array:
    """1 for tokens with q(x) >= t, else 0.

    >>> surviving(exact([F(3, 4), F(1, 4)]), F(1, 2)).tolist()
    [1, 0]
    """
    return np.array([int(mass >= t) for mass in q], dtype=object)


def threshold(draw: Draw) -> Instance:
    """A pair of laws over at most three tokens, and a threshold of the draft's masses."""
    p, q = draw.pair(draw.integer(1, 3))
    return {"p": p, "q": q, "t": draw.number(0, 1)}


def some_rule(draw: Draw) -> Instance:
    """A pair of laws over at most three tokens, and for each token the probability that a draft of it survives."""
    p, q = draw.pair(draw.integer(1, 3))
    return {"p": p, "q": q, "s": exact([draw.number(0, 1) for _ in q])}


TOLD: dict[str, Callable[[Array, Array, int], Array]] = {
    "q": lambda q, s, x: q,
    "kept": lambda q, s, x: survivors(q, s),
    "one-hot": lambda q, s, x: exact([int(y == x) for y in range(len(q))]),
}
"""What the verifier takes the law of the drafted token x to be."""


def step(p: Array, q: Array, s: Array, told: str) -> tuple[Array, Any]:
    """Law of the emitted token and probability that a draft is kept; every draft and every coin.

    A draft x ~ q survives with probability s(x).  If not, p emits; told `rejected`, norm(p - s min(p, q)) does, as it does
    after a survivor that is not kept.

    >>> law, kept = step(exact([F(1, 2)] * 2), exact([F(3, 4), F(1, 4)]), exact([1, 0]), "q")
    >>> print(*law, kept)
    5/8 3/8 1/2
    """

    def draw(chance: Chance, masses_left: Sequence[Any]) -> int:
        return chance.draw(masses_left if any(masses_left) else p)

    def program(chance: Chance) -> tuple[int, int]:
        x = chance.draw(q)
        if told == "rejected":
            if chance.keep(s[x], 1) and chance.keep(p[x], q[x]):
                return x, 1
            return draw(chance, p - s * np.minimum(p, q)), 0
        if not chance.keep(s[x], 1):
            return chance.draw(p), 0
        law = TOLD[told](q, s, x)
        if chance.keep(p[x], law[x]):
            return x, 1
        return draw(chance, np.maximum(p - law, 0)), 0

    emitted = exact([0] * len(p))
    acceptance = F(0)
    for weight, (token, accepted) in every(program):
        emitted[token] += weight
        acceptance += weight * accepted
    return emitted, acceptance


def models(draw: Draw) -> Instance:
    """A target and a draft over two tokens whose laws depend on the last one, calls of gamma drafts, a rule.

    Row k of `ends` holds for the last of the tokens (none: place 0) whether a draft of k tokens ends.
    """
    p, q = (np.stack([draw.law(2) for _ in range(3)]) for _ in range(2))
    gamma = draw.integer(1, 2)
    length = draw.integer(1, 2)
    ends = np.array([[bool(draw.integer(0, 1)) for _ in range(3)] for _ in range(3)])
    return {"p": p, "q": q, "gamma": gamma, "length": length, "ends": ends}


def after(table: Array, text: Prefix) -> Any:
    """Row of a table for the last token of a text, the first row before it."""
    return table[text[-1] + 1 if text else 0]


def by_text(
    target: Model, draft: Model, drafting: Callable[[Prefix], Drafting], verifier: Verifier, gamma: int, length: int
) -> Array:
    """Law of the first tokens that calls write one after the other; how drafts end may depend on the text so far."""
    law: dict[Prefix, Any] = {}
    open_texts: dict[Prefix, Any] = {(): 1}
    while open_texts:
        text, weight = open_texts.popitem()

        def here(model: Model, before: Prefix = text) -> Model:
            return lambda x: model(before + x)

        for outcome in outcomes(verifier, here(target), here(draft), gamma, drafting(text)):
            longer = text + outcome.tokens
            books = law if len(longer) >= length else open_texts
            key = longer[:length]
            books[key] = books.get(key, 0) + weight * outcome.probability
    return masses(law, len(target(())), length)


def dropped(p: Array, q: Array, gamma: int, length: int, ends: Array) -> Array:
    """Distribution of texts under a rule that throws away the token that it has seen."""
    rule = dropping_last(lambda law, path: bool(after(ends[len(path)], path)))
    return by_text(markov(p), markov(q), lambda text: rule, told_verifier(), gamma, length)
