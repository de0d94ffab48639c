"""A cascade emits its own target and refuses drafts by total variation from it.

`relaxed.cascade-law`: 2405.19261.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity
from simspec.claims.relaxed.parts import pair
from simspec.laws import Scalar, tv
from simspec.methods import acceptance_rate, output_law
from simspec.methods.relaxed import cascade, opt_law, tok3_law

__all__ = ["aim"]

TARGETS = (tok3_law, opt_law)


def _instance(draw: Draw) -> Instance:
    return {**pair(draw), "alpha": draw.number(0, 1), "kind": draw.integer(0, 1)}


def _emitted(p: Array, q: Array, alpha: Scalar, kind: int) -> Array:
    """Output law of the cascade, and its probability of a rejection."""
    rule = cascade(alpha, TARGETS[kind])
    return np.append(output_law(rule, p, q), 1 - acceptance_rate(rule, p, q))


def aim(p: Array, q: Array, alpha: Scalar, kind: int) -> Array:
    """The target that is made of both laws."""
    return TARGETS[kind](p, q, alpha)


def _aimed(p: Array, q: Array, alpha: Scalar, kind: int) -> Array:
    aimed_law = aim(p, q, alpha, kind)
    return np.append(aimed_law, tv(aimed_law, q))


CASCADE_LAW = identity(
    name="relaxed.cascade-law",
    statement=r"A cascade emits its target $\pi$ and refuses a draft with probability $\mathrm{TV}(\pi, q)$: `OPT` and "
    r"`Tok3`",
    reference="Narasimhan et al. 2024 (arXiv 2405.19261; targets restored)",
    instances=_instance,
    lhs=_emitted,
    rhs=_aimed,
    sources=("exact",),
    broken=[broken("the target distribution", rhs=lambda p, q: np.append(p, tv(p, q)))],
)
