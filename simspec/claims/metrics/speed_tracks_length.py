"""The larger acceptance length has the larger speed-up.

`metrics.speed-tracks-length`, with its correction: vLLM #39359.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Draw, F, Instance, at_least, bound, broken
from simspec.laws import Scalar
from simspec.methods import speedup_of_accepted


def _any_two(draw: Draw) -> Instance:
    gamma = draw.integer(1, 4)
    other_gamma = draw.integer(1, 4)
    share = draw.number("1/8", 1) if draw.exact else draw.number(0.125, 1)
    length = 1 + gamma * share
    shorter = 1 + min(gamma * share, other_gamma) * (draw.number(0, "7/8") if draw.exact else draw.number(0, 0.875))
    costs = {"cost": draw.number(0, 1), "other_cost": draw.number(0, 1)}
    return {"length": length, "shorter": shorter, "gamma": gamma, "other": other_gamma, **costs}


def _no_slower(draw: Draw) -> Instance:
    instance = dict(_any_two(draw))
    time = instance["gamma"] * instance["cost"]
    other_time = instance["other"] * instance["other_cost"]
    return instance if time <= other_time else instance | {"other_cost": time / instance["other"]}


def _speed(length: Scalar, gamma: int, cost: Scalar) -> Any:
    return speedup_of_accepted(length - 1, gamma, cost)


LONGER = "its acceptance length is larger"
NO_SLOWER = "its steps take no longer"
SLOW = {"length": F(2), "shorter": F(3, 2), "gamma": 1, "cost": F(1), "other": 1, "other_cost": F(0)}
SHORT = {"length": F(1), "shorter": F(2), "gamma": 1, "cost": F(0), "other": 1, "other_cost": F(0)}
CONDITION = {LONGER: lambda length, shorter: length > shorter}

SPEED_TRACKS_LENGTH = bound(
    name="metrics.speed-tracks-length",
    statement=r"Over all $\gamma$ and costs: the larger $AL$ has the larger speed-up",
    reference="vLLM #39359",
    instances=_any_two,
    assumes=CONDITION,
    lhs=lambda length, gamma, cost: _speed(length, gamma, cost),
    rhs=lambda shorter, other, other_cost: _speed(shorter, other, other_cost),
    relation=at_least,
    sources=("exact", "float"),
    outside={LONGER: SHORT},
    against=(SLOW,),
    corrected_by=("metrics.speed-tracks-length-corrected",),
    note="AL never falls when drafts are added, and the speed does: it is AL over the time of a step, γc + 1 target calls.",
)

SPEED_TRACKS_LENGTH_CORRECTED = bound(
    name="metrics.speed-tracks-length-corrected",
    statement=r"The larger $AL$ has the larger speed-up where a step takes no longer: $\gamma c \le \gamma' c'$; in general the "
    r"speed-up is $AL/(\gamma c + 1)$",
    reference="correction of vLLM #39359",
    instances=_no_slower,
    assumes=CONDITION | {NO_SLOWER: lambda gamma, cost, other, other_cost: gamma * cost <= other * other_cost},
    lhs=lambda length, gamma, cost: _speed(length, gamma, cost),
    rhs=lambda shorter, other, other_cost: _speed(shorter, other, other_cost),
    relation=at_least,
    sources=("exact",),
    outside={LONGER: SHORT, NO_SLOWER: SLOW},
    broken=[broken("a draft costs as much as a target step", lhs=lambda length, gamma, cost: length / (1 + gamma))],
)
