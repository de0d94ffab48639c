"""Tuning by hand, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.studies.rdk.tuning import GRID, best, geometric, weights


def test_best_mean_over_rows():
    assert best([1, 2, 3], [[0.0, 0.5, 0.2], [0.0, 0.1, 0.5]]) == (3.0, 2, 0.35)


def test_first_of_equals_and_forbidden_points():
    assert best([1, 2, 3], [0.5, 0.5, 0.1]).value == 1
    assert best([1, 2], [[0.9, 0.1], [np.nan, 0.1]]).value == 2  # not allowed on one row: not allowed
    with pytest.raises(ValueError, match="no grid point is allowed"):
        best([1], [[np.nan]])


def test_grids():
    assert len(geometric(1, 2)) == len(weights()) == GRID
    assert weights()[0] == 0 and weights()[-1] == 1
    with pytest.raises(ValueError, match="low, high: 0, 1"):
        geometric(0, 1)
    with pytest.raises(ValueError, match="a last axis of 2 grid points"):
        best([1, 2], [1.0, 2.0, 3.0])
