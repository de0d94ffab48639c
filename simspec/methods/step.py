"""One step of verification: what a method is, and all that follows from it.

A method is three pure maps.  Kept mass needs no division and no convention for 0/0, so acceptance, output law and
bias are exact on fractions.  What verifies several drafted tokens is in `simspec.methods.block`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simspec.laws import Array, check_law, check_pair, is_exact, normalise, tv

__all__ = ["Method", "acceptance_rate", "bias", "is_lossless", "kept_mass", "leftover", "output_law"]


class Method(NamedTuple):
    """A rule that verifies one drafted token, as three pure maps.

    Attributes
    ----------
    propose : q -> d
        the law a draft token is drawn from; it never sees the target, because a drafter cannot look at it.
    keep : (p, d) -> k, with 0 <= k <= d
        the mass kept of each drafted token (speculative decoding: min(p, d)); a token is kept when u*d < k.
    residual : (p, d) -> r
        the law drawn from after a rejection.

    Examples
    --------
    >>> from simspec.methods import SD
    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> SD.keep(p, SD.propose(q)).tolist(), SD.residual(p, q).tolist()
    ([0.5, 0.25], [0.0, 1.0])
    """

    propose: Callable[[Array], Array]
    keep: Callable[[Array, Array], Array]
    residual: Callable[[Array, Array], Array]


def leftover(keep: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    r"""Residual that makes a rule lossless: :math:`\mathrm{norm}(p - k)`, for a rule with :math:`k \le p`.

    Where nothing is left (k = p: a rejection has probability zero) the law returned is p.

    >>> leftover(np.minimum)(np.array([0.5, 0.5]), np.array([1.0, 0.0])).tolist()
    [0.0, 1.0]
    """

    def residual(p: Array, d: Array) -> Array:
        return normalise(p - keep(p, d), otherwise=p)

    return residual


def kept_mass(method: Method, p: Array, q: Array, drawn: Array | None = None) -> Array:
    r"""Mass with which each token is drafted and kept, :math:`k`, or :math:`k\,w/d` when `drawn` is the law w.

    Parameters
    ----------
    method : Method
    p, q : laws (..., V)
        target law and draft law.
    drawn : law (..., V), optional
        the law truly drawn from, when a drafter tells the verifier another one (greedy drawn, softmax told).

    Raises
    ------
    ValueError
        when an argument is not a law or the vocabularies differ.

    Examples
    --------
    >>> from simspec.methods import SD
    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> kept_mass(SD, p, q, drawn=np.array([1, 0])).round(6).tolist()
    [0.666667, 0.0]
    """
    return _step(method, p, q, drawn)[1]


def _step(method: Method, p: Array, q: Array, drawn: Array | None) -> tuple[Array, Array, Array]:
    """Checked target law, mass kept of each token, and the law the verifier is told."""
    p, q = check_pair(p, q)
    d = check_law(method.propose(q), "propose(q)")
    k = method.keep(p, d)
    rounding = 0 if is_exact(k) else 8 * float(np.finfo(k.dtype).eps)
    if not ((k >= 0) & (k <= d * (1 + rounding))).all():
        raise ValueError(
            "keep(p, d): an entry is negative or larger than d; expected 0 <= k <= d, a part of each draft"
        )
    if drawn is None:
        return p, k, d
    _, drawn = check_pair(p, drawn, ("p", "drawn"))
    return p, np.where(d > 0, drawn * k / np.where(d > 0, d, 1), 0), d


def acceptance_rate(method: Method, p: Array, q: Array, drawn: Array | None = None) -> Array:
    r"""Probability that the drafted token is kept, :math:`\alpha = \sum_x k_x`.

    Parameters and errors as in `kept_mass`.  Pinned by claim ``sd.acceptance``.

    >>> from simspec.methods import SD
    >>> float(acceptance_rate(SD, np.array([0.5, 0.5]), np.array([0.75, 0.25])))
    0.75
    """
    return kept_mass(method, p, q, drawn).sum(axis=-1)


def output_law(method: Method, p: Array, q: Array, drawn: Array | None = None) -> Array:
    r"""Law of the token emitted by one step, :math:`k + (1 - \sum_x k_x)\, r`.

    Parameters and errors as in `kept_mass`.  Pinned by claim ``sd.lossless``.

    >>> from simspec.methods import SD
    >>> output_law(SD, np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.5]
    """
    p, k, d = _step(method, p, q, drawn)
    return k + (1 - k.sum(axis=-1, keepdims=True)) * method.residual(p, d)


def bias(method: Method, p: Array, q: Array, drawn: Array | None = None) -> Array:
    r"""Total-variation distance between the emitted token's law and the target, in [0, 1].

    Drawing one law and telling the verifier another is biased, even under speculative decoding:

    >>> from simspec.methods import SD
    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> round(float(bias(SD, p, q, drawn=np.array([1, 0]))), 6)
    0.166667
    """
    return tv(output_law(method, p, q, drawn), np.asarray(p) if isinstance(p, list | tuple) else p)


def is_lossless(method: Method, p: Array, q: Array) -> bool:
    """Whether the output law is the target law: exactly on fractions, to rounding on floats.

    >>> from simspec.methods import SD
    >>> is_lossless(SD, np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    True
    """
    gap = np.asarray(bias(method, p, q))
    if is_exact(gap):
        return bool((gap == 0).all())
    return bool((gap <= (p.shape[-1] + 8) * float(np.finfo(gap.dtype).eps)).all())
