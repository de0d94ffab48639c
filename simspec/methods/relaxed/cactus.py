r"""Cactus: speculative decoding against the target with the drafted token raised by :math:`\sqrt{2\delta p(1-p)}`.

What is drawn after a rejection depends on the token that was refused, so the rule itself is a `Verifier`.  A rejection
ends the block and the refused token is not kept, so that only the mean of these residuals shows: `cactus` is the
one-token rule with that mean, and has the same outcomes.

Source: Hao and Mou 2026 (arXiv 2604.04987), its repository.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from simspec.laws import Array, Scalar, is_exact, unchecked
from simspec.methods.block import Prefix
from simspec.methods.method import Method
from simspec.methods.parameters import check_number, number
from simspec.methods.sd import SD
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.verifier import Verifier, by_program

__all__ = ["cactus", "cactus_verifier", "raised"]

BITS = 64
"""Binary places to which the root of a fraction that is no square is rounded down."""


def raised(p: Array, delta: Scalar) -> Array:
    r"""The mass :math:`h = \min(1, p + \sqrt{2\delta p(1 - p)})` to which each token is raised when it is drafted.

    Parameters
    ----------
    p : law (..., V)
    delta : number >= 0

    On fractions the root is exact where it is rational, and rounded down to a multiple of 2⁻⁶⁴ over its denominator
    elsewhere.  Raises ValueError for a delta that is negative, infinite or NaN.

    >>> raised(np.array([0.5, 0.5]), 0.125).tolist(), raised(np.array([0.5, 0.5]), 2).tolist()
    ([0.75, 0.75], [1.0, 1.0])
    """
    _check(delta)
    square = 2 * number(delta, p) * p * (1 - p)
    if is_exact(p):
        roots = [_root(Fraction(x)) for x in square.ravel()]
        root = np.array([*roots, None], dtype=object)[:-1].reshape(p.shape)
    else:
        root = np.sqrt(np.maximum(square, 0))
    return np.minimum(p + root, 1)


def _check(delta: Scalar) -> None:
    check_number("delta", delta, lambda v: 0 <= v < np.inf, "a finite number that is not negative")


def _root(x: Fraction) -> Fraction:
    """The root of a fraction, rounded down where it is irrational."""
    product = x.numerator * x.denominator
    if isqrt(product) ** 2 == product:
        return Fraction(isqrt(product), x.denominator)
    return Fraction(isqrt(product << 2 * BITS), x.denominator << BITS)


def cactus(delta: Scalar) -> Method:
    r"""Keep :math:`\min(q, h)`; the residual is the mean of :math:`\mathrm{norm}((H_x - q)_+)` over the refused x.

    :math:`H_x` has mass h(x) on x and is proportional to p elsewhere; h is `raised`.

    Parameters
    ----------
    delta : number >= 0; 0 is speculative decoding

    Raises ValueError for a delta that is negative, infinite or NaN.

    Sorting by q/p makes the residual O(V log V): :math:`H_x(y) = c_x p(y)` for y other than x, so that it is
    :math:`p(y) \sum_x s_x c_x - q(y) \sum_x s_x` over the refused x with :math:`c_x > q(y)/p(y)`, where :math:`s_x` is
    the refused mass of x over :math:`\sum_y (c_x p(y) - q(y))_+`.

    >>> p, q = np.array([0.5, 0.5]), np.array([1.0, 0.0])
    >>> from simspec.methods import output_law
    >>> output_law(cactus(0.125), p, q).tolist()
    [0.75, 0.25]
    """
    _check(delta)

    def accept(p: Array, d: Array) -> Array:
        return np.minimum(d, raised(p, delta))

    def residual(p: Array, d: Array) -> Array:
        p, d = np.broadcast_arrays(p, d)
        wide = p.dtype if is_exact(p) else np.dtype(np.float64)
        rows = [x.reshape(-1, p.shape[-1]).astype(wide) for x in (p, d, raised(p, delta))]
        residuals = [_mean_residual(*row) for row in zip(*rows, strict=True)]
        return np.stack(residuals).reshape(p.shape).astype(p.dtype) if residuals else p

    return replace(SD, accept=accept, residual=residual).made_by(cactus, delta)


def _mean_residual(p: Array, d: Array, h: Array) -> Array:
    """Mean residual law over the refused tokens; p where none is refused."""
    refused = np.flatnonzero(d > h)
    if not refused.size:
        return p
    lost = (d - h)[refused]
    scale = (1 - h[refused]) / (1 - p[refused])
    order = np.argsort(scale, kind="stable")
    lost = lost[order]
    scale = scale[order]
    inside = np.flatnonzero(p > 0)
    with np.errstate(over="ignore"):
        ratio = d[inside] / p[inside]
    order = np.argsort(ratio, kind="stable")
    inside = inside[order]
    ratio = ratio[order]
    below = np.searchsorted(ratio, scale, side="left")
    target_sum = _sums(p[inside])[below]
    draft_sum = _sums(d[inside])[below]
    residual_mass = np.maximum(scale * target_sum - draft_sum, lost)  # never less than what is lost, but for rounding
    share = lost / residual_mass
    above = np.searchsorted(scale, ratio, side="right")
    scaled, plain = (x[-1] - x[above] for x in (_sums(share * scale), _sums(share)))
    out = 0 * p
    out[inside] = np.maximum(p[inside] * scaled - d[inside] * plain, 0)
    return unchecked.normalise(out, otherwise=p)


def _sums(x: Array) -> Array:
    """Sums of the first n members, n = 0, 1, ..."""
    return np.concatenate([0 * x[:1], np.cumsum(x)]) if x.size else np.zeros(1, x.dtype)


def cactus_verifier(delta: Scalar, raise_to: Callable[[Array, Any], Array] = raised) -> Verifier:
    """The rule as it is told: token by token, the residual of the refused token.

    Parameters
    ----------
    delta : number >= 0
    raise_to : (p, delta) -> h; certified roots in place of `raised`, say

    >>> from simspec.laws import exact
    >>> p, q = exact(np.array([0.5, 0.5])), exact(np.array([1, 0]))
    >>> for outcome in cactus_verifier(Fraction(1, 8))(lambda prefix: p, lambda prefix: q, (0,)):
    ...     print(outcome.probability, outcome.tokens, outcome.accepted)
    3/8 (0, 0) 1
    3/8 (0, 1) 1
    1/4 (1,) 0
    """
    _check(delta)

    def program(p: Sequence[Any], q: Sequence[Any], x: Prefix, chance: Chance) -> tuple[Prefix, int]:
        for i, token in enumerate(x):
            h = raise_to(np.asarray(p[i]), delta)[token]
            if not chance.keep(h, q[i][token]):
                rest = [a * (1 - h) / (1 - p[i][token]) for a in p[i]]
                residual = [
                    max(a - b, 0 * a) if y != token else 0 for y, (a, b) in enumerate(zip(rest, q[i], strict=True))
                ]
                return (*x[:i], chance.draw(residual)), i
        return (*x, chance.draw(p[-1])), len(x)

    return by_program(program)
