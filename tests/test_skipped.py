"""What `conftest.py` does: it names every test that was skipped; files that share a result run on one worker; long ones first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from tests.conftest import FIRST, SHARED, early, repeatable, unit

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
ROOT = Path(__file__).parents[1]
WHERE = """
import os
from pathlib import Path
{imported}

def test_where() -> None:
    Path(__file__).with_suffix(".worker").write_text(os.environ["PYTEST_XDIST_WORKER"])
"""


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
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SIMSPEC_"))}
    environment["SIMSPEC_SKIPPED"] = str(project / "skipped")
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # half of the time goes to what is not used here
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


# --- files that share a costly result ---


def test_files_that_import_one_module_or_lie_in_one_folder_are_one() -> None:
    files = {str(p.relative_to(ROOT)): p for p in (ROOT / "tests").rglob("test_*.py")}
    units = {name: unit(path, name) for name, path in files.items()}
    for shared in SHARED:
        together = [name for name, of in units.items() if of == shared]
        assert len(together) > 1, f"{shared}: no files share it"
    assert units["tests/test_skipped.py"] == "tests/test_skipped.py"
    assert (
        unit(ROOT / "simspec" / "claims" / "__init__.py", "simspec/claims/__init__.py") == "simspec/claims/__init__.py"
    )


def test_they_run_on_one_worker(tmp_path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --import-mode=importlib\n")
    (tmp_path / "tests" / "claims").mkdir(parents=True)
    module = tmp_path / (SHARED[0].replace(".", "/") + ".py")
    module.write_text("results = None\n", encoding="utf-8")
    conftest = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")
    (tmp_path / "tests" / "conftest.py").write_text(conftest, encoding="utf-8")
    for name, imported in {
        "a": f"from {SHARED[0]} import results",
        "b": f"from {SHARED[0]} import results",
        "c": "",
    }.items():
        (tmp_path / "tests" / f"test_{name}.py").write_text(WHERE.format(imported=imported), encoding="utf-8")
    assert "3 passed" in run(tmp_path, "-n", "2", "--dist", "loadfile", "tests")
    workers = {p.stem: p.read_text(encoding="utf-8") for p in (tmp_path / "tests").glob("*.worker")}
    assert workers["test_a"] == workers["test_b"] != workers["test_c"]


# --- long files first ---


def test_what_takes_long_is_known() -> None:
    files = {str(p.relative_to(ROOT)): p for p in (ROOT / "tests").rglob("test_*.py")}
    ranks = {name: early(path, name) for name, path in files.items()}
    assert {name for name, rank in ranks.items() if rank == 0} == {name for name in FIRST if name.endswith(".py")}
    assert {early(ROOT / name, name) for name in FIRST} == {0} and FIRST[-1] in SHARED
    begins_early = ("audit/endpoint/test_kills", "cli/test_signals", "proofs_check/coq/test_export")
    assert [ranks[f"tests/{name}.py"] for name in begins_early] == [1, 1, 1]
    assert ranks["tests/claims/test_registry.py"] == 2
    assert early(ROOT / "simspec" / "checks.py", "simspec/checks.py") == 2
    assert early(ROOT / "nowhere.py", "tests.claims.evidence_cases") == 2


def test_long_files_are_begun_first(tmp_path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --import-mode=importlib\n")
    many = "import pytest\n@pytest.mark.parametrize('n', range(4))\ndef test_many(n): ...\n"
    conftest = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")
    texts = {"tests/conftest.py": conftest, "tests/test_a.py": many, "tests/test_b.py": "def test_one(): ...\n"}
    texts |= {"tests/test_c.py": "import subprocess\ndef test_c(): ...\n", FIRST[0]: "def test_proofs(): ...\n"}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    said = run(tmp_path, "-v", "-n", "1", "--dist", "loadfile", "tests")
    ran = [line.split()[-1].split("::")[0] for line in said.splitlines() if "PASSED" in line]
    assert [*dict.fromkeys(ran)] == [FIRST[0], "tests/test_c.py", "tests/test_a.py", "tests/test_b.py"]


def test_what_a_derandomised_test_draws_does_not_depend_on_what_is_loaded(tmp_path, monkeypatch) -> None:
    def drawn() -> list[str]:
        found: list[str] = []
        settings(derandomize=True, max_examples=300)(given(st.floats())(lambda x: found.append(repr(x))))()
        return found

    monkeypatch.setattr(providers, "_get_local_constants", providers._get_local_constants)  # as it was, after this
    repeatable()
    before = drawn()
    (tmp_path / "constants.py").write_text(f"X = {[0.1 + i for i in range(999)]}")
    monkeypatch.syspath_prepend(tmp_path)
    __import__("constants")
    assert len(before) > 200 and drawn() == before
