"""A member of the zoo: a rule as a program with chance, so that its exact law and its black box come from one body."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import Sampler
from simspec.audit.pairs import Pair
from simspec.laws import Array
from simspec.methods.block import Model, Prefix
from simspec.methods.joint.chance import Chance, Coins, every
from simspec.methods.joint.verifier import Facts, PathProgram, by_program, by_rows, facts, outcomes

__all__ = ["Drafter", "Member", "black_box", "exact_facts", "greedy", "residual", "sampled", "small"]

Drafter = Callable[[Model, int, Chance], Prefix]
"""(draft laws, gamma, chance) -> drafted tokens."""


class Member(NamedTuple):
    """A published fault, an honest rule that was taken for one, or a rule that is lossy by declaration.

    Attributes
    ----------
    name : str
    kind : "fault", "honest" or "lossy"
    part : what is wrong or looks wrong: told/drawn, coin, residual, stopping, bookkeeping
    summary : how it differs from speculative decoding
    source : where it was published
    program, drafts : the rule, and how drafts are drawn
    laws : target and draft laws, the smallest that show it; for an honest one, laws on which it looks most suspicious
    """

    name: str
    kind: str
    part: str
    summary: str
    source: str
    program: PathProgram
    drafts: Drafter
    laws: Pair


def small(p: str, q: str) -> Pair:
    """Laws written as rows of fractions.

    >>> small("1/4 3/4, 1 0", "1/2 1/2").p.tolist()
    [[0.25, 0.75], [1.0, 0.0]]
    """
    rows = [[[Fraction(mass) for mass in row.split()] for row in laws.split(",")] for laws in (p, q)]
    return Pair(f"p = {p}; q = {q}", *(np.array(laws, dtype=np.float64) for laws in rows))


def sampled(draft: Model, gamma: int, chance: Chance) -> Prefix:
    """Drafts drawn one after the other from the draft laws.

    >>> sampled(lambda prefix: [0.25, 0.75], 2, Coins(lambda: 0.5))
    (1, 1)
    """
    x: Prefix = ()
    for _ in range(gamma):
        x = (*x, chance.draw(draft(x)))
    return x


def greedy(draft: Model, gamma: int, chance: Chance) -> Prefix:
    """The most likely token each time, the lowest at ties.

    >>> greedy(lambda prefix: [0.5, 0.5], 2, Coins(lambda: 0.9))
    (0, 0)
    """
    x: Prefix = ()
    for _ in range(gamma):
        x = (*x, int(np.argmax(draft(x))))
    return x


def residual(p: Sequence[Any], told: Sequence[Any]) -> Sequence[Any]:
    """Weights of the positive part of p - told; p where nothing is left.

    >>> residual([0.5, 0.5], [0.75, 0.25]), residual([1, 0], [1, 0])
    ([0, 0.25], [1, 0])
    """
    left = [max(a - b, 0) for a, b in zip(p, told, strict=True)]
    return left if any(left) else p


def exact_facts(member: Member, p: Array, q: Array) -> Facts:
    """Exact output law, TV, acceptance and lengths of a member on laws p (gamma + 1, V) and q (gamma, V)."""
    target, draft = by_rows(p), by_rows(q)

    def drafting(model: Model, gamma: int) -> Iterator[tuple[Any, Prefix]]:
        return every(lambda chance: member.drafts(model, gamma, chance))

    found = outcomes(by_program(member.program), target, draft, len(q), drafting)
    return facts(found, target, len(q))


def black_box(member: Member) -> Sampler:
    """A member as a sampler to audit: its program run with coins, call by call."""

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        targets, drafts = p.tolist(), q.tolist()
        tokens = np.full((n, len(p)), -1)
        coins = Coins(_uniforms(rng).__next__)
        for row in tokens:
            x = member.drafts(by_rows(drafts), len(q), coins)
            emitted, _ = member.program(targets, drafts, x, coins)
            row[: len(emitted)] = emitted
        return tokens

    return sampler


def _uniforms(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(1024).tolist()
