"""Fast fractions are Python's fractions: every operation gives the same number, of the same words and the same hash."""

from __future__ import annotations

import copy
import math
import operator
import pickle
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.claims.draw import ExactDraw
from simspec.claims.rational import Rational

BINARY = (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod)
ORDER = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
NUMBERS = (Fraction(0), Fraction(1), Fraction(-3, 4), Fraction(10**20, 7), 0, 5, -2, True, 0.5, -1.25, np.int64(3))


def of_both(work, *given):
    """What it gives, or the kind of error."""
    try:
        return work(*given)
    except (ZeroDivisionError, OverflowError) as error:
        return type(error)


@settings(max_examples=40)
@given(st.fractions(), st.one_of(st.fractions(), st.integers()))
def test_arithmetic_and_order_are_those_of_fractions(a, b) -> None:
    for work in (*BINARY, *ORDER):
        meant = of_both(work, a, b)
        for one, other in product((a, Rational(a)), (b, Rational(b))):
            assert of_both(work, one, other) == meant
        for one, other in product((b, Rational(b)), (a, Rational(a))):
            assert of_both(work, one, other) == of_both(work, b, a)


@pytest.mark.parametrize("a", NUMBERS[:4])
@pytest.mark.parametrize("b", NUMBERS)
def test_beside_other_numbers_too(a, b) -> None:
    for work in (*BINARY, *ORDER):
        assert of_both(work, Rational(a), b) == of_both(work, a, b)
        assert of_both(work, b, Rational(a)) == of_both(work, b, a)
        assert isinstance(of_both(work, Rational(a), b), type(of_both(work, a, b)))


@settings(max_examples=40)
@given(st.fractions())
def test_one_number_is_written_kept_and_hashed_alike(a) -> None:
    fast = Rational(a)
    assert (repr(fast), str(fast), hash(fast), bool(fast)) == (repr(a), str(a), hash(a), bool(a))
    assert (-fast, +fast, abs(fast), round(fast), math.floor(fast)) == (-a, +a, abs(a), round(a), math.floor(a))
    assert (fast.numerator, fast.denominator, fast**2, Fraction(fast)) == (a.numerator, a.denominator, a**2, a)
    assert float(fast) == float(a) if abs(a) < 10**300 else True
    for other in (pickle.loads(pickle.dumps(fast)), copy.deepcopy(fast)):
        assert other == a


def test_what_is_made_of_fast_fractions_is_fast_and_reduced() -> None:
    half, third = Rational(1, 2), Fraction(1, 3)
    made = (half + third, third + half, 1 - half, half * 4, 3 / half, third / half, -half, abs(half), half - 1)
    assert {type(x) for x in made} == {Rational}
    assert all(math.gcd(x.numerator, x.denominator) == 1 and x.denominator > 0 for x in made)
    with pytest.raises(ZeroDivisionError, match=r"Fraction\(1, 0\)"):
        half / 0


def test_a_search_begins_with_them() -> None:
    draw = ExactDraw(rng=np.random.default_rng(0))
    law, weights, number = draw.law(4), draw.weights(3), draw.number(0, 1)
    assert {type(x) for x in [*law, *weights, number]} == {Rational} and law.sum() == 1
