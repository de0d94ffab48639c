"""metrics.alpha: draft i is accepted with probability α^i, since those before it have to be."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

import sympy as sp

from proofs_check.cost._powers import LENGTH, powers
from proofs_check.language import Derivation, Proof, Refutation, eq
from simspec.claims.claim import Instance
from simspec.claims.cost.parts import accepted
from simspec.claims.metrics.alpha import ALPHA, ALPHA_CORRECTED


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every acceptance and every number of drafts."""
    alpha = d.number("alpha", 0, 1)
    tau = sp.Symbol("tau", real=True)
    drafts = sp.Symbol("drafts", integer=True, positive=True)
    sums = powers(d, alpha)
    length = d.domain(LENGTH, eq(tau, sums.A[drafts]))
    d.qed(d.derive("of each draft", eq(constant * tau / drafts, sign * sums.A[drafts] / drafts), length))


def by_size() -> Iterator[Instance]:
    """Blocks of one and of two drafts, with rates of 0, 1/2 and 1."""
    for gamma in (1, 2):
        yield from ({"alpha": alpha, "gamma": gamma} for alpha in (F(0), F(1), F(1, 2)))


PROOFS = (
    Refutation(
        ALPHA,
        by_size,
        scope="the first by the number of drafts, with a rate in halves: 3/8 of two drafts are accepted, not 1/2",
        repaired={
            "one draft": lambda: (i for i in by_size() if i["gamma"] == 1),
            "the mean of α, …, α^γ": ALPHA_CORRECTED,
        },
    ),
    Proof(
        ALPHA_CORRECTED,
        prove,
        drop=LENGTH,
        bind=lambda alpha, gamma: {
            **{"alpha": alpha, "drafts": gamma, "tau": accepted(alpha, gamma)},
            "ranges": {"n": range(gamma + 1)},
        },
    ),
)
