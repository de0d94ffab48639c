"""PAD: run speculative decoding; where it would reject, keep the draft unless it is called a pivot.

Which tokens are pivots, as printed and corrected; what a classifier or a noisy one calls pivots; the rule and its
corrected form.  How labels made from rollouts err is in `simspec.methods.pad.labels`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from simspec.laws import Array, Scalar
from simspec.methods.method import Method
from simspec.methods.parameters import check_number, check_probability
from simspec.methods.sd import SD
from simspec.methods.sqs.quantised import check_threshold

__all__ = ["flagged", "noisy_flags", "pad", "pivots", "replacement_pivots", "strict"]


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


def pad(flags: Array, limit: Scalar = 0, guardrail: str = "override") -> Method:
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

    Raises ValueError for flags that are not boolean or of another vocabulary, a limit outside [0, 1] or another
    guardrail.

    PAD 3.2 and 3.3.  After a rejection the token is drawn from norm((p − d)₊) as the paper's 2 has it; the proof of
    its Lemma 1 draws from p instead: ``replace(pad(flags), residual=fresh)``, `fresh` of `simspec.methods.ears.acceptance`.
    Neither preserves utility under the printed pivots: claim ``pad.utility-preserved``.

    Token 1 is no pivot, so its whole draft is kept; token 2 would be a bad one:

    >>> p, d = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.75, 0.25])
    >>> rule = pad(np.array([False, False, True]))
    >>> rule.accept(p, d).tolist(), rule.residual(p, d).tolist()
    ([0.0, 0.75, 0.0], [1.0, 0.0, 0.0])
    """
    flags = _check_flags(flags)
    check_probability("limit", limit)
    if guardrail not in ("override", "every"):
        raise ValueError(f"guardrail: {guardrail!r}; expected 'override' or 'every'")

    def accept(p: Array, d: Array) -> Array:
        accepted = np.where(_fitting(flags, p) | (p < limit), np.minimum(p, d), d)
        return np.where(p < limit, 0, accepted) if guardrail == "every" else accepted

    return replace(SD, accept=accept).made_by(pad, flags, limit, guardrail)


def strict(flags: Array) -> Method:
    r"""Corrected rule: keep exactly the drafts not flagged, reject every pivot, and draw the replacement from p.

    :math:`k(x) = d(x)\,[x \text{ not flagged}]`, r = p.  When every pivot is flagged, each token is worth at least what
    the target expects, so that the target's utility is preserved.

    Parameters and errors as in `pad`.

    >>> p, d = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.75, 0.25])
    >>> rule = strict(np.array([False, False, True]))
    >>> rule.accept(p, d).tolist(), rule.residual(p, d).tolist()
    ([0.0, 0.75, 0.0], [0.5, 0.5, 0.0])
    """
    flags = _check_flags(flags)
    return replace(SD, accept=lambda p, d: np.where(_fitting(flags, p), 0, d), residual=lambda p, d: p).made_by(
        strict, flags
    )


def _rounding(values: Array) -> Any:
    """Difference between values that counts as a tie: none on fractions, 256 ulps of one in floating point."""
    return 256 * np.finfo(values.dtype).eps if values.dtype.kind == "f" else 0


def _check_values(name: str, values: Array) -> Array:
    values = np.asarray(values)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"{name}: holds NaN or infinity; expected utilities")
    return values


def pivots(here: Array, after: Array, epsilon: Scalar = 0, ties: bool = False) -> Array:
    r"""Pivots as printed: tokens after which the target's expected utility is lower by more than ε,
    :math:`U(s, x) < U(s) - \epsilon` (with `ties`: :math:`\le`).

    Parameters
    ----------
    here : (..., S) values before the token
    after : (..., S, V) values after each token
    epsilon : number
    ties : bool; the other reading: a token whose loss is exactly ε is a pivot too

    Returns
    -------
    bool array (..., S, V).  In floating point a difference of less than 256 ulps of one is a tie.

    Raises ValueError for shapes that do not fit, values that are not finite, or a negative epsilon.

    PAD, Definition 3; values as `simspec.methods.pad.process.values` gives them.

    >>> pivots(np.array([0.5]), np.array([[1.0, 0.0, 0.5]])).tolist()
    [[False, True, False]]
    """
    check_number("epsilon", epsilon, lambda loss: loss >= 0, "a loss of utility, not negative")
    here = _check_values("here", here)
    after = _check_values("after", after)
    try:
        np.broadcast_shapes((*here.shape, 1), after.shape)
    except ValueError:
        raise ValueError(
            f"here: shape {here.shape} where after has {after.shape}; expected one value for each row of after"
        ) from None
    edge = here[..., None] - epsilon
    allowed = _rounding(after - edge)
    return after <= edge + allowed if ties else after < edge - allowed


def replacement_pivots(p: Array, d: Array, after: Array, epsilon: Scalar = 0) -> Array:
    r"""Corrected pivots: tokens worth less than what would replace them, :math:`U(s, x) < \sum_y r(y) U(s, y) - \epsilon`
    with r the residual of speculative decoding.

    Parameters
    ----------
    p, d : laws (..., S, V); target law and law drafted from
    after : (..., S, V) values after each token
    epsilon : number

    Returns
    -------
    bool array (..., S, V).  In floating point a difference of less than 256 ulps of one is a tie.

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


def flagged(scores: Array, threshold: Scalar) -> Array:
    """Tokens called pivots: those whose score is above σ; a score of σ or less is called non-pivot.

    Parameters
    ----------
    scores : (..., V); the classifier's score, higher for pivots
    threshold : number; σ: the larger, the more drafts are kept

    PAD 3.3, Inference.

    >>> flagged(np.array([0.1, 0.5, 0.9]), 0.5).tolist()
    [False, False, True]
    """
    scores = np.asarray(scores)
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        raise ValueError("scores: NaN; expected a number for each token")
    if scores.dtype.kind not in "biufO":
        raise ValueError(f"scores: {scores.dtype}; expected a number for each token")
    return scores > check_threshold(threshold)


def noisy_flags(pivots: Array, miss: Scalar, false_alarm: Scalar, uniforms: Array) -> Array:
    """Flags of a classifier that misses a pivot with probability `miss` and raises false alarms on other tokens.

    Parameters
    ----------
    pivots : bool array (..., V)
    miss, false_alarm : numbers in [0, 1]; 1 - recall, and the false-positive rate
    uniforms : array in (0, 1), of the shape of `pivots`
        `simspec.kernels.random.uniform`; the same uniforms couple the flags of different rates.

    >>> true = np.array([True, True, False, False])
    >>> noisy_flags(true, miss=0.1, false_alarm=0.2, uniforms=np.array([0.05, 0.5, 0.15, 0.5])).tolist()
    [False, True, True, False]
    """
    true = _check_flags(pivots, "pivots")
    check_probability("miss", miss)
    check_probability("false_alarm", false_alarm)
    if np.shape(uniforms) != true.shape:
        raise ValueError(f"uniforms: shape {np.shape(uniforms)}; expected {true.shape}, that of pivots")
    return np.where(true, np.asarray(uniforms) >= miss, np.asarray(uniforms) < false_alarm)
