r"""Acceptance rules that keep more than speculative decoding, what that costs, and the best that any rule can reach.

A draft from d kept with mass k, and a residual law r after a rejection, emit :math:`o = k + (1 - \sum_x k_x)\, r`.

* Whenever :math:`\min(p, d) \le k \le d` and r is the SD residual, :math:`\mathrm{TV}(o, p)` equals the acceptance
  gained over speculative decoding, exactly: each point of acceptance is paid with one point of total variation
  (claim ``ears.bias.residual``).
* No rule does better: :math:`\sum_x k_x \le \sum_x \min(p_x, d_x) + \mathrm{TV}(o, p)` for every k and r (claim
  ``ears.best-tradeoff``), so the rules differ only in what total variation does not see, such as
  Kullback–Leibler divergence and tokens outside the target's support; there `lenience` with the residual of
  `levelled` is the best (claim ``ears.best-tradeoff-kl``).

Sources: the straight frontier of acceptance and total variation is in Yin et al. 2024 ("A theoretical perspective for
speculative decoding algorithm", NeurIPS 37); the rule of least divergence in Tran-Thien 2023 ("An optimal lossy variant
of speculative decoding", mentored decoding).  What rules cost is measured in `simspec.methods.ears.costs`; EARS is in
`simspec.methods.ears.acceptance`; bias over whole texts in `simspec.methods.ears.texts`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simspec.laws import Array, Scalar, check_law, exact, is_exact, unchecked
from simspec.methods.method import Method, as_method
from simspec.methods.parameters import check_number, number
from simspec.methods.sd import SD

__all__ = [
    "lenience",
    "levelled",
    "mixture",
    "typical",
    "water_level",
]


def lenience(factor: Scalar) -> Method:
    r"""Accept with probability :math:`\min(1, p/(\ell d))`: keep :math:`\min(d, p/\ell)`; SD residual.

    Parameters
    ----------
    factor : number in (0, 1]
        the lenience :math:`\ell`; 1 is speculative decoding.  No token becomes more than :math:`1/\ell` times as likely
        as under the target, so a token with p = 0 is never emitted.

    Raises ValueError for a factor outside (0, 1].

    Leviathan et al. 2023, appendix on lenience.  The bias is the acceptance gained (see the module); `levelled` makes
    the Kullback–Leibler divergence the least possible at this acceptance.

    >>> lenience(0.5).accept(np.array([0.25, 0.75]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.25]
    """
    check_number("factor", factor, lambda v: 0 < v <= 1, "a lenience in (0, 1]")

    def accept(p: Array, d: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.minimum(d, p / number(factor, p))

    return replace(SD, accept=accept).made_by(lenience, factor)


def mixture(weight: Scalar) -> Method:
    r"""Speculative decoding towards the target :math:`(1-w) p + w d`: the plain control of every relaxed rule.

    Keep :math:`\min(d, (1-w) p + w d)`; the SD residual then makes the output law that mixture, so that the bias is
    :math:`w\,\mathrm{TV}(p, d)`.

    Parameters
    ----------
    weight : number in [0, 1]; 0 is speculative decoding, 1 accepts every draft

    Raises ValueError for a weight outside [0, 1].

    >>> p, q = np.array([1.0, 0.0]), np.array([0.5, 0.5])
    >>> from simspec.methods import output_law
    >>> output_law(mixture(0.5), p, q).tolist()
    [0.75, 0.25]
    """
    check_number("weight", weight, lambda v: 0 <= v <= 1, "a weight between 0 and 1")

    def accept(p: Array, d: Array) -> Array:
        w = number(weight, p)
        return np.minimum(d, (1 - w) * p + w * d)

    return replace(SD, accept=accept).made_by(mixture, weight)


def typical(epsilon: Scalar = 0.09, delta: Scalar = 0.3) -> Method:
    r"""Typical acceptance: keep a draft iff :math:`p_x > \min(\epsilon, \delta e^{-H(p)})`, without a uniform; SD residual.

    Parameters
    ----------
    epsilon, delta : numbers >= 0
        hard limit and factor of the entropy-dependent limit.  The threshold is a rounded number; on fractions the kept
        mass is exact all the same.

    Raises ValueError for a parameter that is negative, infinite or NaN.

    Cai et al. 2024 (Medusa), whose defaults these are; there the rest is drawn from p (``replace(..., residual=fresh)``)
    and the first token of a block is always kept.  The rule can reject what speculative decoding keeps, and then its
    bias is more than the acceptance it gains.

    >>> typical(epsilon=0.25).accept(np.array([0.75, 0.25]), np.array([0.5, 0.5])).tolist()  # limit 0.3/e^H = 0.17
    [0.5, 0.5]
    >>> typical(epsilon=0.25, delta=1).accept(np.array([0.75, 0.25]), np.array([0.5, 0.5])).tolist()
    [0.5, 0.0]
    """
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        check_number(name, value, lambda v: 0 <= v < np.inf, "a finite number that is not negative")

    def accept(p: Array, d: Array) -> Array:
        rounded = p.astype(np.float64) if is_exact(p) else p
        limit = np.minimum(number(epsilon, rounded), number(delta, rounded) * np.exp(-unchecked.entropy(rounded)))
        return np.where(p > limit[..., None], d, 0)

    return replace(SD, accept=accept).made_by(typical, epsilon, delta)


def water_level(p: Array, k: Array) -> Array:
    r"""The :math:`a \in [0, 1]` with :math:`\sum_x (a p_x - k_x)_+ = 1 - \sum_x k_x`: how high p fills up kept mass k.

    Exact, without iteration: a sum of positive parts is the largest of its partial sums, so
    :math:`a = \min_i\,(1 - \sum_x k_x + \sum_{j \le i} k_j) / \sum_{j \le i} p_j` with tokens in the order of k/p.

    Parameters
    ----------
    p : law (..., V)
    k : array (..., V), non-negative, with a sum of at most 1

    Returns
    -------
    array (...): the level; where k has the whole mass (no rejection), the lowest k/p.

    Raises ValueError for p that is no law, a negative or NaN mass in k.

    >>> p, k = np.array([0.25, 0.25, 0.5]), np.array([0.5, 0.25, 0.125])  # 1/8 is missing: (a/4 - 1/4)+ + (a/2 - 1/8)
    >>> float(water_level(p, k))
    0.5
    """
    check_law(p)
    if not (k >= 0).all():
        raise ValueError(f"k: {k[~(k >= 0)].flat[0]}; expected kept masses that are not negative")
    p, k = np.broadcast_arrays(p, k)
    if is_exact(p) or is_exact(k):
        p = exact(p)
        k = exact(k)
    with np.errstate(over="ignore"):
        rank = np.argsort(np.where(p > 0, k / np.where(p > 0, p, 1), np.inf), axis=-1, kind="stable")
    wide = None if is_exact(p) else np.float64  # running sums of many float32 numbers
    mass, accepted_mass = (np.cumsum(np.take_along_axis(x, rank, axis=-1), axis=-1, dtype=wide) for x in (p, k))
    with np.errstate(over="ignore"):
        levels = (1 - accepted_mass[..., -1:] + accepted_mass) / mass
    level = np.maximum(np.minimum(levels, 1), 0).min(axis=-1)
    return level if is_exact(p) else level.astype(p.dtype)


def levelled(method: Method) -> Method:
    r"""The same kept mass, with the residual that brings the output law closest to p: :math:`\mathrm{norm}((a p - k)_+)`.

    a is the `water_level`, so the output law is :math:`\max(k, a p)`.  Given k it has the least total variation, the
    least Kullback–Leibler divergence KL(o‖p) and the least of every f-divergence among all residuals: its ratio o/p is
    levelled from below as far as the missing mass goes.  For a rule that keeps at least min(p, d) the residual is
    :math:`\mathrm{norm}((a p - d)_+)`; with `lenience` the output law is :math:`\mathrm{clip}(d, a p, p/\ell)`, the
    closest to p in KL(o‖p) among all rules with at least that acceptance (claim ``ears.best-tradeoff-kl``).  The SD
    residual has the same total variation there, but not the same divergence.  Of speculative decoding itself it is the
    SD residual.

    Parameters
    ----------
    method : Method; any rule; where it never rejects, the residual is p

    Tran-Thien 2023, mentored decoding.

    >>> p, q = np.array([0.25, 0.25, 0.5]), np.array([0.625, 0.25, 0.125])  # lenience 1/2 keeps (1/2, 1/4, 1/8)
    >>> from simspec.methods import output_law
    >>> output_law(levelled(lenience(0.5)), p, q).tolist()
    [0.5, 0.25, 0.25]
    """

    method = as_method(method)

    def residual(p: Array, d: Array) -> Array:
        k = method.accept(p, d)
        level = np.asarray(water_level(p, k))[..., None]  # of one exact law it is a plain fraction
        return unchecked.normalise(np.maximum(level * p - k, 0), otherwise=p)

    return replace(method, residual=residual).made_by(levelled, method)
