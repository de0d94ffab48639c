r"""The linear-time forms of RDK to first order in the temperature, and the constants of their errors.

All rest on one bound: :math:`f(t) = \mathrm{softmax}(t x)` has :math:`\lVert f''(t)\rVert_1 \le 2\,\mathrm{Var}_{f}(x)
\le \tfrac12\,\mathrm{range}(x)^2`, so the first-order remainder is at most :math:`t^2\,\mathrm{range}(x)^2/4`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, exact, law, norm1, positive
from simspec.claims.balls import enclose
from simspec.claims.rdk.softmax import eq2
from simspec.laws import Scalar
from simspec.methods import affine, exponential, normalised

__all__ = [
    "BLOW_UP",
    "FORMS",
    "TILT",
    "any_omega",
    "assembled",
    "errors_of_forms",
    "first_order_constant",
    "near_best",
    "normalised_term",
    "remainder_constant",
    "spread_of",
    "tilt_of",
    "two_kinds",
]

FORMS = (affine, normalised, exponential)

TILT = "s is not negative"


def tilt_of(q: Array, c: Array) -> Any:
    """s = Σ q'_i c_i."""
    return (q * c).sum(axis=-1)


def spread_of(x: Array) -> Any:
    """max − min over the last axis."""
    return x.max(axis=-1) - x.min(axis=-1)


def errors_of_forms(p: Array, q: Array, c: Array, omega: Array, tau: Scalar) -> Array:
    """‖r̂ − Mᵀq'‖₁ of the affine, normalised and exponential form."""
    prior = enclose(p)
    v = enclose(q)
    r = v @ eq2(omega, tau)
    return np.stack([norm1(form(prior, enclose(c), enclose(tau))(v) - r) for form in FORMS])


def normalised_term(p: Array, s: Scalar) -> Any:
    """τ²‖normalised − affine‖₁ is at most this for s ≥ 0."""
    return s * s * norm1(p - F(1, len(p)) if p.dtype == object else p - 1 / len(p)) / len(p) ** 2


BLOW_UP: dict[str, Any] = {"p": law(1, 0), "q": law(1, 0), "c": law("-19/10", 0), "tau": F(1)}


def any_omega(draw: Draw) -> dict[str, Any]:
    """Ω = U diag(λ) Uᵀ + diag, of any sign."""
    n = draw.vocab(matrix=True)
    if draw.exact:
        rank = draw.integer(1, 2)
        U = exact([[draw.integer(-1, 2) for _ in range(rank)] for _ in range(n)])
        lam, diag = (exact([draw.integer(-1, 1) for _ in range(k)]) for k in (rank, n))
        return {"U": U, "lam": lam, "diag": diag, "q": draw.law(n), "tau": positive(draw)}
    U = draw.law(n)[:3].T
    lam = np.array([draw.number(-1, 1) for _ in U.T])
    diag = draw.number(-1, 1) * draw.law(n)[0]
    scale = float(abs(assembled(U, lam, diag)).max())
    return {"U": U, "lam": lam, "diag": diag, "q": draw.law(n), "tau": positive(draw) * scale}


def assembled(U: Array, lam: Array, diag: Array) -> Array:
    """U diag(λ) Uᵀ + diag(diag), dense.

    >>> assembled(exact([[1], [2]]), exact([1]), exact([1, 0])).tolist()[0]
    [Fraction(2, 1), Fraction(2, 1)]
    """
    return (U * lam) @ U.T + np.diag(diag)


def first_order_constant(U: Array, lam: Array, diag: Array, q: Array) -> Any:
    """Σ q'_i range(Ω_i)² / 4 for Ω = U diag(λ) Uᵀ + diag."""
    return (q * spread_of(assembled(U, lam, diag)) ** 2).sum(axis=-1) / 4


def two_kinds(draw: Draw) -> Instance:
    """Numbers of tokens on an upper and a lower level, and a temperature."""
    return {"upper": draw.integer(1, 2), "lower": draw.integer(1, 5), "tau": 4 * positive(draw)}


def near_best(upper: int, lower: int, t: Scalar) -> Any:
    """(√3/18 − 3(w − ŵ)² − t/24) t² for the share w of the upper tokens and ŵ = (1 − 1/√3)/2.

    >>> round(float(near_best(4, 15, F(1, 1000))) * 10**6, 5)
    0.09618
    """
    root = np.sqrt(enclose(F(3)))
    off = enclose(F(upper, upper + lower)) - (1 - 1 / root) / 2
    return (root / 18 - 3 * off * off - enclose(F(t) / 24)) * enclose(F(t) ** 2)


def remainder_constant(U: Array, lam: Array, diag: Array, q: Array) -> Any:
    """Four times the constant of the bound: the mean squared spread of the affinities."""
    omega = assembled(U, lam, diag)
    return (q * (omega.max(axis=-1) - omega.min(axis=-1)) ** 2).sum(axis=-1)
