"""How often rules for several drafts accept, without enumeration: on arrays of laws of any leading shape and any vocabulary.

Recursive rejection without replacement has no closed form beyond two drafts: `rrsw_acceptance` averages over drawn ways to
be refused, each of which is followed exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array, Scalar

__all__ = ["match_acceptance", "rrs_acceptance", "rrs_scales", "rrsw_acceptance", "rrsw_rates"]


def rrs_scales(p: Array, q: Array, k: int) -> list[Any]:
    r"""c_1 = 1, :math:`c_{j+1} = c_j + \sum (p - c_j q)_+`, up to c_K: RRS keeps min(p, c_K q) in all.

    >>> from simspec.laws import exact
    >>> print(*rrs_scales(exact([0.25, 0.75]), exact([0.75, 0.25]), 3))
    1 3/2 15/8
    """
    scales = [p.sum(axis=-1)]
    scales[0] = scales[0] ** 0
    for _ in range(k - 1):
        scales.append(scales[-1] + _beyond(p, q, scales[-1]))
    return scales


def rrs_acceptance(p: Array, q: Array, k: int) -> Any:
    r"""Acceptance of recursive rejection with independent drafts, :math:`1 - \sum (p - c_K q)_+`: claim ``multi.rrs-formula``.

    Parameters
    ----------
    p, q : laws (..., V)
    k : int >= 1; drafts

    >>> from simspec.laws import exact
    >>> print(rrs_acceptance(exact([0.25, 0.75]), exact([0.75, 0.25]), 2))
    5/8
    """
    return 1 - _beyond(p, q, rrs_scales(p, q, k)[-1])


def match_acceptance(p: Array, q: Array, k: int) -> Any:
    r"""How often one sample of the target is among K independent drafts, :math:`\sum p\,(1 - (1 - q)^K)`.

    >>> print(match_acceptance(np.array([0.5, 0.5]), np.array([1.0, 0.0]), 2))
    0.5
    """
    return (p * (1 - (1 - q) ** k)).sum(axis=-1)


def rrsw_acceptance(p: Array, q: Array, k: int, paths: int = 64, seed: int = 0) -> NDArray[np.float64]:
    r"""Acceptance of recursive rejection without replacement: to rounding for K <= 2, beyond by `paths` drawn paths a row.

    What is left of the target after i refusals is :math:`(p - u_i q)_+`, with :math:`u_{i+1} = u_i + d_i / (1 - Q_i)`,
    :math:`d_i` its mass before and :math:`Q_i` the mass of the drafts refused so far.  So only that mass has to be drawn:
    the first refusals from their own law, the last averaged over.  The estimate is unbiased.

    Parameters
    ----------
    p, q : laws (..., V) of floats
    k : int >= 1; drafts
    paths, seed : int; paths drawn for each row, and what their uniforms are made from

    >>> print(rrsw_acceptance(np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.25, 0.25]), 2).round(6))
    0.583333
    """
    rows = zip(p.reshape(-1, p.shape[-1]), q.reshape(-1, p.shape[-1]), strict=True)
    acceptances = [1 - _refused(a, b, k, np.random.default_rng([seed, i]), paths) for i, (a, b) in enumerate(rows)]
    return np.array(acceptances).reshape(p.shape[:-1])[()]


def rrsw_rates(p: Array, q: Array, k: int, paths: int = 8, first: int = 0) -> NDArray[np.float64]:
    r"""Probability that recursive rejection without replacement accepts the j-th draft, and none before it, (..., K).

    To rounding for the first two, which take no draws; the others are unbiased means over `paths` drawn ways to be refused,
    of what each of them leaves, so that none is negative.

    Parameters
    ----------
    p, q : laws (..., V) of floats
    k : int >= 1; drafts
    paths, first : int; paths drawn for each row, and the number of the first row, to which its draws belong

    >>> rrsw_rates(np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.25, 0.25]), 2).round(6).tolist()
    [0.25, 0.333333]
    """
    rows = zip(p.reshape(-1, p.shape[-1]), q.reshape(-1, p.shape[-1]), strict=True)
    row_rates = [_accepted(a, b, k, np.random.default_rng([first + i, k]), paths) for i, (a, b) in enumerate(rows)]
    return np.array(row_rates).reshape(*p.shape[:-1], k)


def _accepted(p: Array, q: Array, k: int, rng: np.random.Generator, paths: int) -> NDArray[np.float64]:
    """Probability that each of K drafts of a row is the one that is accepted."""
    refused = [_refused(p, q, count, rng, 1) for count in range(1, min(k, 2) + 1)]  # no draws up to two
    rates = np.zeros(k)
    rates[: len(refused)] = -np.diff([1.0, *refused])
    if k > 2 and refused[-1] > 0:
        p = np.asarray(p, dtype=np.float64)
        q = np.asarray(q, dtype=np.float64)
        under = np.maximum(q - p, 0)
        tails = _tails(p, q)
        ways = [_along(p, q, int(x), tails, k, rng) for x in rng.choice(len(q), size=paths, p=under / under.sum())]
        rates[2:] = -np.diff(ways, axis=1).mean(axis=0)
    return np.clip(rates, 0, 1) + 0.0


def _beyond(p: Array, q: Array, scale: Scalar) -> Any:
    return np.maximum(p - np.asarray(scale)[..., None] * q, 0).sum(axis=-1)


def _refused(p: Array, q: Array, k: int, rng: np.random.Generator, paths: int) -> float:
    """Probability that all K drafts of a row are refused."""
    p = np.asarray(p, dtype=np.float64)
    q = np.asarray(q, dtype=np.float64)
    under = np.maximum(q - p, 0)
    beta = float(under.sum())
    if k == 1 or beta <= 0:
        return beta
    tails = _tails(p, q)
    at = np.flatnonzero(under)
    if k == 2:
        return float((under[at] * tails(_further(1.0, beta, q[at]))).sum() / beta)
    first = at[rng.choice(len(at), size=paths, p=under[at] / beta)]
    return sum(_along(p, q, int(x), tails, k, rng)[-1] for x in first) / paths


def _along(p: Array, q: Array, x: int, tails: _Tails, k: int, rng: np.random.Generator) -> list[float]:
    """Mass that is left after 2, …, K refusals, the first of them of x, the others drawn."""
    scale = 1.0
    used = float(q[x])
    gone = [x]
    mass = float(tails(np.array(scale)))
    masses = list[float]()
    while True:
        after = float(_further(scale, mass, used))
        if mass <= 0 or not after < np.inf:
            return masses + [mass if mass <= 0 else float(tails(np.array(after)))] * (k - 1 - len(masses))
        masses.append(float(tails(np.array(after))))
        if len(masses) == k - 1:
            return masses
        refused = np.maximum((after - scale) * q - np.maximum(p - scale * q, 0), 0)
        refused[gone] = 0
        total = refused.sum()
        if total <= 0:
            return masses + [0.0] * (k - 1 - len(masses))
        gone.append(int(rng.choice(len(q), p=refused / total)))
        scale = after
        used = used + float(q[gone[-1]])
        mass = masses[-1]


def _further(scale: float, mass: float, used: Any) -> Any:
    """The scale after a refusal; infinite where q has nothing left."""
    rest = np.maximum(1 - np.asarray(used), 0)
    return np.where(rest > 0, scale + mass / np.where(rest > 0, rest, 1), np.inf)


_Tails = Callable[[Any], Any]


def _tails(p: Array, q: Array) -> _Tails:
    """u -> Σ (p − u q)₊, many at once: sums over the tokens whose p/q is above u."""
    drafted = q > 0
    never = float(p[~drafted].sum())
    with np.errstate(over="ignore"):  # a draft law's least masses: infinity is the last in order too
        ratios = p[drafted] / q[drafted]
    order = np.argsort(ratios)
    ratios = ratios[order]
    tail_p, tail_q = (np.append(np.cumsum(m[drafted][order][::-1])[::-1], 0) for m in (p, q))

    def left(scale: Any) -> Any:
        from_ = np.searchsorted(ratios, scale, side="right")
        finite = np.where(np.isfinite(scale), scale, 0)
        return never + np.maximum(tail_p[from_] - finite * tail_q[from_], 0)

    return left
