"""`rdk.softmax-lipschitz`: cases by hand and mutations."""

import math
from fractions import Fraction as F

import pytest

from simspec.claims.words import law
from tests.claims.cases import get


def test_one_logit_by_hand() -> None:
    """Odds 1 : 2, the first logit raised by log 4: (1/3, 2/3) becomes (2/3, 1/3), a move of 2/3 = 2 tanh(log 4 / 4)."""
    instance = {"w": law(1, 2), "ratio": law(4, 1), "spare": F(0)}
    assert float(get("rdk.softmax-lipschitz").lhs(instance["w"], instance["ratio"])) == pytest.approx(2 / 3, abs=1e-15)
    assert float(get("rdk.softmax-lipschitz-sharp").slack(instance)) == pytest.approx(0, abs=1e-14)
    assert float(get("rdk.softmax-lipschitz").slack(instance)) == pytest.approx(math.log(4) / 2 - 2 / 3, abs=1e-14)
