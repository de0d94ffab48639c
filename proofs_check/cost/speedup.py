"""cost.speedup: the mean number of tokens is a geometric sum."""

from __future__ import annotations

import sympy as sp

from proofs_check.cost._powers import LENGTH, gamma, n, powers
from proofs_check.language import Derivation, Proof, eq, gt
from simspec.claims.cost.parts import accepted
from simspec.claims.cost.speedup import SPEEDUP


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every acceptance below one, every number of drafts and every cost."""
    alpha = d.number("alpha", 0)
    cost = d.number("cost", 0)
    tau = sp.Symbol("tau", real=True)
    sums = powers(d, alpha)
    below = d.domain("α is below one", gt(1, alpha))
    length = d.domain(LENGTH, eq(tau, sums.A[gamma]))
    closed = d.instantiate("a block of γ drafts", sums.closed, {n: gamma})
    mean = d.derive("its tokens", eq((tau + 1) * (1 - alpha), 1 - sign * alpha ** (gamma + 1)), closed, length)
    d.qed(
        d.derive(
            "in the time of γ drafts and a call",
            eq((tau + constant) / (gamma * cost + 1), (1 - alpha ** (gamma + 1)) / ((1 - alpha) * (gamma * cost + 1))),
            *(mean, below),
        )
    )


PROOF = Proof(
    SPEEDUP,
    prove,
    drop=LENGTH,
    bind=lambda alpha, gamma, cost: {
        **{"alpha": alpha, "gamma": gamma, "cost": cost, "tau": accepted(alpha, gamma)},
        "ranges": {"n": range(gamma + 1)},
    },
)
