"""Measuring laws: overlaps, distances, divergences and entropies."""

from __future__ import annotations

import numpy as np

from simspec import kernels
from simspec.laws import unchecked
from simspec.laws.arrays import Array, shape
from simspec.laws.checks import check_floats, check_law, check_logits, check_pair

__all__ = ["entropy", "kl", "overlap", "renyi", "tv", "tv_from_logits"]


def overlap(p: Array, q: Array) -> Array:
    r"""Overlap :math:`\sum_x \min(p_x, q_x) = 1 - \mathrm{TV}(p, q)`: the acceptance rate of speculative decoding.

    Pinned by claim ``sd.acceptance`` (Leviathan et al. 2023, Corollary 3.6).

    >>> float(overlap(np.array([0.5, 0.5, 0]), np.array([0.25, 0.25, 0.5])))
    0.5
    """
    return unchecked.overlap(*check_pair(p, q))


def tv(p: Array, q: Array) -> Array:
    r"""Total-variation distance :math:`\tfrac12 \sum_x |p_x - q_x|`, in [0, 1].

    >>> float(tv(np.array([1, 0]), np.array([0.25, 0.75])))
    0.75
    """
    return unchecked.tv(*check_pair(p, q))


def tv_from_logits(a: Array, b: Array) -> Array:
    r"""Total-variation distance of two softmax laws, from their logits in one fused pass.

    :math:`\tfrac12\sum_x |\mathrm{softmax}(a)_x - \mathrm{softmax}(b)_x|`; no law is stored.

    Parameters
    ----------
    a, b : float arrays (..., V)
        logits in nats; minus infinity marks a token that cannot be drawn.

    Raises
    ------
    ValueError
        for mismatched shapes, NaN or plus infinity, or a row that is minus infinity throughout.

    Examples
    --------
    >>> round(float(tv_from_logits(np.log([0.5, 0.5]), np.log([0.25, 0.75]))), 12)
    0.25
    """
    a = check_logits(a, "a")
    b = check_logits(b, "b")
    if a.shape != b.shape:
        raise ValueError(f"b: shape {shape(b)} where a has {shape(a)}; expected two logit arrays of one shape")
    return kernels.tv_from_logits(a, b)


def entropy(p: Array) -> Array:
    r"""Shannon entropy :math:`-\sum_x p_x \log p_x` in nats, with :math:`0\log 0 = 0`.

    >>> round(float(entropy(np.array([0.5, 0.5]))), 6)
    0.693147
    """
    p = check_law(p)
    check_floats(p, "p", "an entropy")
    return unchecked.entropy(p)


def renyi(p: Array, order: float) -> Array:
    r"""Rényi entropy :math:`\frac{1}{1-a}\log\sum_x p_x^a` in nats, for an order :math:`a > 0`, :math:`a \ne 1`.

    Infinite order is the limit, the min-entropy :math:`-\log\max_x p_x`.

    >>> round(float(renyi(np.array([0.5, 0.5]), 2)), 6), round(float(renyi(np.array([0.5, 0.25, 0.25]), np.inf)), 6)
    (0.693147, 0.693147)
    """
    p = check_law(p)
    if not isinstance(order, int | float | np.number) or not (order > 0 and order != 1):
        raise ValueError(f"order: {order!r}; expected a positive number other than 1 (use entropy for 1)")
    check_floats(p, "p", "a Rényi entropy")
    return unchecked.renyi(p, order)


def kl(p: Array, q: Array) -> Array:
    r"""Kullback–Leibler divergence :math:`\sum_x p_x \log(p_x/q_x)` in nats; infinite where q misses mass of p.

    >>> round(float(kl(np.array([1.0, 0.0]), np.array([0.5, 0.5]))), 6)
    0.693147
    """
    p, q = check_pair(p, q)
    check_floats(p, "p", "a logarithm")
    check_floats(q, "q", "a logarithm")
    return unchecked.kl(p, q)
