"""Where a rule loses utility: the performance difference, and the overridden rejections behind it, along its own path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.laws import Array
from simspec.methods.method import Method
from simspec.methods.pad.process import Process, Rule, Step, along

__all__ = ["expected_missed", "expected_overrides", "utility_loss"]

Flags = Callable[[int, Array, Array], Array] | Array
"""Tokens (S, V) in question, the same at every position or from what a `Rule` sees."""


def utility_loss(process: Process, rule: Rule | Method, gamma: int | None = None) -> Any:
    r"""Utility that a rule loses against the target, summed along its own path (performance difference):
    :math:`U(\mathrm{target}) - U(\mathrm{rule}) = \sum_t E_{s_t \sim \mathrm{rule}} \sum_x (p - o)(x)\, U_{t+1}(s_t, x)`.

    Parameters and errors as in `evaluate`; negative when the rule gains.

    >>> from simspec.methods.pad.pivots import pad
    >>> p, q = np.array([[0.5, 0.5]] * 2), np.array([[0.0, 1.0]] * 2)
    >>> process = Process(p, q, np.array([[0, 1], [0, 1]]), np.array([1, 0]), 0, 2)
    >>> float(utility_loss(process, pad(np.zeros((2, 2), bool))))  # the target's 1/2, all lost
    0.5
    """
    return along(process, rule, lambda now: ((now.target - now.emitted) * now.after).sum(axis=-1), gamma)


def _overridden(now: Step) -> Array:
    """Mass kept of each token that speculative decoding would have rejected."""
    return np.maximum(now.kept - np.minimum(now.target, now.drafted), 0)


def expected_overrides(process: Process, rule: Rule | Method, gamma: int | None = None) -> Any:
    r"""Expected number of kept drafts that speculative decoding would have rejected, along the rule's own path:
    :math:`\sum_t E[\sum_x (k_x - \min(p_x, d_x))_+]`.

    Parameters and errors as in `evaluate`.

    >>> from simspec.methods.pad.pivots import pad
    >>> p, q = np.array([[0.5, 0.5]] * 2), np.array([[0.0, 1.0]] * 2)
    >>> process = Process(p, q, np.array([[0, 1], [0, 1]]), np.array([1, 0]), 0, 2)
    >>> float(expected_overrides(process, pad(np.zeros((2, 2), bool))))
    1.0
    """
    return along(process, rule, lambda now: _overridden(now).sum(axis=-1), gamma)


def expected_missed(process: Process, rule: Rule | Method, flags: Flags, gamma: int | None = None) -> Any:
    """Expected number of overrides (`expected_overrides`) of the tokens in `flags`, the true pivots say.

    Parameters
    ----------
    process, rule, gamma : as in `evaluate`
    flags : bool array (S, V), or (t, here, after) -> bool array (S, V)

    Half of the drafts of the useless token 1 are overrides; the first of two starts in state 0:

    >>> from simspec.methods.pad.pivots import pad
    >>> p, q = np.array([[0.5, 0.5]] * 2), np.array([[0.0, 1.0]] * 2)
    >>> process = Process(p, q, np.array([[0, 1], [0, 1]]), np.array([1, 0]), 0, 2)
    >>> float(expected_missed(process, pad(np.zeros((2, 2), bool)), np.array([[False, True], [False, False]])))
    0.5
    """

    def missed(now: Step) -> Array:
        flagged = flags(now.position, now.here, now.after) if callable(flags) else flags
        return np.where(flagged, _overridden(now), 0).sum(axis=-1)

    return along(process, rule, missed, gamma)
