r"""The quantile coupling: one uniform number, the key, draws the draft from q and the target's token from p, each by inversion.

:math:`X = \min\{x : Q_x > u\}` and :math:`Y = \min\{y : P_y > u\}` with cumulative masses P and Q and the same u; Y is emitted,
so the output law over keys is p whatever was drafted.  Both are token x where u lies in :math:`[P_{x-1}, P_x)` and in
:math:`[Q_{x-1}, Q_x)`.  The acceptance depends on the order of tokens; `simspec.methods.coupling.race` has one that does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array, check_pair
from simspec.methods.block import Prefix
from simspec.methods.method import Method, leftover
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.verifier import Verifier, by_program

__all__ = [
    "drawn_by_key",
    "given_draft",
    "quantile",
    "quantile_masses",
    "quantile_match",
    "quantile_tokens",
    "quantile_verifier",
]


def _ends(law: Array) -> Array:
    """Places (..., V + 1) at which the intervals of the tokens begin and end, from 0 to 1."""
    upto = np.cumsum(law, axis=-1)
    ends = np.concatenate([upto[..., :1] * 0, upto], axis=-1)
    return ends / ends[..., -1:]


def quantile_masses(p: Array, q: Array) -> Array:
    r"""Mass with which both laws draw a token, :math:`(\min(P_x, Q_x) - \max(P_{x-1}, Q_{x-1}))_+`.

    Parameters
    ----------
    p, q : laws (..., V), not checked here; target law and draft law

    Returns
    -------
    masses (..., V), the diagonal of `simspec.methods.watermark.quantile_coupling`; exact on fractions

    >>> quantile_masses(np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])).tolist()
    [0.25, 0.0, 0.25]
    """
    of_p = _ends(p)
    of_q = _ends(q)
    shared = np.minimum(of_p[..., 1:], of_q[..., 1:]) - np.maximum(of_p[..., :-1], of_q[..., :-1])
    # no more than either law, whatever was rounded
    return np.minimum(np.maximum(shared, 0), np.minimum(p, q))


def quantile_match(p: Array, q: Array) -> Array:
    r"""Acceptance of the quantile coupling, :math:`P(X = Y) = \sum_x (\min(P_x, Q_x) - \max(P_{x-1}, Q_{x-1}))_+`.

    It is :math:`\sum_x \min(p_x, q_x)` for two tokens, and can be 0 for more, whatever the two laws share.

    Parameters
    ----------
    p, q : laws (..., V); target law and draft law

    Raises ValueError when an argument is not a law or the vocabularies differ.  Exact on fractions.

    Hu and Huang 2024, arXiv 2410.20418 (one-hot keyed laws); claims ``watermark.acceptance`` and ``watermark.no-go``.

    >>> a, b = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])
    >>> float(quantile_match(a, b)), float(np.minimum(a, b).sum())
    (0.0, 0.5)
    """
    return quantile_masses(*check_pair(p, q)).sum(axis=-1)


def quantile() -> Method:
    """The quantile coupling as a one-token rule: it keeps the mass on which one key draws the same token; lossless.

    Its residual is the law of Y where the key draws two different tokens, over all drafts together.

    >>> quantile().accept(np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.25]
    """
    return Method(propose=lambda q: q, accept=quantile_masses, residual=leftover(quantile_masses)).made_by(quantile)


def given_draft(law: Sequence[Any] | Array, draft_law: Sequence[Any] | Array, token: int) -> Array:
    """Weights (V,) of the token that a law draws by the key with which the draft law drew `token`; they need not sum to 1.

    >>> given_draft([0.5, 0.5], [0.75, 0.25], 0).tolist()
    [0.5, 0.25]
    """
    ends = _ends(np.asarray(law))
    low, high = _ends(np.asarray(draft_law))[token : token + 2]
    weights = np.maximum(np.minimum(ends[1:], high) - np.maximum(ends[:-1], low), 0)
    if not weights.any():  # the interval of the draft is shorter than the spacing of floats: the key is its place
        with_mass = np.flatnonzero(np.diff(ends) > 0)
        after = with_mass[ends[1:][with_mass] > low]
        weights[after[0] if len(after) else with_mass[-1]] = 1
    return weights


def _program(p: Sequence[Any], q: Sequence[Any], x: Prefix, chance: Chance) -> tuple[Prefix, int]:
    for i, token in enumerate(x):
        own = chance.draw(given_draft(p[i], q[i], token))
        if own != token:
            return (*x[:i], own), i
    return (*x, chance.draw(p[-1])), len(x)


quantile_verifier: Verifier = by_program(_program)
"""At each position the token that the key of its draft draws from the target is emitted; the path goes on where both agree.
Lossless over keys, one for each position.

>>> [tuple(o) for o in quantile_verifier(lambda x: [0.5, 0.5], lambda x: [0.75, 0.25], (1,))]
[(0.5, (1, 0), 1), (0.5, (1, 1), 1)]
"""


def drawn_by_key(law: Array, keys: Array) -> NDArray[np.int64]:
    """The first token whose cumulative mass is above the key: one token for each key.

    Parameters
    ----------
    law : law (V,)
    keys : uniform numbers in [0, 1), of any shape

    >>> drawn_by_key(np.array([0.25, 0.75]), np.array([0.0, 0.25, 0.9])).tolist()
    [0, 1, 1]
    """
    inner_ends = _ends(np.asarray(law))[1:-1].astype(np.float64)
    return np.searchsorted(inner_ends, keys, side="right")


def quantile_tokens(p: Array, q: Array, keys: Array) -> NDArray[np.int64]:
    """What the quantile coupling emits with given keys: the reference of `quantile_verifier`, n calls at once.

    Parameters
    ----------
    p, q : target laws (gamma + 1, V) and draft laws (gamma, V)
    keys : uniform numbers (n, gamma + 1) in [0, 1); key i draws draft i and the target's token i

    Returns
    -------
    tokens (n, gamma + 1), -1 after the last of a call

    >>> p, q = np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.75, 0.25]])
    >>> quantile_tokens(p, q, np.array([[0.1, 0.3], [0.6, 0.3]])).tolist()
    [[0, 0], [1, -1]]
    """
    tokens = np.stack([drawn_by_key(law, keys[:, i]) for i, law in enumerate(p)], axis=1)
    agree = np.stack([drawn_by_key(law, keys[:, i]) == tokens[:, i] for i, law in enumerate(q)], axis=1)
    accepted = np.cumprod(agree, axis=1).sum(axis=1)
    return np.where(np.arange(len(p)) <= accepted[:, None], tokens, -1)
