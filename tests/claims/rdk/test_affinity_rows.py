"""`rdk.affinity-rows`: cases by hand and mutations."""

import numpy as np
import pytest

from simspec.claims.balls import enclose
from tests.claims.cases import assert_broken, claims_of, counterexample, getter

get = getter(claims_of("rdk.affinity-rows"))


def test_counterexample_to_affinity_rows_recomputed() -> None:
    found = counterexample(get("rdk.affinity-rows"))
    omega, tau = found["omega"].astype(float), float(found["tau"])
    assert (omega == omega.T).all() and np.linalg.eigvalsh(omega).min() >= -1e-12
    M = np.exp(omega / tau) / np.exp(omega / tau).sum(axis=1, keepdims=True)
    assert abs(M * omega.sum(axis=1, keepdims=True) - omega).max() > 1e-3


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        (
            "rdk.affinity-rows-corrected",
            {"lhs": lambda X, omega, tau: np.stack([np.exp(enclose(omega / tau)).sum(axis=-1)] * 4)},
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
