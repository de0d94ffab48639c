"""The process in which the second solver answers: it ends by itself where nobody is there to end it."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from proofs_check.checking import opinion

pytest.importorskip("resource")

BUSY = """
import sys
from proofs_check.checking import opinion
def busy(stream):
    print("reads", flush=True)
    while True:
        pass
opinion.json.load = busy
sys.argv = ["opinion", "0.5"]
opinion.main()
"""


def test_a_process_that_nobody_ends_ends_after_its_processor_time() -> None:
    pytest.importorskip("cvc5")
    run = subprocess.run([sys.executable, "-c", BUSY], capture_output=True, text=True, timeout=300)
    assert run.stdout == "reads\n"
    assert run.returncode == -signal.SIGXCPU


def test_the_process_is_told_the_time_that_its_caller_waits(monkeypatch) -> None:
    commands = []

    def started(command, **options):
        commands.append((command, options["timeout"]))
        return subprocess.CompletedProcess(command, 0, "unsat\n", "")

    monkeypatch.setattr(opinion.subprocess, "run", started)
    assert opinion.opinions(["(check-sat)"], seconds=7) == ["unsat"]
    ((command, timeout),) = commands
    assert command[-1] == "7" and timeout == 7


@pytest.mark.parametrize(("most", "allowed"), [(-1, 8), (100, 8), (3, 3)])
def test_the_limit_is_a_second_beyond_the_caller_and_never_above_the_hard_one(monkeypatch, most, allowed) -> None:
    limits = []
    monkeypatch.setattr(opinion.resource, "RLIM_INFINITY", -1)
    monkeypatch.setattr(opinion.resource, "getrlimit", lambda kind: (5, most))
    monkeypatch.setattr(opinion.resource, "setrlimit", lambda kind, limit: limits.append(limit))
    opinion._limit_processor_time(6.5)
    assert limits == [(allowed, most)]
