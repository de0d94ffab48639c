"""`csqs.direction`: SQS, after Eq. 8."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Draw, F, Instance, bound, law
from simspec.claims.claim import Printed
from simspec.claims.csqs.parts import both, number
from simspec.claims.sqs.parts import few
from simspec.methods.sqs.quantised import dropped_mass, threshold_mask


def _two(draw: Draw) -> Instance:
    q = few(draw.law(draw.vocab()))
    top = F(3, 2) if draw.exact else float(q.max())
    low = number(draw, 0, 1) * top
    return {"q": q, "low": low, "high": low + number(draw, 0, 1) * top}


DIRECTION = bound(
    name="csqs.direction",
    statement=r"For $\beta \le \beta'$: $|X(\beta')| \le |X(\beta)|$ and the mass dropped at $\beta'$ is no less than at $\beta$",
    reference="SQS, after Eq. 8",
    instances=_two,
    assumes={"β' is at least β": lambda low, high: high >= low},
    lhs=lambda q, low, high: both(
        lambda top: np.stack([threshold_mask(q, high, top).sum(axis=-1), dropped_mass(q, threshold_mask(q, low, top))])
    ),
    rhs=lambda q, low, high: both(
        lambda top: np.stack([threshold_mask(q, low, top).sum(axis=-1), dropped_mass(q, threshold_mask(q, high, top))])
    ),
    tight=({"q": law(1), "low": F(1), "high": F(1)},),
    outside={"β' is at least β": {"q": law("1/4", "3/4"), "low": F(1, 2), "high": F(0)}},
    note="X(β') ⊆ X(β). Keep-top: an empty X(β') becomes the most likely token, which a non-empty X(β) holds too.",
    printed=Printed(
        place="SQS 3, after Eq. 8",
        text="the retained support of the distribution is too small and one needs to decrease the threshold. "
        "Conversely, one can increase the threshold.",
        read="A higher threshold keeps no more tokens and drops no less mass.",
    ),
)
