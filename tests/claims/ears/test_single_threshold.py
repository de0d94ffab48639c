"""`ears.single-threshold`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.ears.parts import tolerance
from simspec.claims.words import law
from tests.claims.cases import assert_broken, claims_of, getter

get = getter(claims_of("ears.single-threshold"))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ears.single-threshold", {"rhs": lambda p, q: np.where(q > 0, np.minimum(1, p / np.where(q > 0, q, 1)), 0)}),
        (
            "ears.single-threshold",
            {
                "rhs": lambda p, q, beta: np.where(
                    q > 0, np.minimum(1, p / np.where(q > 0, q, 1) * (1 + tolerance(p, beta))), 0
                )
            },
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)


def test_a_second_coin_accepts_more() -> None:
    """p = (1/2, 1/2), q = (1, 0), β = 1/2: R = 1/2, t = 1/4; one coin 3/4, two coins 1/2 + 1/2 · 3/4 = 7/8."""
    claim = get("ears.single-threshold")
    one = {"p": law("1/2", "1/2"), "q": law(1, 0), "beta": F(1, 2)}
    assert claim.sides(one)[0][0].tolist() == [F(3, 4), 0]
    assert claim.sides({**one, "second_coin": True})[0][0].tolist() == [F(7, 8), 0]
