"""Claims on softmax, temperature and the rows of Eq. 2."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.rdk.softmax import covariance_of, eq2, jacobian, one_hot_covariance
from simspec.claims.words import law, matrix
from simspec.laws import softmax


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
