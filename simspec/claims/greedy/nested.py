"""A criterion that rejects fewer tokens has no smaller certificate; it is larger unless a token as likely is still rejected.

`greedy.nested` in two readings: Sharma 2026 (arXiv 2606.30265), abstract.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, law
from simspec.claims.greedy.least import SHARMA
from simspec.claims.greedy.parts import likeliest, nonuniform, radius


def _two_sets(draw: Draw) -> Instance:
    """A target, a set of rejected tokens, and a part of it; neither is empty."""
    vocab = 2 + draw.integer(0, 2)
    fewer = draw.mask(vocab)
    return {"p": draw.law(vocab), "fewer": fewer, "rejected": fewer | draw.mask(vocab)}


def _without_likeliest(draw: Draw) -> Instance:
    """The smaller set lacks the likeliest rejected token, which is not the target's most likely."""
    vocab = 3 + draw.integer(0, 1)
    p = nonuniform(draw, vocab)
    rejected = draw.mask(vocab) & (p < p.max())
    if rejected.sum() < 2:
        p = np.roll(law("1/2", "1/4", "1/4", *[0] * (vocab - 3)), draw.integer(0, 2))
        rejected = p < p.max()
    fewer = rejected.copy()
    fewer[likeliest(p, rejected)] = False
    return {"p": p, "fewer": fewer, "rejected": rejected}


def _larger(p: Array, fewer: Array, rejected: Array) -> int:
    """1 where the certificate of the smaller set is larger."""
    gained = radius(p, fewer) - radius(p, rejected)
    return int(gained > 0)


NESTED = bound(
    name="greedy.nested",
    statement=r"A criterion that rejects a part of what another rejects has no smaller certificate: $R' \subseteq "
    r"R$ implies that the "
    r"least $\mathrm{KL}(p \Vert q)$ for $R'$ is at least that for $R$",
    reference=SHARMA,
    instances=_two_sets,
    lhs=lambda p, fewer: radius(p, fewer),
    relation=at_least,
    rhs=lambda p, rejected: radius(p, rejected),
    tight=[{"p": law("3/4", "1/4"), "fewer": np.array([False, True]), "rejected": np.array([False, True])}],
    sources=("exact",),
    note="Equality wherever the likeliest token of R′ has the mass of that of R. With R′ empty the certificate is "
    "infinite.",
    broken=[
        broken(
            "the two sets exchanged", lhs=lambda p, rejected: radius(p, rejected), rhs=lambda p, fewer: radius(p, fewer)
        )
    ],
)

STRICT = bound(
    name="greedy.nested.strict",
    statement=r"The certificate is strictly larger wherever the smaller set $R'$ lacks the likeliest token of $R$, "
    r"neither being empty",
    reference=SHARMA,
    instances=_without_likeliest,
    lhs=_larger,
    relation=at_least,
    rhs=lambda: 1,
    sources=("exact",),
    corrected_by=("greedy.nested",),
    within=(
        {
            "p": law("1/2", "1/4", "1/4"),
            "fewer": np.array([False, False, True]),
            "rejected": np.array([False, True, True]),
        },
    ),
    note="Another token as likely may be left: in p = (1/2, 1/4, 1/4) rejecting the last alone certifies no more "
    "than rejecting both.",
)
