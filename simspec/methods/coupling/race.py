r"""The Gumbel coupling: draft and target race with the same exponentials, and match where one token wins both races.

:math:`X = \operatorname{argmin} E_x/q(x)` and :math:`Y = \operatorname{argmin} E_x/p(x)` with the same independent E ~ Exp(1);
Y is emitted, so the output law is p whatever was drafted.  Token j wins both at E_j = t exactly when every other E_i is above
t max(p_i/p_j, q_i/q_j), so :math:`P(X = Y = j) = \int e^{-t \sum_i \max(p_i/p_j,\, q_i/q_j)} dt`.
"""

from __future__ import annotations

import numpy as np

from simspec.laws import Array, check_pair, unchecked
from simspec.methods.method import Method, leftover

__all__ = [
    "gumbel",
    "match_masses",
    "match_probability",
    "match_reference",
    "minhash",
    "minhash_probability",
]


def match_masses(p: Array, q: Array) -> Array:
    r"""Mass with which each token wins both races, :math:`P(X = Y = j) = 1 / \sum_i \max(p_i/p_j,\, q_i/q_j)`.

    The tokens are sorted by q/p; then the larger ratio is that of p before a token and that of q after it, and
    :math:`P(X = Y = j) = q_j / (\rho_j \sum_{i \le j} p_i + \sum_{i > j} q_i)` with :math:`\rho_j = q_j/p_j`.  Takes time of the
    order V log V and a few arrays; float16 and float32 are summed in float64.

    Parameters
    ----------
    p, q : laws (..., V), not checked here; target law and draft law

    Returns
    -------
    masses (..., V); 0 for a token that one of the two laws lacks.  On floats each is within (V + 16) units in the last
    place of `match_reference`, relatively.

    >>> match_masses(np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.25]
    """
    if p.dtype.kind == "f":
        p = p.astype(np.float64, copy=False)
        q = q.astype(np.float64, copy=False)
    p, q = np.broadcast_arrays(p, q)
    order = np.argsort(unchecked.ratio(q, p + q), axis=-1, kind="stable")
    p, q = (np.take_along_axis(a, order, axis=-1) for a in (p, q))
    after = q.sum(axis=-1, keepdims=True) - np.cumsum(q, axis=-1)
    with np.errstate(over="ignore"):  # an infinite ratio leaves no mass, as in the limit
        denominator = np.where(p > 0, unchecked.ratio(q, p) * np.cumsum(p, axis=-1) + after, 1)
    masses = np.zeros_like(p)
    matched = np.minimum(
        np.where(p > 0, q / denominator, 0), np.minimum(p, q)
    )  # no more than either law, whatever was rounded
    np.put_along_axis(masses, order, matched, axis=-1)
    return masses


def match_reference(p: Array, q: Array) -> Array:
    """`match_masses` as a double sum over the tokens, the definition: V^2 products, for tests and small vocabularies.

    >>> match_reference(np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.25]
    """
    denominator = np.maximum(p[..., :, None] * q[..., None, :], q[..., :, None] * p[..., None, :]).sum(axis=-2)
    return unchecked.ratio(p * q, denominator)


def match_probability(p: Array, q: Array) -> Array:
    r"""Acceptance of the Gumbel coupling, :math:`P(X = Y) = \sum_j 1 / \sum_i \max(p_i/p_j,\, q_i/q_j)`.

    Parameters
    ----------
    p, q : laws (..., V); target law and draft law

    Raises ValueError when an argument is not a law or the vocabularies differ.  Exact on fractions.

    Daliri et al. 2024, arXiv 2408.07978; claim ``coupling.formula``.

    >>> p, q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])
    >>> round(float(match_probability(p, q)), 6), float(np.minimum(p, q).sum())
    (0.7, 0.75)
    """
    return match_masses(*check_pair(p, q)).sum(axis=-1)


def minhash_probability(p: Array, q: Array) -> Array:
    r"""Acceptance of the minhash coupling, :math:`\sum_x \min(p, q) / \sum_x \max(p, q) = (1 - TV)/(1 + TV)`.

    A uniform point on the union of the two sub-graphs is the draft where it lies under q, and the target's token where it lies
    under p.  Parameters and errors as in `match_probability`.

    >>> round(float(minhash_probability(np.array([0.5, 0.5]), np.array([0.75, 0.25]))), 6)
    0.6
    """
    return _minhash(*check_pair(p, q)).sum(axis=-1)


def _minhash(p: Array, q: Array) -> Array:
    return np.minimum(p, q) / unchecked.total(np.maximum(p, q))


def gumbel() -> Method:
    """The Gumbel coupling as a one-token rule: it keeps the mass that wins both races; lossless.

    Its residual is the law of Y where the races have different winners, over all drafts together.

    >>> gumbel().accept(np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.25]
    """
    return Method(propose=lambda q: q, accept=match_masses, residual=leftover(match_masses)).made_by(gumbel)


def minhash() -> Method:
    """The minhash coupling as a one-token rule; lossless.

    >>> minhash().accept(np.array([0.5, 0.5]), np.array([0.75, 0.25])).round(6).tolist()
    [0.4, 0.2]
    """
    return Method(propose=lambda q: q, accept=_minhash, residual=leftover(_minhash)).made_by(minhash)
