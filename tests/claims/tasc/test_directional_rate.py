"""`tasc.directional-rate`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from tests.claims.cases import assert_broken, claims_of, getter

get = getter(claims_of("tasc.directional-rate"))


def test_directional_rate_by_hand() -> None:
    """Three rises of entropy, two of them with a shorter runtime: 2/3; the printed complement gives 1/3."""
    run = {"h2": np.array([0, 1, 2, 1, 2]), "runtime": np.array([5, 4, 3, 2, 2])}
    assert get("tasc.directional-rate").sides(run) == (F(2, 3), F(1, 3))
    assert get("tasc.directional-rate-corrected").slack(run).tolist() == [0, 0]
    even = {"h2": np.array([0, 1, 2]), "runtime": np.array([1, 0, 0])}
    assert get("tasc.directional-rate").slack(even) == 0, "one half is its own complement"


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        (
            "tasc.directional-rate-corrected",
            {"rhs": lambda h2, runtime: F(int(((np.diff(h2) > 0) & (np.diff(runtime) < 0)).sum()), len(h2) - 1)},
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
