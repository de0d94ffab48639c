"""What claims about several drafts share: small instances, rules by name, laws over sets of drafts, numbers at ρ*."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from simspec.claims import balls
from simspec.claims.authoring import Array, Draw, Instance, is_exact
from simspec.claims.balls import ball
from simspec.laws import Scalar
from simspec.methods.multi.drafting import iid, swor
from simspec.methods.multi.enumerated import StepLaw, step_law
from simspec.methods.multi.kseq import kseq_acceptance, kseq_rho
from simspec.methods.multi.optimum import Sets, draft_sets, subset_form
from simspec.methods.multi.recursive import Order, recursive_rejection
from simspec.methods.multi.thresholds import optimal_acceptance

__all__ = [
    "RHO_STEPS",
    "at_best",
    "between",
    "few",
    "iid_best",
    "pairs",
    "rho_steps",
    "rrs",
    "rrsw",
    "sets_of",
    "some_sets",
    "swor_best",
]

RHO_STEPS = 40
"""How often the interval of ρ* is halved on fractions."""
ORDINARY = balls.PRECISION
"""Bits of the enclosures for which that is enough."""


def few(draw: Draw) -> Instance:
    """Two laws and a number of drafts, for rules that are enumerated: every tuple of drafts, every coin."""
    k = draw.integer(1, 3)
    p, q = draw.pair(draw.integer(1, 4 if k < 3 else 3))
    return {"p": p, "q": q, "k": k}


def pairs(draw: Draw) -> Instance:
    """Two laws of any size and a number of drafts, for closed forms."""
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q, "k": draw.integer(1, 4)}


def rrs(p: Array, q: Array, k: int, order: Order = "drawn", skip_duplicates: bool = False) -> StepLaw:
    """Recursive rejection of k independent drafts."""
    return step_law(recursive_rejection(True, skip_duplicates, order), iid, k, p, q)


def rrsw(p: Array, q: Array, k: int, order: Order = "drawn") -> StepLaw:
    """Recursive rejection of k drafts without replacement."""
    return step_law(recursive_rejection(False, False, order), swor, k, p, q)


def sets_of(vocab: int) -> list[frozenset[int]]:
    """All sets of tokens but the empty one, by size.

    >>> [sorted(s) for s in sets_of(2)]
    [[0], [1], [0, 1]]
    """
    return [frozenset(s) for size in range(1, vocab + 1) for s in combinations(range(vocab), size)]


def some_sets(draw: Draw) -> Instance:
    """A target law, and any law of the set of drafts."""
    vocab = draw.integer(1, 3)
    return {"p": draw.law(vocab), "sets": dict(zip(sets_of(vocab), draw.law(2**vocab - 1), strict=True))}


def iid_best(p: Array, q: Array, k: int) -> Any:
    """Largest acceptance with k independent drafts: over all sets of tokens on fractions, over thresholds on floats."""
    return subset_form(p, _iid_sets(q, k)) if is_exact(p) else optimal_acceptance(p, q, k)


def swor_best(p: Array, q: Array, k: int) -> Any:
    """The same for drafts without replacement."""
    return subset_form(p, draft_sets(swor(q, k))) if is_exact(p) else optimal_acceptance(p, q, k, "swor")


def _iid_sets(q: Array, k: int) -> Sets:
    """Masses of the sets of k independent drafts, from D(all in H) = q(H)^k."""
    masses: Sets = {}
    for token_set in sets_of(len(q)):
        inside = sum(q[token] for token in token_set) ** k
        mass = inside - sum(mass for smaller, mass in masses.items() if smaller < token_set)
        masses[token_set] = mass
    return masses


def between(low: Scalar, high: Scalar) -> Any:
    """A number of which only two bounds are known, as a ball.

    >>> print(between(1, 2).contains(1), between(1, 2).contains(2))
    True True
    """
    from flint import arb

    low_ball = ball(low)
    high_ball = ball(high)
    return low_ball if low == high else (low_ball + high_ball) / 2 + arb(0, 1) * (high_ball - low_ball) / 2


def rho_steps() -> int:
    """How often the interval of ρ* is halved: as fine as the enclosures that are compared.

    >>> rho_steps() == RHO_STEPS
    True
    """
    return RHO_STEPS + balls.PRECISION - ORDINARY


def at_best(p: Array, q: Array, k: int) -> Any:
    """Acceptance of K-SEQ at ρ*, the smallest ρ that is lossless; acceptance does not rise with ρ."""
    if not is_exact(p):
        return kseq_acceptance(p, q, k)
    low, high = kseq_rho(p, q, k, rho_steps())
    return between(*(kseq_acceptance(p, q, k, np.asarray(rho, dtype=object)) for rho in (high, low)))
