"""What SIMSPEC_SKIPPED names: every test that was skipped, on one process as on several, so that a later run makes up for all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

NEED = """
import pytest

def require() -> None:
    pytest.skip("needs what nobody has", allow_module_level=True)
"""
WHOLE = """
from tests.need import require

require()

def test_never() -> None: ...
"""
PARTLY = """
import pytest
from tests.need import require

@pytest.mark.parametrize("what", ["here", "not here"])
def test_some(what) -> None:
    if what != "here":
        require()
"""
SKIPPED = ["tests/deep/test_second.py", "tests/test_first.py", "tests/test_partly.py::test_some[not here]"]


@pytest.fixture
def project(tmp_path) -> Path:
    """Two modules skipped as a whole, for one reason given in one line of one file, and one test of two."""
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --import-mode=importlib\n")
    (tmp_path / "tests/deep").mkdir(parents=True)
    conftest = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")
    sources = {
        "conftest": conftest,
        "need": NEED,
        "test_first": WHOLE,
        "deep/test_second": WHOLE,
        "test_partly": PARTLY,
    }
    for name, source in sources.items():
        (tmp_path / f"tests/{name}.py").write_text(source, encoding="utf-8")
    return tmp_path


def run(project: Path, *arguments: str) -> str:
    """What pytest says in the project."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SIMSPEC_"))}
    environment["SIMSPEC_SKIPPED"] = str(project / "skipped")
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("processes", [[], ["-n", "0"], ["-n", "2", "--dist", "loadfile"]], ids=" ".join)
def test_all_that_was_skipped_is_named_and_found_again(processes, project) -> None:
    assert "1 passed" in run(project, *processes, "tests")
    assert (project / "skipped").read_text(encoding="utf-8").splitlines() == SKIPPED

    (project / "tests/need.py").write_text("def require() -> None: ...\n")  # now it is there
    (project / "again").write_text((project / "skipped").read_text())
    assert "3 passed" in run(project, *processes, f"@{project / 'again'}")
    assert (project / "skipped").read_text() == ""
