"""Rows of pruned drafters that ship: what they were made of is what ships, and a cell that is computed anew is the same."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.claims.deciding.data import Data
from simspec.claims.rdk.real import computed_pruning
from simspec.engine.study import Result, simulate
from simspec.logits.bank import open_bank
from simspec.studies.rdk.pruning_recorded import facts_of, read_pruning, recorded_pruning, save_pruning
from simspec.studies.rdk.real_pruning import KERNELS, ORDERS


def test_the_rows_are_of_the_banks_that_ship():
    for name, digest in facts_of()["banks"].items():
        assert open_bank(name).file.metadata["header_checksum"] == digest
    assert recorded_pruning().grid == computed_pruning(Data(effort="deep")).grid


def test_a_cell_that_is_computed_anew_is_the_one_that_ships():
    study = computed_pruning(Data(effort="deep"))
    cell = min((c for c in study.grid if c["bank"] == "main"), key=lambda c: (c["kept"], ORDERS.index(c["order"])))
    anew = simulate(study, cell, facts_of()["seed"], range(cell["rows"]))
    there = simulate(recorded_pruning(), cell, 0, range(cell["rows"]))
    assert set(there) == set(anew)
    assert all(there[name] == pytest.approx(anew[name], abs=1e-4) for name in anew)


def test_where_the_identity_was_chosen_rdk_is_tli_and_it_never_loses_on_what_chose_it():
    for result in read_pruning():
        v = result.values
        chosen = v["exact kind"] == KERNELS.index("identity")
        assert np.array_equal(v["exact"][chosen], v["tli"][chosen])
        assert (v["none"] <= v["tli"] + 1e-6).all() and (v["tli"] <= v["unpruned"] + 1).all()


def test_rows_come_back_and_any_of_them(tmp_path):
    rows = Result({"rows": 3, "bank": "main", "order": "random"}, {"exact kind": np.array([0.0, 1.0, 0.5])})
    save_pruning([rows, rows._replace(cell={"rows": 3, "bank": "wiki"})], {"banks": {}}, tmp_path / "a.npz")
    study = recorded_pruning(tmp_path / "a.npz")
    assert study.grid == (rows.cell, {"rows": 3, "bank": "wiki"}) and study.rows == 3
    assert simulate(study, study.grid[0], 0, range(1, 3))["exact kind"].tolist() == [1.0, 0.5]
    assert facts_of(tmp_path / "a.npz")["banks"] == {}


def test_another_file_is_refused(tmp_path):
    np.savez(tmp_path / "b.npz", a=np.zeros(2))
    with pytest.raises(ValueError, match=r"b.npz' has no facts; expected a file of `python -m simspec.tools.pruning`"):
        read_pruning(tmp_path / "b.npz")
