"""The script for a device: what it runs, in which time, where its results go, and what a part that fails changes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "gpu" / "session.sh"
STUB = """#!/bin/sh
echo "$(basename "$0") $*" >> "{log}"
case "$*" in *{fails}*) exit 3 ;; esac
"""


@pytest.fixture
def session(tmp_path):
    """Runs the script with programs that only say how they were called: the calls, and the exit status."""
    folder = tmp_path / "bin"
    folder.mkdir()
    log = tmp_path / "log"

    def run(*arguments, programs=("python", "make"), fails="nothing", **variables):
        log.write_text("")
        for file in folder.iterdir():
            file.unlink()
        for name in programs:
            program = folder / name
            program.write_text(STUB.format(log=log, fails=fails))
            program.chmod(0o755)
        environment = {"PATH": f"{folder}:/usr/bin:/bin", **variables}
        done = subprocess.run(
            ["sh", str(SCRIPT), *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True
        )
        return log.read_text().splitlines(), done.returncode

    return run


def test_all_parts_are_run_and_write_where_they_are_told(session, tmp_path):
    calls, status = session(str(tmp_path / "results"), programs=("python", "ncu"), PYTHON="python")
    assert status == 0 and (tmp_path / "results").is_dir()
    assert [re.findall(r"pytest|sanitize|benchmarks gpu|ncu", call)[0] for call in calls] == [
        "pytest",
        "sanitize",
        "benchmarks gpu",
        "ncu",
    ]
    assert calls[2].endswith(f"--json {tmp_path}/results/gpu.json")
    assert f"--log-file {tmp_path}/results/gpu-counters.csv" in calls[3] and calls[3].endswith("instructions --launch")


def test_without_a_folder_results_go_to_out(session, tmp_path):
    calls, _ = session(PYTHON="python", OUT=str(tmp_path / "out"))
    assert calls[2].endswith(f"--json {tmp_path}/out/gpu.json")
    assert calls[3].endswith("benchmarks.gpu.instructions")  # no ncu: the counts of the machine code
    calls, _ = session(PYTHON="python")
    assert calls[2].endswith("--json docs/benchmarks/gpu.json")


@pytest.mark.parametrize("part", ["pytest", "sanitize", "gpu.json", "instructions"])
def test_a_part_that_fails_decides_the_status_and_stops_nothing(session, part):
    calls, status = session(PYTHON="python", fails=part)
    assert status == 3 and len(calls) == 4


def test_its_own_environment_is_made_by_make(session):
    calls, _ = session()
    assert calls[0] == "make gpu ARGS=-k device"


def test_all_of_it_ends_within_ten_minutes():
    """One of both ways to test, the benchmark, and counters."""
    text = SCRIPT.read_text(encoding="utf-8")
    own, made, bench, counters, _ = re.split(
        r"^else$|^fi$|^if command", text.split("PYTHON:-}", 1)[1], flags=re.MULTILINE
    )[:5]
    seconds = [sum(map(int, re.findall(r"run (\d+) ", part))) for part in (own, made, bench, counters)]
    assert min(seconds) > 0
    assert max(seconds[:2]) + sum(seconds[2:]) <= 600
