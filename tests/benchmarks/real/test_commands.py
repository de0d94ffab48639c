"""Whole commands: their time and the memory of all their processes; what fails or leaves nothing is no time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import summary
from benchmarks.real import BENCH, CASES, UNASKED, chosen, commands
from benchmarks.real.commands import run
from simspec.logits import bank as banks

HOLDS = """
import subprocess, sys, time
held = bytearray(60 << 20)
held[::4096] = b"x" * len(held[::4096])
if len(sys.argv) > 1:
    subprocess.run([sys.executable, "-c", open(sys.argv[1]).read()])
time.sleep(0.8)
print("the end")
"""
FAKE = """
import json, os, pathlib, sys, time
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
if "verify" in sys.argv:
    assert sys.argv[1:4] == ["verify", "--bank", "smollm2"] and "--fresh" in sys.argv
    verdict = os.environ.get("VERDICT", "supported")
    (out / "verdicts.json").write_text(json.dumps({"claims": [{"id": "a.b", "verdict": verdict}]}))
    sys.exit(1)
out.mkdir()
prompts = pathlib.Path(sys.argv[sys.argv.index("--chat") + 1]).read_text().splitlines()
assert len(prompts) == 60 and all(json.loads(line)["prompt"] for line in prompts)
for name in ("pair.safetensors", "acceptance.json", "page.json"):
    (out / name).write_text("x")
    time.sleep(0.1)
if not os.environ.get("FAILS"):
    (out / "index.html").write_text("x")
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """A command in place of `simspec`, and a file in place of the model."""
    (tmp_path / "fake.py").write_text(FAKE)
    monkeypatch.setattr(commands, "COMMAND", (sys.executable, str(tmp_path / "fake.py")))
    monkeypatch.setattr(commands, "missing_model", lambda: None)


def test_the_memory_is_that_of_all_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "INTERVAL", 0.1)
    (tmp_path / "holds.py").write_text(HOLDS)
    words = [sys.executable, str(tmp_path / "holds.py")]
    alone = run(words)
    both = run([*words, words[-1]])
    assert alone.status == both.status == 0 and both.output.endswith("the end")
    if alone.memory is None or both.memory is None:
        pytest.skip("the system does not say what a process holds")
    assert 60 << 20 < alone.memory < 110 << 20
    assert both.memory > alone.memory + (55 << 20)
    assert 0.8 < alone.seconds < both.seconds


def test_verify_counts_its_claims(fake, monkeypatch):
    done = commands.measure_verify(False)
    (result,) = done.about["results"]
    assert done.right and result["status"] == "ok" and result["median"] > 0 and done.about["claims"] == 1
    monkeypatch.setenv("VERDICT", "error")
    done = commands.measure_verify(False)
    assert not done.right and done.about["results"][0]["seconds"] == []


def test_without_the_bank_verify_is_skipped(monkeypatch, tmp_path):
    monkeypatch.setattr(banks, "_DATA", tmp_path)
    done = commands.measure_verify(False)
    assert done.right and done.about["results"][0]["status"].startswith("skipped: bank: 'smollm2' is not installed")


def test_pair_has_the_seconds_of_its_parts(fake, monkeypatch):
    done = commands.measure_pair(False)
    assert done.right and list(done.about["parts"]) == ["capture", "acceptance", "page"]
    assert done.about["parts"]["acceptance"] > 0.08 and done.about["aim"] == 1500
    total = done.about["results"][0]["median"]
    assert sum(done.about["parts"].values()) <= total
    monkeypatch.setenv("FAILS", "1")
    done = commands.measure_pair(False)
    assert not done.right and done.about["results"][0]["status"].startswith("wrong: status 0")


def test_without_the_model_pair_is_skipped(monkeypatch, tmp_path):
    monkeypatch.setenv("SIMSPEC_SMOLLM2", str(tmp_path / "nowhere.gguf"))
    done = commands.measure_pair(False)
    assert done.right and "skipped: " in done.about["results"][0]["status"]


def arguments(*words):
    import argparse

    parser = argparse.ArgumentParser()
    BENCH.add_arguments(parser)
    return parser.parse_args(words)


def test_pair_runs_only_when_it_is_asked_for():
    functions = [[work.func for work in chosen(arguments(*words), 1)] for words in ([], ["--case", "pair"])]
    assert commands.measure_pair not in functions[0] and commands.measure_verify in functions[0]
    assert functions[1] == [commands.measure_pair]
    assert set(UNASKED) == set(CASES) - {"pair"}


def test_a_run_has_a_row_with_its_memory(fake):
    done = commands.measure_pair(False)
    place = {"processor": "P", "cores": 2}
    document = {"benchmark": "real", "environment": place, "cases": [{"title": str(done.table.title)} | done.about]}
    (row,) = summary.table([json.loads(json.dumps(document))]).splitlines()[2:]
    assert row.startswith("| `real` | pair smollm2 quantised:4, 60 prompts of 64 positions") and "peak memory" in row


SESSION = Path(__file__).parents[3] / "benchmarks" / "real" / "session.sh"
SAYS = '#!/bin/sh\necho "$*" >> "$CALLS"\n'


@pytest.mark.parametrize(
    ("words", "called"),
    [
        ([], ["benchmarks real --json docs/benchmarks/real-here.json", "benchmarks.minute"]),
        (["pair"], ["benchmarks real --case pair --json docs/benchmarks/real-pair-here.json"]),
        (["parts", "run.log"], ["benchmarks.parts run.log"]),
    ],
)
def test_one_command_records_all_of_it(tmp_path, words, called):
    python = tmp_path / "python"
    python.write_text(SAYS)
    python.chmod(0o755)
    env = {"PATH": os.environ["PATH"], "PYTHON": str(python), "CALLS": str(tmp_path / "calls")}
    subprocess.run(["sh", str(SESSION), "here", *words], cwd=tmp_path, env=env, check=True)
    lines = [f"-m {line}" for line in [*called, "benchmarks.summary docs/benchmarks/README.md"]]
    assert (tmp_path / "calls").read_text().splitlines() == lines


def test_another_word_records_nothing(tmp_path):
    for words in ([], ["here", "else"], ["here", "parts"]):
        done = subprocess.run(["sh", str(SESSION), *words], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 2 and "expected" in done.stderr
