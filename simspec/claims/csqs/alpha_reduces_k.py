"""`csqs.alpha-reduces-k`, with its correction: SQS 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.csqs.parts import both, number, steps
from simspec.claims.words import Array, Draw, F, Instance, at_most, bound, identity, law
from simspec.methods.csqs.conformal import draft_thresholds


def _two_targets(draw: Draw) -> Instance:
    drawn = dict(steps(draw))
    more = drawn["dropped_target"] + number(draw, 0, "1/8")
    return {**drawn, "larger_target": more}


def _sizes(q: Array, start: Any, step_size: Any, target: Any) -> Array:
    """Tokens kept at each position, in both readings of an empty set."""
    return both(lambda top: draft_thresholds(q, start, step_size, target, top).masks.sum(axis=-1))


def _second(q: Array, start: Any, step_size: Any, target: Any) -> Array:
    return both(lambda top: draft_thresholds(q, start, step_size, target, top).thresholds[1])


LARGER = "the second target is at least the first"

PATH = bound(
    name="csqs.alpha-reduces-k.path",
    statement=r"A larger target $\alpha$ makes it possible to reduce $K$: along every text no more tokens are kept at any "
    "position, whatever the step size",
    reference="SQS 3",
    instances=_two_targets,
    assumes={LARGER: lambda dropped_target, larger_target: larger_target >= dropped_target},
    lhs=lambda q, start, step_size, larger_target: _sizes(q, start, step_size, larger_target),
    rhs=lambda q, start, step_size, dropped_target: _sizes(q, start, step_size, dropped_target),
    relation=at_most,
    sources=("exact",),
    outside={
        LARGER: {
            "q": np.stack([law("1/2", "1/2")] * 2),
            "start": F(0),
            "step_size": F(1),
            "dropped_target": F(3, 4),
            "larger_target": F(1, 4),
        }
    },
    corrected_by=("csqs.alpha-reduces-k.path-corrected",),
    note="A higher threshold drops more, and what it drops lowers the next threshold by η times that: where a token lies between "
    "the two thresholds, the order of the paths can turn round.",
)

PATH_CORRECTED = identity(
    name="csqs.alpha-reduces-k.path-corrected",
    statement=r"The first update keeps the order: $\beta_2$ is larger by $\eta$ times the difference of the targets",
    reference="correction of SQS 3",
    instances=_two_targets,
    lhs=lambda q, start, step_size, dropped_target, larger_target: (
        _second(q, start, step_size, larger_target) - _second(q, start, step_size, dropped_target)
    ),
    rhs=lambda step_size, dropped_target, larger_target: step_size * (larger_target - dropped_target),
    sources=("exact",),
)
