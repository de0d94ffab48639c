"""What the claims of this paper share: laws that depend on the last token, what verifiers emit and keep, sums over drafts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, matrix
from simspec.claims.texts import markov, masses, written
from simspec.methods import SD, block_outcomes
from simspec.methods.block import Outcome, Prefix
from simspec.methods.block.verification import block_verifier
from simspec.methods.verifier.verifier import Drafting, Verifier, next_tokens, one_path, outcomes

__all__ = [
    "EARLY",
    "EXAMPLE",
    "RESIDUAL",
    "Path",
    "accepted",
    "at_least_so_many",
    "contexts",
    "emitted",
    "ended",
    "expected",
    "first",
    "law_under",
    "paths",
    "reached",
    "target_law",
    "token_ends",
    "whether",
]

EXAMPLE: Instance = {"p": matrix(*["1/3 2/3"] * 3), "q": matrix(*["2/3 1/3"] * 3), "gamma": 2}
"""The laws of Sun et al. 2024, section 1, the same after every text."""


def contexts(draw: Draw, most: int = 3) -> Instance:
    """Two models whose laws depend on the last token (row 0: before any), and a number of drafts."""
    vocab = 2 + draw.integer(0, 1)
    p, q = (np.stack([draw.law(vocab) for _ in range(vocab + 1)]) for _ in "pq")
    return {"p": p, "q": q, "gamma": draw.integer(1, min(most, 5 - vocab))}


def ended(verifier: Verifier, p: Array, q: Array, gamma: int, drafting: Drafting = one_path) -> list[Outcome]:
    """Every way in which a call ends."""
    return outcomes(verifier, markov(p), markov(q), gamma, drafting)


def token_ends(p: Array, q: Array, gamma: int) -> list[Outcome]:
    """The same under token verification."""
    return list(block_outcomes(SD, markov(p), markov(q), (), gamma))


def emitted(found: Sequence[Outcome], p: Array, length: int) -> Array:
    """Law of the first tokens: what is emitted, continued with the target's own law."""
    return masses(next_tokens(found, markov(p), length), p.shape[-1], length)


def target_law(p: Array, length: int) -> Array:
    """The target's law of these tokens."""
    return written(markov(p), p.shape[-1], length)


def accepted(found: Sequence[Outcome]) -> Any:
    """E[τ]."""
    return sum((o.probability * o.accepted for o in found), start=Fraction(0))


def at_least_so_many(draw: Draw) -> Instance:
    """Two models, and a number of drafts that are to be kept."""
    instance = contexts(draw)
    return {**instance, "at": draw.integer(0, instance["gamma"])}


def reached(found: Sequence[Outcome], at: int) -> Any:
    """P(τ ≥ at)."""
    return sum((o.probability for o in found if o.accepted >= at), start=Fraction(0))


def first(found: Sequence[Outcome]) -> dict[tuple[Prefix, int], Any]:
    """The outcome list as a table: text and number of accepted drafts to probability."""
    table: dict[tuple[Prefix, int], Any] = {}
    for o in found:
        table[o.tokens, o.accepted] = table.get((o.tokens, o.accepted), 0) + o.probability
    return {key: mass for key, mass in table.items() if mass}


class Path(NamedTuple):
    """A draft: its probability, and along it, from 0 drafts on, the ratio of the laws' products, r and t.

    r_i is the probability that block verification keeps i drafts or more, given them; t_i that of token verification.
    `steps` holds p/q of each draft.
    """

    weight: Any
    tokens: Prefix
    steps: tuple[Any, ...]
    products: tuple[Any, ...]
    block: tuple[Any, ...]
    token: tuple[Any, ...]


def paths(p: Array, q: Array, gamma: int) -> Iterator[Path]:
    """Every draft that the draft model can make."""
    target = markov(p)
    draft = markov(q)
    for weight, tokens in one_path(draft, gamma):
        steps = tuple(target(tokens[:i])[x] / draft(tokens[:i])[x] for i, x in enumerate(tokens))
        products = [Fraction(1)]
        block = [Fraction(1)]
        token = [Fraction(1)]
        for ratio in steps:
            products.append(products[-1] * ratio)
            block.append(min(Fraction(1), block[-1] * ratio))
            token.append(token[-1] * min(Fraction(1), ratio))
        yield Path(weight, tokens, steps, tuple(products), tuple(block), tuple(token))


def expected(p: Array, q: Array, gamma: int, value: Callable[[Path], Any]) -> Any:
    """Mean of a value over drafts."""
    return sum((path.weight * value(path) for path in paths(p, q, gamma)), start=Fraction(0))


def whether(holds: bool) -> int:
    """1 where a statement is true, else 0."""
    return int(bool(holds))


EARLY = block_verifier(early=True)
RESIDUAL = block_verifier(token_residual=True)
"""Two slips in block verification: it stops at the first test that fails, and it draws the residual of one token."""


def law_under(verifier: Verifier) -> Callable[..., Array]:
    """Distribution of γ + 1 tokens under another verifier."""
    return lambda p, q, gamma: emitted(ended(verifier, p, q, gamma), p, gamma + 1)
