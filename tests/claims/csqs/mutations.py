"""The formulas of csqs.* claims, broken on purpose: each change must refute its claim."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np

from simspec.claims.csqs.parts import steps
from tests.claims.cases import broken, get, shifted, swapped


def _scaled(name, factor):
    rhs = get(name).rhs
    names = rhs.__code__.co_varnames[: rhs.__code__.co_argcount]
    return lambda **instance: rhs(**{n: instance[n] for n in names}) * factor


def _small_range(step_size, dropped_target):
    return np.array([[step_size * (1 - dropped_target)], [F(1)]])


def _without(value):
    """A right side with the term of β₁ and η taken out."""
    return lambda **instance: value(**{**instance, "start": 0 * instance["start"]})


MUTATIONS = [
    shifted("csqs.alpha-reduces-k.average-corrected", 1),
    broken(
        "csqs.paper-range",
        rhs=lambda **x: get("csqs.paper-range").rhs(**x) - F(1, 10**6) * get("csqs.paper-range").rhs(**x),
    ),
    shifted("csqs.alpha-reduces-k.path-corrected", F(1, 100)),
    shifted("csqs.step-size", F(1, 4)),
    broken("csqs.lowest-threshold", rhs=lambda start: np.array([-min(start, F(1, 10))] * 2)),
    broken("csqs.largest-excess", rhs=lambda start, step_size: max(start, 0) / step_size),
    broken("csqs.two-sided", assumes={}, instances=steps),
    broken("csqs.two-sided", rhs=lambda q, step_size: 1 / (4 * step_size * np.arange(1, len(q) + 1))),
    broken("csqs.two-sided-best-start", rhs=lambda q, step_size: 1 / (2 * step_size * np.arange(1, len(q) + 1))),
    broken("csqs.two-sided-keep-top", assumes={}, instances=steps),
    broken("csqs.budget-rule", rhs=_scaled("csqs.budget-rule", F(1, 2))),
    broken("csqs.budget-rule-keep-top", rhs=_scaled("csqs.budget-rule-keep-top", F(1, 2))),
    broken("csqs.fixed-optimal", rhs=lambda kept: kept.sum() - 1),
    broken("csqs.best-fixed-threshold", **swapped("csqs.best-fixed-threshold")),
    broken("csqs.best-fixed-optimal", rhs=lambda kept: kept.sum() - 1),
    broken("csqs.adaptive-against-fixed", **swapped("csqs.adaptive-against-fixed")),
    broken("csqs.direction", **swapped("csqs.direction")),
    broken("csqs.telescoping-corrected", rhs=get("csqs.telescoping").rhs),
    broken("csqs.step", rhs=lambda step_size: step_size * np.array([[F(3, 4)], [F(3, 4)]])),
    broken(
        "csqs.step-sharp",
        rhs=lambda q, step_size, dropped_target: step_size * (1 - F(2, q.shape[-1]) - dropped_target) + 0 * q[0, 0],
    ),
    broken(
        "csqs.threshold-range.any-start-corrected", rhs=_without(get("csqs.threshold-range.any-start-corrected").rhs)
    ),
    broken("csqs.threshold-range.any-start-corrected", rhs=get("csqs.threshold-range.any-start").rhs),
    broken("csqs.threshold-range.literal", rhs=_small_range),
    broken("csqs.threshold-range.literal", assumes={}, instances=steps),
    broken("csqs.threshold-range.literal", lhs=get("csqs.threshold-range.keep-top").lhs),
    broken("csqs.threshold-range.literal-sharp", rhs=lambda start: np.array([-min(start, 0)] * 2)),
    broken("csqs.threshold-range.keep-top-sharp", assumes={}, instances=steps),
    broken(
        "csqs.threshold-range.keep-top-sharp",
        rhs=lambda start, step_size, dropped_target: max(start, F(1, 4) + step_size * dropped_target),
    ),
    broken("csqs.beyond-one-corrected", assumes={}, instances=lambda draw: {"q": draw.law(2), "threshold": F(1, 2)}),
    broken("csqs.sum-bound", rhs=lambda q, dropped_target: dropped_target * np.arange(1, len(q) + 1)),
    broken("csqs.average-dropped-corrected", assumes={}, instances=steps),
    broken("csqs.average-dropped-sharp", rhs=lambda dropped_target: dropped_target),
    broken("csqs.average-dropped-sharp", rhs=_without(get("csqs.average-dropped-sharp").rhs)),
    broken("csqs.asymptotic", rhs=lambda dropped_target: dropped_target),
    broken("csqs.asymptotic-sharp", assumes={}, instances=lambda draw: {**steps(draw), "keep_top": True}),
    broken("csqs.sqrt-rate", rhs=lambda root, start, c, d: get("csqs.sqrt-rate").rhs(root, start, c, d) / 2),
    broken("csqs.checkpoint-corrected", lhs=get("csqs.checkpoint").lhs),
    broken("csqs.budget-minimax", rhs=lambda dropped: F(1, len(dropped))),
    broken("csqs.descent", rhs=lambda **run: get("csqs.descent").rhs(**{**run, "step_size": run["step_size"] / 2})),
    broken("csqs.descent", lhs=lambda **run: get("csqs.descent").lhs(**{**run, "dropped_target": F(0)})),
    shifted("csqs.tokens-lost", -F(1, 8)),
    broken("csqs.tokens-lost", rhs=lambda first, kept: F(kept.shape[1] * first)),
]
