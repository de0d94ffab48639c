"""PAD: run speculative decoding; where it would reject, keep the draft unless it is called a pivot.

Which tokens are pivots, as printed and corrected; what a classifier or a noisy one calls pivots; the rule and its
corrected form; how labels made from rollouts err.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, inf
from numbers import Integral
from typing import Any

import numpy as np

from simspec.laws import Array
from simspec.methods.parameters import check_number
from simspec.methods.sd import SD
from simspec.methods.step import Method

__all__ = ["flagged", "label_error", "label_law", "noisy_flags", "pad", "pivots", "replacement_pivots", "strict"]


def _check_flags(flags: Array, name: str = "flags") -> Array:
    flags = np.asarray(flags) if isinstance(flags, list | tuple) else flags
    if not hasattr(flags, "dtype") or flags.dtype != bool or np.ndim(flags) == 0:
        kind = getattr(flags, "dtype", type(flags).__name__)
        raise ValueError(
            f"{name}: {kind} of shape {np.shape(flags)}; expected a boolean array with one element per token"
        )
    return flags


def _fitting(flags: Array, p: Array) -> Array:
    if flags.shape[-1] != p.shape[-1]:
        raise ValueError(f"flags: {flags.shape[-1]} tokens where p has {p.shape[-1]}; expected one element per token")
    return flags


def _check_probability(name: str, value: Any) -> None:
    if not np.all((np.asarray(value) >= 0) & (np.asarray(value) <= 1)):
        raise ValueError(f"{name}: {value}; expected a probability between 0 and 1")


def pad(flags: Array, limit: Any = 0, guardrail: str = "override") -> Method:
    r"""Pivot-aware decoding: keep every draft not called a pivot, and min(p, d) of the pivots; SD residual.

    :math:`k(x) = \min(p(x), d(x))` where x is flagged or :math:`p(x) < \mathrm{limit}`, else :math:`d(x)`; under the
    guardrail "every", :math:`k(x) = 0` where :math:`p(x) < \mathrm{limit}`.

    Parameters
    ----------
    flags : bool array (..., V)
        tokens that the classifier calls pivots; leading axes broadcast against those of the laws.
    limit : number in [0, 1]
        a token with p(x) < limit is never kept against speculative decoding; 1e-4 in the paper, 0 is no guardrail.
    guardrail : "override" or "every"
        what the limit applies to: kept drafts that speculative decoding would reject, or its accepted drafts too.

    Raises
    ------
    ValueError
        for flags that are not boolean or of another vocabulary, a limit outside [0, 1] or another guardrail.

    Notes
    -----
    PAD §3.2 and §3.3.  After a rejection the token is drawn from norm((p − d)₊) as the paper's §2 has it; the proof of
    its Lemma 1 draws from p instead: ``pad(flags)._replace(residual=fresh)``, `fresh` of `simspec.methods.ears`.
    Neither preserves utility under the printed pivots: claim ``pad.utility-preserved``.

    Examples
    --------
    Token 1 is no pivot, so its whole draft is kept; token 2 would be a bad one:

    >>> p, d = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.75, 0.25])
    >>> rule = pad(np.array([False, False, True]))
    >>> rule.keep(p, d).tolist(), rule.residual(p, d).tolist()
    ([0.0, 0.75, 0.0], [1.0, 0.0, 0.0])
    """
    flags = _check_flags(flags)
    _check_probability("limit", limit)
    if guardrail not in ("override", "every"):
        raise ValueError(f"guardrail: {guardrail!r}; expected 'override' or 'every'")

    def keep(p: Array, d: Array) -> Array:
        kept = np.where(_fitting(flags, p) | (p < limit), np.minimum(p, d), d)
        return np.where(p < limit, 0, kept) if guardrail == "every" else kept

    return SD._replace(keep=keep)


def strict(flags: Array) -> Method:
    r"""Corrected rule: keep exactly the drafts not flagged, reject every pivot, and draw the replacement from p.

    :math:`k(x) = d(x)\,[x \text{ not flagged}]`, r = p.  When every pivot is flagged, each token is worth at least what
    the target expects, so that the target's utility is preserved.

    Parameters and errors as in `pad`.

    Examples
    --------
    >>> p, d = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.75, 0.25])
    >>> rule = strict(np.array([False, False, True]))
    >>> rule.keep(p, d).tolist(), rule.residual(p, d).tolist()
    ([0.0, 0.75, 0.0], [0.5, 0.5, 0.0])
    """
    flags = _check_flags(flags)
    return SD._replace(keep=lambda p, d: np.where(_fitting(flags, p), 0, d), residual=lambda p, d: p)


def _rounding(values: Array) -> Any:
    """Difference between values that counts as a tie: none on fractions, 256 ulps of one in floating point."""
    return 256 * np.finfo(values.dtype).eps if values.dtype.kind == "f" else 0


def _check_values(name: str, values: Array) -> Array:
    values = np.asarray(values)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"{name}: holds NaN or infinity; expected utilities")
    return values


def pivots(here: Array, after: Array, epsilon: Any = 0, ties: bool = False) -> Array:
    r"""Pivots as printed: tokens after which the target's expected utility is lower by more than ε,
    :math:`U(s, x) < U(s) - \epsilon` (with `ties`: :math:`\le`).

    Parameters
    ----------
    here : (..., S) values before the token
    after : (..., S, V) values after each token
    epsilon : number
    ties : bool
        the other reading: a token whose loss is exactly ε is a pivot too.

    Returns
    -------
    bool array (..., S, V).  In floating point a difference of less than 256 ulps of one is a tie.

    Raises
    ------
    ValueError
        for shapes that do not fit, values that are not finite, or a negative epsilon.

    Notes
    -----
    PAD, Definition 3; values as `simspec.methods.process.values` gives them.

    Examples
    --------
    >>> pivots(np.array([0.5]), np.array([[1.0, 0.0, 0.5]])).tolist()
    [[False, True, False]]
    """
    check_number("epsilon", epsilon, lambda loss: loss >= 0, "a loss of utility, not negative")
    here, after = _check_values("here", here), _check_values("after", after)
    try:
        np.broadcast_shapes((*here.shape, 1), after.shape)
    except ValueError:
        raise ValueError(
            f"here: shape {here.shape} where after has {after.shape}; expected one value for each row of after"
        ) from None
    edge = here[..., None] - epsilon
    allowed = _rounding(after - edge)
    return after <= edge + allowed if ties else after < edge - allowed


def replacement_pivots(p: Array, d: Array, after: Array, epsilon: Any = 0) -> Array:
    r"""Corrected pivots: tokens worth less than what would replace them, :math:`U(s, x) < \sum_y r(y) U(s, y) - \epsilon`
    with r the residual of speculative decoding.

    Parameters
    ----------
    p, d : laws (..., S, V)
        target law and law drafted from.
    after : (..., S, V) values after each token
    epsilon : number

    Returns
    -------
    bool array (..., S, V).  In floating point a difference of less than 256 ulps of one is a tie.

    Examples
    --------
    The replacement is always token 0, worth 1: both other tokens are pivots.

    >>> p, d = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])
    >>> replacement_pivots(p, d, np.array([1.0, 0.0, 0.5])).tolist()
    [False, True, True]
    """
    check_number("epsilon", epsilon, lambda loss: loss >= 0, "a loss of utility, not negative")
    after = _check_values("after", after)
    if after.shape[-1:] != np.shape(p)[-1:]:
        raise ValueError(f"after: shape {after.shape} where p has {np.shape(p)}; expected a value for each token")
    edge = (SD.residual(p, d) * after).sum(axis=-1, keepdims=True) - epsilon
    return after < edge - _rounding(after - edge)


def flagged(scores: Array, threshold: Any) -> Array:
    """Tokens called pivots: those whose score is above σ; a score of σ or less is called non-pivot.

    Parameters
    ----------
    scores : (..., V)
        the classifier's score, higher for pivots.
    threshold : number
        σ: the larger, the more drafts are kept.

    Notes
    -----
    PAD §3.3, Inference.

    Examples
    --------
    >>> flagged(np.array([0.1, 0.5, 0.9]), 0.5).tolist()
    [False, False, True]
    """
    scores = np.asarray(scores)
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        raise ValueError("scores: NaN; expected a number for each token")
    return scores > threshold


def noisy_flags(pivots: Array, miss: Any, false_alarm: Any, uniforms: Array) -> Array:
    """Flags of a classifier that misses a pivot with probability `miss` and raises false alarms on other tokens.

    Parameters
    ----------
    pivots : bool array (..., V)
    miss, false_alarm : numbers in [0, 1]
        1 - recall, and the false-positive rate.
    uniforms : array in (0, 1), of the shape of `pivots`
        `simspec.kernels.philox.uniform`; the same uniforms couple the flags of different rates.

    Examples
    --------
    >>> true = np.array([True, True, False, False])
    >>> noisy_flags(true, miss=0.1, false_alarm=0.2, uniforms=np.array([0.05, 0.5, 0.15, 0.5])).tolist()
    [False, True, True, False]
    """
    true = _check_flags(pivots, "pivots")
    _check_probability("miss", miss)
    _check_probability("false_alarm", false_alarm)
    if np.shape(uniforms) != true.shape:
        raise ValueError(f"uniforms: shape {np.shape(uniforms)}; expected {true.shape}, that of pivots")
    return np.where(true, np.asarray(uniforms) >= miss, np.asarray(uniforms) < false_alarm)


def _binomial(value: Array, rollouts: int) -> Array:
    """Law (..., N + 1) of the number of successes in N rollouts, exact unless the value is a float."""
    if value.dtype.kind == "f":
        from scipy.stats import binom

        return binom.pmf(np.arange(rollouts + 1), rollouts, value[..., None])
    value = value.astype(object)
    return np.stack(
        [comb(rollouts, n) * value**n * (1 - value) ** (rollouts - n) for n in range(rollouts + 1)], axis=-1
    )


def _rates(rollouts: int, **rates: Any) -> list[Array]:
    if not (isinstance(rollouts, Integral) and rollouts >= 1):
        raise ValueError(f"rollouts: {rollouts}; expected a whole number, at least one")
    for name, rate in rates.items():
        _check_probability(name, rate)
    return [np.asarray(rate) for rate in rates.values()]


def label_error(value_base: Any, value_candidate: Any, rollouts: int = 20, label_ratio: Any = Fraction(9, 10)) -> Any:
    r"""Probability of the label "pivot" from N rollouts each after the prefix and after the candidate,
    :math:`P(X_c < \mathrm{ratio}\, X_b)`, :math:`X_b` and :math:`X_c` independent binomials.

    Parameters
    ----------
    value_base, value_candidate : numbers or arrays in [0, 1]
        expected utility (binary) under the target, without and with the candidate token; fractions give fractions.
    rollouts : int >= 1
        N, the same for both.
    label_ratio : number > 0
        a float is read as the decimal it prints as.

    Returns
    -------
    The rate of false alarms where the candidate is no pivot, 1 - the rate of misses where it is one.  The inequality is
    strict: without a success after the prefix, no candidate is labelled a pivot.

    Notes
    -----
    PAD §3.3; N = 20 and label_ratio 0.9.  Claim ``pad.label-noise``.

    Examples
    --------
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
    value_base: Any,
    value_candidate: Any,
    sound_probability: Any,
    sensitivity: Any,
    specificity: Any,
    rollouts: int = 20,
    label_ratio: Any = Fraction(9, 10),
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

    Notes
    -----
    PAD §3.3, "Binary utility can miss harmful tokens".

    Examples
    --------
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
