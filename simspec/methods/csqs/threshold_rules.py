r"""Rules for what C-SQS drops that know more than its threshold does: the best fixed threshold, and a budget.

`best_fixed_threshold` needs all laws beforehand: the control that an adaptive threshold has to beat.  `budget_path` needs
none: it drops the least likely tokens as long as all that was dropped stays within the target so far.  Own theory, claims
``csqs.best-fixed-threshold`` and ``csqs.budget-rule``; laws are sorted once by `simspec.methods.csqs.thresholds.ranked`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array, Scalar, is_exact
from simspec.methods.csqs.thresholds import Ranked, kept_count
from simspec.methods.parameters import check_number, number

__all__ = ["BEYOND", "Budget", "Fixed", "best_fixed_threshold", "budget_path"]

BEYOND = 2
"""A threshold above every probability."""


class Fixed(NamedTuple):
    """A fixed threshold, and for each law the mass `dropped` (R,) and the number `kept` (R,)."""

    threshold: Any
    dropped: Array
    kept: Array


def best_fixed_threshold(laws: Ranked, dropped_target: Scalar, keep_top: bool = True) -> Fixed:
    r"""The largest threshold at which the average dropped mass of known laws is at most the target.

    Of all thresholds that meet the target it keeps the fewest tokens of every law.  Whoever chooses other sets that meet
    the target keeps at least as many on average, less :math:`(\alpha - D)/\beta` where D is the average dropped here.

    Parameters
    ----------
    laws : Ranked, of laws (R, V); each counts once; repeat a law that occurs more often
    dropped_target : number in [0, 1]; α
    keep_top : bool; see `threshold_mask`

    Returns
    -------
    Fixed
        its threshold is one of the probabilities, or `BEYOND` where even a threshold above all of them meets the target.

    Raises ValueError for α outside [0, 1], or laws that are not (R, V).

    The average is a non-decreasing step function of the threshold that rises just above probabilities, so the largest
    one that meets the target exists and is a probability.  Claims ``csqs.best-fixed-threshold``, ``csqs.fixed-optimal``.

    >>> from simspec.methods.csqs.thresholds import ranked
    >>> q = ranked(np.array([[0.5, 0.25, 0.25], [0.75, 0.125, 0.125]]))
    >>> best = best_fixed_threshold(q, dropped_target=0.25)
    >>> float(best.threshold), best.dropped.tolist(), best.kept.tolist()
    (0.25, [0.0, 0.25], [3, 1])
    """
    target = number(_mass("dropped_target", dropped_target), laws.tails)
    _check_rows(laws)
    candidates = np.unique(laws.values)
    # the threshold candidates[low] meets the target, those from high on do not
    low = 0
    high = len(candidates)
    if _average(laws, BEYOND, keep_top) <= target:
        return _fixed(laws, BEYOND, keep_top)
    while low + 1 < high:
        middle = (low + high) // 2
        meets = _average(laws, candidates[middle], keep_top) <= target
        low, high = (middle, high) if meets else (low, middle)
    return _fixed(laws, candidates[low], keep_top)


def _fixed(laws: Ranked, threshold: Scalar, keep_top: bool) -> Fixed:
    counts = kept_count(laws.values, threshold, keep_top=keep_top)
    return Fixed(threshold, laws.tails[np.arange(len(counts)), counts], counts)


def _average(laws: Ranked, threshold: Scalar, keep_top: bool) -> Any:
    dropped = _fixed(laws, threshold, keep_top).dropped
    return dropped.sum() / len(dropped)


class Budget(NamedTuple):
    """Budgets over a text: what is left, `budgets` (..., T + 1), `dropped` mass (..., T) and `kept` number (..., T)."""

    budgets: Array
    dropped: Array
    kept: Array


def budget_path(
    laws: Ranked, dropped_target: Scalar, budget: Scalar = 0, order: Any = None, keep_top: bool = True
) -> Budget:
    r"""Drop the least likely tokens of each law as long as :math:`b + \alpha n` is not exceeded by all that was dropped.

    The budget grows by α at every token and pays for what is dropped, :math:`b_{n+1} = b_n + \alpha - \alpha_n`; as many
    tokens are dropped as it can pay for.  No step size, no start to be chosen badly: after T tokens the average dropped
    mass differs from α by at most 1/T, half as much with b = ½ (read literally; keep-top: see the claim).

    Parameters
    ----------
    laws : Ranked, of laws (R, V)
    dropped_target : number in [0, 1]; α
    budget : number in [0, 1]; b, what may be dropped beyond the target
    order : int array (T,), optional; the law of each token (default: all R in order)
    keep_top : bool; the most likely token is never dropped

    Raises ValueError for a target or a budget outside [0, 1], or laws that are not (R, V).

    Claims ``csqs.budget-rule`` and ``csqs.budget-rule-keep-top``.

    >>> from simspec.methods.csqs.thresholds import ranked
    >>> q = ranked(np.array([[0.5, 0.25, 0.25]]))
    >>> path = budget_path(q, dropped_target=0.25, order=np.array([0, 0, 0]))
    >>> path.budgets.tolist(), path.kept.tolist()
    ([0.0, 0.0, 0.0, 0.0], [2, 2, 2])
    """
    target = number(_mass("dropped_target", dropped_target), laws.tails)
    remaining = number(_mass("budget", budget), laws.tails)
    _check_rows(laws)
    budgets = [remaining]
    dropped = []
    counts = []
    for row in range(len(laws.tails)) if order is None else np.asarray(order).tolist():
        tails = laws.tails[row]
        count = max(int((tails > remaining + target).sum()), int(keep_top))
        counts.append(count)
        dropped.append(tails[count])
        remaining = remaining + target - tails[count]
        budgets.append(remaining)
    kind: Any = object if is_exact(laws.tails) else np.float64
    return Budget(np.array(budgets, dtype=kind), np.array(dropped, dtype=kind), np.array(counts, dtype=np.int64))


def _check_rows(laws: Ranked) -> None:
    if laws.values.ndim != 2 or not len(laws.values):
        raise ValueError(f"laws: shape {laws.values.shape}; expected (R, V), at least one law")


def _mass(name: str, value: Scalar) -> Any:
    return check_number(name, value, lambda a: 0 <= a <= 1, "a mass between 0 and 1")
