r"""Answers written with a draft, token by token: what is kept of the draft is a rule's, and what was refused is recorded.

A draft x ~ q at each position, with :math:`r = p(x)/q(x)` and a uniform number u.  Speculative decoding keeps it where
:math:`u < r`; `pad_rule` also where the classifier calls it no pivot and :math:`p(x) \ge 10^{-4}`; `strict_rule` where the
classifier calls it no pivot, and nowhere else.  The law of the text does not hang on how many tokens are drafted at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array, entropy
from simspec.studies.pad.classifier import Classifier
from simspec.tools.pivots.reading import Reader

__all__ = [
    "GUARDRAIL",
    "Draft",
    "Refused",
    "Rule",
    "Written",
    "drawn_tokens",
    "pad_rule",
    "random_rule",
    "sd",
    "strict_rule",
    "write",
]

GUARDRAIL = 1e-4
"""Likelihood under the target below which no draft is kept against speculative decoding."""
DIMENSIONS = 8
"""Numbers that a model's last state is projected to."""


class Draft(NamedTuple):
    """The drafted tokens of n texts at one position.

    Attributes
    ----------
    token : int (n,)
    p, q : (n,); what target and draft give it
    uniform : (n,); the uniform number of its test
    second : (n,); another one, for rules that toss a coin of their own
    features : (n, F); what the classifier sees
    """

    token: NDArray[np.int64]
    p: Array
    q: Array
    uniform: Array
    second: Array
    features: Array

    @property
    def is_kept(self) -> NDArray[np.bool_]:
        """Whether speculative decoding keeps each."""
        kept: NDArray[np.bool_] = self.uniform * self.q < self.p
        return kept


class Rule(NamedTuple):
    """Which drafts are kept; and whether a refused one is replaced from p, or from norm((p - q)+)."""

    keeps: Callable[[Draft], NDArray[np.bool_]]
    is_fresh: bool = False


class Refused(NamedTuple):
    """A draft that speculative decoding refuses: the tokens before it, it, and its features (F,)."""

    before: list[int]
    token: int
    features: Array


@dataclass
class Written:
    """An answer's tokens, how many drafts it had, how many were kept, and those that speculative decoding refused."""

    tokens: list[int] = field(default_factory=list)
    drafted: int = 0
    kept: int = 0
    refused: list[Refused] = field(default_factory=list)


def sd() -> Rule:
    """Speculative decoding."""
    return Rule(lambda draft: draft.is_kept)


def pad_rule(classifier: Classifier, sigma: float) -> Rule:
    """PAD with a classifier and its threshold: what scores above sigma is a pivot."""
    return Rule(
        lambda draft: draft.is_kept | ((draft.p >= GUARDRAIL) & (classifier.score(draft.features) <= sigma)),
    )


def strict_rule(classifier: Classifier, sigma: float) -> Rule:
    """Exactly the drafts that are called no pivot, and a fresh token of the target in place of the others."""
    return Rule(lambda draft: classifier.score(draft.features) <= sigma, is_fresh=True)


def random_rule(share: float) -> Rule:
    """PAD whose classifier looks at nothing: any token is a pivot with probability `share`."""
    return Rule(lambda draft: draft.is_kept | ((draft.p >= GUARDRAIL) & (draft.second >= share)))


def write(
    readers: tuple[Reader, Reader],
    prompts: Sequence[Sequence[int]],
    rule: Rule,
    rng: np.random.Generator,
    length: int,
    end: int,
    temperature: float = 1.0,
) -> list[Written]:
    """Answers of at most `length` tokens, all written at once.

    Parameters
    ----------
    readers : the target and the draft, which have read the prompts, and are written on with
    prompts : token ids of each
    end : the token that ends an answer
    """
    answers = [Written() for _ in prompts]
    rows = np.arange(len(prompts))
    for _ in range(length):
        p, q = (reader.laws(temperature) for reader in readers)
        drafts = _drafted(p, q, readers, rng)
        kept = rule.keeps(drafts)
        replaced = _replacement(p, q, rule.is_fresh, rng.random(len(rows)))
        tokens = np.where(kept, drafts.token, replaced)
        for i, row in enumerate(rows.tolist()):
            answer = answers[row]
            if not drafts.is_kept[i]:
                before = [*prompts[row], *answer.tokens]
                answer.refused.append(Refused(before, int(drafts.token[i]), drafts.features[i]))
            answer.tokens.append(int(tokens[i]))
            answer.drafted += 1
            answer.kept += int(kept[i])
        going_on = np.flatnonzero(tokens != end)
        if not len(going_on):
            break
        _go_on(readers, tokens, going_on)
        rows = rows[going_on]
    return answers


def drawn_tokens(laws: Array, uniform: Array) -> NDArray[np.int64]:
    """The token (n,) of each law (n, V) in whose share of [0, 1) a uniform number (n,) falls.

    >>> drawn_tokens(np.array([[0.25, 0.75], [0.25, 0.75]]), np.array([0.2, 0.25])).tolist()
    [0, 1]
    """
    sums = laws.cumsum(axis=1)
    tokens: NDArray[np.int64] = (sums <= uniform[:, None] * sums[:, -1:]).sum(axis=1)
    return tokens


def _go_on(readers: tuple[Reader, Reader], tokens: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
    """Read the tokens of the texts that are not over."""
    import torch

    for reader in readers:
        if len(rows) < len(tokens):
            reader.keep(rows)
        reader.write(torch.as_tensor(tokens[rows], device=reader.logits.device))


def _drafted(p: Array, q: Array, readers: tuple[Reader, Reader], rng: np.random.Generator) -> Draft:
    n = len(p)
    token = drawn_tokens(q, rng.random(n))
    at = np.arange(n)
    features = [p[at, token], q[at, token], entropy(p), entropy(q), p.max(axis=1), q.max(axis=1)]
    states = [_projected(reader.states()) for reader in readers]
    return Draft(
        token=token,
        p=p[at, token],
        q=q[at, token],
        uniform=rng.random(n),
        second=rng.random(n),
        features=np.concatenate([np.stack(features, axis=1), *states], axis=1),
    )


def _projected(states: Array) -> Array:
    """States (n, H) in `DIMENSIONS` random directions, the same for all."""
    directions = np.random.default_rng(states.shape[1]).standard_normal((states.shape[1], DIMENSIONS))
    projected: Array = states @ directions / np.sqrt(states.shape[1])
    return projected


def _replacement(p: Array, q: Array, is_fresh: bool, uniform: Array) -> NDArray[np.int64]:
    """Tokens (n,) from p, or from norm((p - q)+) where that has mass."""
    rest = np.maximum(p - q, 0)
    mass = rest.sum(axis=1, keepdims=True)
    law = p if is_fresh else np.where(mass > 0, rest / np.where(mass > 0, mass, 1), p)
    return drawn_tokens(law, uniform)
