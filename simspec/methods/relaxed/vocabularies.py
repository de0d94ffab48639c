"""Draft and target with vocabularies of their own: drafts are texts, read again in the target's tokens.  Small and exact.

SLEM matches the tokens of the draft's text with samples of the target; SLRS weighs the first of them.

Source: Timor et al. 2025 (arXiv 2502.05202), restored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array
from simspec.methods.block import Model, Prefix
from simspec.methods.method import one_step
from simspec.methods.sd import SD

__all__ = ["Drafts", "Vocabulary", "first_tokens", "slem_law", "slrs"]

Drafts = Callable[[str], Iterable[tuple[Any, str]]]
"""text so far -> every drafted text and its probability, as pairs (probability, text)."""


class Vocabulary(NamedTuple):
    """Tokens as texts, and a tokenizer that takes the longest token that fits, again and again.

    >>> v = Vocabulary(("a", "b", "ab"))
    >>> v.read("aab"), v.text((0, 2))
    ((0, 2), 'aab')
    """

    tokens: tuple[str, ...]

    def text(self, tokens: Prefix) -> str:
        """The text of some tokens."""
        return "".join(self.tokens[t] for t in tokens)

    def read(self, text: str) -> Prefix:
        """The tokens of a text; raises ValueError where no token fits."""
        token_ids: list[int] = []
        at = 0
        while at < len(text):
            fits = [t for t, token in enumerate(self.tokens) if token and text.startswith(token, at)]
            if not fits:
                raise ValueError(f"text: {text!r}; no token of {self.tokens} fits at {at}")
            token_ids.append(max(fits, key=lambda t: len(self.tokens[t])))
            at += len(self.tokens[token_ids[-1]])
        return tuple(token_ids)


def first_tokens(drafts: Iterable[tuple[Any, str]], target: Vocabulary) -> Array:
    """ψ: the law of the first target token of the drafted text.

    Raises ValueError for a draft without text.

    >>> first_tokens([(0.5, "a"), (0.25, "ab"), (0.25, "b")], Vocabulary(("a", "b", "ab"))).tolist()
    [0.5, 0.25, 0.25]
    """
    law: list[Any] = [0] * len(target.tokens)
    for mass, text in drafts:
        if not text:
            raise ValueError("drafts: a draft without text; expected at least one token of it")
        law[target.read(text)[0]] += mass
    return np.array(law, dtype=None if any(isinstance(m, float) for m in law) else object)


def slem_law(model: Model, drafts: Drafts, target: Vocabulary, length: int, again: bool = False) -> dict[Prefix, Any]:
    """Law of the first `length` tokens that SLEM emits over as many rounds as it takes, as {tokens: probability}.

    Parameters
    ----------
    model : tokens so far -> the target's law
    drafts : text so far -> drafted texts; what it is told is text, so that both readings draft alike
    target : Vocabulary
    length : int
    again : bool; the text so far is tokenised afresh before each round; else the target keeps the tokens it emitted

    >>> slem_law(lambda tokens: [0.25, 0.75], lambda text: [(1.0, "ba")], Vocabulary(("a", "b")), 2)
    {(0, 0): 0.0625, (0, 1): 0.1875, (1, 0): 0.1875, (1, 1): 0.5625}
    """
    law: dict[Prefix, Any] = {}
    open_: list[tuple[Any, Prefix]] = [(1, ())]
    while open_:
        weight, emitted = open_.pop()
        context = target.read(target.text(emitted)) if again else emitted
        for mass, text in drafts(target.text(emitted)):
            for chance, new in _matched(model, context, target.read(text), length - len(emitted)):
                tokens = (*emitted, *new)
                if len(tokens) == length:
                    law[tokens] = law.get(tokens, 0) + weight * mass * chance
                else:
                    open_.append((weight * mass * chance, tokens))
    return dict(sorted(law.items()))


def _matched(model: Model, context: Prefix, draft: Prefix, limit: int) -> Iterable[tuple[Any, Prefix]]:
    """What one round emits: samples of the target as far as they are the draft's tokens, and one more; at most `limit`."""
    weight: Any = 1
    for n in range(min(len(draft) + 1, limit)):
        p = model((*context, *draft[:n]))
        last = n == len(draft) or n + 1 == limit
        for token, mass in enumerate(p):
            if mass > 0 and (last or token != draft[n]):
                yield weight * mass, (*draft[:n], token)
        if last or not p[draft[n]] > 0:
            return
        weight = weight * p[draft[n]]


def slrs(p: Array, drafts: Iterable[tuple[Any, str]], target: Vocabulary) -> tuple[Any, Array]:
    """SLRS on the first token: speculative decoding of ψ against p; its acceptance and its output law.

    >>> rate, law = slrs(np.array([0.5, 0.5]), [(1.0, "ab")], Vocabulary(("a", "b")))
    >>> float(rate), law.tolist()
    (0.5, [0.5, 0.5])
    """
    step = one_step(SD, p, first_tokens(drafts, target))
    return step.accepted.sum(), step.output
