"""How often each child of a node is accepted, from the laws at the node: most likely tokens, or independent draws."""

from __future__ import annotations

import numpy as np

from simspec.checks import whole_number
from simspec.laws import Array

__all__ = ["rates_of_drawn", "rates_of_top"]


def rates_of_top(p: Array, q: Array, children: int) -> Array:
    """Mass of the target on the j-th most likely token of the draft law, the lowest first at ties.

    What rules for deterministic candidates accept, and target-only verification (claim ``tree.same-acceptance``).

    Parameters
    ----------
    p, q : laws (..., V)
    children : int >= 1; beyond the vocabulary nothing is accepted

    Returns shares (..., children).

    >>> print(rates_of_top(np.array([0.5, 0.25, 0.25]), np.array([0.2, 0.7, 0.1]), 2))
    [0.25 0.5 ]
    """
    remaining = np.array(q)
    rates = []
    for at in range(_children(children)):
        token = np.argmax(remaining, axis=-1)[..., None]
        rates.append(np.take_along_axis(p, token, axis=-1) * int(at < p.shape[-1]))
        np.put_along_axis(remaining, token, -1, axis=-1)
    return np.concatenate(rates, axis=-1)


def rates_of_drawn(p: Array, q: Array, children: int) -> Array:
    r"""Probability that recursive rejection accepts the j-th of some children drawn independently from q, and no earlier one.

    .. math:: a_j = \sum_x \min(c_j q, p) - \min(c_{j-1} q, p), \quad c_j = c_{j-1} + 1 - \sum_x \min(c_{j-1} q, p), \quad c_0 = 0

    Parameters
    ----------
    p, q : laws (..., V)
    children : int >= 1

    Returns shares (..., children).  Exact on fractions.

    >>> print(rates_of_drawn(np.array([0.25, 0.75]), np.array([0.5, 0.5]), 2))
    [0.75  0.125]
    """
    count = p.sum(axis=-1, keepdims=True) * 0
    accepted = count
    rates = []
    for _ in range(_children(children)):
        count = count + 1 - accepted
        now = np.minimum(count * q, p).sum(axis=-1, keepdims=True)
        rates.append(now - accepted)
        accepted = now
    return np.concatenate(rates, axis=-1)


def _children(children: int) -> int:
    return whole_number("children", children, 1, None, "a number of children that is positive")
