"""The matrix of versions: what is pinned, what is run, and how failures are told.  Nothing is installed here."""

from __future__ import annotations

import tomllib

import pytest

from tests import matrix


def test_lower_bounds_become_pins() -> None:
    assert matrix.lowest(["numpy>=2.0", "rich<15,>=13", "jinja2"]) == ["numpy==2.0", "rich==13", "jinja2"]


def test_extras_of_extras_are_followed_and_named_once() -> None:
    project = {
        "name": "own",
        "dependencies": ["a>=1"],
        "optional-dependencies": {"x": ["own[y]", "b>=2", "a>=1"], "y": ["c>=3"]},
    }
    assert matrix.required(project, ["x"]) == ["a>=1", "c>=3", "b>=2"]


def test_every_requirement_of_the_project_has_a_lower_bound() -> None:
    project = tomllib.loads((matrix.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = matrix.lowest(matrix.required(project, matrix.EXTRAS))
    assert len(pins) > 5 and all("==" in pin for pin in pins)


def test_the_oldest_allowed_python_is_the_first_looked_for() -> None:
    project = tomllib.loads((matrix.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">=3.{matrix.MINORS[0]}"


def test_each_environment_has_a_line_and_one_failure_is_the_status(monkeypatch, capsys) -> None:
    runs = []

    def outcome(python, name, requirements, tests):
        runs.append((name, tuple(tests)))
        return not name.endswith("lowest"), "1 passed"

    monkeypatch.setattr(matrix, "pythons", lambda: ["/bin/python3.11", "/bin/python3.12"])
    monkeypatch.setattr(matrix, "outcome", outcome)
    assert matrix.main(["tests/laws"]) == 1
    assert [name for name, _ in runs] == ["python3.11", "python3.12", "python3.11-lowest"]
    assert {tests for _, tests in runs} == {("tests/laws",)}
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_an_environment_that_cannot_be_made_is_told(monkeypatch) -> None:
    def broken(*arguments):
        raise ChildProcessError("no matching distribution")

    monkeypatch.setattr(matrix, "environment", broken)
    assert matrix.outcome("python3.11", "name", [], []) == (False, "not installed: no matching distribution")


def test_without_a_python_the_status_is_2(monkeypatch, capsys) -> None:
    monkeypatch.setattr(matrix, "pythons", list)
    assert matrix.main([]) == 2
    assert "no Python >= 3.11" in capsys.readouterr().err


@pytest.mark.parametrize(("text", "line"), [("a\nb\n\n", "b"), ("=== 3 passed ===\n", "3 passed"), ("", "")])
def test_the_last_line(text, line) -> None:
    assert matrix.last_line(text) == line
