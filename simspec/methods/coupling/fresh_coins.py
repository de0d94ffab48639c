"""Keyed drafts and keyed residual tokens, tested as in speculative decoding with a coin that no key decides.

A key draws the draft from q, a key draws the residual token from (p - q)+, and a fresh uniform number accepts the draft with
probability min(1, p/q).  With a key for each of the two the output law over keys is p (claim ``watermark.fresh-coins.two-keys``);
with one key for both it is not (claim ``watermark.fresh-coins.one-key``), and its distance is `fresh_coin_law` of
`simspec.methods.watermark`.  Keys are uniform numbers that draw by inversion; those of races are in
`simspec.methods.coupling.race`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array
from simspec.methods.block import Prefix
from simspec.methods.coupling.quantile import drawn_by_key, given_draft
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.verifier import PathProgram, Verifier, by_program

__all__ = ["fresh_coin_tokens", "one_key_verifier", "two_keys_verifier"]

Rest: TypeAlias = Callable[[Array, Array, int], Array]
"""(residual weights, draft law, drafted token) -> weights of the residual token, given the draft."""


def _residual(p: Array, q: Array) -> Array:
    """Weights (p - q)+, or p where nothing is left."""
    rest = np.maximum(p - q, 0)
    return rest if rest.any() else p


def _program(rest: Rest) -> PathProgram:
    def program(p: Sequence[Any], q: Sequence[Any], x: Prefix, chance: Chance) -> tuple[Prefix, int]:
        for i, token in enumerate(x):
            if not chance.keep(p[i][token], q[i][token]):
                weights = _residual(np.asarray(p[i]), np.asarray(q[i]))
                return (*x[:i], chance.draw(rest(weights, np.asarray(q[i]), token))), i
        return (*x, chance.draw(p[-1])), len(x)

    return program


two_keys_verifier: Verifier = by_program(_program(lambda weights, q, token: weights))
"""The residual token has a key of its own: over keys it is independent of the draft. Lossless.

>>> [tuple(o) for o in two_keys_verifier(lambda x: [0.5, 0.0, 0.25, 0.25], lambda x: [0.5, 0.5, 0.0, 0.0], (1,))]
[(0.5, (2,), 0), (0.5, (3,), 0)]
"""

one_key_verifier: Verifier = by_program(_program(given_draft))
"""The key that drew the draft draws the residual token too. Biased.

>>> [tuple(o) for o in one_key_verifier(lambda x: [0.5, 0.0, 0.25, 0.25], lambda x: [0.5, 0.5, 0.0, 0.0], (1,))]
[(1.0, (3,), 0)]
"""


def fresh_coin_tokens(p: Array, q: Array, keys: Array, residual_keys: Array, coins: Array) -> NDArray[np.int64]:
    """What is emitted with given keys and coins: the reference of both verifiers, n calls at once.

    Parameters
    ----------
    p, q : target laws (gamma + 1, V) and draft laws (gamma, V)
    keys : uniform numbers (n, gamma + 1) in [0, 1): those of the drafts, and that of the bonus token
    residual_keys : uniform numbers (n, gamma); `keys[:, :-1]` where one key draws both
    coins : uniform numbers (n, gamma) of the tests

    Returns
    -------
    tokens (n, gamma + 1), -1 after the last of a call

    >>> p, q = np.array([[0.5, 0.0, 0.25, 0.25], [1.0, 0.0, 0.0, 0.0]]), np.array([[0.5, 0.5, 0.0, 0.0]])
    >>> keys = np.array([[0.3, 0.5], [0.8, 0.5]])  # they draft token 0, which is kept, and token 1, which is not
    >>> fresh_coin_tokens(p, q, keys, keys[:, :-1], np.array([[0.5], [0.5]])).tolist()
    [[0, 0], [3, -1]]
    """
    calls = len(keys)
    tokens = np.full((calls, len(p)), -1)
    is_running = np.ones(calls, dtype=bool)
    for i, draft_law in enumerate(q):
        drafts = drawn_by_key(draft_law, keys[:, i])
        is_accepted = coins[:, i] * draft_law[drafts] < p[i][drafts]
        resampled = drawn_by_key(_residual(p[i], draft_law), residual_keys[:, i])
        tokens[is_running, i] = np.where(is_accepted, drafts, resampled)[is_running]
        is_running &= is_accepted
    tokens[is_running, -1] = drawn_by_key(p[-1], keys[:, -1])[is_running]
    return tokens
