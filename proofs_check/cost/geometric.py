"""cost.geometric: adding one draft to the block adds α^(γ+1) on both sides."""

from __future__ import annotations

import sympy as sp

from proofs_check.cost._powers import LENGTH, gamma, n, powers
from proofs_check.language import Derivation, Proof, eq
from simspec.claims.cost.geometric import GEOMETRIC
from simspec.claims.cost.parts import accepted


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every acceptance from 0 to 1 and every number of drafts."""
    alpha = d.number("alpha", 0, 1)
    tau = sp.Symbol("tau", real=True)
    sums = powers(d, alpha)
    G = sp.IndexedBase("G", real=True)
    none, rejection_step = d.recursion(
        "blocks that end by a rejection", eq(G[0], 0), eq(G[n + 1], G[n] + constant * n * alpha**n * (1 - sign * alpha))
    )
    same = eq(sums.A[n], G[n] + n * alpha**n)
    before = d.suppose("for n", same)
    so_far = d.derive("so far", eq(G[n], sums.A[n] - n * alpha**n), before)
    for_every_n = d.inductive("for every n", same, n, [none, sums.none], [sums.more, rejection_step, so_far])
    length = d.domain(LENGTH, eq(tau, sums.A[gamma]))
    at_gamma = d.instantiate("a block of γ drafts", for_every_n, {n: gamma})
    d.qed(d.derive("its mean", eq(tau, G[gamma] + gamma * alpha**gamma), length, at_gamma))


PROOF = Proof(
    GEOMETRIC,
    prove,
    drop=LENGTH,
    bind=lambda alpha, gamma: {
        **{"alpha": alpha, "gamma": gamma, "tau": accepted(alpha, gamma)},
        "ranges": {"n": range(gamma + 1)},
    },
)
