"""What made a rule: calls that compare by value and are written as they would be typed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from simspec.methods.calls import Call, Constant, Map, alike, written


def area(width, height=1, *, unit="m"):
    return width * height


def test_a_call_is_written_without_its_defaults() -> None:
    assert repr(Call(area, 2)) == "area(2)"
    assert repr(Call(area, 2, 1, unit="m")) == "area(2)"
    assert repr(Call(area, height=3, width=2, unit="cm")) == "area(2, height=3, unit='cm')"
    assert Call(area, 2, 3).again()() == 6


def test_calls_are_equal_by_function_and_value() -> None:
    assert Call(area, 2) == Call(area, 2, 1) == Call(area, width=Fraction(2))
    assert Call(area, 2) != Call(area, 3) and Call(area, 2) != Call(len, "ab")
    assert hash(Call(area, 2)) == hash(Call(area, 2, 1))
    assert Call(area, 2) != "area(2)"


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (np.array([1, 2]), np.array([1, 2]), True),
        (np.array([1, 2]), np.array([1, 3]), False),
        (np.array([1, 2]), np.array([1.0, 2.0]), False),
        (np.array([1, 2]), np.array([1]), False),
        (np.array([1]), [1], False),
        (0.5, Fraction(1, 2), True),
        ("a", "b", False),
    ],
)
def test_alike(a, b, same) -> None:
    assert alike(a, b) is same


def test_written() -> None:
    assert written(np.float64(0.5)) == "0.5" and written(np.array([Fraction(1, 2)])) == "[1/2]"
    assert written(np.zeros((2, 2), dtype=np.float32)) == "<float32 array (2, 2)>"
    assert written("a") == "'a'" and written(area) == "area" and written(lambda x: x) == "<lambda>"


def test_a_map_is_the_function_it_wraps() -> None:
    def times(factor):
        """Times."""

        def multiplied(v):
            """Multiplied."""
            return factor * v

        return Map(multiplied, Call(times, factor))

    assert times(2)(3) == 6 and times(2) == times(2) != times(3)
    assert repr(times(2)) == "times(2)" and times(2).__doc__ == "Multiplied." and times(2) != 6
    assert hash(times(2)) == hash(times(2))


def test_a_constant_is_what_stands_in_the_module() -> None:
    assert Constant("math", "pi").again()() == math.pi and repr(Constant("math", "pi")) == "pi"
    assert alike((1, np.array([1])), (1, np.array([1]))) and not alike((1, 2), (1, 3)) and not alike((1,), (1, 2))
