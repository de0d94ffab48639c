"""metrics.speed-tracks-length: the speed is the acceptance length over the time of a step."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, ge, gt
from simspec.claims.claim import Instance
from simspec.claims.metrics.speed_tracks_length import (
    LONGER,
    NO_SLOWER,
    SPEED_TRACKS_LENGTH,
    SPEED_TRACKS_LENGTH_CORRECTED,
)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every two lengths, numbers of drafts and costs.

    The gain is the ratio of the lengths where the times are equal, and larger where they are not.
    """
    length = d.number("length", positive=True)
    shorter = d.number("shorter", positive=True)
    cost = d.number("cost", 0)
    other_cost = d.number("other_cost", 0)
    gamma, other_gamma = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("gamma", "other"))
    longer = d.assume(LONGER, gt(length, shorter))
    times = d.assume(NO_SLOWER, ge(sign * other_gamma * other_cost, sign * gamma * cost))
    speeds = ge(constant * (length - 1 + 1) / (gamma * cost + 1), shorter / (other_gamma * other_cost + 1))
    d.qed(d.derive("more tokens in no more time", speeds, longer, times))


def by_size() -> Iterator[Instance]:
    """One draft in each block, lengths and costs in halves."""
    lengths = (F(1), F(3, 2), F(2))
    costs = (F(0), F(1, 2), F(1))
    for length, shorter, cost, other_cost in product(lengths, lengths, costs, costs):
        yield {"length": length, "shorter": shorter, "gamma": 1, "cost": cost, "other": 1, "other_cost": other_cost}


PROOFS = (
    Refutation(
        SPEED_TRACKS_LENGTH,
        by_size,
        scope="the first with one draft in each block, lengths and costs in halves",
        repaired={NO_SLOWER: SPEED_TRACKS_LENGTH_CORRECTED},
    ),
    Proof(
        SPEED_TRACKS_LENGTH_CORRECTED,
        prove,
        drop=NO_SLOWER,
        change={"constant": sp.Rational(1, 2)},
        bind=lambda length, shorter, gamma, cost, other, other_cost: {
            **{"length": length, "shorter": shorter, "gamma": gamma, "cost": cost},
            **{"other": other, "other_cost": other_cost},
        },
    ),
)
