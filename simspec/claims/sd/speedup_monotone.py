"""`sd.speedup-monotone`: RDK 2; PAD 2, last sentence."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Draw, F, Instance, at_least, bound
from simspec.claims.claim import Printed
from simspec.methods import speedup_of_accepted


def _faster(draw: Draw) -> Instance:
    gamma = draw.integer(0, 6)
    a, b = sorted((draw.number(0, gamma), draw.number(0, gamma)))
    c, d = sorted((draw.number(0, 2), draw.number(0, 2)))
    return {"accepted": a, "more": b, "gamma": gamma, "cost": c, "slower": d}


SPEEDUP_MONOTONE = bound(
    name="sd.speedup-monotone",
    statement=r"At fixed $\gamma$ and cost, $S$ does not fall when $\bar L$ rises, and does not rise when the draft gets slower",
    reference="RDK 2; PAD 2, last sentence",
    instances=_faster,
    lhs=lambda accepted, more, gamma, cost, slower: np.array(
        [speedup_of_accepted(more, gamma, cost), speedup_of_accepted(accepted, gamma, cost)]
    ),
    rhs=lambda accepted, gamma, cost, slower: np.array(
        [speedup_of_accepted(accepted, gamma, cost), speedup_of_accepted(accepted, gamma, slower)]
    ),
    relation=at_least,
    sources=("exact", "float"),
    tight=({"accepted": F(1), "more": F(1), "gamma": 2, "cost": F(1, 4), "slower": F(1, 2)},),
    note="S is (L̄ + 1) times a positive number, and that number falls with the draft's time. γ must be fixed: more drafts "
    "raise L̄ and can lower S.",
    printed=Printed(
        place="PAD 2, last sentence",
        text="any method that increases … directly yields more accepted tokens per verify pass and higher "
        "generation speed",
        read="At a fixed length of blocks and fixed costs; with RDK 2 on faster drafters.",
        restored=r"what is increased: $\bar L$",
    ),
)
