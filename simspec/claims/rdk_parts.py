"""Parts that the claims about redistributing drafter kernels share: matrices, kernels of Eq. 2, norms, predicates."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.draw import Draw
from simspec.claims.sd import law
from simspec.laws import Array, exact, is_exact
from simspec.methods import rdk

__all__ = [
    "NON_NEGATIVE",
    "ROWS_SUM",
    "close",
    "contraction",
    "exp_of_covariance",
    "eye",
    "factors",
    "mask",
    "matrix",
    "norm1",
    "normal_rows",
    "positive",
    "proposed",
    "stochastic",
    "weights",
]

NON_NEGATIVE = "no entry of M is negative"
ROWS_SUM = "the rows of M sum to one"


def matrix(*rows: str) -> Array:
    """Exact matrix written by hand, a string per row.

    >>> matrix("0 1", "1/2 1/2").tolist()
    [[Fraction(0, 1), Fraction(1, 1)], [Fraction(1, 2), Fraction(1, 2)]]
    """
    return np.stack([law(*row.split()) for row in rows])


def mask(flags: str) -> Array:
    """Shared vocabulary written by hand: ``mask("110")``.

    >>> mask("10").tolist()
    [True, False]
    """
    return np.array([f == "1" for f in flags])


def eye(vocab: int, like_exact: bool) -> Array:
    """Identity matrix of fractions or of floats.

    >>> eye(1, True).tolist()
    [[Fraction(1, 1)]]
    """
    return exact(np.eye(vocab, dtype=int)) if like_exact else np.eye(vocab)


def close(a: Array, b: Any) -> bool:
    """Equality: exact on fractions, to 1e-9 on floats.

    >>> close(np.array([1.0]), 1 + 1e-12), close(exact([1]), F(1, 3))
    (True, False)
    """
    return bool(np.all(a == b if is_exact(np.asarray(a)) else abs(a - b) <= 1e-9))


def stochastic(M: Array) -> bool:
    """Whether every row is a law (Assumption 4.1).

    >>> stochastic(matrix("2 -1"))
    False
    """
    return bool((M >= 0).all()) and close(M.sum(axis=-1), 1)


def proposed(q: Array, shared: Array, M: Array) -> Array:
    """What RDK drafts from: Mᵀq' by the package's own method, for any matrix M.

    >>> proposed(law(1, 0), mask("11"), matrix("0 1", "1 0")).tolist()
    [Fraction(0, 1), Fraction(1, 1)]
    """
    return rdk(shared, lambda v: v @ M).propose(q)


def weights(draw: Draw, vocab: int) -> Array:
    """Positive symmetric matrix exp(Ω/τ) of a covariance Ω; the matrix M of Eq. 2 is this with its rows normalised.

    Exact: rational, with a diagonal that makes log W strictly diagonally dominant.  Floats: covariance of log-probabilities.
    """
    if not draw.exact:
        logs = np.log(np.maximum(draw.law(vocab), 1e-12))
        centred = logs - logs.mean(axis=0)
        omega = centred.T @ centred / len(logs)
        return np.exp(omega * draw.number(0.1, 4) / omega.max())
    W = eye(vocab, True)
    for i in range(vocab):
        for j in range(i):
            W[i, j] = W[j, i] = F(draw.integer(1, 6), draw.integer(1, 4))
    for i in range(vocab):
        W[i, i] = draw.integer(2, 5) * _dominant(W, i)
    return W


def _dominant(W: Array, i: int) -> Any:
    """exp(Σ_{j≠i} |log W_ij|): a diagonal entry that is at least this large dominates its row."""
    others = np.array([max(w, 1 / w) for j, w in enumerate(W[i]) if j != i], dtype=object)
    return others.prod() if others.size else F(1)


def exp_of_covariance(W: Array) -> bool:
    """Whether log W is certainly a covariance matrix: symmetric, and diagonally dominant (floats: no eigenvalue below 0).

    >>> exp_of_covariance(matrix("2 1", "1 2")), exp_of_covariance(matrix("1 2", "2 1"))
    (True, False)
    """
    if not (W > 0).all() or not close(W, W.T):
        return False
    if is_exact(W):
        return all(W[i, i] >= _dominant(W, i) for i in range(len(W)))
    return float(np.linalg.eigvalsh(np.log(W)).min()) >= -1e-8


def normal_rows(W: Array) -> Array:
    """M of Eq. 2 from W = exp(Ω/τ).

    >>> normal_rows(matrix("3 1", "1 1")).tolist()[0]
    [Fraction(3, 4), Fraction(1, 4)]
    """
    return W / W.sum(axis=-1, keepdims=True)


def norm1(x: Array) -> Any:
    """ℓ1 norm over the vocabulary.

    >>> norm1(exact([1, -2]))
    Fraction(3, 1)
    """
    return abs(x).sum(axis=-1)


def contraction(M: Array) -> Any:
    r"""Dobrushin's coefficient :math:`\max_{i,k} \mathrm{TV}(M_i, M_k)`: 0 for equal rows, 1 for two disjoint ones.

    >>> contraction(matrix("1 0", "1/2 1/2"))
    Fraction(1, 2)
    """
    return max(norm1(M - row).max() for row in M) / 2


def factors(draw: Draw, vocab: int) -> Array:
    """The factors c_i of Ω_ij = c_i p_j: not negative, of the order of V."""
    if draw.exact:
        return exact([draw.integer(0, 4) for _ in range(vocab)])
    return draw.number(0, 4) * vocab * draw.law(vocab)[0]


def positive(draw: Draw) -> Any:
    """A positive number, between 1/4 and 4: temperatures and scales."""
    return draw.number(F(1, 4), 4)
