"""Laws: plain arrays whose last axis is the vocabulary and sums to one.

Every function takes a batch in the leading axes and runs on float32, float64, CuPy arrays and NumPy object arrays of
`fractions.Fraction` (exactly), except where a logarithm or an exponential is in the formula.  What is not here:
drawing laws (`simspec.logits`) and verifying drafts (`simspec.methods`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from simspec import kernels

__all__ = [
    "cdf",
    "check_law",
    "check_mask",
    "check_pair",
    "entropy",
    "exact",
    "is_exact",
    "kl",
    "normalise",
    "overlap",
    "renyi",
    "restrict",
    "softmax",
    "top_k",
    "top_p",
    "total",
    "tv",
    "tv_from_logits",
    "uniform",
]

Array = Any
"""A NumPy or CuPy array, or a NumPy object array of fractions."""


def _shape(x: Array) -> tuple[int, ...]:
    return tuple(np.shape(x))


def total(x: Array) -> Array:
    """Sum over the vocabulary, axis kept.

    >>> total(np.array([[1, 2], [3, 4]])).tolist()
    [[3], [7]]
    """
    return x.sum(axis=-1, keepdims=True)


def is_exact(x: Array) -> bool:
    """Whether `x` is an object array (of fractions), on which arithmetic is exact.

    >>> is_exact(np.array([1.0])), is_exact(np.array([1, 2], dtype=object))
    (False, True)
    """
    return getattr(x, "dtype", None) == np.dtype(object)


def check_law(p: Array, name: str = "p") -> Array:
    r"""Return `p` unchanged when it is a law: finite, non-negative, each row summing to one.

    Exact arrays must sum to exactly 1; floating-point rows may miss 1 by at most :math:`8\sqrt V\,\epsilon` plus the
    rounding of 16- and 32-bit inputs (1e-6 relative), so that a law made by any softmax passes and a forgotten
    normalisation does not.

    Parameters
    ----------
    p : array (..., V)
    name : str
        the argument's name, for the message.

    Raises
    ------
    ValueError
        naming the argument, the row, its value and what was expected; the usual cause is logits or counts passed
        where a law was expected.

    Examples
    --------
    >>> check_law(np.array([0.25, 0.75])).sum()
    np.float64(1.0)
    >>> check_law(np.array([0.5, 0.25]), "q")
    Traceback (most recent call last):
    ...
    ValueError: q: row () sums to 0.75; a law sums to 1 over its last axis (normalise it, or apply softmax to logits)
    """
    if not hasattr(p, "dtype"):
        p = np.asarray(p)
    if p.ndim == 0 or p.shape[-1] == 0:
        raise ValueError(f"{name}: shape {_shape(p)}; expected a last axis of at least one token")
    if p.dtype == bool:
        raise ValueError(f"{name}: boolean; expected probabilities (a mask is normalised by `uniform`)")
    if p.size == 0:
        return p
    if is_exact(p) and any(isinstance(v, float) for v in p.ravel().tolist()):
        raise ValueError(f"{name}: floats among fractions; expected one arithmetic (convert floats with `exact`)")
    sums = p.sum(axis=-1)
    if is_exact(p):
        bad_sum, bad_mass = sums != 1, (p < 0).any(axis=-1)
    else:
        allowance = 1e-6 + 8 * p.shape[-1] ** 0.5 * float(np.finfo(p.dtype).eps if p.dtype.kind == "f" else 0)
        bad_sum, bad_mass = ~(abs(sums - 1) <= allowance), ~(p >= 0).all(axis=-1)
    if np.any(bad_mass):
        row = _first(bad_mass)
        values = p[row]
        worst = next(v for v in values.tolist() if not v >= 0)
        raise ValueError(f"{name}: row {row} holds the mass {worst}; expected masses that are finite and not negative")
    if np.any(bad_sum):
        row = _first(bad_sum)
        value = sums[row] if np.ndim(sums) else sums
        shown = value if is_exact(p) else f"{float(value):.6g}"
        raise ValueError(
            f"{name}: row {row} sums to {shown}; a law sums to 1 over its last axis "
            "(normalise it, or apply softmax to logits)"
        )
    return p


def _first(flags: Array) -> tuple[int, ...]:
    """Index of the first true element of a (possibly zero-dimensional) boolean array."""
    flags = np.asarray(flags.get() if hasattr(flags, "get") else flags, dtype=bool)
    return tuple(int(i) for i in np.argwhere(flags)[0])


def check_mask(shared: Array, vocab: int | None = None, name: str = "shared") -> Array:
    """Return `shared` as a boolean mask with at least one true element in every row.

    Raises
    ------
    ValueError
        for an empty shared vocabulary, a non-boolean mask or a wrong length.

    Examples
    --------
    >>> check_mask(np.array([False, False]))
    Traceback (most recent call last):
    ...
    ValueError: shared: no token is true; expected a shared vocabulary of at least one token
    """
    mask = np.asarray(shared)
    if mask.dtype != bool:
        raise ValueError(f"{name}: dtype {mask.dtype}; expected a boolean mask with one element per token")
    if mask.ndim == 0 or (vocab is not None and mask.shape[-1] != vocab):
        raise ValueError(f"{name}: shape {_shape(mask)}; expected one element per token, (..., {vocab or 'V'})")
    if not mask.any(axis=-1).all():
        raise ValueError(f"{name}: no token is true; expected a shared vocabulary of at least one token")
    return mask


def check_pair(p: Array, q: Array, names: tuple[str, str] = ("p", "q")) -> tuple[Array, Array]:
    """Return two laws over one vocabulary, checked.

    >>> check_pair(np.array([1.0]), np.array([0.5, 0.5]))
    Traceback (most recent call last):
    ...
    ValueError: q: 2 tokens where p has 1; expected laws over one vocabulary
    """
    p, q = check_law(p, names[0]), check_law(q, names[1])
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(
            f"{names[1]}: {q.shape[-1]} tokens where {names[0]} has {p.shape[-1]}; expected laws over one vocabulary"
        )
    try:
        np.broadcast_shapes(p.shape, q.shape)
    except ValueError:
        raise ValueError(
            f"{names[1]}: shape {_shape(q)} where {names[0]} has {_shape(p)}; expected leading axes that broadcast"
        ) from None
    return p, q


def normalise(x: Array, otherwise: Array | None = None) -> Array:
    r"""Law proportional to non-negative masses, :math:`x_i / \sum_k x_k`.

    Parameters
    ----------
    x : array (..., V), non-negative
    otherwise : array, optional
        the law returned for rows whose mass is zero, where there is nothing to scale.

    Raises
    ------
    ValueError
        when a row has no mass and `otherwise` is not given.

    Examples
    --------
    >>> normalise(np.array([1, 3])).tolist()
    [0.25, 0.75]
    """
    mass = _fraction(total(x))
    empty = mass == 0
    if otherwise is None:
        if empty.any():
            raise ValueError(f"x: row {_first(empty[..., 0])} has no mass; expected a positive sum to normalise by")
        return x / mass
    return np.where(empty, otherwise, x / np.where(empty, 1, mass))


def _fraction(mass: Array) -> Array:
    """Integers in an exact array as fractions, so that dividing by them stays exact (anything else passes)."""
    if not is_exact(mass):
        return mass
    return np.frompyfunc(lambda v: Fraction(v) if isinstance(v, int) else v, 1, 1)(mass)


def overlap(p: Array, q: Array) -> Array:
    r"""Overlap :math:`\sum_x \min(p_x, q_x) = 1 - \mathrm{TV}(p, q)`: the acceptance rate of speculative decoding.

    Pinned by claim ``sd.acceptance`` (Leviathan et al. 2023, Corollary 3.6).

    >>> float(overlap(np.array([0.5, 0.5, 0]), np.array([0.25, 0.25, 0.5])))
    0.5
    """
    return np.minimum(p, q).sum(axis=-1)


def tv(p: Array, q: Array) -> Array:
    r"""Total-variation distance :math:`\tfrac12 \sum_x |p_x - q_x|`, in [0, 1].

    >>> float(tv(np.array([1, 0]), np.array([0.25, 0.75])))
    0.75
    """
    return abs(p - q).sum(axis=-1) / 2


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
    a, b = _check_logits(a, "a"), _check_logits(b, "b")
    if a.shape != b.shape:
        raise ValueError(f"b: shape {_shape(b)} where a has {_shape(a)}; expected two logit arrays of one shape")
    return kernels.tv_from_logits(a, b)


def _check_logits(z: Array, name: str) -> Array:
    if not hasattr(z, "dtype"):
        z = np.asarray(z)
    if z.ndim == 0 or z.shape[-1] == 0:
        raise ValueError(f"{name}: shape {_shape(z)}; expected a last axis of at least one token")
    if z.dtype.kind != "f":
        z = z.astype(np.float64)
    if z.size:
        top = z.max(axis=-1)  # NaN spreads through max
        bad = ~(abs(top) < np.inf)
        if bad.any():
            row = _first(bad)
            raise ValueError(
                f"{name}: row {row} has the largest logit {float(top[row] if top.ndim else top)}; expected logits that "
                "are finite or minus infinity, with at least one finite in each row"
            )
    return z


def softmax(logits: Array, temperature: float = 1) -> Array:
    r"""Law :math:`e^{z_x/t} / \sum_k e^{z_k/t}` of logits :math:`z` at temperature :math:`t`.

    Temperature 0 is the limit: the uniform law on the tokens of the largest logit.

    Raises
    ------
    ValueError
        for a negative temperature, NaN or plus infinity, or a row that is minus infinity throughout.

    Examples
    --------
    >>> softmax(np.log([1.0, 3.0])).round(12).tolist()
    [0.25, 0.75]
    >>> softmax(np.array([0.0, 2.0, 2.0]), temperature=0).tolist()
    [0.0, 0.5, 0.5]
    """
    if not temperature >= 0:
        raise ValueError(f"temperature: {temperature}; expected a number that is not negative")
    z = _check_logits(logits, "logits")
    z = z - z.max(axis=-1, keepdims=True) if z.size else z
    if temperature == 0:
        return normalise((z == 0).astype(z.dtype))
    e = np.exp(z / z.dtype.type(temperature))
    return e / total(e)


def restrict(p: Array, mask: Array) -> Array:
    """Law conditioned on the tokens of `mask`; rows without mass there become uniform on `mask`.

    The second rule is a convention: a draft that puts nothing on the shared vocabulary must still propose something.

    >>> restrict(np.array([0.5, 0.25, 0.25]), np.array([False, True, True])).tolist()
    [0.0, 0.5, 0.5]
    """
    mask = check_mask(mask, p.shape[-1], "mask")
    return normalise(np.where(mask, p, 0), uniform(mask, like=p))


def uniform(mask: Array, like: Array) -> Array:
    """Uniform law on the true tokens of `mask`, in the arithmetic of the array `like`.

    >>> uniform(np.array([True, False, True]), like=np.array([1.0])).tolist()
    [0.5, 0.0, 0.5]
    """
    flags = mask.astype(int)
    if is_exact(like):
        flags = exact(flags)
    law = flags / flags.sum(axis=-1, keepdims=True)
    return law if is_exact(like) or like.dtype.kind != "f" else law.astype(like.dtype)


def exact(x: Array) -> Array:
    """Object array of the fractions that the numbers of `x` are (floats convert without rounding).

    >>> exact(np.array([1, 0.5])).tolist()
    [Fraction(1, 1), Fraction(1, 2)]
    """
    flat = [Fraction(v) for v in np.asarray(x).ravel().tolist()]
    out = np.empty(len(flat), dtype=object)
    out[:] = flat
    return out.reshape(_shape(x))


def top_k(p: Array, k: int) -> Array:
    """Law restricted to its `k` most likely tokens; of equal tokens the first are kept.

    >>> top_k(np.array([0.25, 0.5, 0.25]), 2).round(12).tolist()
    [0.333333333333, 0.666666666667, 0.0]
    """
    if not 1 <= k <= p.shape[-1]:
        raise ValueError(f"k: {k}; expected 1 <= k <= {p.shape[-1]}, the vocabulary size")
    order = np.argsort(-p, axis=-1, kind="stable")
    return _keep(p, order, np.arange(p.shape[-1]) < k)


def top_p(p: Array, mass: Any) -> Array:
    """Law restricted to the shortest list of most likely tokens that holds at least `mass` (nucleus sampling).

    >>> top_p(np.array([0.25, 0.5, 0.25]), 0.6).round(12).tolist()
    [0.333333333333, 0.666666666667, 0.0]
    """
    if not 0 < mass <= 1:
        raise ValueError(f"mass: {mass}; expected 0 < mass <= 1")
    order = np.argsort(-p, axis=-1, kind="stable")
    ranked = np.take_along_axis(p, order, axis=-1)
    before = np.cumsum(ranked, axis=-1) - ranked
    return _keep(p, order, before < mass)


def _keep(p: Array, order: Array, ranks: Array) -> Array:
    mask = np.zeros(p.shape, dtype=bool)
    np.put_along_axis(mask, order, np.broadcast_to(ranks, p.shape), axis=-1)
    return restrict(p, mask)


def cdf(p: Array) -> Array:
    """Running sum of a law, divided by its last entry so that it ends at exactly one.

    >>> cdf(np.array([0.25, 0.75])).tolist()
    [0.25, 1.0]
    """
    sums = np.cumsum(p, axis=-1)
    return sums / _fraction(sums[..., -1:])


def entropy(p: Array) -> Array:
    r"""Shannon entropy :math:`-\sum_x p_x \log p_x` in nats, with :math:`0\log 0 = 0`.

    >>> round(float(entropy(np.array([0.5, 0.5]))), 6)
    0.693147
    """
    safe = np.where(p > 0, p, 1)
    return -(p * np.log(safe)).sum(axis=-1)


def renyi(p: Array, order: float) -> Array:
    r"""Rényi entropy :math:`\frac{1}{1-a}\log\sum_x p_x^a` in nats, for an order :math:`a > 0`, :math:`a \ne 1`.

    >>> round(float(renyi(np.array([0.5, 0.5]), 2)), 6)
    0.693147
    """
    if not (order > 0 and order != 1):
        raise ValueError(f"order: {order}; expected a positive number other than 1 (use entropy for 1)")
    return np.log((p**order).sum(axis=-1)) / (1 - order)


def kl(p: Array, q: Array) -> Array:
    r"""Kullback–Leibler divergence :math:`\sum_x p_x \log(p_x/q_x)` in nats; infinite where q misses mass of p.

    >>> round(float(kl(np.array([1.0, 0.0]), np.array([0.5, 0.5]))), 6)
    0.693147
    """
    drawn = p > 0
    missing = (drawn & ~(q > 0)).any(axis=-1)
    top, bottom = np.where(drawn, p, 1), np.where(drawn & (q > 0), q, 1)
    least = np.finfo(np.result_type(top, bottom, np.float32)).tiny  # below it a quotient can overflow
    logs = np.log(top / np.maximum(bottom, least)) + np.log(np.maximum(bottom, least) / bottom)
    return np.where(missing, np.inf, (p * logs).sum(axis=-1))
