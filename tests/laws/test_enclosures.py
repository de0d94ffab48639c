"""Enclosures among fractions: brought together, and shares of what may be zero."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec import laws
from simspec.claims.balls import ball, enclose, is_ball, power
from simspec.laws.enclosures import check_finite, encloses, shares, smaller, together

THIRD = laws.exact(["1/3", "2/3"])


def test_what_stands_beside_an_enclosure_becomes_one() -> None:
    fractions, integers, balls = together(THIRD, np.array([1, 0]), enclose(THIRD))
    assert all(map(is_ball, [*fractions, *integers, *balls]))
    assert (fractions[0] - balls[0]).contains(0) and integers.tolist() == [1, 0]


def test_without_an_enclosure_nothing_is_changed() -> None:
    floats = np.array([0.5, 0.5])
    assert together(floats, THIRD)[0] is floats and together(floats, THIRD)[1] is THIRD
    assert together(enclose(THIRD), floats)[1] is floats  # which are refused later, by name
    assert not encloses(floats) and not encloses(THIRD) and encloses(enclose(THIRD))


def test_shares_by_hand() -> None:
    whole, part = enclose(laws.exact([2, 0])), enclose(laws.exact([1, 0]))
    assert shares(part, whole).tolist() == [ball(F(1, 2)), 0]
    nearly = power(F(2), F(1, 2)) ** 2 - 2  # 0, as far as an enclosure tells
    (share,) = shares(np.array([nearly], dtype=object), np.array([nearly], dtype=object))
    assert share.is_finite() and share.contains(0) and share.contains(1) and not share.contains(2)


def test_the_smaller_of_two_enclosures_encloses_the_smaller_number() -> None:
    wide, narrow = ball(0) + type(ball(0))(0.5, 0.5), ball(F(1, 4))  # a number in [0, 1], and 1/4
    (least,) = smaller(np.array([wide], dtype=object), np.array([narrow], dtype=object))
    assert least.contains(0) and least.contains(F(1, 4).numerator / 4) and not least.contains(1)
    assert smaller(THIRD, THIRD[::-1]).tolist() == [F(1, 3), F(1, 3)]


def test_what_is_not_finite_is_named() -> None:
    check_finite(enclose(THIRD), "x")
    check_finite(np.array([np.nan]), "x")  # of floats others tell
    broken = enclose(THIRD)
    broken[1] = ball(1) / (power(F(2), F(1, 2)) ** 2 - 2)
    with pytest.raises(ValueError, match=r"^x: row \(\) holds nan at token 1; .* contains 0"):
        check_finite(broken, "x")
