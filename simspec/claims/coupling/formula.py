"""`coupling.formula`: Daliri et al. 2024."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, identity, law
from simspec.claims.coupling.parts import pair, wins_both
from simspec.methods.coupling import joint_law

__all__ = ["matches_and_margins"]


def matches_and_margins(p: Array, q: Array) -> Array:
    """P(X = Y = j), P(X = j) and P(Y = j), from the joint law of the two winners."""
    joint = joint_law(p, q)
    return np.stack([np.diag(joint), joint.sum(axis=1), joint.sum(axis=0)])


FORMULA = identity(
    name="coupling.formula",
    statement=r"Draft and target race with the same exponentials: $P(X = Y) = \sum_j 1/\sum_i \max(p_i/p_j, q_i/q_j)$, token by "
    r"token, and $X \sim q$, $Y \sim p$",
    reference="Daliri et al. 2024 (formula restored)",
    instances=pair,
    lhs=matches_and_margins,
    rhs=lambda p, q: np.stack([wins_both(p, q), q, p]),
    sources=("exact",),
    tight=({"p": law("1/2", "1/2", 0), "q": law(0, "1/2", "1/2")},),
    note="The joint law is worked out from the race: the target's winner is first at a time s, and by then every other "
    "exponential has come to s p(x) and goes on without memory.",
)
