"""PAD's labels: how often rollouts, and a judge who reads one, call a token a pivot (`simspec.methods.pad.pivots`)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, inf
from numbers import Integral
from typing import Any

import numpy as np

from simspec.checks import needs
from simspec.laws import Array, Scalar
from simspec.methods.parameters import check_probability

__all__ = ["label_error", "label_law"]


def _binomial(value: Array, rollouts: int) -> Array:
    """Law (..., N + 1) of the number of successes in N rollouts, exact unless the value is a float."""
    if value.dtype.kind == "f":
        (stats,) = needs("the law of a label of floats", "scipy.stats")
        return np.asarray(stats.binom.pmf(np.arange(rollouts + 1), rollouts, value[..., None]))
    value = value.astype(object)
    return np.stack(
        [comb(rollouts, n) * value**n * (1 - value) ** (rollouts - n) for n in range(rollouts + 1)], axis=-1
    )


def _rates(rollouts: int, **rates: Any) -> list[Array]:
    if not (isinstance(rollouts, Integral) and rollouts >= 1):
        raise ValueError(f"rollouts: {rollouts}; expected a whole number, at least one")
    for name, rate in rates.items():
        check_probability(name, rate)
    return [np.asarray(rate) for rate in rates.values()]


def label_error(
    value_base: Scalar | Array,
    value_candidate: Scalar | Array,
    rollouts: int = 20,
    label_ratio: Scalar = Fraction(9, 10),
) -> Any:
    r"""Probability of the label "pivot" from N rollouts each after the prefix and after the candidate,
    :math:`P(X_c < \mathrm{ratio}\, X_b)`, :math:`X_b` and :math:`X_c` independent binomials.

    Parameters
    ----------
    value_base, value_candidate : numbers or arrays in [0, 1]
        expected utility (binary) under the target, without and with the candidate token; fractions give fractions.
    rollouts : int >= 1; N, the same for both
    label_ratio : number > 0; a float is read as the decimal it prints as

    Returns
    -------
    The rate of false alarms where the candidate is no pivot, 1 - the rate of misses where it is one.  The inequality is
    strict: without a success after the prefix, no candidate is labelled a pivot.

    PAD 3.3; N = 20 and label_ratio 0.9.  Claim ``pad.label-noise``.

    One rollout each: a success after the prefix, none after the candidate.

    >>> label_error(Fraction(1, 2), Fraction(1, 3), rollouts=1)
    Fraction(1, 3)
    """
    base, candidate = _rates(rollouts, value_base=value_base, value_candidate=value_candidate)
    if not 0 < label_ratio < inf:
        raise ValueError(f"label_ratio: {label_ratio}; expected a positive number")
    limit = Fraction(str(float(label_ratio))) if isinstance(label_ratio, float | np.floating) else Fraction(label_ratio)
    below = np.array([min(ceil(limit * b), rollouts + 1) for b in range(1, rollouts + 1)])  # X_c below this, X_b = 1, …
    fewer = np.cumsum(_binomial(candidate, rollouts), axis=-1)[..., below - 1]
    return (_binomial(base, rollouts)[..., 1:] * fewer).sum(axis=-1)


def label_law(
    value_base: Scalar | Array,
    value_candidate: Scalar | Array,
    sound_probability: Scalar | Array,
    sensitivity: Scalar | Array,
    specificity: Scalar | Array,
    rollouts: int = 20,
    label_ratio: Scalar = Fraction(9, 10),
) -> Any:
    r"""Probability of the label "pivot" when a judge reads a successful rollout of each candidate labelled non-pivot:
    :math:`P + f\,(1 - P - P(X_b = 0) P(X_c = 0))`, P as in `label_error`, f the probability of a flip.

    The judge reads one rollout that reached the answer; without one there is no check (then :math:`X_c = 0`, which is
    labelled non-pivot only when :math:`X_b = 0`).  That rollout is sound with probability `sound_probability`,
    independently of the counts; the label is flipped to pivot when the judge calls it unsound:
    :math:`f = (1 - \mathrm{sound})\,\mathrm{sensitivity} + \mathrm{sound}\,(1 - \mathrm{specificity})`.

    Parameters
    ----------
    value_base, value_candidate, rollouts, label_ratio : as in `label_error`
    sound_probability : number or array in [0, 1]
    sensitivity, specificity : numbers in [0, 1]
        probability that the judge calls an unsound rollout unsound, and a sound one sound.

    PAD 3.3, "Binary utility can miss harmful tokens".

    One rollout each, both useful with certainty, unsound and always caught:

    >>> label_law(Fraction(1), Fraction(1), sound_probability=0, sensitivity=1, specificity=1, rollouts=1)
    Fraction(1, 1)
    """
    base, candidate, sound, caught, spared = _rates(
        rollouts,
        value_base=value_base,
        value_candidate=value_candidate,
        sound_probability=sound_probability,
        sensitivity=sensitivity,
        specificity=specificity,
    )
    pivot = label_error(value_base, value_candidate, rollouts, label_ratio)
    flip = (1 - sound) * caught + sound * (1 - spared)
    unread = (1 - base) ** rollouts * (1 - candidate) ** rollouts
    return pivot + flip * (1 - pivot - unread)
