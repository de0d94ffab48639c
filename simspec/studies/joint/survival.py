r"""Rules that verify a whole draft at once, by name, measured along a text: how many of the drafts survive from each position.

A rule here is a statistic of drafts drawn at single positions, and how the statistics of neighbours give the probability
that the first i drafts of a block are kept, :math:`S_i`, when the block begins at each position.  As in
`simspec.tools.advise.walk` a law depends on the position in the text, not on the drafts before it.  A rule for several
drafts or trees is one more entry of `JOINT`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from simspec.kernels import random as philox
from simspec.laws import Array

__all__ = ["JOINT", "Joint", "calls", "ratios", "share", "survival"]

DRAWS = 64
"""Drafts that are drawn at each position."""
KEY = 0x6A6F696E74


class Joint(NamedTuple):
    """A rule for whole drafts.

    Attributes
    ----------
    summary : what it does
    measure : (p, q, uniforms (n, draws)) -> statistic (n, draws)
    survive : (statistic, most) -> survival (n, most)
    best : the name of a rule that keeps the most drafts of all lossless ones of its kind
    why : the claims that say so
    writes_on : whether it fills what is emitted up to γ tokens, with a target call and a draft for each after the first
    """

    summary: str
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


def _block(ratio: Array, most: int) -> Array:
    r"""Block verification keeps i drafts or more with probability :math:`w_i = \min(1, w_{i-1}\,p(x_i)/q(x_i))`, w_0 = 1.

    That is the law of the largest i whose coin falls below Sun et al.'s threshold, given the drafts: with
    :math:`s = \sum_x \min(w_i p(x), q(x))` the threshold is :math:`(w_i - s)/(1 - s)`, and :math:`h + (1-h)s = w_i`.
    """
    return _kept(ratio, most, lambda alive, now: np.minimum(1, alive * now))


def _token(ratio: Array, most: int) -> Array:
    r"""Token verification keeps i drafts or more with probability :math:`\prod_{j \le i} \min(1, p(x_j)/q(x_j))`."""
    return _kept(ratio, most, lambda alive, now: alive * np.minimum(1, now))


def _naive(ratio: Array, most: int) -> Array:
    r"""Naive hierarchical verification keeps i drafts or more with probability :math:`\min(1, P(x^i)/Q(x^i))`.

    It keeps the mass :math:`\min(P, Q)` of each prefix, and no lossless rule more: claim ``block.hsd-lossless.naive``.
    """
    return _kept(ratio, most, lambda alive, now: alive * now, lambda alive: np.minimum(1, alive))


def _kept(
    ratio: Array,
    most: int,
    grown: Callable[[Array, Array], Array],
    seen: Callable[[Array], Array] = lambda alive: alive,
) -> Array:
    """Means over the draws of a weight that starts at one and grows by the ratio of each position after another."""
    alive = np.ones_like(ratio)
    kept = np.empty((len(ratio), most))
    for step in range(most):
        alive = grown(alive, np.roll(ratio, -step, axis=0))
        kept[:, step] = seen(alive).mean(axis=1)
    return kept


JOINT: dict[str, Joint] = {
    "block": Joint("block verification (Sun et al. 2024): drafts of a call judged together; lossless", ratios, _block),
    "token": Joint("token verification along the text, beside block; lossless", ratios, _token),
    "hsd-capped": Joint(
        "hierarchical verification, capped: keeps what block keeps; lossless",
        ratios,
        _block,
        why="block.optimal, block.hsd-more.capped-corrected",
    ),
    "hsd-naive": Joint(
        "hierarchical verification, naive: a target call for every token after the branch; lossless",
        ratios,
        _naive,
        "hsd-naive",
        "block.lossy-price-corrected, block.hsd-lossless.naive",
        True,
    ),
}
"""Every rule for whole drafts that has a name."""


def survival(name: str, parts: Iterable[tuple[slice, Array, Array]], count: int, most: int) -> Array:
    """Probability (n, most) that the first 1, ..., most drafts of a block that begins at each position are kept.

    Parameters
    ----------
    name : of `JOINT`
    parts : (rows, target laws, draft laws), which together are n positions in the order of the text, read again and again
    count : n
    most : int

    A mean over `DRAWS` drafts at each position; the draws are the same at every call.

    >>> p, q = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    >>> survival("block", [(slice(0, 1), p, q)], 1, 2).tolist()
    [[0.5, 0.25]]
    """
    rule = JOINT[name]
    uniforms = philox.uniform(KEY, range(count), range(DRAWS))
    statistic = np.empty((count, DRAWS))
    for rows, p, q in parts:
        statistic[rows] = rule.measure(p, q, uniforms[rows])
    return rule.survive(statistic, most)


def share(survived: Array, best: Array) -> Array:
    """Accepted drafts of a call over the most, by the position where it begins (n,); 1 where nothing can be accepted.

    >>> share(np.array([[0.5, 0.25], [0.0, 0.0]]), np.array([[0.75, 0.25], [0.0, 0.0]])).tolist()
    [0.75, 1.0]
    """
    kept, most = survived.sum(axis=1), best.sum(axis=1)
    return np.divide(kept, most, out=np.ones_like(kept), where=most > 0)


def calls(survived: Array, gammas: Sequence[int]) -> Any:
    r"""Probability (n, g) that a target call begins at each position, as `simspec.tools.advise.walk.calls`.

    A call that begins at t emits i + 1 tokens with probability :math:`S_i(t) - S_{i+1}(t)`, with the last draft kept
    :math:`\gamma + 1`.  The first lap is not counted.

    >>> survived = np.tile([0.5, 0.25], (100, 1))
    >>> print((1 / calls(survived, [1, 2]).mean(axis=0)).round(6))
    [1.5  1.75]
    """
    n = len(survived)
    made = []
    for gamma in gammas:
        reach = np.concatenate([np.ones((n, 1)), survived[:, :gamma], np.zeros((n, 1))], axis=1)
        ends = reach[:, :-1] - reach[:, 1:]  # (n, gamma + 1): of i + 1 tokens
        ahead = reach.mean(axis=0)[:-1]  # probability that the next call begins here, 1 on, ..., gamma on
        ahead /= ahead.sum()  # the law of the mean block: right at once where the text is one law
        begins = np.empty(n)
        for _ in range(2):
            for t in range(n):
                begins[t] = ahead[0]
                ahead = np.append(ahead[1:], 0) + ahead[0] * ends[t]
        made.append(begins)
    return np.stack(made, axis=1)
