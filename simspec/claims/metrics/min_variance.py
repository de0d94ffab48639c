"""`metrics.min-variance`: vLLM, `_acceptance_length_to_rates`."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Draw, Instance, at_least, identity, law
from simspec.claims.metrics.parts import mean_length
from simspec.methods.counters import least_variance_rates


def _lengths(draw: Draw) -> Instance:
    return {"w": draw.law(draw.integer(2, 5))}


def _of_rates(rates: list[Any]) -> Any:
    """Variance of a count with these position rates: its square is the sum of the first odd numbers."""
    mean = sum(rates)
    return sum((2 * i - 1) * m for i, m in enumerate(rates, 1)) - mean * mean


MIN_VARIANCE = identity(
    name="metrics.min-variance",
    statement=r"Among laws of $a_s$ on $\{0, \dots, \gamma\}$ with mean $L - 1$, the one with rates $(1, \dots, 1, "
    r"\mathrm{frac}, 0, \dots)$ has the smallest variance",
    reference="vLLM, _acceptance_length_to_rates (2026)",
    instances=_lengths,
    lhs=lambda w: (w * np.arange(len(w)) ** 2).sum() - (mean_length(w) - 1) ** 2,
    rhs=lambda w: _of_rates(least_variance_rates(mean_length(w), len(w) - 1)),
    relation=at_least,
    sources=("exact",),
    tight=({"w": law("1/2", "1/2")}, {"w": law(0, 1, 0)}),
    note="No whole number lies between k and k + 1, so (a − k)(a − k − 1) ≥ 0: the variance is at least f (1 − f) with f the "
    "fraction of L. A real run has more: one that accepts all or nothing has the most.",
)
