"""The least divergence at which an additive criterion can fail is a minimum over refused tokens.

`relaxed.certificate-additive`: 2606.30265 (restored).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, at_least, identity, law
from simspec.claims.balls import ball
from simspec.claims.relaxed.parts import divergence, highest, lower_bound_scaled, xlogx

__all__ = ["level", "limit"]


def _mode(draw: Draw) -> Instance:
    """A target, a token that is not its first, and a law that is nowhere zero and largest at it."""
    it = dict(highest(draw))
    q = it["q"].copy()
    b = it["b"]
    mode = int(np.argmax(q))
    if q[b] < q[mode]:
        q[[b, mode]] = q[[mode, b]]
    return {"p": it["p"], "q": q, "b": b}


def level(p: Array, b: int) -> tuple[Any, Array]:
    """λ and A: λ is the mean of p on A, which holds b and the tokens above λ."""
    members = np.arange(len(p)) == b
    for x in sorted(range(len(p)), key=lambda x: -p[x]):
        if x != b and p[x] * members.sum() > p[members].sum():
            members[x] = True
    return p[members].sum() / int(members.sum()), members


def limit(p: Array, b: int) -> Any:
    """Σ over A of p log(p/λ)."""
    height, members = level(p, b)
    return sum((xlogx(m, height) for m in p[members]), ball(0))


def _nearest(p: Array, b: int) -> Any:
    """KL(p‖q) of p cut down to λ, with λ on b."""
    height, members = level(p, b)
    return divergence(p, np.where(members, height, p))


CERTIFICATE_ADDITIVE = identity(
    name="relaxed.certificate-additive",
    statement=r"Additive criterion: the least $\mathrm{KL}(p \Vert q)$ over laws $q$ whose mode $b$ is refused is the "
    r"least over refused $b$ of $\sum_{x \in A} p(x) \log(p(x)/\lambda)$, $A = \{b\} \cup \{x : p(x) > "
    r"\lambda\}$, $\lambda = p(A)/\lvert A \rvert$: for every $b$ it is the least over the laws whose mode is "
    r"$b$, and attained",
    reference="Sharma 2026 (arXiv 2606.30265, restored)",
    instances=_mode,
    relation=at_least,
    lhs=lambda p, q, b: np.array([divergence(p, q), _nearest(p, b), -_nearest(p, b)], dtype=object),
    rhs=lambda p, b: np.array([limit(p, b), limit(p, b), -limit(p, b)], dtype=object),
    tight=({"p": law("3/4", "1/4"), "q": law("1/2", "1/2"), "b": 1},),
    sources=("exact",),
    broken=[Broken("twice the lower bound", lambda claim: lower_bound_scaled(claim, 2))],
)
