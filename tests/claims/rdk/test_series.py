"""Claims on softmax, temperature and the rows of Eq. 2."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law, matrix
from simspec.claims.rdk.softmax import covariance_of, eq2, jacobian, one_hot_covariance
from simspec.laws import softmax
from tests.claims.cases import counterexample, get


def test_jacobian_is_the_slope_of_softmax() -> None:
    """A step of 1e-6 along a direction moves softmax by J times that step."""
    z, step = np.log([0.2, 0.3, 0.5]), np.array([1.0, -2.0, 0.5])
    moved = (softmax(z + 1e-6 * step) - softmax(z - 1e-6 * step)) / 2e-6
    np.testing.assert_allclose(moved, jacobian(softmax(z)) @ step, atol=1e-9)


def test_rows_by_hand() -> None:
    """Tokens drawn fairly from two: cov = ((¼, −¼), (−¼, ¼)), and each row of M at τ = ½ is softmax(±½)."""
    omega = one_hot_covariance(law("1/2", "1/2")[None])
    assert omega.tolist() == [[F(1, 4), F(-1, 4)], [F(-1, 4), F(1, 4)]]
    assert covariance_of(matrix("1 0", "0 1")).tolist() == omega.tolist()
    assert float(eq2(omega, F(1, 2))[0, 0]) == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-15)


def test_one_logit_by_hand() -> None:
    """Odds 1 : 2, the first logit raised by log 4: (1/3, 2/3) becomes (2/3, 1/3), a move of 2/3 = 2 tanh(log 4 / 4)."""
    instance = {"w": law(1, 2), "ratio": law(4, 1), "spare": F(0)}
    assert float(get("rdk.softmax-lipschitz").lhs(instance["w"], instance["ratio"])) == pytest.approx(2 / 3, abs=1e-15)
    assert float(get("rdk.softmax-lipschitz-sharp").slack(instance)) == pytest.approx(0, abs=1e-14)
    assert float(get("rdk.softmax-lipschitz").slack(instance)) == pytest.approx(math.log(4) / 2 - 2 / 3, abs=1e-14)


def test_counterexample_to_affinity_rows_recomputed() -> None:
    found = counterexample("rdk.affinity-rows")
    omega, tau = found["omega"].astype(float), float(found["tau"])
    assert (omega == omega.T).all() and np.linalg.eigvalsh(omega).min() >= -1e-12
    M = np.exp(omega / tau) / np.exp(omega / tau).sum(axis=1, keepdims=True)
    assert abs(M * omega.sum(axis=1, keepdims=True) - omega).max() > 1e-3


def test_counterexample_to_perturbed_target_recomputed() -> None:
    found = counterexample("rdk.perturbed-target")
    w, ratio = found["w"].tolist(), found["ratio"].tolist()
    before = [x / sum(w) for x in w]
    moved = [x * r for x, r in zip(w, ratio, strict=True)]
    after = [x / sum(moved) for x in moved]
    distance = sum(abs(a - b) for a, b in zip(before, after, strict=True))
    epsilon = max(abs(math.log(r)) for r in ratio) + float(found["spare"])
    assert float(distance) > epsilon / 2 + 1e-6
