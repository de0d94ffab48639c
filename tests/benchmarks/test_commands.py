"""The README's table of times says what its record says, and a command that fails is no time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import commands
from simspec.files import fill

ROOT = Path(__file__).parents[2]


def test_each_command_is_timed(tmp_path) -> None:
    (tmp_path / "Makefile").write_text("test:\n\t@sleep 0.01\n", encoding="utf-8")
    found = commands.measure(tmp_path, ["make test"])["commands"]
    assert list(found) == ["make test"] and found["make test"] > 0.01


def test_a_command_that_fails_has_no_time(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("MAKELEVEL", "1")  # the tests themselves run under make, which then speaks of folders
    (tmp_path / "Makefile").write_text("test:\n\t@echo broken; exit 3\n", encoding="utf-8")
    with pytest.raises(ChildProcessError, match=r"make test: status 2: broken"):
        commands.measure(tmp_path, ["make test"])


def test_the_page_that_ships_is_current() -> None:
    document = json.loads((ROOT / commands.RECORD).read_text(encoding="utf-8"))
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert fill(page, commands.PART, commands.table(document)) == page
    timed = list(document["commands"])  # what is added to the list is timed later: the tests are one of the commands
    assert timed and timed == [command for command in commands.COMMANDS if command in timed]
