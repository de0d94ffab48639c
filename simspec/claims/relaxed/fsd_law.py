"""Fuzzy speculative decoding emits the draft distribution where it is close, and else the target's.

`relaxed.fsd-law` in two readings, with a correction: 2502.20704.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, broken, identity, law
from simspec.claims.relaxed.parts import pair
from simspec.laws import Scalar, normalise, tv
from simspec.methods import SD, Method, output_law
from simspec.methods.relaxed import fuzzy

__all__ = ["by_tv"]

PAPER = "Holsman et al. 2025 (arXiv 2502.20704)"


def _instance(draw: Draw) -> Instance:
    return {**pair(draw), "threshold": draw.number(0, 1)}


def by_tv(threshold: Scalar, residual: bool = False) -> Method:
    """FSD by total variation, a divergence that is a fraction."""
    return fuzzy(threshold, tv, SD.residual) if residual else fuzzy(threshold, tv)


def _told(p: Array, q: Array, threshold: Scalar) -> Array:
    """q where the divergence is at most T, p elsewhere."""
    return q if tv(p, q) <= threshold else p


FSD_TARGET = identity(
    name="relaxed.fsd-law.target",
    statement=r"FSD, replacement from $p$: the output law is $q$ where the divergence is at most $T$, and $p$ elsewhere",
    reference=PAPER,
    instances=_instance,
    lhs=lambda p, q, threshold: output_law(by_tv(threshold), p, q),
    rhs=_told,
    sources=("exact",),
    note="Decided by total variation as the divergence, for which the side taken is a fraction's; the proof knows only which "
    "side it is.",
    broken=[broken("the target distribution", rhs=lambda p: p)],
)

FSD_RESIDUAL = identity(
    name="relaxed.fsd-law.residual",
    statement=r"FSD, replacement from $\mathrm{norm}((p - q)_+)$: the output law is $q$ where the divergence is at most "
    r"$T$, and $p$ elsewhere",
    reference=PAPER,
    instances=_instance,
    lhs=lambda p, q, threshold: output_law(by_tv(threshold, residual=True), p, q),
    rhs=_told,
    sources=("exact",),
    corrected_by=("relaxed.fsd-law.residual-corrected",),
    within=({"p": law("1/2", "1/2"), "q": law("1/3", "2/3"), "threshold": F(0)},),
    note="The residual of speculative decoding repairs a rule that keeps min(p, q); here nothing is kept.",
)

FSD_RESIDUAL_CORRECTED = identity(
    name="relaxed.fsd-law.residual-corrected",
    statement=r"The output law is $q$ where the divergence is at most $T$, and $\mathrm{norm}((p - q)_+)$ elsewhere",
    reference="correction of " + PAPER,
    instances=_instance,
    lhs=lambda p, q, threshold: output_law(by_tv(threshold, residual=True), p, q),
    rhs=lambda p, q, threshold: q if tv(p, q) <= threshold else normalise(np.maximum(p - q, 0), otherwise=p),
    sources=("exact",),
    broken=[broken("the residual of speculative decoding", rhs=lambda p, q: SD.residual(p, q))],
)
