"""With shared noise the emitted text is the same for every drafter.

`coupling.invariant`: Daliri et al. 2024.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity
from simspec.claims.texts import markov
from simspec.methods.block import Model
from simspec.methods.coupling import race

__all__ = ["emitted"]

VOCAB = 2


def _runs(draw: Draw) -> Instance:
    """A target and two drafters whose laws depend on the last token, and noise for every position of the text."""
    length = draw.integer(1, 3)
    gamma = draw.integer(1, 2)
    tables = {name: np.stack([draw.law(VOCAB) for _ in range(VOCAB + 1)]) for name in ("p", "q", "other")}
    noise = np.stack([draw.weights(VOCAB) for _ in range(length + gamma)])
    return {**tables, "noise": noise, "gamma": gamma, "length": length}


def emitted(target: Model, draft: Model, noise: Array, gamma: int, length: int) -> list[int]:
    """The first tokens of a text: at each position draft and target race with the noise of that position.

    A call drafts gamma tokens, emits the target's winners up to the first that is not the draft's, and one more where all are.
    """
    text: list[int] = []
    while len(text) < length:
        drafts = list(text)
        for _ in range(gamma):
            drafts.append(int(race(noise[len(drafts)], draft(tuple(drafts)))))
        for token in (*drafts[len(text) :], None):
            target_token = int(race(noise[len(text)], target(tuple(text))))
            text.append(target_token)
            if target_token != token or len(text) == len(noise):
                break
    return text[:length]


def _text(table: Array, drafter: Array, noise: Array, gamma: int, length: int) -> Array:
    return np.array(emitted(markov(table), markov(drafter), noise, gamma, length), dtype=object)


def _drafted(q: Array, noise: Array, length: int) -> Array:
    """What the drafter alone would write with the noise."""
    text: list[int] = []
    for row in noise[:length]:
        law = markov(q)(tuple(text))
        text.append(int(np.argmin([e / mass if mass else np.inf for e, mass in zip(row, law, strict=True)])))
    return np.array(text, dtype=object)


INVARIANT = identity(
    name="coupling.invariant",
    statement=r"Drafts that are coupled by shared noise: given the noise, the emitted sequence is the same for every "
    r"drafter",
    reference="Daliri et al. 2024, abstract",
    instances=_runs,
    lhs=lambda p, q, noise, gamma, length: _text(p, q, noise, gamma, length),
    rhs=lambda p, other, noise, gamma, length: _text(p, other, noise, gamma, length),
    sources=("exact",),
    note="What is emitted is always the target's winner in the context emitted so far; the drafts decide only how many tokens a "
    "call yields. The noise belongs to the position in the text, not to the call.",
    broken=[broken("the text of the drafter alone", lhs=_drafted)],
)
