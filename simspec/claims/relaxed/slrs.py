"""Rejection sampling of strings across vocabularies is lossless and accepts more often than matching.

`relaxed.slrs`: 2502.05202 (restored).
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, law, swapped
from simspec.claims.relaxed.slem import TARGET, TEXTS
from simspec.laws import overlap
from simspec.methods.relaxed import first_tokens, slrs

__all__ = ["psi"]


def _instance(draw: Draw) -> Instance:
    return {"p": draw.law(2), "drafts": draw.law(len(TEXTS))}


def psi(drafts: Array) -> Array:
    """Law of the first token of the text."""
    return first_tokens(list(zip(drafts, TEXTS, strict=True)), TARGET)


def _found(p: Array, drafts: Array) -> Array:
    """Output law, its negative; acceptance twice, once negative."""
    rate, out = slrs(p, list(zip(drafts, TEXTS, strict=True)), TARGET)
    return np.concatenate([out, -out, [rate, -rate, rate]])


def _told(p: Array, drafts: Array) -> Array:
    shared_mass = overlap(p, psi(drafts))
    return np.concatenate([p, -p, [shared_mass, -shared_mass, (p * psi(drafts)).sum()]])


SLRS = bound(
    name="relaxed.slrs",
    statement=r"SLRS is lossless on one token; its acceptance $\sum_t \min(p(t), \psi(t))$ is at least the $\sum_t p(t) "
    r"\psi(t)$ of SLEM",
    reference="Timor et al. 2025 (arXiv 2502.05202, restored)",
    instances=_instance,
    relation=at_least,
    lhs=_found,
    rhs=_told,
    tight=({"p": law(1, 0), "drafts": law("1/2", "1/2", 0)},),
    sources=("exact",),
    broken=[swapped()],
)
