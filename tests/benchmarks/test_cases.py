"""What all benchmarks share: bad usage is refused before anything is looked for, drawn or timed."""

from __future__ import annotations

import io
import subprocess
from importlib import import_module
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import __main__ as benchmarks
from benchmarks import cases
from benchmarks.__main__ import SUMMARIES
from benchmarks.harness import Result
from simspec import cli
from simspec.engine.show.columns import print_fitting
from tests.cli.test_lazy import HEAVY
from tests.test_import import loaded


def _bench(name: str) -> cases.Bench:
    found: cases.Bench = import_module(f"benchmarks.{name}").BENCH
    return found


def test_benchmarks_are_listed_as_they_call_themselves() -> None:
    for name, summary in SUMMARIES.items():
        bench = _bench(name)
        assert (bench.name, bench.summary) == (name, summary)


@pytest.mark.parametrize("name", [None, *SUMMARIES])
def test_parsing_loads_nothing_heavy(name) -> None:
    words = ["--plot"] if name is None else [name]
    modules = loaded(f"from benchmarks.__main__ import parser; parser().parse_args({words})")
    assert modules.isdisjoint(HEAVY)


def test_an_installed_command_says_where_the_benchmarks_are(capsys) -> None:
    assert cli.main(["bench", "tv", "--quick"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "python -m benchmarks NAME" in err


BENCHES = [pytest.param(bench, id=bench.name) for bench in map(_bench, SUMMARIES)]


@pytest.fixture
def nothing_runs(monkeypatch):
    monkeypatch.setattr(cases, "run_cases", lambda *given: pytest.fail("measured"))


@pytest.mark.parametrize("bench", BENCHES)
def test_bad_usage_is_refused(bench, nothing_runs, tmp_path, capsys) -> None:
    (tmp_path / "file").write_text("")
    wrong = ["--repeats 0", *["--seed -1"] * (bench.seed is not None), *[f"--seed {bench.seeds}"] * bool(bench.seeds)]
    for options in (*wrong, f"--json {tmp_path}/file/a.json"):
        assert benchmarks.main([bench.name, "--quick", *options.split()]) == 2
        err = capsys.readouterr().err
        assert (
            err.startswith(f"benchmarks: error: {options.partition(' ')[0]}")
            and "expected" in err
            and err.count("\n") == 1
        )
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("place", ["file/tv.json", "folder", ".", "/proc/tv.json", "new/" + 300 * "a", "x" * 249])
def test_a_path_that_cannot_be_written_is_refused(place, nothing_runs, tmp_path, capsys) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    assert benchmarks.main(["tv", "--quick", "--json", str(tmp_path / place)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("benchmarks: error: --json: ") and "cannot be written" in err and err.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "kept" and not list((tmp_path / "folder").iterdir())


def test_a_path_that_can_be_written_is_left_as_it_was(tmp_path) -> None:
    (tmp_path / "file").write_text("kept")
    for place in ("file", "other", "new/folder/file"):
        cases.check_place("--json", tmp_path / place)
    cases.check_place("--json", None)
    assert [p.name for p in tmp_path.iterdir()] == ["file"] and (tmp_path / "file").read_text() == "kept"


def test_what_is_no_file_is_not_replaced() -> None:
    with pytest.raises(ValueError, match="--json: /dev/null cannot be written"):
        cases.check_place("--json", Path("/dev/null"))


def test_the_environment_says_what_kernels_are_compiled_for(monkeypatch) -> None:
    from numba import config

    found = cases.environment(())["target"]
    assert found["name"] and all(isinstance(x, str) for x in found["vectors"])
    monkeypatch.setattr(config, "CPU_NAME", "haswell")
    monkeypatch.setattr(config, "CPU_FEATURES", "+avx2,-avx512f,+fma,+popcnt")
    assert cases.environment(())["target"] == {"name": "haswell", "vectors": ["avx2", "fma"]}


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_the_commit_is_that_of_the_clone_with_a_mark_for_changed_files(tmp_path, monkeypatch) -> None:
    """Records and pages that benchmarks write do not count as changes, nor do files that git does not know."""
    monkeypatch.delenv("GIT_DIR", raising=False)
    assert cases.commit(tmp_path) is None
    _git(tmp_path, "init", "--quiet")
    assert cases.commit(tmp_path) is None  # no commit yet
    (tmp_path / "docs").mkdir()
    names = ("code.py", "README.md", "docs/a.json")
    for name in names:
        (tmp_path / name).write_text("1")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "--quiet", "-m", "all")
    short_hash = _git(tmp_path, "rev-parse", "HEAD")[:8]
    for name in (*names[1:], "new.py"):
        (tmp_path / name).write_text("2")
    assert cases.commit(tmp_path) == short_hash
    (tmp_path / "code.py").write_text("2")
    assert cases.commit(tmp_path) == f"{short_hash}+"
    assert cases.commit(tmp_path / "docs") is None  # in a clone, but not its root: an installed copy
    monkeypatch.setenv("PATH", "")
    assert cases.commit(tmp_path) is None  # no git


def test_the_environment_has_the_commit_only_in_a_clone(monkeypatch) -> None:
    for short_hash in ("01234567", None):
        monkeypatch.setattr(cases, "commit", lambda short_hash=short_hash: short_hash)
        assert cases.environment(()).get("commit", "absent") == (short_hash or "absent")


def test_below_the_table_stands_why_a_peer_is_missing() -> None:
    timed = Result("simspec", "ok", 1, 1e-9, [0.1136251, 0.1136252, 0.1136253])
    missing = Result("another library", "not installed (another_library_with_a_long_name)")
    for width in (60, 80):
        console = Console(file=io.StringIO(), width=width)
        shown = cases.table("title", [timed, missing], "simspec", "simspec")
        print_fitting(console, shown, "--json PATH")
        assert shown.title == "title"  # which names the case in the JSON
        text = console.file.getvalue()  # type: ignore[attr-defined]
        assert "title" in text
        assert "113.63 (113.63, 113.63)" in text and "…" not in text
        assert "not installed (another_library_with_a_long_name)" in " ".join(text.split())
        assert ("--json PATH" in text) == ("not enough room for: " in text)
