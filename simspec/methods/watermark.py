"""Keyed sampling: a key turns laws into keyed laws whose mean over keys they are, and what of a draft is accepted under it.

A watermark shares a key between models and detector: given the key, the token is drawn from P_k, and over keys from p.  The
strongest keyed laws are one-hot: the key alone decides.  Draft and target that use one key agree with probability
Σ_x min(P_k(x), Q_k(x)) given it.  `simspec.methods.coupling` has the agreement of Gumbel keys in closed form
(`match_probability`) and its race; here are quantile keys, any finite set of keys, and tests with fresh coins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array, ratio

__all__ = [
    "Keys",
    "fresh_coin_agreement",
    "fresh_coin_law",
    "keyed_acceptance",
    "keyed_deficit",
    "quantile_coupling",
    "quantile_keys",
]


class Keys(NamedTuple):
    """Finitely many keys: their probabilities (K,), and target and draft laws (K, V) given each."""

    weights: Array
    target: Array
    draft: Array


def quantile_keys(p: Array, q: Array) -> Keys:
    """Keys of a uniform number u that both laws turn into the first token whose cumulative mass is above u.

    Every keyed law is one-hot.  For two tokens the acceptance is all that any coupling can have (claim ``watermark.binary``
    points to ``coupling.attains.two-tokens``), for more it depends on the order of tokens.

    >>> keys = quantile_keys(np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    >>> keys.weights.tolist(), keys.draft.argmax(axis=1).tolist(), keys.target.argmax(axis=1).tolist()
    ([0.5, 0.25, 0.25], [0, 0, 1], [0, 1, 1])
    """
    joint = quantile_coupling(q, p)
    places = [(x, y) for x, y in np.ndindex(joint.shape) if joint[x, y] > 0]
    identity = np.stack([[int(x == y) for y in range(len(p))] for x in range(len(p))]).astype(np.asarray(p).dtype)
    weights = np.array([joint[place] for place in places], dtype=np.asarray(p).dtype)
    return Keys(weights, identity[[y for _, y in places]], identity[[x for x, _ in places]])


def quantile_coupling(first: Array, second: Array) -> Array:
    """Joint law (V, V) of the tokens that one uniform number draws from two laws.

    >>> quantile_coupling(np.array([0.75, 0.25]), np.array([0.5, 0.5])).tolist()
    [[0.5, 0.25], [0.0, 0.25]]
    """
    joint = np.zeros((len(first), len(second)), dtype=np.asarray(first).dtype) * first[0]
    x = 0
    y = 0
    left: Any = first[0]
    right: Any = second[0]
    while True:
        shared = min(left, right)
        joint[x, y] = joint[x, y] + shared
        left = left - shared
        right = right - shared
        if left <= 0 and x + 1 < len(first):
            x += 1
            left = first[x]
        elif right <= 0 and y + 1 < len(second):
            y += 1
            right = second[y]
        elif x + 1 == len(first) and y + 1 == len(second):
            return joint
        else:  # rounding left a little of one law where the other has ended
            left = right = left * 0
            x = len(first) - 1
            y = len(second) - 1


def keyed_acceptance(keys: Keys) -> Any:
    r"""Mean acceptance over keys, :math:`\sum_k w_k \sum_x \min(P_k(x), Q_k(x))`; never above Σ min(p, q).

    >>> float(keyed_acceptance(quantile_keys(np.array([0.5, 0.5]), np.array([0.75, 0.25]))))
    0.75
    """
    return (keys.weights[:, None] * np.minimum(keys.target, keys.draft)).sum()


def keyed_deficit(keys: Keys) -> Any:
    r"""What keys cost of the acceptance, :math:`\sum_x \min(E (P_k - Q_k)_+, E (Q_k - P_k)_+)`.

    It is 0 where no two keys disagree on which model has more of a token (claim ``watermark.acceptance``).

    >>> keys = Keys(np.array([0.5, 0.5]), np.eye(2), np.eye(2)[::-1])
    >>> float(keyed_acceptance(keys)), float(keyed_deficit(keys))
    (0.0, 1.0)
    """
    apart = keys.target - keys.draft
    weights = keys.weights[:, None]
    target_excess = (weights * np.maximum(apart, 0)).sum(axis=0)
    draft_excess = (weights * np.maximum(-apart, 0)).sum(axis=0)
    return np.minimum(target_excess, draft_excess).sum()


def fresh_coin_law(p: Array, q: Array, joint: Array) -> Array:
    """Law of the emitted token where keys draw the draft and the residual token, and a coin of its own decides the test.

    Parameters
    ----------
    p, q : target and draft laws (V,)
    joint : joint law (V, V) of the draft and of the residual token over keys; its margins are q and (p − q)₊ over its sum

    The law is p where the two keys are independent, and may be off by α(1 − α) where they are one (claims
    ``watermark.fresh-coins.two-keys`` and ``.one-key-corrected``).

    >>> p, q = np.array([0.5, 0.0, 0.25, 0.25]), np.array([0.5, 0.5, 0.0, 0.0])
    >>> fresh_coin_law(p, q, quantile_coupling(q, np.array([0.0, 0.0, 0.5, 0.5]))).tolist()
    [0.5, 0.0, 0.0, 0.5]
    """
    refused = 1 - np.minimum(1, ratio(p, q))
    law: Array = np.minimum(p, q) + (refused[:, None] * joint).sum(axis=0)
    return law


def fresh_coin_agreement(p: Array, q: Array) -> Any:
    r"""Probability that two runs with the same keys and coins of their own emit the same token, :math:`1 - 2 \sum (q - p)_+ p/q`.

    It is 1 for the strongest keyed sampling; claim ``watermark.fresh-coins.strength-corrected``.

    >>> float(fresh_coin_agreement(np.array([0.25, 0.75]), np.array([0.5, 0.5])))
    0.75
    """
    return 1 - 2 * (np.maximum(q - p, 0) * np.minimum(1, ratio(p, q))).sum()
