"""`csqs.largest-excess`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.deciding.shrink import violated
from simspec.laws import exact
from simspec.methods.csqs.conformal import draft_thresholds
from tests.claims.cases import claims_of, getter

get = getter(claims_of("csqs.largest-excess"))


LITERAL, KEEP_TOP = 0, 1


@pytest.mark.parametrize("size", [2, 3, 6])
def test_many_small_steps_lead_to_the_other_floor(size) -> None:
    """V − 1 tokens just below β, η(V − 1) = ¼: β comes down to α/(V − 1) from above and no further."""
    alpha, eta, beta = F(1, 8 * size), F(1, 4 * (size - 1)), F(1, size)
    start, texts = beta, []
    for _ in range(40):
        least = (beta * F(9999, 10_000)).limit_denominator(10**6)
        texts.append([least] * (size - 1) + [1 - (size - 1) * least])
        beta -= eta * ((size - 1) * least - alpha)
    instance = {"q": exact(np.array(texts, dtype=object)), "start": start, "step_size": eta, "dropped_target": alpha}
    out = draft_thresholds(*instance.values(), keep_top=False)
    assert out.thresholds[-1] == beta and (out.masks.sum(axis=-1) == 1).all()
    assert 0 <= beta - alpha / (size - 1) < F(1, 1000)
    slack = get("csqs.largest-excess").slack(instance)
    assert not violated(slack) and slack[LITERAL, -1] < F(1, 1000) / eta
