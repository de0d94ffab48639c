r"""Speculative decoding against a target that is made of both laws: static ensembles and speculative cascades.

The output law is that target π, and a draft is refused with probability :math:`\mathrm{TV}(\pi, q)` (claim
``relaxed.cascade-law``).

Sources: Wang et al. 2026 (arXiv 2604.07622); Narasimhan et al. 2024 (arXiv 2405.19261), restored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.laws import Array, Scalar, unchecked
from simspec.methods.ears.relaxed import mixture
from simspec.methods.method import Method
from simspec.methods.parameters import check_number, number

__all__ = ["cascade", "ensemble", "opt_law", "tok3_law"]


def ensemble(weight: Scalar) -> Method:
    r"""Speculative decoding against :math:`w p + (1 - w) q`: `mixture` of 1 − w, as its paper counts.

    Parameters
    ----------
    weight : number in [0, 1]; 1 is speculative decoding, 0 accepts every draft

    Raises ValueError for a weight outside [0, 1].

    >>> from simspec.methods import acceptance_rate, tv
    >>> p, q = np.array([1.0, 0.0]), np.array([0.5, 0.5])
    >>> float(acceptance_rate(ensemble(0.5), p, q)), float(tv(ensemble(0.5), p, q))
    (0.75, 0.25)
    """
    check_number("weight", weight, lambda v: 0 <= v <= 1, "a weight between 0 and 1")
    return mixture(1 - weight)


def opt_law(p: Array, q: Array, alpha: Scalar) -> Array:
    r"""The target of `OPT`: p where :math:`\max q < \max p - a\,\mathrm{TV}(p, q)`, else q.

    Parameters
    ----------
    p, q : laws (..., V)
    alpha : number >= 0; what deferring to the target costs

    >>> opt_law(np.array([1.0, 0.0]), np.array([0.5, 0.5]), 0.5).tolist()  # 0.5 < 1 - 0.25
    [1.0, 0.0]
    """
    defer = q.max(axis=-1) < p.max(axis=-1) - number(alpha, p) * unchecked.tv(p, q)
    return np.where(np.asarray(defer)[..., None], p, q)


def tok3_law(p: Array, q: Array, alpha: Scalar) -> Array:
    r"""The target of `Tok3`: q on :math:`T = \{v : p(v) \ge (1 - a) \max p\}`, and p with the mass that q has elsewhere.

    Parameters
    ----------
    p, q : laws (..., V)
    alpha : number in [0, 1]; 1 is q

    >>> tok3_law(np.array([0.5, 0.25, 0.25]), np.array([0.5, 0.5, 0.0]), 0.25).tolist()
    [0.75, 0.125, 0.125]
    """
    good = p >= (1 - number(alpha, p)) * p.max(axis=-1, keepdims=True)
    return np.where(good, q, 0) + np.where(good, 0, q).sum(axis=-1, keepdims=True) * p


def cascade(alpha: Scalar, target: Callable[[Array, Array, Any], Array] = tok3_law) -> Method:
    r"""Speculative decoding against `opt_law` or `tok3_law`: keep :math:`\min(q, \pi)`, then :math:`\mathrm{norm}((\pi - q)_+)`.

    Parameters
    ----------
    alpha : number in [0, 1]; 0 is greedy for `tok3_law`, and the most deferring for `opt_law`
    target : (p, q, alpha) -> law

    Raises ValueError for an alpha outside [0, 1].

    >>> from simspec.methods import output_law
    >>> output_law(cascade(0.25), np.array([0.5, 0.25, 0.25]), np.array([0.5, 0.5, 0.0])).tolist()
    [0.75, 0.125, 0.125]
    """
    check_number("alpha", alpha, lambda v: 0 <= v <= 1, "a number between 0 and 1")

    def residual(p: Array, d: Array) -> Array:
        cascade_law = target(p, d, alpha)
        return unchecked.normalise(np.maximum(cascade_law - d, 0), otherwise=cascade_law)

    return Method(propose=_same, accept=lambda p, d: np.minimum(d, target(p, d, alpha)), residual=residual).made_by(
        cascade, alpha, target
    )


def _same(q: Array) -> Array:
    return q
