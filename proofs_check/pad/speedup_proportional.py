"""pad.speedup-proportional: (ηγ + 1)/(γc + 1) is affine in η, and 1/(γc + 1) at η = 0."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq
from simspec.claims.claim import Instance
from simspec.claims.pad.speedup_proportional import PROPORTIONAL, PROPORTIONAL_CORRECTED


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1, own_token: int = 1) -> None:
    """Every share, number of drafts and cost."""
    share = d.number("share", 0, 1)
    gamma = d.number("gamma", 0)
    cost = d.number("cost", 0)
    speed = sp.Symbol("S", real=True)
    means = d.define("the speed-up", speed, (share * gamma + own_token) / (gamma * cost + 1))
    rest = eq(speed - sign / (gamma * cost + 1), constant * share * gamma / (gamma * cost + 1))
    d.qed(d.derive("beyond that at share 0", rest, means))


def by_size() -> Iterator[Instance]:
    """One draft that costs nothing, shares and factors in halves."""
    for share, times in product((F(0), F(1, 2)), (F(1), F(0), F(2))):
        yield {"share": share, "times": times, "gamma": 1, "cost": F(0)}


PROOFS = (
    Refutation(
        PROPORTIONAL,
        by_size,
        scope="one draft that costs nothing, shares and factors in halves",
        repaired={
            "the same share": lambda: (i for i in by_size() if i["times"] == 1),
            "the corrected statement": PROPORTIONAL_CORRECTED,
        },
    ),
    Proof(
        PROPORTIONAL_CORRECTED,
        prove,
        drop={"own_token": 0},
        bind=lambda share, times, gamma, cost: {"share": share, "gamma": gamma, "cost": cost},
    ),
)
