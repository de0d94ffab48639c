"""The softmax behind RDK: perturbed logits, covariances, and the matrix of Eq. 2.

Exact instances are rational: logits are logarithms of the weights `w`, a perturbation is the logarithm of `ratio`.  What
needs a logarithm or an exponential is enclosed in balls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, exact, eye, is_exact, norm1, positive
from simspec.claims.balls import enclose
from simspec.laws import Scalar, normalise, softmax
from simspec.methods import affinity_matrix

__all__ = [
    "covariance_of",
    "eq2",
    "jacobian",
    "laws",
    "moved_by",
    "not_negative",
    "one_hot_covariance",
    "perturbed_logits",
    "some_direction",
    "some_omega",
    "some_temperature",
    "two_logits",
]


def perturbed_logits(draw: Draw) -> Instance:
    """Weights w = exp z, ratios exp δ, and something that ε has to spare."""
    n = draw.vocab()
    if draw.exact:
        return {"w": draw.weights(n), "ratio": draw.weights(n), "spare": draw.integer(0, 1) * draw.number(0, 1)}
    p, q = draw.pair(n)  # the target's weights, moved along its own draft's error
    return {"w": p, "ratio": np.exp(draw.number(0, 4) * (p - q)), "spare": draw.integer(0, 1) * 0.5}


def two_logits(odds: Scalar, up: int, down: int) -> dict[str, Array]:
    """Two tokens with weights 1 and `odds`; the first gains, the second loses so many times the odds.

    >>> {name: [int(v) if v > 1 else str(v) for v in part] for name, part in two_logits(3, 1, 1).items()}
    {'w': ['1', 3], 'ratio': [3, '1/3']}
    """
    g = exact([odds])[0]
    return {"w": exact([1, g]), "ratio": exact([g**up, 1 / g**down])}


def moved_by(w: Array, ratio: Array) -> Any:
    """‖softmax(z) − softmax(z + δ)‖₁ for z = log w and δ = log ratio."""
    if is_exact(w):
        return enclose(norm1(normalise(w) - normalise(w * ratio)))
    with np.errstate(divide="ignore"):  # a token without mass has minus infinity as logit
        z = np.log(w)
    return norm1(softmax(z) - softmax(z + np.log(ratio)))


def not_negative(spare: Scalar) -> bool:
    """Whether ε is at least the norm of δ."""
    return spare >= 0


def jacobian(p: Array) -> Array:
    """Jacobian of softmax at the law p: diag(p) − p pᵀ.

    >>> from simspec.claims.authoring import law
    >>> jacobian(law("1/2", "1/2"))[0].tolist()
    [Fraction(1, 4), Fraction(-1, 4)]
    """
    return p[..., None, :] * (eye(p.shape[-1], is_exact(p)) - p[..., :, None])


def some_direction(draw: Draw) -> Instance:
    """A law and a direction δ of its logits."""
    n = draw.vocab(matrix=True)
    return {"p": draw.law(n), "delta": draw.number(0, 4) * draw.law(n) - draw.number(0, 4) * draw.law(n)}


def covariance_of(X: Array) -> Array:
    """Covariance matrix of the rows of X, each equally likely.

    >>> from simspec.claims.authoring import matrix
    >>> covariance_of(matrix("1 0", "0 1"))[0].tolist()
    [Fraction(1, 4), Fraction(-1, 4)]
    """
    centred = X - X.sum(axis=0) / len(X)
    return centred.T @ centred / len(X)


def one_hot_covariance(X: Array) -> Array:
    """Covariance matrix of one-hot tokens drawn from the laws in the rows of X.

    >>> from simspec.claims.authoring import matrix
    >>> one_hot_covariance(matrix("1/2 1/2"))[0].tolist()
    [Fraction(1, 4), Fraction(-1, 4)]
    """
    mean = X.sum(axis=0) / len(X)
    return np.diag(mean) - mean[:, None] * mean


def laws(draw: Draw, vocab: int) -> Array:
    """Laws of several contexts, one a row."""
    return np.stack([draw.law(vocab) for _ in range(3)]) if draw.exact else draw.law(vocab)


def some_omega(draw: Draw, vocab: int) -> Array:
    """Covariance of logits, of probabilities or of one-hot tokens."""
    kind = draw.integer(0, 2)
    if kind == 0 and draw.exact:
        return covariance_of(exact([[draw.integer(-2, 2) for _ in range(vocab)] for _ in range(2)]))
    X = laws(draw, vocab)
    if kind == 0:
        return covariance_of(np.log(np.maximum(X, 1e-12)))
    return covariance_of(X) if kind == 1 else one_hot_covariance(X)


def some_temperature(draw: Draw, omega: Array) -> Any:
    """A temperature; floats: of the order of the largest covariance, so that no entry of M underflows."""
    return positive(draw) * (1 if draw.exact else float(abs(omega).max()))


def eq2(omega: Array, tau: Scalar) -> Array:
    """M of Eq. 2 by the package's own function: enclosed in balls on fractions.

    >>> from fractions import Fraction as F
    >>> from simspec.claims.authoring import matrix
    >>> float(eq2(matrix("0 0", "0 0"), F(1))[0, 0])
    0.5
    """
    return affinity_matrix(enclose(omega), enclose(tau))
