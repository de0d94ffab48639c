"""`tasc.directional-rate`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np

from tests.claims.cases import get


def test_directional_rate_by_hand() -> None:
    """Three rises of entropy, two of them with a shorter runtime: 2/3; the printed complement gives 1/3."""
    run = {"h2": np.array([0, 1, 2, 1, 2]), "runtime": np.array([5, 4, 3, 2, 2])}
    assert get("tasc.directional-rate").sides(run) == (F(2, 3), F(1, 3))
    assert get("tasc.directional-rate-corrected").slack(run).tolist() == [0, 0]
    even = {"h2": np.array([0, 1, 2]), "runtime": np.array([1, 0, 0])}
    assert get("tasc.directional-rate").slack(even) == 0, "one half is its own complement"
