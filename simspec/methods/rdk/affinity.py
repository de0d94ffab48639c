"""Redistributing drafter kernels: TLI followed by a token-affinity map v ↦ Mᵀv.

An *affinity* is a function of one vector (a batch of laws, vocabulary last).  Here are the affinities of the paper:
exact (`dense`, `factored`) and in linear time (`first_order`, `affine`, `normalised`, `exponential`); one learnt from
data comes with a bank, as `bank.statistics.affinity`.  None of them sees the step's target law: a prior that should stand
in its place is given at construction, so that passing the step's own p is visible in the call and labelled as leaking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from simspec import kernels
from simspec.laws import Array, Scalar, check_law, is_exact
from simspec.laws.arrays import as_array
from simspec.methods.calls import Call, Map
from simspec.methods.method import Method
from simspec.methods.parameters import check_number
from simspec.methods.sd import SD
from simspec.methods.tli import tli

__all__ = [
    "affine",
    "affinity_matrix",
    "dense",
    "exponential",
    "factored",
    "first_order",
    "normalised",
    "rdk",
]

Affinity = Callable[[Array], Array]


def rdk(shared: Array, affinity: Affinity) -> Method:
    r"""Draft from :math:`M^\top q'`, with q' the TLI draft; verify as in speculative decoding (RDK, Algorithm 1).

    Parameters
    ----------
    shared : bool array (V,); tokens both models have, at least one
    affinity : v -> Mᵀv; `dense(M)`, `factored(...)`, one of the linear-time forms, or any map of laws to laws

    Pinned by claims ``rdk.identity-is-tli`` and ``rdk.mass-preserved``.

    >>> M = np.array([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> rdk(np.array([True, True, False]), dense(M)).propose(np.array([0.25, 0.25, 0.5])).tolist()
    [0.25, 0.5, 0.25]
    """
    restrict = tli(shared).propose
    return replace(SD, propose=lambda q: affinity(restrict(q))).made_by(rdk, shared, affinity)


def _check_temperature(temperature: Scalar) -> None:
    check_number("temperature", temperature, lambda t: t > 0, "a positive number")


def dense(M: Array) -> Affinity:
    """Affinity of a row-stochastic matrix held in memory (small vocabularies).

    Parameters
    ----------
    M : array (V, V), rows are laws; entry (i, j) is the share of token i's mass that moves to token j

    Raises ValueError when M is not square or a row is not a law (RDK, Assumption 4.1).

    >>> dense(np.array([[0.0, 1.0], [0.5, 0.5]]))(np.array([0.5, 0.5])).tolist()
    [0.25, 0.75]
    """
    M = as_array(M, "M")
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise ValueError(f"M: shape {tuple(M.shape)}; expected a square matrix (V, V)")
    check_law(M, "M")
    return Map(lambda v: v @ M, Call(dense, M))


def affinity_matrix(omega: Array, temperature: Scalar) -> Array:
    r"""Row-stochastic matrix :math:`M_{ij} = e^{\Omega_{ij}/\tau} / \sum_k e^{\Omega_{ik}/\tau}` (RDK, Eq. 2), dense.

    For small vocabularies and as the meaning of `factored`; ``omega`` is a covariance matrix (V, V).

    >>> affinity_matrix(np.log([[1.0, 3.0], [3.0, 1.0]]), 1).round(12).tolist()
    [[0.25, 0.75], [0.75, 0.25]]
    """
    _check_temperature(temperature)
    z = (omega - omega.max(axis=-1, keepdims=True)) / temperature
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def factored(U: Array, lam: Array, diag: Array, temperature: float) -> Affinity:
    r"""Affinity of Eq. 2 for :math:`\Omega = U\,\mathrm{diag}(\lambda)\,U^\top + \mathrm{diag}(d)`, without the V × V matrix.

    Only the rows of tokens with draft mass are formed, one block at a time: time O(K · V · R), memory O(V).  Row sums depend on
    the affinity alone.  They are kept with it, V floats, so that a row costs half from its second application on.  They are
    computed anew if an array is changed in place, and when the affinity is unpickled.

    Parameters
    ----------
    U : float array (V, R)
    lam : float array (R,)
    diag : float array (V,)
    temperature : positive number, in the unit of the covariance

    >>> U, lam, diag = np.zeros((2, 1)), np.zeros(1), np.log([3.0, 1.0])
    >>> factored(U, lam, diag, 1.0)(np.array([1.0, 0.0])).round(12).tolist()
    [0.75, 0.25]
    """
    _check_temperature(temperature)
    U, lam, diag = _check_factors(U, lam, diag)
    sums = kernels.RowSums()
    return Map(
        lambda v: kernels.affinity_apply(v, U, lam, diag, temperature, sums),
        Call(factored, U, lam, diag, temperature),
    )


def _check_factors(U: Array, lam: Array, diag: Array) -> tuple[Array, Array, Array]:
    U = np.asarray(U)
    lam = np.asarray(lam)
    diag = np.asarray(diag)
    if U.ndim != 2 or lam.shape != U.shape[1:] or diag.shape != U.shape[:1]:
        raise ValueError(f"U, lam, diag: shapes {U.shape}, {lam.shape}, {diag.shape}; expected (V, R), (R,) and (V,)")
    return U, lam, diag


def first_order(U: Array, lam: Array, diag: Array, temperature: Any) -> Affinity:
    r"""General first-order form :math:`\hat r = \frac1V[\,1 + (u - \bar u)/\tau]`, :math:`u = \Omega^\top q'`.

    Linear time: O(V · R).  A batch of laws v of mass one gives vectors that sum to one; they are laws while
    :math:`\tau \ge \bar u - \min_j u_j`.  Below that an entry is negative.  Claim ``rdk.taylor-order-general``.

    >>> first_order(np.array([[1.0], [0.0]]), np.array([1.0]), np.zeros(2), 2.0)(np.array([1.0, 0.0])).tolist()
    [0.625, 0.375]
    """
    _check_temperature(temperature)
    U, lam, diag = _check_factors(U, lam, diag)

    def apply(v: Array) -> Array:
        u = ((v @ U) * lam) @ U.T + v * diag
        vocab = U.shape[0]
        mean = u.sum(axis=-1, keepdims=True) / vocab
        return (1 + (u - mean) / temperature) / vocab

    return Map(apply, Call(first_order, U, lam, diag, temperature))


def _tilt(v: Array, c: Any, temperature: Any) -> Array:
    """s/τ with s = Σ v_i c_i, as a column; a number c stands for the constant vector."""
    if np.ndim(c) == 0:
        return v.sum(axis=-1, keepdims=True) * c / temperature
    return (v * c).sum(axis=-1, keepdims=True) / temperature


def affine(prior: Array, c: Any, temperature: Any) -> Affinity:
    r"""Linear-time RDK, affine form: :math:`\hat r_j = \frac1V[1 + \frac s\tau(\pi_j - \frac1V)]`, :math:`s = \sum_i q'_i c_i`.

    It is the mixture :math:`(1-w)\,\mathrm{uniform} + w\,\pi` with :math:`w = s/(\tau V)`: the draft enters through the
    one number s only (claim ``rdk.linear-is-mixture``).  A law for :math:`0 \le s/\tau \le V`.

    Parameters
    ----------
    prior : law (V,) or (..., V)
        what stands in place of the target.  Passing the step's own target law leaks it to the drafter.
    c : number or array (V,); the factors :math:`c_i` of :math:`\Omega_{ij} \approx c_i p_j`
    temperature : positive number

    >>> affine(np.array([1.0, 0.0]), 1.0, 1.0)(np.array([0.5, 0.5])).tolist()
    [0.75, 0.25]
    """
    _check_temperature(temperature)
    vocab = check_law(prior, "prior").shape[-1]

    def apply(v: Array) -> Array:
        return (1 + _tilt(v, c, temperature) * (prior * vocab - 1) / vocab) / vocab

    return Map(apply, Call(affine, prior, c, temperature))


def normalised(prior: Array, c: Array, temperature: Any) -> Affinity:
    r"""Linear-time RDK, normalised form: :math:`\hat r_j \propto 1 + \frac s\tau \pi_j`; parameters as in `affine`.

    Also a mixture of the uniform law and the prior, with weight :math:`(s/\tau)/(V + s/\tau)`.

    >>> normalised(np.array([1.0, 0.0]), 2.0, 1.0)(np.array([0.5, 0.5])).tolist()
    [0.75, 0.25]
    """
    _check_temperature(temperature)
    vocab = check_law(prior, "prior").shape[-1]

    def apply(v: Array) -> Array:
        t = _tilt(v, c, temperature)
        return (1 + t * prior) / (vocab + t)

    return Map(apply, Call(normalised, prior, c, temperature))


def exponential(prior: Array, c: Array, temperature: Any) -> Affinity:
    r"""Linear-time RDK, exponential form: :math:`\hat r_j \propto e^{s\pi_j/\tau}`; parameters as in `affine`.

    >>> exponential(np.array([1.0, 0.0]), np.log(3), 1.0)(np.array([0.5, 0.5])).round(12).tolist()
    [0.75, 0.25]
    """
    _check_temperature(temperature)
    check_law(prior, "prior")

    def apply(v: Array) -> Array:
        z = _tilt(v, c, temperature) * prior
        if is_exact(z) and not all(hasattr(x, "exp") for x in z.ravel().tolist()):
            raise ValueError("v: fractions, whose exponential is no fraction; expected floats, or balls (arb)")
        e = np.exp(z - z.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    return Map(apply, Call(exponential, prior, c, temperature))
