"""Certified steps beyond the strict criterion: no gain in a few steps is no proof that there is none."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.claims.greedy.coverage import _gain_interval
from simspec.engine.estimates.intervals import binomial, documents


@pytest.mark.parametrize("count", [16, 217])
def test_no_gain_has_an_interval_all_the_same(count) -> None:
    """One-sided: the end of Clopper and Pearson's interval for no success, with the whole error on one side."""
    interval = _gain_interval(np.zeros(count), np.arange(count), 0.99)
    assert interval.low == interval.estimate == 0
    assert interval.high == pytest.approx(binomial(0.0, count, 1 - 2 * 0.01).high)
    # resampled documents alone show no spread, and would call the statement refuted
    assert documents(np.zeros(count), np.arange(count), 0.99).high == 0


def test_some_gain_is_resampled_by_document() -> None:
    gain = np.repeat([0.0, 1.0], 20)
    assert _gain_interval(gain, np.arange(40), 0.95) == documents(gain, np.arange(40), 0.95)
