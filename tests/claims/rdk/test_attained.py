"""Where the sharp bounds of rdk.* are attained: the extremal cases by hand, and the bounds themselves at them."""

from __future__ import annotations

from fractions import Fraction as F
from math import erf, sqrt

import numpy as np
import pytest

from simspec.claims.authoring import matrix
from simspec.claims.rdk.softmax import two_logits
from tests.claims.cases import get


def test_two_tokens_exchanged_by_hand() -> None:
    """p = q' = (¾, ¼) becomes (¼, ¾): the distance 1 is all of the drift, and twice the distance ½ to the uniform law."""
    for side in get("rdk.worst-case-sharp.attained").sides({"a": F(3, 4), "b": F(3, 4)}):
        assert side.tolist() == [1, 1, 1, 1]
    lhs, rhs = get("rdk.worst-case-sharp.attained").sides({"a": F(1, 2), "b": F(1)})
    assert lhs.tolist() == rhs.tolist() == [1, 1, 1, 0]


def test_rows_farthest_apart_by_hand() -> None:
    lhs, rhs = get("rdk.non-expansive-sharp.attained").sides({"M": matrix("3/4 1/4", "1/4 3/4")})
    assert lhs.tolist() == rhs.tolist() == [1, 2, F(1, 2)]


@pytest.mark.parametrize(("name", "up", "down"), [("rdk.perturbed-target", 1, 1), ("rdk.softmax-lipschitz", 2, 0)])
def test_odds_turned_round_by_hand(name, up, down) -> None:
    """Odds 1 : 3 become 3 : 1, the laws (¼, ¾) and (¾, ¼) are 1 apart: so is the sharp bound, and the plain one is above."""
    lhs, rhs = get(f"{name}-sharp.attained").sides({"odds": F(3)})
    assert float(lhs) == pytest.approx(1) and float(rhs) == pytest.approx(1)
    at = {**two_logits(F(3), up, down), "spare": F(0)}
    assert float(get(f"{name}-sharp").slack(at)) == pytest.approx(0, abs=1e-12)


def test_independent_boxes_by_hand() -> None:
    for size in (F(0), F(1), F(3)):
        lhs, rhs = get("rdk.two-events-sharp.attained").sides({"size": size})
        assert float(lhs) == pytest.approx(erf(size / sqrt(2)) ** 2) and float(rhs) == pytest.approx(float(lhs))
    assert float(get("rdk.two-events-sharp").slack({"rho": F(0)})) == pytest.approx(0, abs=1e-12)


def test_a_factor_a_little_smaller_fails_at_four_of_nineteen_tokens() -> None:
    """√3/18 = 0.09623: at 4 of 19 tokens and τ = 1000 a factor of 0.0961 is too small, one of 0.09623 is not."""
    for name, t in (("rdk.taylor-order-sharp", F(1, 1000)), ("rdk.taylor-order-general-sharp", F(2, 1000))):
        lhs, rhs = get(f"{name}.approached").sides({"upper": 4, "lower": 15, "tau": F(1000)})
        for error, least in zip(np.ravel(lhs), np.ravel(rhs), strict=True):
            assert 0.0961 * t**2 < float(least) <= float(error) < 0.09623 * t**2
