"""Mass of pruned drafters: equal logits by hand, parts that add up, acceptance as elsewhere, rows that stand alone."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Rows
from simspec.studies.rdk.drafter_mass import PARTS, SCHEMES, drafter_mass, parts


def test_equal_logits_by_hand():
    likely, random = gather(drafter_mass(8, 2, df=5, scale=0), rows=1)
    for values in (likely.values, random.values):
        found = {name: values[name][0].tolist() for name in SCHEMES}
        # two of eight tokens are kept: TLI has 1/2 on each of them where 1/8 is wanted
        assert found["none"] == pytest.approx([1 / 4, 0, 0, 3 / 4])
        assert found["tli"] == pytest.approx([1 / 4, 0, 3 / 4, 0])
        for name in ("rdk prior", "rdk leaking", "uniform"):
            assert found[name] == pytest.approx([1 / 4, 3 / 4, 0, 0])
        # half of TLI and 1/12 on each of six tokens
        assert found["mixture"] == pytest.approx([1 / 4, 1 / 2, 1 / 4, 0])


def test_parts_add_to_the_whole_mass_and_the_kept_ones_hold_the_likely_tokens():
    likely, random = gather(drafter_mass(500, 20, df=10, scale=2), rows=3)
    for name in SCHEMES:
        assert likely.values[name].sum(axis=1) == pytest.approx(np.ones(3))
    at = PARTS.index("kept accepted")
    assert (likely.values["tli"][:, at] > random.values["tli"][:, at]).all()
    assert likely.values["rdk prior"] == pytest.approx(likely.values["uniform"])
    assert likely.values["rdk leaking at"] == pytest.approx(likely.values["target at"], abs=1e-6)


def test_a_row_is_the_same_alone():
    study = drafter_mass(300, 10, df=10, scale=1)
    whole, alone = (study.simulate(study.grid[1], Rows(7, numbers), "cpu") for numbers in (range(3), range(2, 3)))
    assert all((whole[name][2:] == alone[name]).all() for name in whole)


def test_parts_by_hand():
    found = parts(np.array([0.25, 0.125]), np.array([0.5, 0.5]), np.array([False, True]))
    assert found.tolist() == [0.125, 0.25, 0.375, 0.25]
