"""The best fixed law to add outside the shared vocabulary: how much of which token, for known contexts, computed exactly.

A drafter that cannot see the target may still put a fixed mass a_x on each token it does not share.  What that gains and
what it costs on the shared tokens are both piecewise linear and concave, so the best a is found by sorting.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from simspec import laws
from simspec.laws import Array, check_mask, check_pair, unchecked
from simspec.laws.arrays import as_array
from simspec.methods.method import Method
from simspec.methods.sd import SD

__all__ = ["StaticMixture", "static", "static_acceptance", "static_mixture"]


class StaticMixture(NamedTuple):
    """The best fixed masses outside the shared vocabulary.

    Attributes
    ----------
    extra : (V,); mass a_x put on each token, 0 on shared ones; :math:`w = \\sum_x a_x` is taken from TLI's law
    level : number
        what a little more mass would gain, and a little less would lose: the common share of contexts with p_x > a_x.
    acceptance : number; mean acceptance over the contexts
    gain : number; how much more than TLI alone
    """

    extra: Array
    level: Any
    acceptance: Any
    gain: Any


def static(shared: Array, extra: Array) -> Method:
    r"""Draft from :math:`d = (1 - w)\,q' + a`, with fixed masses a outside the shared vocabulary and w their sum.

    Parameters
    ----------
    shared : bool array (V,)
    extra : (V,); masses a, none negative, 0 on shared tokens, of sum at most 1

    Raises ValueError for an empty shared vocabulary, or masses that are negative, on shared tokens or more than 1 in
    sum.

    Own statement; `static_mixture` finds the best masses.  Pinned by claim ``rdk.static-mixture``.

    >>> static(np.array([True, False]), np.array([0, 0.25])).propose(np.array([0.5, 0.5])).tolist()
    [0.75, 0.25]
    """
    extra = as_array(extra, "extra")
    mask = check_mask(shared, extra.shape[-1])
    if extra.ndim != 1 or mask.ndim != 1:
        raise ValueError(f"extra, shared: shapes {extra.shape}, {mask.shape}; expected (V,) for both")
    rest = 1 - extra.sum()
    if not (extra >= 0).all() or (extra[mask] != 0).any() or rest < (0 if laws.is_exact(extra) else -1e-9):
        raise ValueError(f"extra: {extra!r}; expected masses >= 0 outside the shared vocabulary, at most 1 in sum")
    rest = max(rest, 0 * rest)
    return replace(SD, propose=lambda q: rest * unchecked.restrict(q, check_mask(mask, q.shape[-1])) + extra).made_by(
        static, shared, extra
    )


def static_acceptance(p: Array, q: Array, shared: Array, extra: Array) -> Any:
    """Mean acceptance over contexts of a drafter with fixed masses outside the shared vocabulary.

    >>> p = np.array([[0.5, 0.5], [1.0, 0.0]])
    >>> float(static_acceptance(p, p, np.array([True, False]), np.array([0, 0.0])))
    0.75
    """
    p, q = check_pair(p, q)
    return unchecked.overlap(p, static(shared, extra).propose(q)).sum() / (1 if p.ndim == 1 else len(p))


def static_mixture(p: Array, q: Array, shared: Array) -> StaticMixture:
    r"""The fixed masses outside the shared vocabulary of the highest mean acceptance over known contexts.

    .. math:: \max_{a \ge 0,\, w = \sum a \le 1} \frac1N \sum_n \Big[ \sum_{x \in I} \min(p^n_x, (1-w) q'^n_x)
              + \sum_{x \notin I} \min(p^n_x, a_x) \Big]

    Every a_x is the same upper quantile of its p_x over the contexts: each further unit of mass gains the share of
    contexts with p_x > a_x and costs the mass of q' that is wanted on the shared tokens.

    Parameters
    ----------
    p, q : laws (N, V); targets and drafts of N contexts
    shared : bool array (V,)

    Raises ValueError for p and q that are no laws of one shape, or an empty shared vocabulary.

    Own statement; O(N V log(N V)) operations, exact on fractions.  Pinned by claim ``rdk.static-mixture``, which also says
    that no other masses do better.

    Two contexts of one shared token; the other is wanted half of the time in one of them, so putting mass on it gains
    in one context what it costs in both:

    >>> p = np.array([[0.5, 0.5], [1.0, 0.0]])
    >>> static_mixture(p, p, np.array([True, False])).extra.tolist()
    [0.0, 0.0]
    >>> static_mixture(p[:1], p[:1], np.array([True, False])).extra.tolist()
    [0.0, 0.5]
    """
    p, q = check_pair(p, q)
    p = np.atleast_2d(p)
    q = np.atleast_2d(q)
    if p.ndim != 2 or p.shape != q.shape or not len(p):
        raise ValueError(f"p, q: shapes {p.shape}, {q.shape}; expected (N, V) for both, of at least one context")
    mask = check_mask(shared, p.shape[-1])
    if mask.ndim != 1:
        raise ValueError(f"shared: shape {mask.shape}; expected one element per token, ({p.shape[-1]},)")
    inside = p[:, mask]
    outside = p[:, ~mask]
    drafted = unchecked.restrict(q, mask)[:, mask]
    contexts = len(p)
    ranked = np.sort(outside, axis=0)  # row k: mass that k + 1 contexts want no more of
    full = np.concatenate([[0 * p[0, 0]], ranked.sum(axis=-1)])  # weight at which the rows 0 … k - 1 are full
    free = 1 - unchecked.ratio(inside, drafted, otherwise=0 * inside + 1)  # weight up to which none is missed
    order = np.argsort(free, axis=None, kind="stable")
    starts = free.ravel()[order]
    cost = np.cumsum(np.concatenate([[drafted[0, 0] * 0], drafted.ravel()[order]]))
    stops = np.sort(np.concatenate([full, starts, [full[0]]]))
    stops = stops[(stops >= 0) & (stops <= 1)]
    gains = contexts - np.searchsorted(full[1:], stops, side="right")  # contexts that want more, beyond each stop
    costs = cost[np.searchsorted(starts, stops, side="right")]
    weight = stops[np.argmax(gains <= costs)] if (gains <= costs).any() else stops[-1]
    extra = 0 * p[0]
    extra[~mask] = _filled(ranked, full, weight)
    # the level lies between the slopes on both sides of the weight found
    before = cost[np.searchsorted(starts, weight, side="left")] if weight > 0 else weight
    after = contexts - int(np.searchsorted(full[1:], weight, side="right")) + 0 * before
    level = max(before, after) / contexts
    acceptance = static_acceptance(p, q, mask, extra)
    return StaticMixture(extra, level, acceptance, acceptance - static_acceptance(p, q, mask, extra * 0))


def _filled(ranked: Array, full: Array, weight: Any) -> Array:
    """Masses of a given sum: whole rows of ranked masses first, then a part of the next."""
    row = int(np.searchsorted(full, weight, side="right")) - 1
    if row >= len(ranked):
        return ranked[-1]
    low = ranked[row - 1] if row else ranked[0] * 0
    return low + (weight - full[row]) / (full[row + 1] - full[row]) * (ranked[row] - low)
