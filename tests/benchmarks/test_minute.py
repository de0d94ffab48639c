"""Each run of the first minute is timed, told apart by phase, and what crashes is no time."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import minute
from simspec.cli.verify import WORDS
from simspec.files import fill

ROOT = Path(__file__).parents[2]
FAKE = """
import json, os, pathlib, sys, time
bank = pathlib.Path("simspec/logits/data/smollm2.safetensors")
assert "PYTHONPATH" not in os.environ
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
out.mkdir(exist_ok=True)
assert "--profile" in sys.argv and os.environ["NUMBA_CACHE_DIR"].endswith(".kernels")
print("installing", flush=True)
time.sleep(0.02)
print("proved       sd.acceptance     0.10 s", flush=True)
time.sleep(0.02)
seconds = {"search": 1.5 if "quick" in sys.argv else 3.0, "compiled": 2, "measure": float(bank.is_file())}
(out / "profile.json").write_text(json.dumps(seconds))
sys.exit(int(os.environ.get("ENDS", "1")))
"""


@pytest.fixture
def clone(tmp_path, monkeypatch) -> Path:
    """A folder with a bank and a command in place of `simspec verify`."""
    monkeypatch.setenv("PYTHONPATH", "elsewhere")  # as where a bench is run from a clone that is not installed
    (tmp_path / "fake.py").write_text(FAKE)
    bank = tmp_path / minute.BANKS / "smollm2.safetensors"
    bank.parent.mkdir(parents=True)
    bank.write_text("rows")
    return tmp_path


def test_runs_are_timed_in_order_with_their_phases(clone) -> None:
    found = minute.measure(clone, (sys.executable, "-c", "pass"), f"{sys.executable} fake.py")["runs"]
    assert list(found) == ["install", *minute.RUNS]
    assert set(found["install"]) == {"wall", "install"} and found["install"]["wall"] > 0
    for name in minute.RUNS:
        assert 0.02 < found[name]["first"] < found[name]["wall"] - 0.01
        assert found[name]["search"] == (1.5 if name.startswith("quick") else 3.0)
    lines = minute.table({"environment": {"processor": "P", "cores": 2}, "runs": found}).splitlines()
    assert [line.split(" | ")[0] for line in lines[2 : 3 + len(minute.RUNS)]] == [f"| {name}" for name in found]


def test_one_run_is_without_the_bank_which_is_there_again(clone) -> None:
    found = minute.measure(clone, (sys.executable, "-c", "pass"), f"{sys.executable} fake.py")["runs"]
    assert [name for name in minute.RUNS if not found[name]["measure"]] == ["warm, without smollm2"]
    assert (clone / minute.BANKS / "smollm2.safetensors").read_text() == "rows"
    text = minute.table({"environment": {"processor": "P", "cores": 2}, "runs": found})
    assert text.splitlines()[-1].endswith("and 1.0 s of the processor to a warm run (measure 1.0 s of them).")


@pytest.mark.parametrize("word", WORDS)
def test_every_verdict_that_is_shown_counts_as_the_first(word) -> None:
    assert tuple(WORDS) == minute.VERDICTS
    assert minute._VERDICT.match(f"{word:<12} {'rdk.gcb':<42} {0.5:6.2f} s".encode())
    assert not minute._VERDICT.match(f"deciding {word}".encode())


def test_wheels_are_installed_and_run_twice(clone) -> None:
    commands = [(sys.executable, "-c", "import time; time.sleep(0.02)")] * 2
    found = minute.measure_wheels(clone, commands, f"{sys.executable} fake.py")
    assert list(found) == ["wheel, install", *minute.WHEEL_RUNS]
    assert found["wheel, install"]["wall"] > 0.04
    assert all(found[name]["search"] == 3.0 for name in minute.WHEEL_RUNS)


def test_a_wheel_that_is_not_built_ends_it(tmp_path) -> None:
    with pytest.raises(ChildProcessError, match="status 3: no wheel"):
        minute.measure_wheels(tmp_path, [(sys.executable, "-c", "print('no wheel'); raise SystemExit(3)")])


def test_a_run_that_crashed_has_no_time(clone, monkeypatch) -> None:
    monkeypatch.setenv("ENDS", "2")
    with pytest.raises(ChildProcessError, match=r"status 2: installing\nproved"):
        minute.measure(clone, (sys.executable, "-c", "pass"), f"{sys.executable} fake.py")


def test_the_page_that_ships_is_current() -> None:
    page = (ROOT / minute.PAGE).read_text(encoding="utf-8")
    record = ROOT / minute.RECORD
    content = minute.table(json.loads(record.read_text(encoding="utf-8"))) if record.is_file() else ""
    assert fill(page, minute.PART, content) == page
