"""Each run of the first minute is timed, told apart by phase, and what crashes is no time."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import minute
from simspec.files import fill

ROOT = Path(__file__).parents[2]
FAKE = """
import json, os, pathlib, sys, time
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
out.mkdir(exist_ok=True)
assert "--profile" in sys.argv and os.environ["NUMBA_CACHE_DIR"].endswith(".kernels")
print("installing", flush=True)
time.sleep(0.02)
print("proved       sd.acceptance     0.10 s", flush=True)
time.sleep(0.02)
(out / "profile.json").write_text(json.dumps({"search": 1.5 if "quick" in sys.argv else 3.0, "compiled": 2}))
sys.exit(int(os.environ.get("ENDS", "1")))
"""


def test_runs_are_timed_in_order_with_their_phases(tmp_path) -> None:
    (tmp_path / "fake.py").write_text(FAKE)
    found = minute.measure(tmp_path, (sys.executable, "-c", "pass"), f"{sys.executable} fake.py")["runs"]
    assert list(found) == ["install", *minute.RUNS]
    assert set(found["install"]) == {"wall", "install"} and found["install"]["wall"] > 0
    for name in minute.RUNS:
        assert 0.02 < found[name]["first"] < found[name]["wall"] - 0.01
        assert found[name]["search"] == (1.5 if name.startswith("quick") else 3.0)
    lines = minute.table({"environment": {"processor": "P", "cores": 2}, "runs": found}).splitlines()
    assert [line.split(" | ")[0] for line in lines[2:7]] == [f"| {name}" for name in found]


def test_a_run_that_crashed_has_no_time(tmp_path, monkeypatch) -> None:
    (tmp_path / "fake.py").write_text(FAKE)
    monkeypatch.setenv("ENDS", "2")
    with pytest.raises(ChildProcessError, match=r"status 2: installing\nproved"):
        minute.measure(tmp_path, (sys.executable, "-c", "pass"), f"{sys.executable} fake.py")


def test_the_page_that_ships_is_current() -> None:
    page = (ROOT / minute.PAGE).read_text(encoding="utf-8")
    record = ROOT / minute.RECORD
    content = minute.table(json.loads(record.read_text(encoding="utf-8"))) if record.is_file() else ""
    assert fill(page, minute.PART, content) == page
