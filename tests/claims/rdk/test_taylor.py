"""Claims on the order of the linear-time forms in the temperature."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law, matrix
from simspec.claims.deciding.data import Data
from simspec.laws import softmax
from tests.claims.cases import counterexample, get


def test_second_derivative_bound() -> None:
    """What all constants rest on: ‖d²/dt² softmax(tx)‖₁ ≤ range(x)²/2, on a grid of t and random x."""
    x = np.random.default_rng(5).normal(size=(200, 1, 7))
    f = softmax(x * np.linspace(-6, 6, 121)[:, None])
    centred = x - (f * x).sum(axis=-1, keepdims=True)
    second = f * (centred**2 - (f * centred**2).sum(axis=-1, keepdims=True))
    assert (abs(second).sum(axis=-1).max(axis=1) <= np.ptp(x, axis=-1)[:, 0] ** 2 / 2).all()


def test_one_row_by_hand() -> None:
    """p = (1, 0), c_0 = 1, τ = 1, draft certain of token 0: the row is softmax(1, 0); affine 3/4, normalised 2/3."""
    instance = {"p": law(1, 0), "q": law(1, 0), "c": law(1, 0), "omega": matrix("1 0", "0 0"), "tau": F(1)}
    top = math.e / (1 + math.e)
    errors = [2 * abs(F(3, 4) - top), 2 * abs(F(2, 3) - top), 0]
    claim = get("rdk.taylor-order")
    assert np.allclose([float(e) for e in claim.lhs(*instance.values())], errors, atol=1e-14)
    constants = claim.rhs(law(1, 0), law(1, 0), law(1, 0), F(1))
    assert [float(k) for k in constants] == [1 / 4, 1 / 4 + 1 / 4, 0]


def test_fitted_exponents_are_two() -> None:
    for evidence in get("rdk.taylor-order").evidence(Data()):
        assert evidence.estimate == pytest.approx(2, abs=0.15)


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
