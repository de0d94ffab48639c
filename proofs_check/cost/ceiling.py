"""cost.ceiling: a geometric sum is below its limit, and no block emits more than γ + 1 tokens."""

from __future__ import annotations

from proofs_check.cost._powers import gamma, n, powers
from proofs_check.language import Derivation, Proof, ge, gt, le
from simspec.claims.cost.ceiling import CEILING


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every acceptance below one, every number of drafts and every cost.

    The first is attained at α = 0 (with c γ = 0) and approached as γ grows at c = 0; the second at γ = 0, and approached as
    α tends to 1.
    """
    alpha = d.number("alpha", 0)
    cost = d.number("cost", 0)
    below = d.domain("α is below one", gt(1, alpha))
    sums = powers(d, alpha)
    small = d.inductive("a power of a rate", ge(1, alpha ** (n + 1)), n, [below], [below], by="smt")
    at_most_all_drafts = d.inductive(
        "no more than all drafts", ge(n, sums.A[n]), n, [sums.none], [sums.more, small], by="smt"
    )
    closed, at_most_all_drafts = (
        d.instantiate("a block of γ drafts", f, {n: gamma}) for f in (sums.closed, at_most_all_drafts)
    )
    limit = le(sums.A[gamma] + constant, 1 / (1 - alpha))
    limit = d.derive("what 1 − α^(γ+1) leaves out", limit, closed, below)
    positive = d.instantiate("at γ", small, {n: gamma})
    rest = d.derive("tokens are not negative", ge((1 - alpha) * (sums.A[gamma] + 1), 0), closed, positive)
    speedup = (sums.A[gamma] + 1) / (gamma * cost + 1)
    d.qed(
        d.smt("the time of a block is at least one", le(speedup, 1 / (1 - alpha)), limit, rest, below),
        d.derive(
            "no more tokens than drafts and one",
            le(sign * speedup, (gamma + 1) / (gamma * cost + 1)),
            at_most_all_drafts,
        ),
    )


PROOF = Proof(
    CEILING,
    prove,
    drop="α is below one",
    bind=lambda alpha, gamma, cost: {"alpha": alpha, "gamma": gamma, "cost": cost, "ranges": {"n": range(gamma + 1)}},
)
