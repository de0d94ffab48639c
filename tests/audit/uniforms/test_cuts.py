"""Places where uniforms are cut: the simplest fraction, what is recognised, and what is not."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simspec.audit.uniforms.cuts import FINE, recognised, simplest, suggested
from simspec.laws import exact


@given(st.fractions(0, 1, max_denominator=40), st.fractions(0, 1, max_denominator=40))
def test_the_simplest_fraction(a, b) -> None:
    low, high = sorted((a, b))
    found = simplest(low, high)
    assert low <= found <= high
    for denominator in range(1, found.denominator):
        assert -(-low * denominator // 1) > high * denominator


@given(st.integers(1, 200), st.integers(1, 200))
def test_fractions_are_recognised_from_floats_of_either_precision(a, b) -> None:
    right = Fraction(min(a, b), max(a, b) + 1)
    near = float(right)
    assert recognised(near, near + 2.0**-46, []).at == right
    single = float(np.float32(near))
    assert recognised(single, single, [right]).at == right


def test_what_is_not_recognised_keeps_its_interval() -> None:
    found = recognised(0.5**0.5, 0.5**0.5 + 2.0**-46, [])
    assert found.slack == 2.0**-47
    assert abs(float(found.at) - 0.5**0.5) <= 2.0**-46
    near = recognised(0.3, 0.3, [Fraction(3, 10), Fraction(3, 10) + Fraction(FINE) / 2])
    assert near.at == Fraction(3, 10)


def test_places_by_hand() -> None:
    p, q = exact(np.array([[0.25, 0.75, 0], [0, 0, 1]])), exact(np.array([[0.5, 0, 0.5]]))
    assert suggested(p, q) == [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]


def test_a_place_that_is_not_recognised_is_the_middle_of_its_interval() -> None:
    low, high = 0.5**0.5, 0.5**0.5 + 2.0**-40
    cut = recognised(low, high, [])
    assert cut.at == (Fraction(low) + Fraction(high)) / 2 and cut.slack == 2.0**-41
