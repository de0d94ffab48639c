"""Parameters: what is refused, and which arithmetic a number takes beside an array."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.methods.parameters import check_number, number

EXACT, FLOATS = np.array([F(1)], dtype=object), np.array([1], dtype=np.float32)


@pytest.mark.parametrize("value", [0, 1, True, 0.5, F(1, 2), np.float32(0.5), np.int64(1)])
def test_a_number_that_fits_is_returned_as_pythons_own(value) -> None:
    found = check_number("x", value, lambda v: 0 <= v <= 1, "a share")
    assert found == value and not isinstance(found, np.generic)


@pytest.mark.parametrize("value", [2, -1, np.nan, "1", None, 1j, [0.5], np.array([0.5])])
def test_anything_else_is_refused(value) -> None:
    with pytest.raises(ValueError, match="x: .*; expected a share"):
        check_number("x", value, lambda v: 0 <= v <= 1, "a share")


@pytest.mark.parametrize("value", [0.5, F(1, 2), np.float64(0.5), np.float32(0.5)])
def test_the_arithmetic_is_that_of_the_array(value) -> None:
    assert (number(value, EXACT) * EXACT).tolist() == [F(1, 2)] and isinstance(number(value, EXACT), F)
    assert (number(value, FLOATS) * FLOATS).dtype == np.float32


@pytest.mark.parametrize("like", [FLOATS, np.array([1.0])])
@pytest.mark.parametrize("value", [F(10) ** 400, 1e308, F(1, 10**400), 1e-320, -(F(10) ** 400)])
def test_a_number_beyond_the_floats_stays_a_finite_number_of_its_sign(value, like) -> None:
    found = like.dtype.type(number(value, like))
    assert np.isfinite(found) and np.sign(found) == np.sign(value)


def test_integers_beside_fractions_divide_exactly() -> None:
    assert isinstance(number(2, EXACT), F) and (1 / number(2, EXACT)) == F(1, 2)
    assert number(2, FLOATS) == 2
