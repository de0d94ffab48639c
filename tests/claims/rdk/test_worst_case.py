"""`rdk.worst-case`: cases by hand and mutations."""

import numpy as np
import pytest

from simspec.claims.rdk.parts import drift, proposed
from simspec.claims.words import norm1
from simspec.laws import restrict
from tests.claims.cases import assert_broken, claims_of, getter

get = getter(claims_of("rdk.worst-case"))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        (
            "rdk.worst-case",
            {
                "rhs": lambda p, q, shared, epsilon, delta: np.stack(
                    [norm1(restrict(q, shared) - p) + e for e in (epsilon / 2, delta)]
                )
            },
        ),
        ("rdk.worst-case", {"lhs": lambda p, q, shared, M: np.stack([norm1(proposed(q, shared, M.T) - p)] * 2)}),
        (
            "rdk.worst-case-sharp",
            {"lhs": lambda p, q, shared, M, N: np.stack([norm1(proposed(q, shared, M.T) - p), drift(N.T, p) * 2])},
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
