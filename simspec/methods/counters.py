"""Counters of a run: acceptance length and rates from what each verify step drafted and accepted, one definition each.

Step s drafts g_s tokens, accepts the first a_s of them and emits a_s + 1.  Arrays have the steps on their only axis; on
exact arrays everything is exact.  How engines print and name these numbers is in `simspec.lengths`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.laws import Array, Scalar

__all__ = ["acceptance_length", "conditional_rates", "draft_acceptance", "least_variance_rates", "position_rates"]


def acceptance_length(accepted: Array) -> Any:
    r"""Tokens that a verify step emits on average, the bonus token included: :math:`1 + \sum_s a_s / N`.

    >>> acceptance_length(np.array([0, 2]))
    np.float64(2.0)
    """
    return 1 + np.asarray(accepted).sum() / len(accepted)


def draft_acceptance(drafted: Array, accepted: Array) -> Any:
    r"""Share of the drafted tokens that is accepted, :math:`\sum_s a_s / \sum_s g_s`; some token must be drafted.

    >>> draft_acceptance(np.array([2, 2]), np.array([0, 2]))
    np.float64(0.5)
    """
    return np.asarray(accepted).sum() / np.asarray(drafted).sum()


def position_rates(accepted: Array, positions: int) -> Array:
    """Share m_i of all steps in which at least i drafts are accepted, for i = 1, …, `positions`.

    >>> position_rates(np.array([0, 2]), 2).tolist()
    [0.5, 0.5]
    """
    a = np.asarray(accepted)
    unit = a[:1].sum() * 0 + 1  # in the arithmetic of the counts
    return np.array([sum((unit for x in a if x >= i), unit * 0) / len(a) for i in range(1, positions + 1)])


def conditional_rates(rates: Array) -> Array:
    """c_i = m_i / m_(i-1) with m_0 = 1; 0 beyond a position that is never reached.

    >>> conditional_rates(np.array([0.5, 0.5, 0.0, 0.0])).tolist()
    [0.5, 1.0, 0.0, 0.0]
    """
    before = [1, *rates[:-1]]
    return np.array([m / b if b else m for m, b in zip(rates, before, strict=True)])


def least_variance_rates(length: Scalar, gamma: int) -> list[Any]:
    """Position rates (1, …, 1, rest, 0, …) whose acceptance length is `length`, for `gamma` drafts: those of least variance.

    Raises ValueError for a length outside [1, gamma + 1].

    >>> least_variance_rates(2.5, 3)
    [1, 0.5, 0]
    """
    if not 1 <= length <= gamma + 1:
        raise ValueError(f"length: {length}; expected between 1 and {gamma + 1}, for {gamma} drafts")
    return [min(1, max(0, length - i)) for i in range(1, gamma + 1)]
