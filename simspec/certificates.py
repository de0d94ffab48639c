r"""How near a draft law must be to the target for its most likely token to be accepted for sure.

A criterion rejects some tokens of the target law p.  A draft law q is *certified* where its divergence from p is below the
*radius*: the least divergence of a law whose most likely token is rejected, ties included (claims ``greedy.any-set``,
``greedy.any-tv``, ``greedy.tree`` and ``greedy.tree-margin``, after Sharma 2026, arXiv 2606.30265).  A certified draft is
accepted; one that is not certified may be.

What is not here: what is accepted without a certificate (`simspec.methods.relaxed.criteria`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from simspec.laws import Array

__all__ = [
    "certified_share",
    "kl_divergence",
    "kl_radius",
    "margin_radius",
    "rejects_additive",
    "rejects_below_entropy",
    "rejects_beyond_top",
    "rejects_multiplicative",
    "tree_radius",
    "tv_radius",
]


def rejects_additive(p: Array, margin: float) -> Array:
    r"""Tokens with :math:`p(x) < p_1 - \tau`.

    Parameters
    ----------
    p : (..., V) target laws
    margin : number >= 0; the τ

    >>> rejects_additive(np.array([0.5, 0.375, 0.125]), 0.25).tolist()
    [False, False, True]
    """
    _check("margin", margin, 0, np.inf)
    return p < p.max(axis=-1, keepdims=True) - margin


def rejects_multiplicative(p: Array, factor: float) -> Array:
    r"""Tokens with :math:`p(x) < \rho\, p_1`.

    Parameters
    ----------
    p : (..., V) target laws
    factor : number in [0, 1]; the ρ

    >>> rejects_multiplicative(np.array([0.5, 0.375, 0.125]), 0.5).tolist()
    [False, False, True]
    """
    _check("factor", factor, 0, 1)
    return p < factor * p.max(axis=-1, keepdims=True)


def rejects_beyond_top(p: Array, m: int = 1) -> Array:
    """Tokens that are not among the m likeliest, the first of equals first; with m = 1 the criterion of greedy decoding.

    Parameters
    ----------
    p : (..., V) target laws
    m : integer >= 1

    >>> rejects_beyond_top(np.array([0.25, 0.5, 0.25]), 2).tolist()
    [False, False, True]
    """
    _check("m", m, 1, np.inf)
    order = np.argsort(-p, axis=-1, kind="stable")
    out = np.ones(p.shape, dtype=bool)
    np.put_along_axis(out, order[..., :m], False, axis=-1)
    return out


def rejects_below_entropy(p: Array, epsilon: float = 0.3, delta: float = 0.09) -> Array:
    r"""Tokens with :math:`p(x) < \min(\varepsilon, \delta e^{-H(p)})`: what typical acceptance rejects (Medusa).

    Parameters
    ----------
    p : (..., V) target laws
    epsilon, delta : numbers >= 0

    >>> rejects_below_entropy(np.array([0.5, 0.5, 0.0])).tolist()
    [False, False, True]
    """
    _check("epsilon", epsilon, 0, np.inf)
    _check("delta", delta, 0, np.inf)
    entropy = -(p * np.log(np.where(p > 0, p, 1))).sum(axis=-1, keepdims=True)
    return p < np.minimum(epsilon, delta * np.exp(-entropy))


def kl_radius(p: Array, rejected: Array) -> Array:
    r"""Least :math:`\mathrm{KL}(p \Vert q)`, in nats, over draft laws q whose most likely token is rejected.

    .. math:: \sum_{x \in S \cup \{b\}} p(x) \log(p(x)/c)

    with b the likeliest rejected token, c the mean of p over S and b, and S the tokens above c.  Infinite where no token is
    rejected, and 0 where one of the likeliest is.

    Parameters
    ----------
    p : (..., V) target laws
    rejected : (..., V) of bool

    Returns
    -------
    (...,) numbers >= 0

    Raises ValueError where the two have no common shape.

    Half of (3/4, 1/4) lies a quarter from each: (3/4) log(3/2) + (1/4) log(1/2).

    >>> p = np.array([0.75, 0.25])
    >>> round(float(kl_radius(p, rejects_beyond_top(p))), 6)
    0.130812
    """
    masses, members, level = _pool(p, rejected)
    ratios = np.where(members & (masses > 0), masses, level[..., None]) / np.where(level > 0, level, 1)[..., None]
    radius = (np.where(members, masses, 0) * np.log(np.where(ratios > 0, ratios, 1))).sum(axis=-1)
    return np.where(np.any(rejected, axis=-1), np.maximum(radius, 0), np.inf)


def tv_radius(p: Array, rejected: Array) -> Array:
    """Least total variation of a draft law whose most likely token is rejected: c − p(b), as in `kl_radius`.

    With greedy decoding it is half the margin.  Infinite where no token is rejected.

    >>> p = np.array([0.75, 0.25])
    >>> float(tv_radius(p, rejects_beyond_top(p)))
    0.25
    """
    masses, _, level = _pool(p, rejected)
    return np.where(np.any(rejected, axis=-1), level - masses[..., 0], np.inf)


def _pool(p: Array, rejected: Array) -> tuple[Array, Array, Array]:
    """Masses with the likeliest rejected token first and the others from the likeliest down, the pool of them, its level."""
    if p.shape != np.shape(rejected):
        raise ValueError(f"rejected: has shape {np.shape(rejected)}; expected that of p, {p.shape}")
    b = np.argmax(np.where(rejected, p, -1), axis=-1)[..., None]
    others = p.copy()
    np.put_along_axis(others, b, -1, axis=-1)
    others = -np.sort(-others, axis=-1)[..., :-1]
    masses = np.concatenate([np.take_along_axis(p, b, axis=-1), others], axis=-1)
    before = np.cumsum(masses, axis=-1)[..., :-1]
    # a token joins while it is above the mean of those before it; after the first that is not, none is
    joins = masses[..., 1:] * np.arange(1, masses.shape[-1]) > before
    members = np.concatenate([np.ones_like(b, dtype=bool), np.logical_and.accumulate(joins, axis=-1)], axis=-1)
    return masses, members, (masses * members).sum(axis=-1) / members.sum(axis=-1)


def tree_radius(p: Array, m: int) -> Array:
    r"""Least :math:`\mathrm{KL}(p \Vert q)` over draft laws whose m likeliest tokens lack the target's most likely one.

    Parameters
    ----------
    p : (..., V) target laws
    m : integer, 1 <= m < V; tokens that the drafter offers

    Raises ValueError for another m.

    Two branches on (1/2, 1/4, 1/4) leave the mean, 1/3, on all: log(3/2) / 2 + log(3/4) / 2.

    >>> round(float(tree_radius(np.array([0.5, 0.25, 0.25]), 2)), 6)
    0.058892
    """
    _check("m", m, 1, p.shape[-1] - 1)
    ranked = -np.sort(-p, axis=-1)
    pooled = np.concatenate(
        [ranked[..., :1], ranked[..., m:0:-1]], axis=-1
    )  # the first, then the next m from the least up
    before = np.cumsum(pooled, axis=-1)[..., :-1]
    joins = pooled[..., 1:] * np.arange(1, m + 1) < before
    members = np.concatenate([np.ones_like(joins[..., :1]), np.logical_and.accumulate(joins, axis=-1)], axis=-1)
    level = (pooled * members).sum(axis=-1, keepdims=True) / members.sum(axis=-1, keepdims=True)
    ratios = np.where(members & (pooled > 0), pooled / level, 1)
    return np.maximum((pooled * np.log(ratios)).sum(axis=-1), 0)


def margin_radius(delta: ArrayLike, m: int = 1) -> Array:
    r"""The part of the radius that the margin :math:`\delta = p_1 - p_2` alone certifies, for m branches.

    .. math:: \frac{(1 + m\delta)\log(1 + m\delta) + m (1 - \delta)\log(1 - \delta)}{m + 1}

    Parameters
    ----------
    delta : numbers in [0, 1]
    m : integer >= 1

    >>> bool(margin_radius(1.0, 3) == np.log(4)), float(margin_radius(0.0))
    (True, 0.0)
    """
    _check("m", m, 1, np.inf)
    margin = np.asarray(delta, dtype=float)
    _check("delta", margin, 0, 1)
    low = 1 - margin
    return ((1 + m * margin) * np.log1p(m * margin) + m * low * np.log(np.where(low > 0, low, 1))) / (m + 1)


def kl_divergence(p: Array, q: Array) -> Array:
    """KL(p‖q) in nats; infinite where q has no mass on a token of p.

    >>> round(float(kl_divergence(np.array([1.0, 0.0]), np.array([0.5, 0.5]))), 6)
    0.693147
    """
    ratio = np.where(p > 0, p, 1) / np.where(p > 0, np.where(q > 0, q, 1), 1)
    finite = (p * np.log(ratio)).sum(axis=-1)
    return np.where(np.any((p > 0) & (q <= 0), axis=-1), np.inf, np.maximum(finite, 0))


def certified_share(p: Array, q: Array, rejects: Callable[[Array], Array]) -> tuple[float, float]:
    """Share of steps whose greedy draft a KL radius certifies, and share of steps whose greedy draft is accepted.

    Parameters
    ----------
    p, q : (n, V) target and draft laws, of a bank for example (`simspec.studies.pairs.bank_laws`)
    rejects : p -> (n, V) of bool, such as `rejects_beyond_top`

    The first share is never the larger one.

    >>> p = np.array([[0.75, 0.25], [0.75, 0.25]])
    >>> q = np.array([[0.7, 0.3], [0.55, 0.45]])
    >>> certified_share(p, q, rejects_beyond_top)
    (1.0, 1.0)
    """
    rejected = rejects(p)
    drafts = np.argmax(q, axis=-1)[..., None]
    accepted = ~np.take_along_axis(rejected, drafts, axis=-1)[..., 0]
    certified = kl_divergence(p, q) < kl_radius(p, rejected)
    return float(certified.mean()), float(accepted.mean())


def _check(name: str, value: Array | float, low: float, high: float) -> None:
    if not np.all((np.asarray(value) >= low) & (np.asarray(value) <= high)):
        raise ValueError(f"{name}: {value}; expected a number from {low:g} to {high:g}")
