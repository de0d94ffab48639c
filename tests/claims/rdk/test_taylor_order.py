"""`rdk.taylor-order`: cases by hand and mutations."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.deciding.data import Data
from simspec.claims.words import law, matrix
from tests.claims.cases import get


def test_one_row_by_hand() -> None:
    """p = (1, 0), c_0 = 1, τ = 1, draft certain of token 0: the row is softmax(1, 0); affine 3/4, normalised 2/3."""
    instance = {"p": law(1, 0), "q": law(1, 0), "c": law(1, 0), "omega": matrix("1 0", "0 0"), "tau": F(1)}
    top = math.e / (1 + math.e)
    errors = [2 * abs(F(3, 4) - top), 2 * abs(F(2, 3) - top), 0]
    claim = get("rdk.taylor-order")
    assert np.allclose([float(e) for e in claim.lhs(*instance.values())], errors, atol=1e-14)
    constants = claim.rhs(law(1, 0), law(1, 0), law(1, 0), F(1))
    assert [float(k) for k in constants] == [1 / 4, 1 / 4 + 1 / 4, 0]


def test_fitted_exponents_are_two() -> None:
    for evidence in get("rdk.taylor-order").evidence(Data()):
        assert evidence.estimate == pytest.approx(2, abs=0.15)
