"""cost.every-gamma: the drafts of a block bring α + … + α^γ tokens and cost γc."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from math import gcd

import sympy as sp

from proofs_check.cost._powers import LENGTH, gamma, powers
from proofs_check.language import Derivation, Proof, Refutation, eq
from simspec.claims.claim import Instance
from simspec.claims.cost.every_gamma import EVERY_GAMMA, EVERY_GAMMA_CORRECTED
from simspec.claims.cost.parts import accepted


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every acceptance, number of drafts and cost."""
    alpha = d.number("alpha", 0, 1)
    cost = d.number("cost", 0)
    tau = sp.Symbol("tau", real=True)
    sums = powers(d, alpha)
    length = d.domain(LENGTH, eq(tau, sums.A[gamma]))
    d.qed(
        d.derive(
            "tokens less time, over time",
            eq((tau + 1) / (gamma * cost + 1) - constant, (sums.A[gamma] - sign * gamma * cost) / (gamma * cost + 1)),
            length,
        )
    )


def by_size(gammas: range = range(1, 4)) -> Iterator[Instance]:
    """Numbers of drafts in order, and for each of them rates above costs by their denominators."""
    for number in gammas:
        for size in range(1, 6):
            grid = [F(k, m) for m in range(1, size + 1) for k in range(m + 1) if gcd(k, m) == 1]
            yield from (
                {"alpha": alpha, "cost": cost, "gamma": number}
                for alpha, cost in product(grid, repeat=2)
                if alpha > cost and max(alpha.denominator, cost.denominator) == size
            )


PROOFS = (
    Refutation(
        EVERY_GAMMA,
        by_size,
        scope="the first by the number of drafts and then by the largest denominator; one draft always saves time, and two do "
        "on the line α = 2c − α², where S is 1",
        repaired={"one draft": lambda: by_size(range(1, 2)), "by as much as the drafts bring": EVERY_GAMMA_CORRECTED},
    ),
    Proof(
        EVERY_GAMMA_CORRECTED,
        prove,
        drop=LENGTH,
        bind=lambda alpha, gamma, cost: {
            **{"alpha": alpha, "gamma": gamma, "cost": cost, "tau": accepted(alpha, gamma)},
            "ranges": {"n": range(gamma + 1)},
        },
    ),
)
