"""`rdk.affinity-rows`: cases by hand and mutations."""

import numpy as np

from tests.claims.cases import counterexample


def test_counterexample_to_affinity_rows_recomputed() -> None:
    found = counterexample("rdk.affinity-rows")
    omega, tau = found["omega"].astype(float), float(found["tau"])
    assert (omega == omega.T).all() and np.linalg.eigvalsh(omega).min() >= -1e-12
    M = np.exp(omega / tau) / np.exp(omega / tau).sum(axis=1, keepdims=True)
    assert abs(M * omega.sum(axis=1, keepdims=True) - omega).max() > 1e-3
