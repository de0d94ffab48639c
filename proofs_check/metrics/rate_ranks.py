"""metrics.rate-ranks: the speed rises with the rate, and with the budget where the rate is at least the cost of a draft."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, ge
from simspec.claims.claim import Instance
from simspec.claims.metrics.rate_ranks import MORE, NO_LOWER, PAYS, RATE_RANKS, RATE_RANKS_CORRECTED


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every two budgets, rates and costs.

    Equality at a rate that is the cost of a draft, whatever the budgets.
    """
    share = d.number("share", 0)
    other_share = d.number("other_share", 0)
    cost = d.number("cost", 0)
    gamma, other_gamma = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("gamma", "other"))
    no_lower = d.assume(NO_LOWER, ge(share, other_share))
    more_drafts = d.assume(MORE, ge(gamma, other_gamma))
    pays = d.assume(PAYS, ge(share, sign * cost))
    longer = d.derive(
        "more drafts of that rate", ge((gamma - other_gamma) * (share - cost), 0), more_drafts, pays, by="smt"
    )
    higher = d.derive(
        "drafts of a lower rate", ge(other_gamma * (share - other_share) * (1 + gamma * cost), 0), no_lower, by="smt"
    )
    products = d.derive(
        "both",
        ge((1 + gamma * share) * (1 + other_gamma * cost), (1 + other_gamma * other_share) * (1 + gamma * cost)),
        longer,
        higher,
    )
    speeds = ge(
        constant * (1 + gamma * share) / (1 + gamma * cost),
        constant**2 * (1 + other_gamma * other_share) / (1 + other_gamma * cost),
    )
    d.qed(d.derive("over their times", speeds, products, by="smt"))


def _budgets() -> Iterator[Instance]:
    """One draft and two; acceptances and costs in halves."""
    halves = (F(0), F(1, 2), F(1))
    for alpha, cost, (gamma, other_gamma) in product(halves, halves, ((1, 2), (2, 1))):
        yield {"alpha": alpha, "cost": cost, "gamma": gamma, "other": other_gamma}


def _shares() -> Iterator[Instance]:
    """The same with two rates in halves."""
    halves = (F(0), F(1, 2), F(1))
    for share, other_share, cost, gamma, other_gamma in product(halves, halves, halves, (1, 2), (1, 2)):
        yield {"share": share, "other_share": other_share, "cost": cost, "gamma": gamma, "other": other_gamma}


PROOFS = (
    Refutation(
        RATE_RANKS,
        _budgets,
        scope="the first with one draft and two, acceptances and costs in halves",
        repaired={
            "drafts that cost what a token of the target does": lambda: (i for i in _budgets() if i["cost"] == 1),
            "more drafts, and a rate that pays": (RATE_RANKS_CORRECTED, _shares),
        },
    ),
    Proof(
        RATE_RANKS_CORRECTED,
        prove,
        drop=PAYS,
        bind=lambda share, other_share, cost, gamma, other: {
            "share": share,
            "other_share": other_share,
            "cost": cost,
            "gamma": gamma,
            "other": other,
        },
    ),
)
