"""`rdk.perturbed-target`: cases by hand and mutations."""

import math

import numpy as np
import pytest

from tests.claims.cases import assert_broken, claims_of, counterexample, getter

get = getter(claims_of("rdk.perturbed-target"))


def test_counterexample_to_perturbed_target_recomputed() -> None:
    found = counterexample(get("rdk.perturbed-target"))
    w, ratio = found["w"].tolist(), found["ratio"].tolist()
    before = [x / sum(w) for x in w]
    moved = [x * r for x, r in zip(w, ratio, strict=True)]
    after = [x / sum(moved) for x in moved]
    distance = sum(abs(a - b) for a, b in zip(before, after, strict=True))
    epsilon = max(abs(math.log(r)) for r in ratio) + float(found["spare"])
    assert float(distance) > epsilon / 2 + 1e-6


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("rdk.perturbed-target-corrected", {"rhs": lambda ratio, spare: get("rdk.perturbed-target").rhs(ratio, spare)}),
        (
            "rdk.perturbed-target-sharp",
            {"rhs": lambda ratio, spare: 2 * np.tanh(get("rdk.perturbed-target").rhs(ratio, spare) / 2)},
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
