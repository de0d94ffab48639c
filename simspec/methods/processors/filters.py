"""Processors as maps of a law: penalties for tokens that the text has, min-p, and temperatures 1/n, on floats and fractions.

Top-k and top-p are in `simspec.laws`, a grammar's mask is `simspec.laws.restrict`.  Laws are not checked here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simspec.checks import whole_number
from simspec.laws import Array, Scalar
from simspec.laws.unchecked import normalise
from simspec.methods.block import Model, Prefix

__all__ = ["Processor", "frequency_penalty", "min_p", "penalised", "processed", "sharpened"]

Processor = Callable[[Prefix, Array], Array]
"""(tokens of the text so far, the target's law) -> the law that is sampled from."""

SHARPEST = 64
"""Largest n of a temperature 1/n: the numerators of exact laws have n times as many digits."""


def penalised(p: Array, counts: Array, factor: Scalar) -> Array:
    r"""Law with the mass of each token times :math:`f^{n(x)}`, renormalised; p where nothing is left.

    A frequency penalty takes :math:`\lambda\,n(x)` from the logit of a token that the text has n(x) times: f = exp(−λ).

    Parameters
    ----------
    p : law (V,)
    counts : whole numbers (V,); how often the text has each token
    factor : number in [0, 1]; 0 forbids every token of the text

    Raises ValueError for a factor outside [0, 1].

    >>> penalised(np.array([0.5, 0.5]), np.array([1, 0]), 0.5).round(6).tolist()
    [0.333333, 0.666667]
    """
    if not 0 <= factor <= 1:
        raise ValueError(f"factor: {factor}; expected exp(-penalty), a number between 0 and 1")
    factors = np.array([factor ** int(n) for n in counts], dtype=p.dtype)
    return normalise(p * factors, otherwise=p)


def frequency_penalty(factor: Scalar) -> Processor:
    """The processor that penalises each token of the text by a factor for each time that it occurs; see `penalised`.

    >>> frequency_penalty(0.5)((0,), np.array([0.5, 0.5])).round(6).tolist()
    [0.333333, 0.666667]
    """

    def process(text: Prefix, p: Array) -> Array:
        return penalised(p, np.bincount(np.array(text, dtype=int), minlength=len(p)), factor)

    return process


def min_p(p: Array, share: Scalar) -> Array:
    r"""Law restricted to the tokens with :math:`p(x) \ge \rho \max p`.

    Parameters
    ----------
    p : laws (..., V)
    share : number in [0, 1]; ρ

    Raises ValueError for a share outside [0, 1].

    >>> min_p(np.array([0.5, 0.375, 0.125]), 0.5).round(6).tolist()
    [0.571429, 0.428571, 0.0]
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share: {share}; expected a share of the largest mass, between 0 and 1")
    return normalise(np.where(p >= share * p.max(axis=-1, keepdims=True), p, p * 0))


def sharpened(p: Array, n: int) -> Array:
    r"""Law at temperature 1/n, :math:`p^n / \sum p^n`, exact on fractions.

    Parameters
    ----------
    p : laws (..., V)
    n : whole number from 1 to 64

    Raises ValueError for another n.

    >>> sharpened(np.array([0.75, 0.25]), 2).round(6).tolist()
    [0.9, 0.1]
    """
    whole_number("n", n, 1, SHARPEST, f"the inverse of a temperature, a whole number from 1 to {SHARPEST}")
    top = p.max(axis=-1, keepdims=True)  # floats would underflow for large n
    return normalise((p / top) ** n)


def processed(target: Model, processor: Processor) -> Model:
    """The target with its processor applied to every law: what a verifier should leave the text to.

    >>> processed(lambda text: np.array([0.5, 0.5]), frequency_penalty(0.0))((0,)).tolist()
    [0.0, 1.0]
    """
    return lambda text: processor(text, target(text))
