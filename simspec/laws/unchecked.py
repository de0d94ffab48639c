"""The formulas alone, for loops whose laws were checked before: no argument is looked at.

`simspec.laws` checks its arguments and then calls these.  What is not a law gives a number here that means nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.laws.arrays import Array, as_fractions, exact, is_exact

__all__ = [
    "cdf",
    "entropy",
    "kl",
    "normalise",
    "overlap",
    "ratio",
    "renyi",
    "restrict",
    "softmax",
    "top_k",
    "top_p",
    "total",
    "tv",
    "uniform",
]

STEEP = 16
"""Orders above this have the largest mass taken out of the powers, which would all underflow."""


def total(x: Array) -> Array:
    """Sum over the vocabulary, axis kept."""
    return x.sum(axis=-1, keepdims=True)


def normalise(x: Array, otherwise: Array | None = None) -> Array:
    """Law proportional to masses; `otherwise` for rows without mass."""
    mass = as_fractions(total(x))
    if otherwise is None:
        return x / mass
    empty = mass == 0
    return np.where(empty, otherwise, x / np.where(empty, 1, mass))


def ratio(p: Array, d: Array, otherwise: Any = 0) -> Array:
    """Quotient p/d of each token, and `otherwise` where d is zero, 0/0 included: a token that is never drafted.

    On fractions it is exact, and on floats nothing is divided by zero.

    >>> ratio(np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.0, 0.0])).tolist()
    [2.0, 0.0, 0.0]
    """
    drafted = d > 0
    return np.where(drafted, p / np.where(drafted, d, 1), otherwise)


def overlap(p: Array, q: Array) -> Array:
    """Sum of the smaller of two masses."""
    return np.minimum(p, q).sum(axis=-1)


def tv(p: Array, q: Array) -> Array:
    """Total-variation distance."""
    return as_fractions(abs(p - q).sum(axis=-1)) / 2


def softmax(z: Array, temperature: float = 1) -> Array:
    """Law of logits at a temperature."""
    with np.errstate(over="ignore"):  # minus infinity is the limit
        e = np.exp(_over(z - z.max(axis=-1, keepdims=True), float(temperature)) if z.size else z)
    if e.dtype == np.float16:  # a sum of more than 65504 ones is infinite in 16 bits
        return (e / e.sum(axis=-1, keepdims=True, dtype=np.float32)).astype(np.float16)
    return e / total(e)


def _over(z: Array, temperature: float) -> Array:
    """Logits, the largest 0, over a temperature; at its limits 0 and infinity, and where z's dtype cannot hold it, too."""
    if temperature == 0:
        return np.where(z == 0, z, -np.inf).astype(z.dtype)
    if temperature == np.inf:
        return np.where(z > -np.inf, 0 * z.dtype.type(1), z)
    kind = np.finfo(z.dtype)
    if not kind.tiny <= temperature <= kind.max:
        return (z.astype(np.float64) / temperature).astype(z.dtype)
    return z / z.dtype.type(temperature)


def restrict(p: Array, mask: Array) -> Array:
    """Law conditioned on the tokens of a mask; uniform there for rows without mass on it."""
    return normalise(np.where(mask, p, 0), uniform(mask, like=p))


def uniform(mask: Array, like: Array) -> Array:
    """Uniform law on the true tokens, in the arithmetic of `like`."""
    flags = mask.astype(int)
    if is_exact(like):
        flags = exact(flags)
    law = flags / flags.sum(axis=-1, keepdims=True)
    return law if is_exact(like) or like.dtype.kind != "f" else law.astype(like.dtype)


def top_k(p: Array, k: int) -> Array:
    """Law restricted to its `k` most likely tokens."""
    order = np.argsort(-p, axis=-1, kind="stable")
    return _keep(p, order, np.arange(p.shape[-1]) < k)


def top_p(p: Array, mass: Any) -> Array:
    """Law restricted to the fewest most likely tokens that hold a mass."""
    order = np.argsort(-p, axis=-1, kind="stable")
    ranked = np.take_along_axis(p, order, axis=-1)
    before = np.cumsum(ranked, axis=-1) - ranked
    return _keep(p, order, before < mass)


def _keep(p: Array, order: Array, ranks: Array) -> Array:
    mask = np.zeros(p.shape, dtype=bool)
    np.put_along_axis(mask, order, np.broadcast_to(ranks, p.shape), axis=-1)
    return restrict(p, mask)


def cdf(p: Array) -> Array:
    """Running sum of a law, ending at exactly one."""
    sums = np.cumsum(p, axis=-1)
    return sums / as_fractions(sums[..., -1:])


def entropy(p: Array) -> Array:
    """Shannon entropy in nats."""
    safe = np.where(p > 0, p, 1)
    return -(p * np.log(safe)).sum(axis=-1)


def renyi(p: Array, order: float) -> Array:
    """Rényi entropy in nats; of infinite order the min-entropy."""
    if order <= STEEP:
        return np.log(np.where(p > 0, p**order, 0).sum(axis=-1)) / (1 - order)
    top = p.max(axis=-1)
    if order == np.inf:
        return -np.log(top)
    ratios = ((p / top[..., None]).astype(np.float64) ** float(order)).sum(axis=-1)
    steepest = np.log(ratios) / order + np.log(top.astype(np.float64))
    return (steepest * (order / (1 - order))).astype(p.dtype)


def kl(p: Array, q: Array) -> Array:
    """Kullback–Leibler divergence in nats."""
    has_mass = p > 0
    missing = (has_mass & ~(q > 0)).any(axis=-1)
    top = np.where(has_mass, p, 1)
    bottom = np.where(has_mass & (q > 0), q, 1)
    smallest_normal = np.finfo(np.result_type(top, bottom, np.float32)).tiny  # below it a quotient can overflow
    logs = np.log(top / np.maximum(bottom, smallest_normal)) + np.log(np.maximum(bottom, smallest_normal) / bottom)
    return np.where(missing, np.inf, (p * logs).sum(axis=-1))
