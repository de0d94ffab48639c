"""Making laws: from masses, from logits, and from other laws."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from simspec.laws import unchecked
from simspec.laws.arrays import Array, as_array, first
from simspec.laws.checks import check_law, check_logits, check_mask, check_masses

__all__ = ["cdf", "normalise", "restrict", "softmax", "top_k", "top_p", "total", "uniform"]


def total(x: Array) -> Array:
    """Sum over the vocabulary, axis kept.

    >>> total(np.array([[1, 2], [3, 4]])).tolist()
    [[3], [7]]
    """
    return unchecked.total(as_array(x, "x"))


def normalise(x: Array, otherwise: Array | None = None) -> Array:
    r"""Law proportional to non-negative masses, :math:`x_i / \sum_k x_k`.

    Parameters
    ----------
    x : array (..., V), non-negative
    otherwise : array, optional
        the law returned for rows whose mass is zero, where there is nothing to scale.

    Raises
    ------
    ValueError
        for a negative, NaN or infinite mass, or when a row has no mass and `otherwise` is not given or is no law.

    Examples
    --------
    >>> normalise(np.array([1, 3])).tolist()
    [0.25, 0.75]
    """
    x = check_masses(x)
    empty = x.sum(axis=-1) == 0
    if np.any(empty):
        if otherwise is None:
            raise ValueError(f"x: row {first(np.asarray(empty))} has no mass; expected a positive sum to normalise by")
        otherwise = check_law(otherwise, "otherwise")
    return unchecked.normalise(x, otherwise)


def softmax(logits: Array, temperature: float = 1) -> Array:
    r"""Law :math:`e^{z_x/t} / \sum_k e^{z_k/t}` of logits :math:`z` at temperature :math:`t`.

    Temperature 0 is the limit, the uniform law on the tokens of the largest logit; an infinite one gives the uniform law
    on the tokens whose logit is finite.

    Raises
    ------
    ValueError
        for a negative or NaN temperature, logits that are NaN or plus infinity, or a row that is minus infinity throughout.

    Examples
    --------
    >>> softmax(np.log([1.0, 3.0])).round(12).tolist()
    [0.25, 0.75]
    >>> softmax(np.array([0.0, 2.0, 2.0]), temperature=0).tolist()
    [0.0, 0.5, 0.5]
    """
    try:
        temperature = float(temperature)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"temperature: {temperature!r}; expected a number that is not negative") from None
    if not temperature >= 0:
        raise ValueError(f"temperature: {temperature:g}; expected a number that is not negative")
    return unchecked.softmax(check_logits(logits, "logits"), temperature)


def restrict(p: Array, mask: Array) -> Array:
    """Law conditioned on the tokens of `mask`; rows without mass there become uniform on `mask`.

    The second rule is a convention: a draft that puts nothing on the shared vocabulary must still propose something.

    >>> restrict(np.array([0.5, 0.25, 0.25]), np.array([False, True, True])).tolist()
    [0.0, 0.5, 0.5]
    """
    p = check_law(p)
    return unchecked.restrict(p, check_mask(mask, p.shape[-1], "mask"))


def uniform(mask: Array, like: Array) -> Array:
    """Uniform law on the true tokens of `mask`, in the arithmetic of the array `like`.

    >>> uniform(np.array([True, False, True]), like=np.array([1.0])).tolist()
    [0.5, 0.0, 0.5]
    """
    return unchecked.uniform(check_mask(mask, name="mask"), as_array(like, "like"))


def top_k(p: Array, k: int) -> Array:
    """Law restricted to its `k` most likely tokens; of equal tokens the first are kept.

    >>> top_k(np.array([0.25, 0.5, 0.25]), 2).round(12).tolist()
    [0.333333333333, 0.666666666667, 0.0]
    """
    p = check_law(p)
    if not isinstance(k, Integral) or isinstance(k, bool) or not 1 <= k <= p.shape[-1]:
        raise ValueError(f"k: {k!r}; expected 1 <= k <= {p.shape[-1]}, an integer no larger than the vocabulary")
    return unchecked.top_k(p, int(k))


def top_p(p: Array, mass: Any) -> Array:
    """Law restricted to the shortest list of most likely tokens that holds at least `mass` (nucleus sampling).

    >>> top_p(np.array([0.25, 0.5, 0.25]), 0.6).round(12).tolist()
    [0.333333333333, 0.666666666667, 0.0]
    """
    p = check_law(p)
    if not (_is_number(mass) and 0 < mass <= 1):
        raise ValueError(f"mass: {mass!r}; expected 0 < mass <= 1")
    return unchecked.top_p(p, mass)


def _is_number(x: Any) -> bool:
    return np.ndim(x) == 0 and hasattr(x, "__truediv__") and not isinstance(x, complex)


def cdf(p: Array) -> Array:
    """Running sum of a law, divided by its last entry so that it ends at exactly one.

    >>> cdf(np.array([0.25, 0.75])).tolist()
    [0.25, 1.0]
    """
    return unchecked.cdf(check_law(p))
