"""What `make test` leaves to `.ci/run`: the list fits the tests, says its reason, and tests that are named all run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests import slow
from tests.test_skipped import project, run

__all__ = ["project"]

CASES = """
import pytest

@pytest.mark.parametrize("case", range(400))
def test_cheap(case) -> None: ...

def test_long() -> None: ...

def test_short() -> None: ...
"""


@pytest.fixture
def slow_project(project: Path) -> Path:
    """One long test, one of many cases, and a short one, beside those of `project`."""
    (project / "pytest.ini").write_text(
        "[pytest]\npythonpath = .\ntestpaths = tests\naddopts = --import-mode=importlib -ra\n"
    )
    (project / "tests/slow.py").write_text(Path(slow.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    (project / "tests/slow.txt").write_text("tests/test_cases.py::test_cheap\ntests/test_cases.py::test_long\n")
    (project / "tests/test_cases.py").write_text(CASES)
    return project


def test_a_run_of_everything_leaves_out_what_is_listed_but_for_some_cases(slow_project: Path) -> None:
    said = run(slow_project)
    assert slow.REASON in said
    skipped = (slow_project / "skipped").read_text(encoding="utf-8").splitlines()
    left_out = Counter(slow.function_of(name) for name in skipped)
    assert left_out["tests/test_cases.py::test_long"] == 1
    assert left_out["tests/test_cases.py::test_short"] == 0
    stay = 400 - left_out["tests/test_cases.py::test_cheap"]
    assert 5 <= stay <= 40


def test_what_is_named_runs(slow_project: Path) -> None:
    assert "402 passed" in run(slow_project, "tests/test_cases.py")
    run(slow_project)
    assert "passed" in run(slow_project, f"@{slow_project / 'skipped'}")
    assert "tests/test_cases.py" not in (slow_project / "skipped").read_text(encoding="utf-8")


def test_the_list_names_tests_that_are_there() -> None:
    """In order, each once; a test that was renamed is no longer left out unseen."""
    names = slow.LIST.read_text(encoding="utf-8").split()
    assert names == sorted(set(names))
    for name in names:
        path, function = name.split("::", 1)
        text = (slow.ROOT / path).read_text(encoding="utf-8")
        assert f"def {function.split('.')[-1].split('::')[-1]}(" in text, name


def test_the_list_is_made_of_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third of the time is one function's, in two cases."""
    report = tmp_path / "tests.xml"
    cases = [("tests.test_slow", "test_a[1]", 2), ("tests.test_slow", "test_a[2]", 2), ("tests.test_slow", "test_b", 1)]
    rows = "".join(f'<testcase classname="{c}" name="{n}" time="{t}" />' for c, n, t in cases)
    report.write_text(f"<testsuites><testsuite>{rows}</testsuite></testsuites>")
    monkeypatch.setattr(slow, "LIST", tmp_path / "slow.txt")
    assert slow.main([str(report), "0.8"]) == 0
    assert slow.listed(slow.LIST) == {"tests/test_slow.py::test_a"}
    assert slow.main([str(report), "0.9"]) == 0
    assert slow.listed(slow.LIST) == {"tests/test_slow.py::test_a", "tests/test_slow.py::test_b"}
