"""`rdk.linear-time`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.deciding.data import Data
from simspec.claims.rdk.linear_time import Counted, operations
from tests.claims.cases import get


def test_counting_by_hand() -> None:
    """A dense product on V = 3 takes 9 multiplications and 6 additions; one drafted row takes 3 multiplications."""
    assert operations(3, 1, 1).dense == 15
    assert operations(3, 1, 1).drafted_rows == 3
    tally = [0]
    x = Counted(F(2), tally)
    assert ((1 - x) / 2 + 1 / x).value == 0 and x > 1 and tally == [5]
    assert np.exp(np.array([x], dtype=object))[0].value == F(np.exp(2.0)) and tally == [6]


@pytest.mark.parametrize("drafted", [1, 5, 40])
def test_order_of_the_counts(drafted) -> None:
    few, many = operations(40, drafted, 2), operations(80, drafted, 2)
    for name in ("affine", "normalised", "exponential", "first_order"):
        assert 1.9 < getattr(many, name) / getattr(few, name) < 2.1
    assert 3.9 < many.dense / few.dense < 4.1
    assert many.drafted_rows == (2 * drafted - 1) * 80


def test_fitted_exponents() -> None:
    *evidence, timed = get("rdk.linear-time").evidence(Data())
    assert timed.data.startswith("time of Algorithm 1 over the affine form") and timed.estimate > 0
    fitted = {e.data.split(" of ")[2].split(",")[0]: e.estimate for e in evidence}
    assert fitted["affine"] == pytest.approx(1, abs=0.02)
    assert fitted["dense"] == pytest.approx(2, abs=0.02)
