"""What a relaxed rule gains and costs on one token, beside the best that any rule can reach.

The rules are in `simspec.methods.ears.relaxed` and `simspec.methods.ears.acceptance`; what their bias does to whole texts is in
`simspec.methods.ears.texts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array, check_pair, exact, is_exact, unchecked
from simspec.methods.method import Method, acceptance_rate, as_method, one_step, output_law
from simspec.methods.parameters import number

__all__ = ["Row", "best_acceptance", "curve", "gain", "support_violation"]


def gain(method: Method, p: Array, q: Array) -> Array:
    r"""Acceptance gained over speculative decoding on the same drafts, :math:`\sum_x k_x - \sum_x \min(p_x, d_x)`.

    Parameters
    ----------
    method : Method
    p, q : laws (..., V); target law and draft law; d is ``method.propose(q)``

    Returns
    -------
    array (...), in [−1, 1]; for a rule with :math:`\min(p, d) \le k` and the SD residual it is also the bias.

    Raises ValueError as `simspec.methods.acceptance_rate`.

    Claim ``ears.bias.residual``.

    >>> from simspec.methods import lenience
    >>> p, q = np.array([0.25, 0.75]), np.array([0.75, 0.25])  # SD keeps (1/4, 1/4), lenience 1/2 keeps (1/2, 1/4)
    >>> float(gain(lenience(0.5), p, q))
    0.25
    """
    method = as_method(method)
    rate = acceptance_rate(method, p, q)
    return rate - unchecked.overlap(np.asarray(p), method.propose(np.asarray(q)))


def support_violation(method: Method, p: Array, q: Array) -> Array:
    r"""Probability of emitting a token that the target never would, :math:`\sum_{x: p_x = 0} o_x`.

    Parameters and errors as in `gain`; a number in [0, 1] for each pair of laws.

    >>> from simspec.methods import lenience, mixture
    >>> p, q = np.array([1.0, 0.0]), np.array([0.5, 0.5])
    >>> float(support_violation(mixture(0.5), p, q)), float(support_violation(lenience(0.5), p, q))
    (0.25, 0.0)
    """
    return np.where(np.asarray(p) > 0, 0, output_law(method, p, q)).sum(axis=-1)


def best_acceptance(p: Array, q: Array, bias: Any) -> Array:
    r"""Largest acceptance of any rule on drafts from q whose output is within `bias` of p in total variation:
    :math:`\min(1, \sum_x \min(p_x, q_x) + \delta)`.

    Parameters
    ----------
    p, q : laws (..., V); target law and the law that drafts are drawn from
    bias : number or array (...); total-variation distance :math:`\delta \ge 0` that is allowed

    Raises ValueError for a negative or NaN bias, or arguments that are no laws over one vocabulary.

    A kept draft is emitted, so :math:`k \le \min(o, d)` and :math:`\sum_x k_x \le 1 - \mathrm{TV}(o, d) \le
    1 - \mathrm{TV}(p, d) + \mathrm{TV}(o, p)`.  `mixture` and EARS reach it.  Claim ``ears.best-tradeoff``; Yin et al.
    2024.

    >>> float(best_acceptance(np.array([0.5, 0.5]), np.array([0.75, 0.25]), 0.125))
    0.875
    """
    p, q = check_pair(p, q)
    allowed = np.asarray(bias)
    if not (allowed >= 0).all():
        raise ValueError(f"bias: {bias}; expected a total-variation distance that is not negative")
    if allowed.ndim and is_exact(p):
        allowed = exact(allowed)
    return _best(p, q, allowed if allowed.ndim else number(bias, p))


def _best(p: Array, q: Array, allowed: Any) -> Array:
    reached = np.asarray(unchecked.overlap(p, q) + allowed)
    return np.minimum(reached[..., None], 1).min(axis=-1)


class Row(NamedTuple):
    """What a rule gains and costs; numbers, or arrays over a batch of pairs of laws.

    Attributes
    ----------
    name : str
    acceptance : acceptance rate
    tv : total-variation distance of the output law from the target
    kl : KL(o‖p) in nats, in floating point; infinite where a token with p = 0 can be emitted
    support : probability of a token with p = 0
    frontier : the largest acceptance of any rule with that total variation, on the same drafts
    """

    name: str
    acceptance: Any
    tv: Any
    kl: Any
    support: Any
    frontier: Any


def curve(methods: Mapping[str, Method] | Iterable[tuple[str, Method]], p: Array, q: Array) -> list[Row]:
    """What each of several rules gains and costs on the same laws.

    Parameters
    ----------
    methods : mapping or pairs of names and methods
    p, q : laws (..., V); target law and draft law

    Returns
    -------
    list of Row, in the order of `methods`

    Raises ValueError as `simspec.methods.acceptance_rate`.

    >>> from simspec.methods import SD, lenience
    >>> p, q = np.array([0.25, 0.75]), np.array([0.75, 0.25])
    >>> for row in curve({"SD": SD, "lenience 1/2": lenience(0.5)}, p, q):
    ...     print(row.name, *(float(x) for x in (row.acceptance, row.tv, row.support, row.frontier)))
    SD 0.5 0.0 0.0 0.5
    lenience 1/2 0.75 0.25 0.0 0.75
    """
    p, q = check_pair(p, q)
    rows = []
    for name, method in dict(methods).items():
        step = one_step(method, p, q)
        out = step.output
        distance = unchecked.tv(step.output, p)
        rows.append(
            Row(
                name,
                step.accepted.sum(axis=-1),
                distance,
                _divergence(out, p),
                np.where(p > 0, 0, out).sum(axis=-1),
                _best(p, step.reported, distance),
            )
        )
    return rows


def _divergence(out: Array, p: Array) -> Array:
    """KL(out‖p) in floating point; tokens that neither law has do not count."""
    if is_exact(out) or is_exact(p):
        out = out.astype(np.float64)
        p = p.astype(np.float64)
    with np.errstate(over="ignore"):
        return np.maximum(_kl(out, p), 0)  # rounding can go below


def _kl(out: Array, p: Array) -> Array:
    """`unchecked.kl` bit for bit, with half of its passes where p has no token without mass: there no quotient overflows."""
    is_plain = out.dtype == p.dtype and p.dtype in (np.float32, np.float64) and p.size
    if not is_plain or p.min() < np.finfo(p.dtype).tiny:
        return unchecked.kl(out, p)
    logs = np.log(np.where(out > 0, out, 1) / p)
    return (out * logs).sum(axis=-1)
