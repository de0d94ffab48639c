r"""Where target steps begin along a text, from how many drafts of a step survive at each position.

A step that begins at position t emits i + 1 tokens with probability :math:`S_i(t) - S_{i+1}(t)`, where :math:`S_i(t)` is the
probability that its first i drafts are accepted, :math:`S_0 = 1`, and no more than γ are drafted.  The next step begins right
after them, so the positions at which steps begin are a Markov chain, and the probability of each is exact.

What is not here: how many drafts survive (`simspec.methods.block`, `simspec.methods.multi`, `simspec.methods.tree`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.laws import Array
from simspec.methods.block import check_gamma

__all__ = ["step_starts", "survived_steps"]


def survived_steps(accepted: Array, depth: int) -> Array:
    r"""Probability that the first 1, ..., depth drafts are accepted one after the other, :math:`\prod_{j<i} \alpha(t + j)`.

    Parameters
    ----------
    accepted : (n, ...) numbers in [0, 1]; acceptance rate at each position, in the order of a text read again and again
    depth : int >= 0

    Returns
    -------
    (n, depth, ...), by the position where the step begins

    >>> survived_steps(np.array([0.5, 0.25]), 2).tolist()
    [[0.5, 0.125], [0.25, 0.125]]
    """
    survived = np.empty((len(accepted), depth, *accepted.shape[1:]))
    product = np.ones_like(accepted)
    for level in range(depth):
        product = product * np.roll(accepted, -level, axis=0)
        survived[:, level] = product
    return survived


def step_starts(survived: Array, gammas: Sequence[int]) -> Array:
    r"""Probability that a target step begins at each position of a text, read again and again.

    Tokens of a step are one over the mean over the positions.

    Parameters
    ----------
    survived : (n, depth) or (n, depth, m) numbers in [0, 1], falling along the second axis
        probability that the first 1, ..., depth drafts of a step that begins at each position are accepted, of m rules.
    gammas : g integers from 0 to depth; drafts of a target step

    Returns
    -------
    (n, g) or (n, g, m)

    Raises ValueError for a gamma that is no number of drafts, or is above the depth.

    The first lap starts from the law of the mean step, which is right at once where all positions are alike, and is not
    counted.

    >>> survived = np.tile([0.5, 0.25], (100, 1))
    >>> print((1 / step_starts(survived, [0, 1, 2]).mean(axis=0)).round(6))
    [1.   1.5  1.75]
    >>> certain_then_impossible = survived_steps(np.array([1.0, 0.0]), 1)
    >>> 1 / step_starts(certain_then_impossible, [1]).mean(axis=0)  # one step for both tokens
    array([2.])
    """
    rules = survived[:, :, None] if survived.ndim == 2 else survived
    n, depth, m = rules.shape
    for gamma in gammas:
        check_gamma(gamma)
        if gamma > depth:
            raise ValueError(f"gammas: {gamma}; expected at most the depth of survived, {depth}")
    reached = np.ones((n, depth + 1, m))  # i drafts or more are accepted
    reached[:, 1:] = rules
    stops = reached.copy()  # exactly i drafts are accepted, of more than i
    stops[:, :-1] -= rules
    drafts = np.arange(depth + 1)
    limits = np.asarray(gammas, dtype=np.int64)[:, None]
    is_below = (drafts < limits)[:, :, None].astype(np.float64)
    is_last = (drafts == limits)[:, :, None].astype(np.float64)
    ahead = (is_below + is_last) * reached.mean(axis=0)  # (g, depth + 1, m): the next step begins here, 1 on, 2 on, ...
    ahead /= ahead.sum(axis=1, keepdims=True)
    starts = np.empty((n, len(limits), m))
    for _ in range(2):
        for position in range(n):
            now = ahead[:, 0].copy()
            starts[position] = now
            ahead[:, :-1] = ahead[:, 1:]
            ahead[:, -1] = 0
            ahead += now[:, None] * (is_below * stops[position] + is_last * reached[position])
    return starts[:, :, 0] if survived.ndim == 2 else starts
