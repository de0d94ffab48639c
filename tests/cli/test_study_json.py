"""`--json` of the study commands: what the tables say, as data."""

from __future__ import annotations

import json
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from simspec import cli, loading
from simspec.engine import run as engine
from simspec.studies.catalogue import catalogue, find
from tests.engine.study_files import COINS


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    Path("coins.py").write_text(COINS)
    return tmp_path


def printed(capsys, *words: str) -> object:
    assert cli.main(["study", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_list(capsys) -> None:
    found = printed(capsys, "list", "--json")
    assert [entry["name"] for entry in found] == list(catalogue())
    acceptance = found[0]
    assert acceptance["cells"] == 36 and "alpha" in acceptance["measures"] and acceptance["question"].endswith("?")


def test_run_and_status_say_what_the_engine_says(capsys) -> None:
    ran = printed(capsys, "run", "coins.py:coins", "--dir", "d", "--seed", "3", "--json")
    assert printed(capsys, "status", "d", "--json") == ran
    known = engine.results(find("coins.py:coins"), "d", seed=3)
    assert ran["seed"] == 3 and ran["study"] == "coins" and len(ran["cells"]) == len(known)
    for cell, result in zip(ran["cells"], known, strict=True):
        assert (cell["cell"], cell["rows"], cell["decided"]) == (dict(result.cell), result.rows, result.decided)
        assert {n: (e["mean"], *e["interval"]) for n, e in cell["estimates"].items()} == dict(result.estimates)


def test_one_measure_with_its_places(capsys) -> None:
    printed(capsys, "run", "coins.py:coins", "--dir", "d", "--json")
    found = printed(capsys, "status", "d", "--of", "both", "--json")
    assert all(set(cell["estimates"]) == {"both[0]", "both[1]"} for cell in found["cells"])


def test_list_has_what_packages_have_registered(capsys, monkeypatch) -> None:
    group = "simspec.studies"
    points = [EntryPoint(n, f"simspec.studies.catalogue:{of}", group) for n, of in (("ours", "blocks"), ("ill", "no"))]
    monkeypatch.setattr(loading, "entry_points", lambda group: points if group == "simspec.studies" else [])
    ours, ill = printed(capsys, "list", "--json")[-2:]
    assert ours["name"] == "ours" and ours["cells"] == len(catalogue()["blocks"].grid)
    assert ill["name"] == "ill" and "no" in ill["error"]
    assert cli.main(["study", "list"]) == 0
    out = capsys.readouterr().out
    assert "\nours  " in out and "ill                    cannot be loaded: " in out
