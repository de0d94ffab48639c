"""Rows that widths need: at which a sequence is narrow enough and one block before is not, in any unit."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.estimates.needed import rows_of_t, rows_until
from simspec.engine.estimates.sequences import empirical_bernstein
from simspec.engine.estimates.statistics import SCALE


def test_rows_are_those_at_which_the_width_is_reached() -> None:
    rows = rows_until(0.02, 0.4, 0.2)
    for count, narrow in ((rows // 16, True), (rows // 16 - 1, False)):
        n, s = np.full(count, 16), 16 * np.array([0.4, 0.4**2 + 0.2**2])
        low, high = empirical_bernstein(n, *(np.full(count, round(v * SCALE)) for v in s))
        assert (high[-1] - low[-1] <= 0.04) == narrow
    assert rows_until(0.2, 4, 2, bounds=(0, 10)) == rows  # another unit
    assert rows_of_t(0.5, 0.01) == pytest.approx((1.96 * 0.5 / 0.01) ** 2, rel=1e-3)
    assert rows_of_t(0, 0.01) == 2
