"""The tool that measures pruned drafters: what it writes is what the study says, with the versions and the seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.engine.study import simulate
from simspec.studies.rdk.pruning_halves import pruning_halves
from simspec.studies.rdk.pruning_recorded import facts_of, read_pruning
from simspec.tools import pruning
from tests.engine.fakes import FakeBank

BANK: Any = FakeBank(vocab=40, contexts=12)


def test_every_cell_is_written(tmp_path, capsys):
    study = pruning_halves(BANK, "fake", (0.1,))
    pruning.measure(study, tmp_path / "rows.npz", {"banks": {"fake": "0"}}, seed=3)
    results = read_pruning(tmp_path / "rows.npz")
    assert [r.cell for r in results] == [dict(cell) for cell in study.grid]
    for result in results:
        values = simulate(study, result.cell, 3, range(12))
        assert all(np.array_equal(result.values[name], values[name].astype(np.float32)) for name in values)
    assert "cells: 3 of 3" in capsys.readouterr().err
    facts = facts_of(tmp_path / "rows.npz")
    assert facts["seed"] == 3 and facts["banks"] == {"fake": "0"} and set(facts["versions"]) == {"simspec", "numpy"}


def test_the_command_measures_what_decides(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(pruning, "measure", lambda study, out, facts: seen.append((study, out, facts)))
    assert pruning.main([str(tmp_path / "rows.npz")]) == 0
    ((study, out, facts),) = seen
    answers = {"main", "quantised:4"}
    texts = {"texts", "texts, quantised:4"}
    assert {cell["bank"] for cell in study.grid} == answers | texts | {"wiki"} and out == tmp_path / "rows.npz"
    rows = {cell["bank"]: cell["rows"] for cell in study.grid}
    assert {rows[name] for name in answers} == {39} and {rows[name] for name in texts} == {13}
    assert set(facts["banks"]) == {"smollm2", "wiki"}
