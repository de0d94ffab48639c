"""A run of pytest prints the seconds of each part where it is asked to; the runs that its tests start do not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import OTHERS, part_of

REQUIRES = """
import time
import pytest
from tests.requirements import require

def test_plain() -> None:
    pass

def test_engine() -> None:
    require("smollm2")
    require("llama")
    time.sleep(0.6)

@pytest.fixture(scope="module")
def model():
    require("smollm2")

@pytest.fixture
def answer(model):
    return "yes"

def test_answer(answer) -> None:
    pass

class TestModel:
    def test_it(self) -> None:
        require("smollm2")
        time.sleep(1.6)
"""


@pytest.fixture
def asking(tmp_path) -> Path:
    """A folder of tests of three parts, of which nothing is missing."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --import-mode=importlib\n")
    (tmp_path / "tests/requirements.py").write_text("def require(need): ...\n")
    (tmp_path / "tests/test_some.py").write_text(REQUIRES)
    for name in ("conftest.py", "parts.py"):
        text = Path(__file__).with_name(name).read_text(encoding="utf-8")
        (tmp_path / "tests" / name).write_text(text, encoding="utf-8")
    return tmp_path


def printed(folder: Path, processes: int, **variables: str) -> list[str]:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(processes)]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "SIMSPEC"))}
    done = subprocess.run(words, cwd=folder, env=env | variables, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_parts_are_told_by_what_a_test_requires(asking) -> None:
    tests = ("test_plain", "test_engine[1-a::b]", "TestModel::test_it", "test_answer")
    found = [part_of(f"tests/test_some.py::{name}", asking) for name in tests]
    assert found == [OTHERS, "tests of an engine", "tests of a real model", "tests of a real model"]
    assert part_of("docs/page.md::a") == part_of("tests/nothing.py::test_a") == OTHERS


@pytest.mark.parametrize("processes", [0, 2])
def test_the_seconds_stand_above_the_last_line(asking, processes) -> None:
    said = printed(asking, processes, SIMSPEC_PARTS="1")
    assert said[-1].startswith("4 passed in ")
    names, seconds = zip(*(line[9:-2].split(" took ") for line in said if line.startswith(".ci/run: ")), strict=True)
    assert names == ("tests of an engine", "tests of a real model", "tests of Coq", OTHERS, "the last run")
    spent = [int(number) for number in seconds]
    assert spent[0] >= 1 and spent[1] >= 2 and spent[2] == 0
    assert spent[4] >= 2


def test_nothing_is_printed_unasked_or_in_a_run_within_a_run(asking) -> None:
    nested = "import os\n\ndef test_nested() -> None:\n    assert 'SIMSPEC_PARTS' not in os.environ\n"
    (asking / "tests/test_some.py").write_text(nested)
    assert not [line for line in printed(asking, 0) if ".ci/run" in line]
    assert [line for line in printed(asking, 2, SIMSPEC_PARTS="1") if ".ci/run" in line]
