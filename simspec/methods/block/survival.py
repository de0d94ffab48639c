r"""How many drafts of a whole block survive when it begins at each position of a text: the rules that judge a path together.

A rule is a statistic of drafts drawn at single positions, and how the statistics of neighbours give the probability
that the first i drafts of a block are kept, :math:`S_i`, when the block begins at each position.  A law depends on the position
in the text, not on the drafts before it.  What is measured along a text is in `simspec.studies.joint.survival`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simspec.laws import Array

__all__ = ["Along", "block_survival", "naive_survival", "ratios", "token_survival"]


@dataclass(frozen=True)
class Along:
    """How a rule for whole drafts is measured along a text.

    Attributes
    ----------
    measure : (p, q, uniforms (n, draws)) -> statistic (n, draws)
    survive : (statistic, most) -> survival (n, most)
    best : the name of a rule that keeps the most drafts of all lossless ones of its kind
    why : the claims that say so
    writes_on : whether it fills what is emitted up to γ tokens, with a target call and a draft for each after the first
    """

    measure: Callable[[Array, Array, Array], Array]
    survive: Callable[[Array, int], Array]
    best: str = "block"
    why: str = "block.optimal, block.off-path"
    writes_on: bool = False


def ratios(p: Array, q: Array, uniforms: Array) -> Array:
    """p/q of tokens drawn from q, (n, draws), one for each uniform number.

    >>> ratios(np.array([[0.25, 0.75]]), np.array([[0.5, 0.5]]), np.array([[0.1, 0.9]])).tolist()
    [[0.5, 1.5]]
    """
    cumulative = np.cumsum(q, axis=-1)
    last = q.shape[-1] - 1
    drawn = np.stack([np.searchsorted(c, u * c[-1], side="right") for c, u in zip(cumulative, uniforms, strict=True)])
    drawn = np.minimum(drawn, last)
    rows = np.arange(len(p))[:, None]
    below = q[rows, drawn]
    return np.divide(p[rows, drawn], below, out=np.zeros_like(below), where=below > 0)


def block_survival(ratio: Array, most: int) -> Array:
    r"""Block verification keeps i drafts or more with probability :math:`w_i = \min(1, w_{i-1}\,p(x_i)/q(x_i))`, w_0 = 1.

    That is the law of the largest i whose uniform falls below Sun et al.'s threshold, given the drafts: with
    :math:`s = \sum_x \min(w_i p(x), q(x))` the threshold is :math:`(w_i - s)/(1 - s)`, and :math:`h + (1-h)s = w_i`.
    """
    return _means(ratio, most, lambda alive, now: np.minimum(1, alive * now))


def token_survival(ratio: Array, most: int) -> Array:
    r"""Token verification keeps i drafts or more with probability :math:`\prod_{j \le i} \min(1, p(x_j)/q(x_j))`."""
    return _means(ratio, most, lambda alive, now: alive * np.minimum(1, now))


def naive_survival(ratio: Array, most: int) -> Array:
    r"""Naive hierarchical verification keeps i drafts or more with probability :math:`\min(1, P(x^i)/Q(x^i))`.

    It keeps the mass :math:`\min(P, Q)` of each prefix, and no lossless rule more: claim ``block.hsd-lossless.naive``.
    """
    return _means(ratio, most, lambda alive, now: alive * now, lambda alive: np.minimum(1, alive))


def _means(
    ratio: Array,
    most: int,
    grown: Callable[[Array, Array], Array],
    weight: Callable[[Array], Array] = lambda alive: alive,
) -> Array:
    """Means over the draws of a weight that starts at one and grows by the ratio of each position after another."""
    alive = np.ones_like(ratio)
    survived = np.empty((len(ratio), most))
    for step in range(most):
        alive = grown(alive, np.roll(ratio, -step, axis=0))
        survived[:, step] = weight(alive).mean(axis=1)
    return survived
