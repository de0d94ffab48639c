r"""Gumbel list coupling: K drafts race with noise of their own each, the target with the least noise of every token.

:math:`X^{(l)} = \operatorname{argmin} E^{(l)}_x/q(x)`, :math:`Y = \operatorname{argmin} \min_l E^{(l)}_x / p(x)`; Y is emitted.

The target's race ends at a time s ~ Exp(K), with a token j ~ p that does not depend on it, in one of the K streams.  By then
every other exponential has come to s p_x and goes on without memory.  Of the stream that ended it j wins the draft's race too
with probability :math:`e^{-s L(r_j)}`, of another one with :math:`q_j B_j(s)`, where :math:`r = p/q`,
:math:`L(u) = \sum_x (q_x u - p_x)_+` and :math:`B_j(s) = s \int_{r_j}^\infty e^{-s L(u)} du`; L is linear between the r, so that
each is a finite sum of exponentials in s.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from simspec.checks import whole_number
from simspec.laws import Array, Scalar, check_pair, unchecked
from simspec.methods.coupling.race import match_masses

__all__ = ["MOST_DRAFTS", "exact_masses", "joint_law", "list_bound", "list_masses", "list_match"]

MOST_DRAFTS = 64
"""Most drafts of one list."""
STEP = 1 / 3
FIRST = -28.0
LAST = 3.75
"""The trapezoidal rule in log(K s): its step and its ends."""
TINY = 1e-150
"""Draft masses below this are taken for zero: their ratios would overflow."""

Exponentials = dict[Any, Any]
"""A finite sum of c e^(-a s), as {a: c}."""


def _drafts(drafts: int) -> int:
    return whole_number("drafts", drafts, 1, MOST_DRAFTS, f"a number of drafts from 1 to {MOST_DRAFTS}")


def _times(first: Exponentials, second: Exponentials) -> Exponentials:
    terms: Exponentials = {}
    for (a, c), (b, d) in product(first.items(), second.items()):
        terms[a + b] = terms.get(a + b, 0) + c * d
    return terms


def _plus(first: Exponentials, second: Exponentials, factor: Scalar) -> Exponentials:
    terms = dict(first)
    for a, c in second.items():
        terms[a] = terms.get(a, 0) + factor * c
    return terms


def _races(p: Array, q: Array) -> tuple[list[Exponentials], list[list[Exponentials]]]:
    """For every token: that it wins a draft's race of another stream; and of the stream that the target's winner ended."""
    vocab = range(len(p))
    r = [p[x] / q[x] if q[x] > 0 else None for x in vocab]
    places = sorted({u for u in r if u is not None})
    levels = [sum(max(q[x] * u - p[x], 0) for x in vocab) for u in places]
    shares = [1 / sum(q[x] for x in vocab if r[x] is not None and r[x] <= u) for u in places]
    later: list[Exponentials] = []
    for k in range(len(places)):
        terms: Exponentials = {levels[k]: shares[k]}
        for i in range(k + 1, len(places)):
            terms = _plus(terms, {levels[i]: shares[i] - shares[i - 1]}, 1)
        later.append(terms)
    later.append({})
    at = [places.index(u) if u is not None else len(places) for u in r]
    other_stream = [_plus({}, later[at[x]], q[x]) for x in vocab]
    ended = [[_plus(other_stream[i], later[at[j]], -q[i]) if at[i] < at[j] else {} for i in vocab] for j in vocab]
    for j in (j for j in vocab if at[j] < len(places)):
        ended[j][j] = {levels[at[j]]: 1}
    return other_stream, ended


def joint_law(p: Array, q: Array, drafts: int = 1) -> Array:
    """Joint law of the drafts and the target's token, (V, ..., V): K axes for the drafts, the last one for Y.

    Parameters
    ----------
    p, q : laws (V,) of a few tokens; target law and draft law
    drafts : int, K from 1; the result has V^(K + 1) entries

    Raises ValueError when an argument is not a law or no number of drafts.  Exact on fractions: every entry is an integral
    over s of a sum of exponentials.

    >>> from simspec.laws import exact
    >>> for row in joint_law(exact([0.5, 0.25, 0.25]), exact([0.25, 0.25, 0.5])):
    ...     print(*row)
    1/4 0 0
    1/20 1/5 0
    1/5 1/20 1/4
    """
    p, q = check_pair(p, q)
    if p.ndim != 1:
        raise ValueError(f"p: shape {p.shape}; expected one law (V,)")
    number = _drafts(drafts)
    vocab = len(p)
    other_stream, ended = _races(p, q)
    law = np.empty((vocab,) * (number + 1), dtype=p.dtype)
    for *tokens, j in product(range(vocab), repeat=number + 1):
        some: Exponentials = {}
        for stream in range(number):
            terms: Exponentials = {0: p[j]}
            for at, token in enumerate(tokens):
                terms = _times(terms, ended[j][token] if at == stream else other_stream[token])
            some = _plus(some, terms, 1)
        law[(*tokens, j)] = sum((c / (number + a) for a, c in some.items()), Fraction(0) if p.dtype == object else 0.0)
    return law


def list_masses(p: Array, q: Array, drafts: int) -> Array:
    r"""Mass of each token with which it is the target's and among the K drafts, P(Y = j, j in {X^(1), ..., X^(K)}).

    .. math:: p_j - p_j \int_0^\infty K e^{-K s} (1 - e^{-s L(r_j)}) (1 - q_j B_j(s))^{K-1} ds

    For K = 1 in closed form (`match_masses`); else by the trapezoidal rule in log s, whose error falls exponentially with
    its step: below 1e-9 for K up to 8, as compared with `joint_law`.  Takes time of the order V for each of a hundred steps,
    after a sort, and a few arrays.

    Parameters
    ----------
    p, q : float laws (..., V), not checked here; target law and draft law
    drafts : int, K from 1 to `MOST_DRAFTS`

    >>> half = np.array([0.5, 0.5])
    >>> list_masses(half, np.array([0.75, 0.25]), 2).round(6).tolist()
    [0.5, 0.354167]
    """
    number = _drafts(drafts)
    if number == 1:
        return match_masses(p, q)
    p, q = np.broadcast_arrays(p.astype(np.float64, copy=False), q.astype(np.float64, copy=False))
    has_mass = q > TINY
    r = np.where(has_mass, p / np.where(has_mass, q, 1), np.inf)
    order = np.argsort(r, axis=-1, kind="stable")
    p, q, r = (np.take_along_axis(a, order, axis=-1) for a in (p, np.where(has_mass, q, 0), r))
    racing = np.isfinite(r)
    slope = np.where(racing, np.cumsum(q, axis=-1), 1)
    level = np.maximum(np.where(racing, r, 0) * slope - np.cumsum(np.where(racing, p, 0), axis=-1), 0)
    missed = np.zeros_like(p)
    for s in np.exp(np.arange(FIRST, LAST, STEP)) / number:
        still = np.where(racing, np.exp(-s * level), 0)
        step = (still - np.append(still[..., 1:], np.zeros_like(still[..., :1]), axis=-1)) / slope
        other_stream = q * np.cumsum(np.maximum(step, 0)[..., ::-1], axis=-1)[..., ::-1]
        weight = STEP * number * s * np.exp(-number * s)
        missed += (
            weight * -np.expm1(-s * np.where(racing, level, np.inf)) * np.maximum(1 - other_stream, 0) ** (number - 1)
        )
    masses = np.empty_like(p)
    np.put_along_axis(masses, order, p * np.clip(1 - missed, 0, 1), axis=-1)
    return masses


def exact_masses(p: Array, q: Array, drafts: int) -> Array:
    """`list_masses` of one pair of laws (V,) of a few tokens, on fractions: sums of exponentials, V^(K - 1) of them.

    >>> from simspec.laws import exact
    >>> print(*exact_masses(exact([0.5, 0.5]), exact([0.75, 0.25]), 2))
    1/2 17/48
    """
    number = _drafts(drafts)
    if p.ndim != 1:
        raise ValueError(f"p: shape {p.shape}; expected one law (V,) of fractions")
    other_stream, ended = _races(p, q)
    masses = p * 1
    for j in range(len(p)):
        missed = _plus({0: Fraction(1)}, ended[j][j], -1)
        for _ in range(number - 1):
            missed = _times(missed, _plus({0: 1}, other_stream[j], -1))
        masses[j] -= p[j] * sum(number * c / (number + a) for a, c in missed.items())
    return masses


def list_match(p: Array, q: Array, drafts: int) -> Array:
    """Acceptance of the list coupling, P(Y is one of the K drafts); exact on fractions, of single laws.

    Parameters
    ----------
    p, q : laws (..., V); target law and draft law; (V,) of a few tokens where they are fractions
    drafts : int, K from 1 to `MOST_DRAFTS`

    Raises ValueError when an argument is not a law or no number of drafts.  Floats as in `list_masses`.

    Rowan et al. 2025, arXiv 2506.05632; claim ``coupling.list-exact``.

    >>> from simspec.laws import exact
    >>> print(list_match(exact([0.5, 0.5]), exact([0.75, 0.25]), 2))
    41/48
    """
    p, q = check_pair(p, q)
    return (exact_masses if p.dtype == object else list_masses)(p, q, drafts).sum(axis=-1)


def list_bound(p: Array, q: Array, drafts: int) -> Array:
    r"""What the list matching lemma gives, :math:`\sum_j K / \sum_i [\max(p_i/p_j, q_i/q_j) + (K - 1) p_i/p_j]`.

    It is the probability that the stream in which the target's token won drafts it too.  Parameters and errors as in
    `list_match`; any leading shape, also of fractions.

    >>> float(list_bound(np.array([0.5, 0.5]), np.array([0.75, 0.25]), 1))
    0.75
    """
    number = _drafts(drafts)
    p, q = check_pair(p, q)
    matched = match_masses(p, q)  # 1/m_j, and 1/p_j = Σ_i p_i/p_j: K / (m_j + (K - 1)/p_j)
    return unchecked.ratio(number * matched * p, p + (number - 1) * matched).sum(axis=-1)
