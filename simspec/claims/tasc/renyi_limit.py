"""Rényi's entropy tends to Shannon's as its order tends to one, at a known rate.

`tasc.renyi-limit`: TASC, Appendix E, with how fast the limit is reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, law, rate
from simspec.claims.balls import ball, log, power
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import shannon


def _orders(draw: Draw) -> Instance:
    """A law, and an order that is not one, on either side of it."""
    order = draw.number("1/4", 3)
    return {"p": draw.law(draw.vocab()), "order": F(2) if order == 1 else order}


def _mass(p: Array, order: F) -> Any:
    """Σ p^α over the outcomes of positive probability."""
    return sum((ball(power(x, order)) for x in p.tolist() if x), ball(0))


def _falls(p: Array, order: F) -> Array:
    """How far the entropy of the order falls short of Shannon's, for each unit of the order above one; less, and itself."""
    short = (shannon(p) - _mass(p, order).log() / ball(1 - order)) / ball(order - 1)
    return np.array([-short, short], dtype=object)


def _room(p: Array, order: F) -> Array:
    smallest_power = min(order - 1, F(0))  # p^(α − 1) is at least one below α = 1, at most one above it
    terms = (ball(x) * ball(power(x, smallest_power)) * ball(log(x)) * ball(log(x)) for x in p.tolist() if x)
    square = sum(terms, ball(0))
    return np.array([ball(0), square / 2], dtype=object)


RENYI_LIMIT = rate(
    name="tasc.renyi-limit",
    statement=r"$\lim_{\alpha \to 1} H_\alpha(p)$ is Shannon's entropy $H$: for every law and every $\alpha \ne 1$, $0 \le "
    r"\frac{H - H_\alpha}{\alpha - 1} \le \frac12 \sum_x p_x \max(1, p_x^{\alpha - 1}) \log^2 p_x$",
    reference="TASC, Appendix E",
    instances=_orders,
    lhs=_falls,
    rhs=_room,
    sources=("exact",),
    tight=({"p": law("1/2", "1/2"), "order": F(2)},),
    note="The right side stays finite as α → 1, so that the gap falls like α - 1. It is nought for uniform laws, whose entropies "
    "of all orders agree. Over outcomes of probability nought, which 0^0 would count at α = 0, nothing is summed.",
    printed=Printed(
        place="TASC, App. E",
        text="converges to Shannon’s entropy",
        read="From both sides, with the rate.",
        restored=r"what converges: the limit of $H_\alpha(p)$ at $\alpha = 1$",
    ),
    broken=[Broken("a quarter of the bound", lambda claim: {"rhs": lambda p, order: claim.rhs(p, order) / 4})],
)
