r"""How far two computations of one law can be apart: bounds from ε, the most by which their logits differ.

Prefill and decode, two batch sizes or two kernels sum in different orders, so that logits differ by at most some ε each
while the formula is the same.  At temperature T the laws p and p̂ then satisfy (claims ``numerics.tv``, ``numerics.kl``,
``numerics.kl-half-corrected``, ``numerics.greedy`` and ``numerics.text``)

.. math:: \mathrm{TV}(p, \hat p) \le \tanh\frac{\varepsilon}{2T}, \qquad
    \mathrm{KL}(p \Vert \hat p) \le \log\frac{e^h - 1}{h} - 1 + \frac{h}{e^h - 1} \le \frac{\varepsilon^2}{2T^2},
    \quad h = \frac{2\varepsilon}{T},

and at temperature 0 a token whose logit leads all others by more than 2ε is chosen by both.  Two tokens attain each bound.

What is not here: how large ε is on a device; `logit_gap` measures it on two arrays of logits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from simspec.laws import Array

__all__ = [
    "first_small_margin",
    "greedy_margin",
    "kl_bound",
    "kl_bound_square",
    "logit_gap",
    "symmetric_kl_bound",
    "text_tv_bound",
    "tv_bound",
]


def tv_bound(eps: ArrayLike, temperature: ArrayLike = 1.0) -> Array:
    r"""Largest total variation of two laws whose logits differ by at most ε, :math:`\tanh(\varepsilon/(2T))`.

    Parameters
    ----------
    eps : numbers >= 0
    temperature : numbers > 0

    Raises ValueError for a negative ε, and a temperature that is not positive.

    >>> round(float(tv_bound(0.1)), 6), float(tv_bound(0.0))
    (0.049958, 0.0)
    """
    return np.tanh(_ratio(eps, temperature) / 2)


def kl_bound(eps: ArrayLike, temperature: ArrayLike = 1.0) -> Array:
    r"""Largest :math:`\mathrm{KL}(p \Vert \hat p)` in nats of two laws whose logits differ by at most ε.

    .. math:: \log\frac{e^h - 1}{h} - 1 + \frac{h}{e^h - 1}, \qquad h = 2\varepsilon/T

    Parameters
    ----------
    eps : numbers >= 0
    temperature : numbers > 0

    Below h = 1/100 the series h²/8 − h⁴/576 is used, whose error is below 1e-16.

    >>> round(float(kl_bound(1.0)), 6), round(float(kl_bound(0.001) / kl_bound_square(0.001)), 6)
    (0.474475, 1.0)
    """
    h = 2 * _ratio(eps, temperature)
    # from h on: log((e^h − 1)/h) = h + log1p(−e^−h) − log h does not overflow
    large = np.where(h > 0.01, h, 1)
    exact = large + np.log(-np.expm1(-large)) - np.log(large) - 1 + large * np.exp(-large) / -np.expm1(-large)
    return np.where(h > 0.01, exact, h**2 / 8 - h**4 / 576)


def kl_bound_square(eps: ArrayLike, temperature: ArrayLike = 1.0) -> Array:
    r"""A simpler bound of the same divergence, :math:`\varepsilon^2/(2T^2)`; the two agree as ε falls to 0.

    >>> float(kl_bound_square(0.5, temperature=0.5))
    0.5
    """
    return _ratio(eps, temperature) ** 2 / 2


def symmetric_kl_bound(eps: ArrayLike, temperature: ArrayLike = 1.0) -> Array:
    r"""Largest KL(p‖p̂) + KL(p̂‖p), :math:`2(\varepsilon/T)\tanh(\varepsilon/(2T))`.

    >>> round(float(symmetric_kl_bound(1.0)), 6)
    0.924234
    """
    ratio = _ratio(eps, temperature)
    return 2 * ratio * np.tanh(ratio / 2)


def greedy_margin(eps: ArrayLike) -> Array:
    """Margin of logits above which the most likely token is certain to be the same, 2ε.

    >>> float(greedy_margin(0.25))
    0.5
    """
    _check("eps", eps, np.all(np.asarray(eps) >= 0), "a number that is not negative")
    return 2 * np.asarray(eps, dtype=np.float64)


def text_tv_bound(eps: ArrayLike, temperature: ArrayLike = 1.0, length: int = 1) -> Array:
    r"""Largest total variation of texts of so many tokens, :math:`1 - (1 - \tanh(\varepsilon/(2T)))^n`.

    Parameters
    ----------
    eps, temperature : as in `tv_bound`
    length : integer >= 0; the n

    >>> float(text_tv_bound(0.1, length=0)), round(float(text_tv_bound(0.001, length=1000)), 3)
    (0.0, 0.394)
    """
    _check("length", length, length >= 0, "a number of tokens, not negative")
    return -np.expm1(length * np.log1p(-tv_bound(eps, temperature)))


def logit_gap(first: Array, second: Array) -> Array:
    """The ε of two computations of the same logits: half of the range of their differences, position by position.

    A number that is added to all logits of a position changes no law, so it does not count.

    Parameters
    ----------
    first, second : (..., V) logits

    Returns
    -------
    (...,) numbers >= 0

    Raises ValueError for different shapes and logits that are not finite.

    >>> float(logit_gap(np.array([0.0, 1.0]), np.array([2.5, 3.0])))
    0.25
    """
    if np.shape(first) != np.shape(second):
        raise ValueError(f"second: has shape {np.shape(second)}; expected that of first, {np.shape(first)}")
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    _check("first, second", "not all finite", np.isfinite(difference).all(), "finite logits")
    return (difference.max(axis=-1) - difference.min(axis=-1)) / 2


def first_small_margin(logits: Array, eps: ArrayLike) -> int:
    """Number of leading positions of a greedy text at which both computations are certain to choose the same token.

    Parameters
    ----------
    logits : (n, V) of one computation, along its own greedy text
    eps : number, or (n,) numbers >= 0

    Greedy texts agree up to there (``numerics.greedy-prefix``); n where no margin is 2ε or less.

    >>> first_small_margin(np.array([[4.0, 0.0], [1.0, 0.5], [9.0, 0.0]]), 0.25)
    1
    """
    top_two = -np.partition(-np.asarray(logits, dtype=np.float64), 1, axis=-1)[..., :2]
    small = top_two[..., 0] - top_two[..., 1] <= greedy_margin(eps)
    return int(np.argmax(small)) if small.any() else len(small)


def _ratio(eps: ArrayLike, temperature: ArrayLike) -> Array:
    _check("eps", eps, np.all(np.asarray(eps) >= 0), "a number that is not negative")
    _check("temperature", temperature, np.all(np.asarray(temperature) > 0), "a number above 0 (at 0: greedy_margin)")
    return np.asarray(eps, dtype=np.float64) / np.asarray(temperature, dtype=np.float64)


def _check(name: str, value: object, holds: object, expected: str) -> None:
    if not holds:
        raise ValueError(f"{name}: {value}; expected {expected}")
