"""Claims on Gaussian logits: certified probabilities against SciPy, simulation and hand-computed cases."""

import math
from fractions import Fraction as F

import pytest
from scipy.stats import multivariate_normal

from simspec.claims.rdk.gaussian_advantage import normal_cdf
from simspec.claims.rdk.two_events import both_within
from tests.claims.rdk.cases import phi


def test_printed_percentage_by_hand() -> None:
    assert float(both_within(None)) == pytest.approx(1 - 2 * math.erfc(3 / math.sqrt(2)), abs=1e-14)
    assert float(both_within(F(0))) == pytest.approx(math.erf(3 / math.sqrt(2)) ** 2, abs=1e-14)
    assert float(both_within(F(1))) == float(both_within(F(-1))) == pytest.approx(math.erf(3 / math.sqrt(2)), abs=1e-14)
    assert float(normal_cdf(3)) == pytest.approx(phi(3), abs=1e-14)


@pytest.mark.parametrize("rho", [F(-7, 8), F(-1, 4), F(1, 2), F(7, 8)])
def test_integral_against_scipy(rho) -> None:
    normal = multivariate_normal(cov=[[1, float(rho)], [float(rho), 1]])
    box = sum(sign * normal.cdf(corner) for sign, corner in ((1, (3, 3)), (-1, (-3, 3)), (-1, (3, -3)), (1, (-3, -3))))
    assert float(both_within(rho)) == pytest.approx(box, abs=1e-6)
