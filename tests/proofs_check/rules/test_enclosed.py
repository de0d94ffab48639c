"""Signs of numbers come from enclosures: what SymPy's digits say decides nothing, and what is certain is still decided."""

from __future__ import annotations

import pytest

from tests.requirements import require

require("proofs")
import sympy as sp  # noqa: E402

import proofs_check.rules.derivation  # noqa: E402, F401  from then on enclosures decide
from proofs_check.rules.enclosed import sign_of_number  # noqa: E402

NOTHING = sp.log(6) - sp.log(2) - sp.log(3)
TINY = sp.Rational(1, 10**200)


@pytest.mark.parametrize(
    ("number", "sign"),
    [(sp.log(3) - 1, 1), (sp.log(2) - 1, -1), (sp.sqrt(2) - sp.Rational(3, 2), -1), (sp.pi - sp.E, 1), (sp.erf(1), 1)],
)
def test_a_certain_sign(number, sign) -> None:
    """By hand: log 3 = 1.0986, log 2 = 0.693, √2 = 1.414, π − e = 0.42, erf 1 = 0.84."""
    assert sign_of_number(number) == sign
    assert (number.is_positive, number.is_negative) == (sign == 1, sign == -1)


@pytest.mark.parametrize("number", [sp.erf(NOTHING), sp.log(1 + NOTHING - TINY), sp.exp(NOTHING) - 1, NOTHING])
def test_digits_decide_nothing(number) -> None:
    assert sign_of_number(number) is None
    assert (number.is_positive, number.is_negative) == (None, None)


def test_no_whole_part_from_digits() -> None:
    """1 less a little is below 1, whatever digits say; of a fraction the whole part is exact."""
    assert sp.floor(1 + NOTHING - TINY) != 1 and sp.ceiling(1 + NOTHING + TINY) != 1
    assert (sp.floor(sp.Rational(7, 2)), sp.ceiling(sp.Rational(7, 2))) == (3, 4)


def test_extremes_of_numbers() -> None:
    """The larger of two numbers is chosen where that is certain, and stays where it is not."""
    assert sp.Max(sp.log(2), sp.Rational(1, 2)) == sp.log(2)
    assert isinstance(sp.Max(sp.log(1 + NOTHING - TINY), 0), sp.Max)


def test_what_has_no_value_has_no_sign() -> None:
    """The logarithm of a negative number, 1 over 0, and functions that the rules do not know."""
    for number in (sp.log(-2, evaluate=False), sp.Pow(0, -1, evaluate=False), sp.sin(1)):
        assert sign_of_number(number) is None
