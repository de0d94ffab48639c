"""A greedy draft is accepted for sure below a total variation that has a closed form, for every set of rejected tokens.

`greedy.any-tv`: own statement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, Instance, at_least, broken, identity, law
from simspec.claims.greedy.least import ANY_SET
from simspec.claims.greedy.parts import likeliest
from simspec.claims.relaxed.certificate_additive import level
from simspec.laws import tv

__all__ = ["cut_down", "gap"]


def gap(p: Array, rejected: Array) -> Any:
    """c − p(b), c the mean of p over b and the tokens above c."""
    b = likeliest(p, rejected)
    return level(p, b)[0] - p[b]


def cut_down(p: Array, rejected: Array) -> Any:
    """TV of p and p with c on b and on the tokens above c."""
    height, members = level(p, likeliest(p, rejected))
    return tv(p, np.where(members, height, p))


def _instances(draw: Any) -> Instance:
    return ANY_SET.draw(draw)


ANY_TV = identity(
    name="greedy.any-tv",
    statement=r"For any non-empty set of rejected tokens the least $\mathrm{TV}(p, q)$ over laws $q$ that are largest at a "
    r"rejected token is $c - p(b)$, $b$ the likeliest rejected token, $c$ the mean of $p$ over $b$ and the tokens above $c$; "
    r"it is attained",
    reference="own statement, on Sharma 2026 (arXiv 2606.30265)",
    instances=_instances,
    relation=at_least,
    lhs=lambda p, q, rejected: np.array([tv(p, q), cut_down(p, rejected), -cut_down(p, rejected)]),
    rhs=lambda p, rejected: np.array([gap(p, rejected), gap(p, rejected), -gap(p, rejected)]),
    tight=({"p": law("3/4", "1/4"), "q": law("1/2", "1/2"), "rejected": np.array([False, True])},),
    sources=("exact",),
    note="Greedy decoding: half the margin (greedy.reject-tv). The law cut down for the divergence is the nearest here too.",
    broken=[
        broken(
            "half as much again",
            rhs=lambda p, rejected: np.array([gap(p, rejected) * F(3, 2), gap(p, rejected), -gap(p, rejected)]),
        )
    ],
)
