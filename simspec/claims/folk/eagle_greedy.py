"""With the first token as only candidate, the second token is never emitted.

`folk.eagle-greedy`, with its correction: EAGLE #110.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity, law
from simspec.claims.folk.parts import off, whether
from simspec.claims.folk.q_one import deterministic

__all__ = ["law_one_by_one", "others"]


def _printed(draw: Draw) -> Instance:
    return {"p": law("51/100", "49/100")}


def _tested(draw: Draw) -> Instance:
    """A law, some of its tokens in an order, of which one that it may say is none, and how often each of them is accepted."""
    p = draw.law(draw.vocab(2))
    possible = np.flatnonzero(p > 0).tolist()
    never_tested = possible[draw.integer(0, len(possible) - 1)]
    tokens = [token for token in range(len(p)) if token != never_tested]
    candidates = [tokens.pop(draw.integer(0, len(tokens) - 1)) for _ in range(draw.integer(1, len(p) - 1))]
    return {"p": p, "candidates": candidates, "accepts": [draw.number(0, 1) for _ in candidates]}


def law_one_by_one(p: Array, candidates: Sequence[int], accepts: Sequence[Any]) -> Array:
    """Output law where candidates are accepted one after the other as it says, else set to zero and the rest renormalised.

    >>> print(*law_one_by_one(law("1/2", "1/4", "1/4"), [1], [Fraction(1, 2)]))
    1/3 1/2 1/6
    """
    emitted = p * 0
    remaining = p
    reached = Fraction(1)
    for token, accept in zip(candidates, accepts, strict=True):
        emitted[token] += reached * accept
        reached *= 1 - accept
        remaining = off(remaining, np.eye(len(p), dtype=int)[token] + p * 0)
    return emitted + reached * remaining


def others(p: Array, candidates: Sequence[int]) -> Array:
    """1 at tokens that are no candidates, else 0."""
    marks = p * 0 + 1
    marks[list(candidates)] = 0
    return marks


def _emitted(p: Array, candidates: Sequence[int], accepts: Sequence[Any]) -> Array:
    """Of each token that is no candidate, its probability, that under EAGLE's own rule, and whether it is never emitted."""
    emitted = law_one_by_one(p, candidates, accepts)
    return np.stack([emitted, deterministic(p, candidates), whether(emitted == 0)]) * others(p, candidates)


def _formulas(p: Array, candidates: Sequence[int], accepts: Sequence[Any]) -> Array:
    refused = prod((1 - accept for accept in accepts), start=Fraction(1))
    share = p * refused / (p * others(p, candidates)).sum()
    never = whether((p == 0) | (1 in accepts))
    return np.stack([share, p, never]) * others(p, candidates)


EAGLE_GREEDY = identity(
    name="folk.eagle-greedy",
    statement=r"$p = q = (0.51, 0.49)$, the first token the only candidate: the second token is never emitted",
    reference="EAGLE #110",
    instances=_printed,
    lhs=lambda p: deterministic(p, [0])[1],
    rhs=lambda p: p[1] * 0,
    sources=("exact",),
    corrected_by=("folk.eagle-greedy-corrected",),
    note="The candidate is refused with probability 0.49, and what is left is the second token.",
)

EAGLE_GREEDY_CORRECTED = identity(
    name="folk.eagle-greedy-corrected",
    statement=r"Different candidates $c_1, \dots, c_k$ that leave some mass of a law $p$, accepted one after the other with any "
    r"probabilities $t_1, \dots, t_k$; after the last refusal a token of $p$ without them: every other token $b$ is emitted with "
    r"probability $p(b) \prod_j (1 - t_j) / (1 - \sum_j p(c_j))$, and so never if and only if $p(b) = 0$ or some $t_j = 1$; "
    r"under EAGLE's rule, $t_j = p(c_j) / (1 - \sum_{i < j} p(c_i))$, with probability $p(b)$: of $p = (0.51, 0.49)$ the second "
    r"token, with the first as only candidate, with 0.49",
    reference="correction of EAGLE #110",
    instances=_tested,
    lhs=_emitted,
    rhs=_formulas,
    sources=("exact",),
    tight=(
        {"p": law("51/100", "49/100"), "candidates": [0], "accepts": [Fraction(51, 100)]},
        {"p": law("51/100", "49/100"), "candidates": [0], "accepts": [Fraction(1)]},
        {"p": law("1/2", "0", "1/2"), "candidates": [0], "accepts": [Fraction(0)]},
        {"p": law("0", "1"), "candidates": [0], "accepts": [Fraction(1, 2)]},
        {"p": law("1/3", "1/3", "1/3"), "candidates": [2, 0], "accepts": [Fraction(1, 3), Fraction(1, 2)]},
    ),
    note="A candidate that is always accepted hides what it leaves: so it would be with the ratio $p/q$ of equal laws, which is "
    "1. EAGLE tests with $p$ itself.",
    broken=[
        broken("the last test alone", lhs=lambda p, candidates, accepts: _emitted(p, candidates[-1:], accepts[-1:])),
        broken(
            "the share of one candidate",
            rhs=lambda p, candidates, accepts: _formulas(p, candidates, [*accepts[:1], *(0 * t for t in accepts[1:])]),
        ),
    ],
)
