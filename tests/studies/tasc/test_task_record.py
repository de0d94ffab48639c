"""The file of what was measured on tasks: complete where it ships, refused where it is something else."""

from __future__ import annotations

import json
import re

import pytest

from simspec.studies.tasc.task_model import DRAFTERS, WAYS
from simspec.studies.tasc.task_predict import ORDERS, PREDICTORS
from simspec.studies.tasc.task_record import KEYS, SHIPPED, add_task, read_tasks

FILES = {"gsm8k", "mbpp", "medquad", "slurp", "tinystories", "ud-ewt"}
LIBRARY = {"library-docstrings", "library-tagging"}
ENTRY = dict.fromkeys(KEYS) | {"corpus": "one"}


def _intervals(value):
    """All intervals in an entry."""
    if isinstance(value, dict):
        if "interval" in value:
            yield value
        else:
            for inner in value.values():
                yield from _intervals(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _intervals(inner)


def test_every_task_is_there_with_every_measurement() -> None:
    tasks = read_tasks()
    assert set(tasks) == FILES | LIBRARY
    for name, task in tasks.items():
        assert task["corpus"] == name and task["pairs"] >= 500
        assert set(task["tokens per call"]) == {"corpus", "prompt", "mixed"}
        assert task["added tokens"] and task["added tokens"][0]["added"] == 500
        assert all(set(s["normalised entropy"]) == {"input", "output"} for s in task["added tokens"])
        assert all(set(task["sampling"][way]) == set(DRAFTERS) for way in WAYS) and task["sampling"]["pairs"] == 40
        assert list(dict.fromkeys(one["n_max"] for one in task["prediction"]["settings"])) == list(ORDERS)
        assert {one["n_max"] for one in task["prediction"]["settings"] if one["repeated n-grams only"]} == set(ORDERS)
        assert all(set(one["tau"]) == set(PREDICTORS) for one in task["prediction"]["settings"])


def test_every_estimate_has_an_interval_around_it() -> None:
    for name, task in read_tasks().items():
        found = list(_intervals(task))
        assert len(found) > 40
        for one in found:
            low, high = one["interval"]
            assert low <= one["estimate"] + 1e-6 and one["estimate"] <= high + 1e-6, (name, one)


def test_every_task_tells_where_it_comes_from() -> None:
    for name, task in read_tasks().items():
        assert task["licence"] and task["origin"] and task["command"].startswith("simspec texts ")
        assert {"simspec", "python", "numpy", "tokenizers", "torch", "transformers"} <= set(task["versions"])
        assert (task["file"] is None) == (name in LIBRARY)
        if task["file"]:
            assert re.fullmatch("[0-9a-f]{64}", task["file"]["sha256"]) and "/" not in task["file"]["name"]
        assert re.fullmatch("[0-9a-f]{64}", task["sampling"]["model"]["sha256 of model.safetensors"])


def test_it_is_small_and_holds_no_text() -> None:
    assert SHIPPED.stat().st_size < 200_000
    strings = re.findall(r'"((?:[^"\\]|\\.)*)"', SHIPPED.read_text(encoding="utf-8"))
    assert max(map(len, strings)) < 250


def test_entries_are_replaced_by_name_and_others_kept(tmp_path) -> None:
    path = tmp_path / "tasks.json"
    add_task(path, ENTRY | {"corpus": "b", "pairs": 1})
    add_task(path, ENTRY | {"corpus": "a", "pairs": 2})
    add_task(path, ENTRY | {"corpus": "b", "pairs": (1 / 3, {"x": 123456.789})})
    tasks = read_tasks(path)
    assert list(tasks) == ["a", "b"] and tasks["a"]["pairs"] == 2
    assert tasks["b"]["pairs"] == [0.333333, {"x": 123457.0}]
    assert [p.name for p in tmp_path.iterdir()] == ["tasks.json"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "no record of tasks of format 1"),
        (json.dumps({"simspec_tasks": "0", "tasks": {}}), "no record of tasks of format 1"),
        (json.dumps({"simspec_tasks": "1", "tasks": {"one": {"pairs": 1}}}), "task 'one' lacks corpus, source"),
    ],
)
def test_other_files_are_refused_and_left_alone(tmp_path, content, message) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        add_task(path, ENTRY)
    assert path.read_text() == content
    with pytest.raises(ValueError, match="no file"):
        read_tasks(tmp_path / "none.json")
