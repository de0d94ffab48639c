"""`ears.single-threshold`: cases by hand and mutations."""

from fractions import Fraction as F

from simspec.claims.words import law
from tests.claims.cases import get


def test_a_second_coin_accepts_more() -> None:
    """p = (1/2, 1/2), q = (1, 0), β = 1/2: R = 1/2, t = 1/4; one coin 3/4, two coins 1/2 + 1/2 · 3/4 = 7/8."""
    claim = get("ears.single-threshold")
    one = {"p": law("1/2", "1/2"), "q": law(1, 0), "beta": F(1, 2)}
    assert claim.sides(one)[0][0].tolist() == [F(3, 4), 0]
    assert claim.sides({**one, "second_coin": True})[0][0].tolist() == [F(7, 8), 0]
