"""`rdk.taylor-order-approximate`: cases by hand and mutations."""

import math
from fractions import Fraction as F

import numpy as np

from simspec.claims.words import law, matrix
from tests.claims.cases import counterexample, get


def test_counterexample_recomputed() -> None:
    """The coefficient of 1/τ from its definition, over a fine grid of s: it stays away from zero."""
    found = counterexample("rdk.taylor-order-approximate")
    p, q, diag = (found[k].astype(float) for k in ("p", "q", "diag"))
    kappa = float(found["kappa"])
    omega = kappa * np.outer(p, p) + np.diag(diag)
    assert np.linalg.eigvalsh(omega).min() >= -1e-12
    assert (abs(omega - kappa * np.outer(p, p)) <= kappa * np.outer(p, p) / 100 + 1e-15).all()
    u, size = omega.T @ q, len(p)
    coefficients = [
        abs(u - u.mean() - s * (p - 1 / size)).sum() / size for s in np.linspace(-2 * kappa, 2 * kappa, 2001)
    ]
    assert min(coefficients) > 1e-6


def test_first_order_error_where_the_fit_is_not_exact() -> None:
    """τ·error tends to the coefficient: p uniform on two tokens, Ω = diag(1, 0), draft certain of token 0: ½‖(½, −½)‖ = ½."""
    claim = get("rdk.taylor-order-approximate-corrected")
    instance = {"p": law("1/2", "1/2"), "q": law(1, 0), "c": law(1, 1), "tau": F(100)}
    instance |= {"U": matrix("0", "0"), "lam": law(1), "diag": law(1, 0)}
    slack = claim.slack(instance)
    exact_row = 1 / (1 + math.exp(-1 / 100))
    error = 2 * abs(exact_row - 1 / 2)  # the affine form is uniform here
    assert abs(100 * error - 1 / 2) < 1e-3
    assert all(bool(s > 0) for s in slack)
