"""`ears.support-lenience`: cases by hand and mutations."""

import numpy as np
import pytest

from simspec.methods import ears
from tests.claims.cases import assert_broken, claims_of, getter

get = getter(claims_of("ears.support-lenience"))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        (
            "ears.support-lenience",
            {
                "rhs": lambda p, q, factor: np.stack(
                    [0 * p.max(), np.minimum(np.maximum(q - p, 0), p / factor).sum(axis=-1)]
                )
            },
        ),
        (
            "ears.support-lenience",
            {
                "lhs": lambda p, q, beta: np.stack([np.where(p > 0, 0, ears(beta).keep(p, q)).sum(), 0 * p.max()]),
                "rhs": lambda p: np.stack([0 * p.max()] * 2),
            },
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
