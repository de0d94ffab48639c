r"""What a rule can cost that accepts up to c times the target's mass of each token: from its accepted mass alone.

A rule accepts mass k(x) of token x.  Its *overshoot* c is the largest k(x)/p(x); speculative decoding has c ≤ 1.  With the best
residual law its output is at total variation at most (1 − 1/c) Σ k from the target, with fresh draws from the target at most
K (1 − K/c), K = Σ k.  Both are attained.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.laws import Array, Scalar

__all__ = ["fresh_bound", "least_tv", "overshoot", "overshoot_bound"]


def overshoot(accepted: Array, p: Array) -> Any:
    r"""Largest :math:`k(x)/p(x)` over tokens with accepted mass; infinite where one has no target mass, 0 without any.

    Parameters
    ----------
    accepted : masses (V,); k
    p : law (V,)

    Raises ValueError for masses that are negative or of another shape.

    >>> overshoot(np.array([0.75, 0.0]), np.array([0.5, 0.5]))
    1.5
    """
    if np.shape(accepted) != np.shape(p) or (accepted < 0).any():
        raise ValueError(f"accepted: {accepted}; expected a mass that is not negative for each of {len(p)} tokens")
    pairs = [(k, mass) for k, mass in zip(accepted.tolist(), p.tolist(), strict=True) if k > 0]
    return max((k / mass if mass > 0 else np.inf for k, mass in pairs), default=0 * p[0])


def least_tv(accepted: Array, p: Array) -> Any:
    r"""Total variation from the target with the best residual law, :math:`\sum_x (k(x) - p(x))_+`.

    Claim ``relaxed.optimal-residual``.

    >>> least_tv(np.array([0.75, 0.0]), np.array([0.5, 0.5]))
    np.float64(0.25)
    """
    return np.maximum(accepted - p, 0).sum(axis=-1)


def overshoot_bound(c: Scalar, acceptance: Scalar = 1) -> Any:
    r"""Largest total variation of a rule with :math:`k \le c\,p` and the best residual: :math:`(1 - 1/c)\,\sum k`; 0 for c ≤ 1.

    Parameters
    ----------
    c : number >= 0; the overshoot, accepted/p at most
    acceptance : number in [0, 1]; Σ k, 1 where it is not known

    Raises ValueError for numbers outside these ranges.  Claim ``process.overshoot``.

    >>> overshoot_bound(1.5, 0.75)
    0.25
    """
    _check(c, acceptance)
    return (1 - 1 / c) * acceptance if c > 1 else 0 * acceptance


def fresh_bound(c: Scalar, acceptance: Scalar) -> Any:
    r"""The same where a rejected draft is replaced by a draw from the target itself: :math:`K (1 - K/c)`, :math:`K = \sum k`.

    Parameters and errors as in `overshoot_bound`, with c ≥ K, which every rule has.  Claim ``process.overshoot.fresh``.

    >>> fresh_bound(1.5, 0.75)
    0.375
    """
    _check(c, acceptance)
    if c < acceptance:
        raise ValueError(f"c: {c}; expected at least the acceptance {acceptance}, as the mean of k/p under p is")
    return acceptance * (1 - acceptance / c) if c > 0 else 0 * acceptance


def _check(c: Scalar, acceptance: Scalar) -> None:
    if not c >= 0:
        raise ValueError(f"c: {c}; expected the largest accepted/p, a number that is not negative")
    if not 0 <= acceptance <= 1:
        raise ValueError(f"acceptance: {acceptance}; expected a probability, between 0 and 1")
