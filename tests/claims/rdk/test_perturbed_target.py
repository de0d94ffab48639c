"""`rdk.perturbed-target`: cases by hand and mutations."""

import math

from tests.claims.cases import counterexample


def test_counterexample_to_perturbed_target_recomputed() -> None:
    found = counterexample("rdk.perturbed-target")
    w, ratio = found["w"].tolist(), found["ratio"].tolist()
    before = [x / sum(w) for x in w]
    moved = [x * r for x, r in zip(w, ratio, strict=True)]
    after = [x / sum(moved) for x in moved]
    distance = sum(abs(a - b) for a, b in zip(before, after, strict=True))
    epsilon = max(abs(math.log(r)) for r in ratio) + float(found["spare"])
    assert float(distance) > epsilon / 2 + 1e-6
