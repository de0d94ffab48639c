"""Files that share a costly result are a unit of work of `pytest -n 2 --dist loadfile`; all others are units of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import SHARED, unit

ROOT = Path(__file__).parents[1]
TEST = """
import os
from pathlib import Path
{imported}

def test_where() -> None:
    Path(__file__).with_suffix(".worker").write_text(os.environ["PYTEST_XDIST_WORKER"])
"""


def test_files_that_import_one_module_are_one() -> None:
    files = {str(p.relative_to(ROOT)): p for p in (ROOT / "tests").rglob("test_*.py")}
    units = {name: unit(path, name) for name, path in files.items()}
    for shared in SHARED:
        together = [name for name, of in units.items() if of == shared]
        assert len(together) > 1, f"{shared}: no files share it"
    assert units["tests/test_sharing.py"] == "tests/test_sharing.py"
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
        (tmp_path / "tests" / f"test_{name}.py").write_text(TEST.format(imported=imported), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadfile", "tests"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "3 passed" in done.stdout, done.stdout + done.stderr
    workers = {p.stem: p.read_text(encoding="utf-8") for p in (tmp_path / "tests").glob("*.worker")}
    assert workers["test_a"] == workers["test_b"] != workers["test_c"]
