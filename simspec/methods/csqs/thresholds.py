r"""C-SQS's threshold along a whole text: the update, and laws sorted once so that each step of it takes O(log V)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array, Scalar, check_law, is_exact
from simspec.methods.sqs.quantised import check_threshold

__all__ = ["Path", "Ranked", "check_rates", "check_start", "kept_count", "ranked", "threshold_path", "update"]


def update(threshold: Any, dropped: Any, step_size: Scalar, dropped_target: Scalar) -> Any:
    r"""Next threshold, :math:`\beta_{n+1} = \beta_n - \eta(\alpha_n - \alpha)` (SQS, Eq. 8).

    The bare formula, on any numbers (η = 0 leaves the threshold where it is).

    >>> update(0.5, dropped=0.75, step_size=0.5, dropped_target=0.25)
    0.25
    """
    return threshold - step_size * (dropped - dropped_target)


class Ranked(NamedTuple):
    """Sorted laws: `values` (..., V), largest first, and `tails` (..., V + 1), the mass outside the first k of them."""

    values: Array
    tails: Array


def ranked(q: Array) -> Ranked:
    """Sort laws once, so that the kept number and the dropped mass at any threshold take O(log V).

    The tails are added from the smallest probability up, in float64 unless exact, which keeps small ones accurate.

    >>> out = ranked(np.array([0.25, 0.5, 0.25]))
    >>> out.values.tolist(), out.tails.tolist()
    ([0.5, 0.25, 0.25], [1.0, 0.5, 0.25, 0.0])
    """
    rising = np.sort(check_law(q, "q"), axis=-1)
    sums = np.cumsum(rising, axis=-1, dtype=None if is_exact(q) else np.float64)[..., ::-1]
    return Ranked(rising[..., ::-1], np.concatenate([sums, sums[..., :1] * 0], axis=-1))


def kept_count(values: Array, threshold: Scalar | Array, rows: Any = None, keep_top: bool = True) -> Array:
    r"""Number of tokens with :math:`q_x \ge \beta`, by bisection in laws sorted with the largest first.

    Parameters
    ----------
    values : array (R, V), of `ranked`
    threshold : number or array, broadcast with `rows`
    rows : int array, optional; which law each threshold is for (default: all R in order)
    keep_top : bool; at least one, see `threshold_mask`

    Returns
    -------
    int array of the shape that `threshold` and `rows` broadcast to

    >>> kept_count(np.array([[0.5, 0.25, 0.25], [0.75, 0.25, 0.0]]), 0.5).tolist()
    [1, 1]
    >>> kept_count(np.array([[0.5, 0.25, 0.25]]), np.array([0.25, 0.75]), rows=0, keep_top=False).tolist()
    [3, 0]
    """
    if values.ndim != 2:
        raise ValueError(f"values: shape {values.shape}; expected (R, V)")
    at, edge = np.broadcast_arrays(np.arange(len(values)) if rows is None else rows, check_threshold(threshold))
    # kept up to low, not from high
    low = np.zeros(at.shape, dtype=np.int64)
    high = np.full(at.shape, values.shape[-1])
    for _ in range(values.shape[-1].bit_length()):
        middle = (low + high) // 2
        is_above = (low < high) & (values[at, np.minimum(middle, values.shape[-1] - 1)] >= edge)
        low = np.where(is_above, middle + 1, low)
        high = np.where(is_above, high, middle)
    return np.maximum(low, 1) if keep_top else low


class Path(NamedTuple):
    """Thresholds over a text: `thresholds` (..., T + 1), `dropped` mass (..., T) and `kept` number (..., T)."""

    thresholds: Array
    dropped: Array
    kept: Array


def threshold_path(
    laws: Ranked,
    threshold: Any,
    step_size: Any,
    dropped_target: Any,
    order: Any = None,
    keep_top: bool = True,
) -> Path:
    r"""The update (8) along T tokens: what Algorithm 1 is meant to follow over the accepted and the new tokens.

    Parameters
    ----------
    laws : Ranked, of laws (R, V)
    threshold : number or array (...); :math:`\beta_1`
    step_size, dropped_target, keep_top : as in `draft_thresholds`
    order : int array (..., T), optional
        the law of each token (default: all R in order); leading axes are independent texts.

    Raises ValueError as `draft_thresholds`.

    >>> q = ranked(np.array([[0.5, 0.25, 0.25]]))
    >>> path = threshold_path(q, threshold=0.5, step_size=0.5, dropped_target=0.25, order=np.array([0, 0, 0]))
    >>> path.thresholds.tolist(), path.kept.tolist()
    ([0.5, 0.375, 0.25, 0.375], [1, 1, 3])
    """
    check_rates(step_size, dropped_target)
    rows = np.arange(len(laws.values)) if order is None else np.asarray(order)
    start = check_start(threshold)
    shape = np.broadcast_shapes(rows.shape[:-1], start.shape)
    current = np.broadcast_to(start, shape)
    thresholds = [current]
    dropped = []
    counts = []
    for n in range(rows.shape[-1]):
        at = np.broadcast_to(rows[..., n], shape)
        counts.append(kept_count(laws.values, current, at, keep_top))
        dropped.append(np.asarray(laws.tails[at, counts[-1]]))
        current = np.asarray(update(current, dropped[-1], step_size, dropped_target))
        thresholds.append(current)
    if not counts:
        return Path(current[..., None], np.zeros((*shape, 0), laws.tails.dtype), np.zeros((*shape, 0), np.int64))
    return Path(np.stack(thresholds, axis=-1), np.stack(dropped, axis=-1), np.stack(counts, axis=-1))


def check_rates(step_size: Scalar, dropped_target: Scalar) -> None:
    """Refuse a step size η that is not positive and finite, and a target α outside [0, 1].

    >>> check_rates(0, 0.5)
    Traceback (most recent call last):
    ...
    ValueError: step_size: 0; expected a positive number
    """
    checks: tuple[tuple[str, Any, Callable[[Any], Any], str], ...] = (
        ("step_size", step_size, lambda v: (v > 0) & (v < np.inf), "a positive number"),
        ("dropped_target", dropped_target, lambda v: (v >= 0) & (v <= 1), "a mass between 0 and 1"),
    )
    for name, value, fits, expected in checks:
        try:
            good = bool(np.all(fits(np.asarray(value))))
        except (TypeError, ValueError):
            good = False
        if not good:
            raise ValueError(f"{name}: {value}; expected {expected}")


def check_start(threshold: Scalar) -> Array:
    """The threshold where a text begins, as an array: finite, as no update would ever bring it back from infinity.

    >>> check_start(float("inf"))
    Traceback (most recent call last):
    ...
    ValueError: threshold: inf; expected a finite number, as an update leaves an infinite one where it is
    """
    edge = check_threshold(threshold)
    if not np.all(abs(edge) < np.inf):
        raise ValueError(
            f"threshold: {threshold}; expected a finite number, as an update leaves an infinite one where it is"
        )
    return edge
