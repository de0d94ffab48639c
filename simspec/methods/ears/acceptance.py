r"""EARS: a draft is also kept when its ratio misses the uniform by less than a tolerance that grows with uncertainty.

`ears` is the one-token rule, `verify_block` the three-way verification of one block with the cached uncertainty.
Other relaxed rules, and what any of them can reach, are in `simspec.methods.ears.relaxed`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array, Scalar, check_pair, is_exact, unchecked
from simspec.methods.method import Method
from simspec.methods.parameters import check_number, number
from simspec.methods.sd import SD

__all__ = [
    "PARDON",
    "REJECT",
    "STANDARD",
    "UNCERTAINTIES",
    "Verification",
    "ears",
    "fresh",
    "normalised_entropy",
    "one_minus_max",
    "variance",
    "verify_block",
]

Uncertainty = Callable[[Array], Array]
"""laws (..., V) -> numbers (...), finite and not negative."""

STANDARD = 0
PARDON = 1
REJECT = 2
"""What verification decides: kept as in speculative decoding, kept by the tolerance, rejected."""

_TOLERANCE = "a finite number that is not negative"


def one_minus_max(p: Array) -> Array:
    r"""Uncertainty :math:`1 - \max_x p_x` of each law (..., V), in [0, 1 − 1/V]: the signal that EARS caches.

    >>> float(one_minus_max(np.array([0.75, 0.25])))
    0.25
    """
    return np.maximum(1 - p.max(axis=-1), 0)


def normalised_entropy(p: Array) -> Array:
    r"""Uncertainty :math:`H(p) / \log V` of each law (..., V), in [0, 1]; 0 where V = 1.  Floating point only.

    Raises ValueError for laws of fractions, whose entropy is no fraction.

    >>> float(normalised_entropy(np.array([0.5, 0.5])))
    1.0
    """
    if is_exact(p):
        raise ValueError("p: fractions; expected floats (an entropy is no fraction; `variance` is)")
    vocab = p.shape[-1]
    return np.maximum(unchecked.entropy(p) / float(np.log(vocab)) if vocab > 1 else unchecked.entropy(p), 0)


def variance(p: Array) -> Array:
    r"""Uncertainty :math:`1 - \sum_x p_x^2` of each law (..., V), the total variance of the one-hot token, in [0, 1 − 1/V].

    >>> float(variance(np.array([0.5, 0.5])))
    0.5
    """
    return np.maximum(1 - (p * p).sum(axis=-1), 0)


UNCERTAINTIES: dict[str, Uncertainty] = {
    "one minus max": one_minus_max,
    "normalised entropy": normalised_entropy,
    "variance": variance,
}
"""Uncertainty signals by name."""


def fresh(p: Array, d: Array) -> Array:
    """Residual of the other printed reading: after a rejection the target generates, a fresh draw from p.

    Biased even at tolerance 0 (claim ``ears.beta-zero.fresh``): the kept drafts already hold min(p, d).

    >>> fresh(np.array([0.5, 0.5]), np.array([1.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    return p


def ears(tolerance: Scalar, uncertainty: Uncertainty = one_minus_max) -> Method:
    r"""Keep :math:`\min(d, p + t\,d)` with :math:`t = \beta\,u(p)`; fall back to the SD residual.

    A draft x with uniform U is kept when :math:`p_x/d_x \ge U`, or (the pardon) when :math:`p_x/d_x \ge U - t` with the same
    uniform: with probability :math:`\min(1, p_x/d_x + t)` in all (claim ``ears.single-threshold``).

    Parameters
    ----------
    tolerance : number >= 0; :math:`\beta`; 0 is speculative decoding
    uncertainty : laws (..., V) -> numbers (...); :math:`u \ge 0`; EARS takes :math:`1 - \max_x p_x`

    Returns
    -------
    Method
        with the SD residual; ``replace(..., residual=fresh)`` is the other printed reading, a fresh draw from p, which is
        biased by more.

    Raises ValueError for a tolerance that is negative, infinite, NaN or no number; when laws are verified, for an
    uncertainty that is negative, NaN, infinite or not one number a law.

    The pardoned mass :math:`g = \min((d - p)_+, t d)` lies on tokens with d > p and the residual on tokens with d < p,
    so the output law is :math:`p + g - \big(\sum_x g_x\big) r` and its total-variation distance from p is
    :math:`\sum_x g_x`, the acceptance gained over speculative decoding, and at most t (claims ``ears.bias.residual``,
    ``ears.bias-bound.residual``).  No rule pays less total variation for that acceptance (``ears.best-tradeoff``).  A
    token with p = 0 can be pardoned (``ears.support``), so KL(o‖p) may be infinite.  EARS (arXiv 2512.13194),
    mechanisms 1 and 2.

    >>> m = ears(0.5)  # t = 1/8
    >>> m.accept(np.array([0.75, 0.25]), np.array([0.25, 0.75])).tolist()
    [0.25, 0.34375]
    """
    check_number("tolerance", tolerance, lambda v: 0 <= v < np.inf, _TOLERANCE)

    def accept(p: Array, d: Array) -> Array:
        t = number(tolerance, p) * _uncertain(uncertainty, p)[..., None]
        return np.minimum(d, p + t * d)

    return replace(SD, accept=accept).made_by(ears, tolerance, uncertainty)


def _uncertain(uncertainty: Uncertainty, p: Array) -> Array:
    """Uncertainty of each law, checked."""
    u = uncertainty(p)
    u = np.asarray(u, dtype=object) if is_exact(p) else np.asarray(u)
    if u.shape != p.shape[:-1]:
        raise ValueError(f"uncertainty(p): shape {u.shape} for laws {p.shape}; expected {p.shape[:-1]}, a number a law")
    bad = ~((u >= 0) & (u < np.inf)).astype(bool)
    if bad.any():
        raise ValueError(f"uncertainty(p): {u[bad].flat[0]}; expected {_TOLERANCE}")
    return u


class Verification(NamedTuple):
    """How one block was verified.

    Attributes
    ----------
    decisions : int8 array (n,)
        `STANDARD`, `PARDON` or `REJECT` for each position examined: all of them, or those up to the first rejection.
    accepted : int; number of drafts kept
    reads : int; numbers read to know the uncertainty of the positions examined
    """

    decisions: Array
    accepted: int
    reads: int


def verify_block(
    p: Array, d: Array, tokens: Array, uniforms: Array, tolerance: Scalar, cached: Array | None = None
) -> Verification:
    r"""Verify γ drafts as printed: standard path, then pardon path with the same uniform, then rejection.

    Position i is kept by the standard path when :math:`U_i d_i \le p_i`, by the pardon path when
    :math:`U_i d_i \le p_i + \beta (1 - \max p)\, d_i`, both at the drafted token (ratios multiplied out).

    Parameters
    ----------
    p, d : laws (γ, V); target and draft law at each position
    tokens : integers (γ,); the drafts
    uniforms : numbers (γ,) in [0, 1]
    tolerance : number >= 0; :math:`\beta`
    cached : array (γ,), optional
        ``p.max(axis=-1)``, kept from the forward pass.  Then one number is read at each position examined for its
        uncertainty, and V numbers without it.  Positions after the first rejection are never examined, and not counted;
        neither are the two probabilities at the drafted token, which are read in any case.

    Returns
    -------
    Verification

    Raises ValueError for arguments that are no laws, shapes that do not fit, a token outside the vocabulary or one that
    the draft law excludes (it cannot have been drafted), uniforms or cached maxima outside [0, 1], a bad tolerance.

    EARS (arXiv 2512.13194), component map and mechanism 3; claim ``ears.cache``.

    >>> p, d = np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([[0.75, 0.25], [0.75, 0.25]])
    >>> done = verify_block(p, d, [0, 0], [0.5, 0.75], tolerance=0.25)  # ratio 2/3, t = 1/8: 0.75 is pardoned
    >>> done.decisions.tolist(), done.accepted, done.reads
    ([0, 1], 2, 4)
    >>> verify_block(p, d, [0, 0], [0.5, 0.75], tolerance=0.25, cached=p.max(axis=-1)).reads
    2
    """
    p, d = check_pair(np.asarray(p), np.asarray(d), ("p", "d"))
    if p.ndim != 2 or p.shape != d.shape:
        raise ValueError(f"p, d: shapes {p.shape}, {d.shape}; expected (positions, V) for both")
    check_number("tolerance", tolerance, lambda v: 0 <= v < np.inf, _TOLERANCE)
    beta = number(tolerance, p)
    drafts = _drafts(np.asarray(tokens), d)
    toss = _units("uniforms", uniforms, p)
    peaks = None if cached is None else _units("cached", cached, p)
    decisions = []
    reads = 0
    for i, x in enumerate(drafts):
        peak = p[i].max() if peaks is None else peaks[i]
        reads += p[i].size if peaks is None else 1
        reached = toss[i] * d[i, x]
        ratio = p[i, x]
        pardoned = ratio + beta * max(1 - peak, 0) * d[i, x]
        decisions.append(STANDARD if reached <= ratio else PARDON if reached <= pardoned else REJECT)
        if decisions[-1] == REJECT:
            break
    decision_codes = np.array(decisions, dtype=np.int8)
    return Verification(decision_codes, int((decision_codes != REJECT).sum()), reads)


def _drafts(tokens: Array, d: Array) -> list[int]:
    positions, vocab = d.shape
    if tokens.shape != (positions,) or (tokens.dtype.kind not in "iu" and tokens.size):
        raise ValueError(f"tokens: {tokens.dtype} {tokens.shape}; expected {positions} integers, one a position")
    for i, x in enumerate(tokens.tolist()):
        if not 0 <= x < vocab:
            raise ValueError(f"tokens: {x} at position {i}; expected a token from 0 to {vocab - 1}")
        if not d[i, x] > 0:
            raise ValueError(f"tokens: {x} at position {i}, where d is 0; expected a token that d can draw")
    return tokens.tolist()


def _units(name: str, values: Array, p: Array) -> list[Any]:
    """Numbers in [0, 1], one a position, in the arithmetic of p; a maximum may exceed 1 by the rounding of a law."""
    array = np.asarray(values)
    if array.shape != p.shape[:1]:
        raise ValueError(f"{name}: shape {array.shape}; expected {p.shape[:1]}, one number a position")
    limit = 1 + (1e-6 if name == "cached" and not is_exact(p) else 0)
    for i, value in enumerate(array.tolist()):
        check_number(f"{name}[{i}]", value, lambda v: 0 <= v <= limit, "a number between 0 and 1")
    return [number(value, p) for value in array.tolist()]
