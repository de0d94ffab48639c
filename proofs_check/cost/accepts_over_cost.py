"""cost.accepts-over-cost: a block emits one token beside its accepted drafts; with no drafts at all, that one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

import sympy as sp

from proofs_check.cost._powers import LENGTH, gamma, powers
from proofs_check.language import Derivation, Proof, Refutation, eq
from simspec.claims.claim import Instance
from simspec.claims.cost.accepts_over_cost import ACCEPTS_OVER_COST, ACCEPTS_OVER_COST_CORRECTED
from simspec.claims.cost.parts import accepted


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every acceptance, number of drafts and cost."""
    alpha = d.number("alpha", 0, 1)
    cost = d.number("cost", 0)
    tau = sp.Symbol("tau", real=True)
    sums = powers(d, alpha)
    length = d.domain(LENGTH, eq(tau, sums.A[gamma]))
    time = gamma * cost + 1
    d.qed(d.derive("tokens over time", eq((sums.A[gamma] + 1) / time, (sign * tau + constant) / time), length))


def by_size() -> Iterator[Instance]:
    """Blocks of 0, 1 and 2 drafts, with rates and costs of 0, 1/2 and 1."""
    halves = (F(0), F(1, 2), F(1))
    for number in range(3):
        yield from ({"alpha": a, "gamma": number, "cost": c} for a in halves for c in halves)


PROOFS = (
    Refutation(
        ACCEPTS_OVER_COST,
        by_size,
        scope="the first, with no drafts: the target alone has speed 1 and the formula says 0; it is too small by 1/(1 + γc) "
        "everywhere",
        repaired={"one token more in every block": ACCEPTS_OVER_COST_CORRECTED},
    ),
    Proof(
        ACCEPTS_OVER_COST_CORRECTED,
        prove,
        drop=LENGTH,
        bind=lambda alpha, gamma, cost: {
            **{"alpha": alpha, "gamma": gamma, "cost": cost, "tau": accepted(alpha, gamma)},
            "ranges": {"n": range(gamma + 1)},
        },
    ),
)
