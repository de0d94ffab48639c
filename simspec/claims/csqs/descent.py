"""The threshold of C-SQS is online gradient descent on a convex function.

`csqs.descent`: the threshold of C-SQS as online gradient descent, and what it descends (own).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, bound
from simspec.claims.csqs.parts import ONE, OWN, number, steps
from simspec.laws import Scalar
from simspec.methods.csqs.conformal import draft_thresholds

__all__ = ["potential"]


def potential(q: Array, beta: Array, dropped_target: Scalar) -> Any:
    """F(β) of each law: convex and piecewise linear, its slope the mass dropped at β less the target.

    >>> from simspec.claims.authoring import law
    >>> print(*potential(np.stack([law("3/4", "1/4")]), F(1, 2), F(1, 8)))
    0
    """
    beta = np.asarray(beta)
    return (q * np.maximum(beta[..., None] - q, 0)).sum(axis=-1) - dropped_target * beta


def _against(draw: Draw) -> Instance:
    return {**steps(draw), "threshold": number(draw, 0, 2) - draw.integer(0, 1)}


def _regret(q: Array, start: Scalar, step_size: Scalar, dropped_target: Scalar, threshold: Scalar) -> Array:
    betas = draft_thresholds(q, start, step_size, dropped_target, False).thresholds
    path_potential = potential(q, betas[:-1], dropped_target)
    return (path_potential - potential(q, np.full_like(betas[:-1], threshold), dropped_target)).cumsum()


def _bound(q: Array, start: Scalar, step_size: Scalar, dropped_target: Scalar, threshold: Scalar) -> Array:
    run = draft_thresholds(q, start, step_size, dropped_target, False)
    thresholds: Array = run.thresholds[1:]
    excess: Array = run.dropped - dropped_target
    square_before: Array = np.asarray((start - threshold) ** 2)
    distance_moved: Array = square_before - (thresholds - threshold) ** 2
    return (distance_moved / step_size + step_size * (excess**2).cumsum()) / 2


DESCENT = bound(
    name="csqs.descent",
    statement=r"Read literally, Eq. 8 is a step of gradient descent on the convex $F_n(\beta) = \sum_x q_n(x) (\beta - "
    r"q_n(x))_+ - \alpha\beta$: for every $T$ and every fixed $\beta$, $\sum_{n \le T} \big(F_n(\beta_n) - F_n(\beta)\big) \le "
    r"\frac{(\beta_1 - \beta)^2 - (\beta_{T+1} - \beta)^2}{2\eta} + \frac\eta2 \sum_{n \le T} (\alpha_n - \alpha)^2$",
    reference=f"{OWN}: regret of Eq. 8 against any fixed threshold",
    instances=_against,
    lhs=_regret,
    rhs=_bound,
    tight=({"q": ONE, "start": F(1, 2), "step_size": F(1), "dropped_target": F(1, 2), "threshold": F(3, 4)},),
    note="Equality as long as no probability lies between β and the thresholds. F weighs each token that is dropped by its "
    "mass times the distance to the threshold; it does not count tokens, whose Lagrangian Σ min(1, λq) − λα is the dual in "
    "λ = 1/β. So a small regret in F says nothing of tokens: csqs.tokens-lost.",
    broken=[
        Broken(
            "half of the step size",
            lambda claim: {"rhs": lambda **run: claim.rhs(**{**run, "step_size": run["step_size"] / 2})},
        ),
        Broken(
            "the target of the dropped mass is zero",
            lambda claim: {"lhs": lambda **run: claim.lhs(**{**run, "dropped_target": F(0)})},
        ),
    ],
)
