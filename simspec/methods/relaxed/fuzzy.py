"""Fuzzy speculative decoding (FSD): a draft is kept where two laws are close as a whole, whatever the token.

Source: Holsman et al. 2025 (arXiv 2502.20704).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from simspec.laws import Array, Scalar, is_exact, unchecked
from simspec.methods.ears.acceptance import fresh
from simspec.methods.method import Method
from simspec.methods.parameters import check_number, number
from simspec.methods.sd import SD

__all__ = ["fuzzy", "jensen_shannon", "kullback_leibler"]


def jensen_shannon(p: Array, q: Array) -> Array:
    r"""Jensen–Shannon divergence in nats, :math:`\tfrac12 (\mathrm{KL}(p \Vert m) + \mathrm{KL}(q \Vert m))`, m = (p + q)/2.

    Of fractions it is a rounded number, from 0 to log 2.

    >>> float(jensen_shannon(np.array([0.5, 0.5]), np.array([0.5, 0.5]))), round(
    ...     float(jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0]))), 6
    ... )
    (0.0, 0.693147)
    """
    p = _rounded(p)
    q = _rounded(q)
    middle = (p + q) / 2
    return (unchecked.kl(p, middle) + unchecked.kl(q, middle)) / 2


def kullback_leibler(p: Array, q: Array) -> Array:
    """KL(p‖q) in nats; of fractions a rounded number.

    >>> float(kullback_leibler(np.array([0.5, 0.5]), np.array([0.5, 0.5])))
    0.0
    """
    return unchecked.kl(_rounded(p), _rounded(q))


def _rounded(law: Array) -> Array:
    return law.astype(np.float64) if is_exact(law) else law


def fuzzy(
    threshold: Scalar,
    divergence: Callable[[Array, Array], Array] = jensen_shannon,
    replacement: Callable[[Array, Array], Array] = fresh,
) -> Method:
    """Keep the draft where the divergence of (p, q) is at most a threshold, else refuse it.

    Parameters
    ----------
    threshold : number >= 0
    divergence : (p, q) -> number for each row
    replacement : (p, q) -> law after a refusal: `fresh`, a draw from p, by default; ``SD.residual`` is the other reading

    Raises ValueError for a threshold that is negative or NaN.

    The acceptance of a step is 0 or 1 (claim ``relaxed.fsd-generalises-corrected``).

    >>> from simspec.methods import output_law
    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> output_law(fuzzy(0.1), p, q).tolist(), output_law(fuzzy(0.01), p, q).tolist()  # 0.032 nats apart
    ([0.75, 0.25], [0.5, 0.5])
    """
    check_number("threshold", threshold, lambda v: v >= 0, "a number that is not negative")

    def accept(p: Array, d: Array) -> Array:
        apart = np.asarray(divergence(p, d))
        return np.where((apart <= number(threshold, apart))[..., None], d, 0)

    return replace(SD, accept=accept, residual=replacement).made_by(fuzzy, threshold, divergence, replacement)
