"""Cells: cuts by hand, at the places that are likely, near them and elsewhere, and how many looks they take."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.audit.uniforms import cells
from simspec.audit.uniforms.cells import cells_of


class Threshold:
    """Emits 1 from `at` on, in the precision asked for; counts its calls."""

    def __init__(self, at: float, dtype: type = np.float64) -> None:
        self.at = dtype(at)
        self.dtype = dtype
        self.calls = 0

    def __call__(self, draft, uniforms):
        self.calls += len(uniforms)
        return (uniforms[:, 0].astype(self.dtype) >= self.at).astype(int)


THIRD = Fraction(1, 3)


def test_a_cut_at_a_likely_place_takes_two_sides_of_it():
    """Where no place is likely, twelve steps of a search take 15 looks each."""
    likely = Threshold(1 / 3)
    found = cells_of(likely, 1, 1, [THIRD])
    assert found.volumes() == [THIRD, 1 - THIRD]
    assert found.cuts[2].slack == 0
    unknown = Threshold(1 / 3)
    assert cells_of(unknown, 1, 1, []).volumes() == found.volumes()
    assert 2 * likely.calls < unknown.calls


@pytest.mark.parametrize("away", [2.0**-10, 2.0**-23, -(2.0**-23), 2.0**-30, -(2.0**-40)])
def test_a_cut_beside_a_likely_place_is_not_drawn_to_it(away):
    at = 1 / 3 + away
    cut = cells_of(Threshold(at), 1, 1, [THIRD]).cuts[2]
    assert abs(float(cut.at) - at) <= cut.margin
    assert cut.rounding >= abs(away) or cut.at != THIRD


def test_single_precision_cuts_at_the_likely_place_too():
    single = Threshold(1 / 3, np.float32)
    cut = cells_of(single, 1, 1, [THIRD]).cuts[2]
    assert cut.at == THIRD
    assert 2.0**-30 < cut.rounding < 2.0**-22
    assert single.calls < 250


def test_a_cut_that_one_box_has_is_looked_at_in_the_others():
    """Four drafts with one threshold that no law suggests: found once, then taken from the boxes before."""
    at = 0.7182818284590

    def look(draft, uniforms):
        second = (uniforms[:, 1] >= at).astype(int)
        return np.where(uniforms[:, 0] >= 0.5, second, 2 * second)

    found = cells_of(look, 1, 2, [Fraction(1, 2)])
    inner = {float(cut.at) for cut in found.cuts[2:]} - {0.5}
    assert len(inner) == 1
    assert abs(inner.pop() - at) < 2.0**-44


def test_places_inside_an_interval():
    likely = np.array([0.25, 0.5, 0.75])
    sides = cells._inner(0.3, 0.6, likely)
    assert sides.tolist() == (0.5 + cells.ASIDE).tolist()
    assert len(cells._inner(0.51, 0.6, likely)) == cells.POINTS
    assert len(cells._inner(0.5 - 2.0**-50, 0.5 + 2.0**-50, likely)) == cells.POINTS
    many = np.linspace(0.31, 0.59, cells.LIKELY + 1)
    assert len(cells._inner(0.3, 0.6, many)) == cells.POINTS
