"""No public function may end the process, whatever it is given.

Each call is made in a process of its own that may die; it makes many calls, and a new one takes over where it died.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.crashes.cases import CASES, code
from tests.crashes.child import examples
from tests.crashes.targets import plain, targets

ROOT = Path(__file__).parents[2]
ROUNDS = int(os.environ.get("SIMSPEC_CRASHES", "1"))
"""Spoiled runs of the examples of each function; of kernels four times as many."""
SILENCE = 900
"""Seconds of the clock without a word, after which a process is given up: far beyond its own limit in processor time."""


class Child:
    """The process that is fed with calls."""

    def __init__(self) -> None:
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.crashes.child"]
        environment = os.environ | {"NUMBA_NUM_THREADS": "2", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def ask(self, case: tuple[str, Any]) -> tuple[str, str]:
        """How a call ended, and what was given to it last."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(case).encode() + b"\n")
        self.process.stdin.flush()
        said, ready = "", selectors.DefaultSelector()
        ready.register(self.process.stdout, selectors.EVENT_READ)
        text = b""
        while ready.select(SILENCE):
            if not (more := os.read(self.process.stdout.fileno(), 1 << 16)):
                code = self.process.wait()
                return f"died: {signal.Signals(-code).name}" if code < 0 else f"gone: status {code}", said
            *lines, text = (text + more).split(b"\n")
            for word, _, rest in (line.decode().partition(" ") for line in lines):
                if word == "call":
                    said = json.loads(rest)
                elif word == "end":
                    return json.loads(rest), said
        self.process.kill()
        return "silent", said

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


def outcomes(cases: list[tuple[str, Any]]) -> Iterator[tuple[tuple[str, Any], str, str]]:
    child = Child()
    try:
        for case in cases:
            ended, said = child.ask(case)
            if child.process.poll() is not None or ended in ("silent", "interrupted"):
                child.close()
                child = Child()
            yield case, ended, said
    finally:
        child.close()


def fatal(ended: str) -> bool:
    return ended.startswith(("died", "gone", "silent"))


def test_no_public_function_ends_the_process() -> None:
    wanted = [(name, seed) for name in targets() for seed in range(1, 1 + ROUNDS * (4 if ".kernels." in name else 1))]
    assert len(wanted) >= 500
    ends: Counter[str] = Counter()
    failures = []
    for (name, seed), ended, said in outcomes(wanted):
        ends[ended.partition(":")[0]] += 1
        if fatal(ended):
            failures.append(f"{name} (seed {seed}): {ended}, given {said}")
    print(dict(ends))
    assert not failures, "\n".join(failures)


def test_every_kernel_has_an_example_to_be_spoiled() -> None:
    """What has none is called with two rows of two numbers, which seldom reaches a compiled loop."""
    names = [name.split(":") for name in targets() if ".kernels." in name and not plain(name.split(":")[0])]
    assert [":".join(name) for name in names if not examples(import_module(name[0]), name[1], guess=False)] == []


def test_only_kernels_call_what_trusts_its_caller() -> None:
    found = []
    for path in sorted((ROOT / "simspec").rglob("*.py")):
        package = path.relative_to(ROOT).parts[1]
        if package != "kernels":
            words = [line for line in path.read_text(encoding="utf-8").splitlines() if "import" in line.split()]
            found += [
                f"{path}: {line}"
                for line in words
                if "kernels" in line and ("numba_" in line or "merges.table" in line)
            ]
    assert found == []


@pytest.mark.parametrize("name", CASES)
def test_what_once_ended_the_process_is_refused(name) -> None:
    ended = answers()[name]
    assert ended.startswith(f"ValueError: {CASES[name][1]}"), ended


PLANTED = {
    "a null pointer": ["import ctypes\n", "ctypes.string_at(0)"],
    "an end": ["import os\n", "os._exit(3)"],
    "a sum": ["sum([1])"],
}
"""Statements that end the process, and some that a new process is asked for after them."""


def test_a_process_that_ends_is_noticed_and_the_next_case_is_answered_all_the_same() -> None:
    ends = [answers()[name] for name in PLANTED]
    assert ends == ["died: SIGSEGV", "gone: status 3", ""]
    assert [fatal(ended) for ended in ends] == [True, True, False]


@cache
def answers() -> dict[str, str]:
    """How each case ended, and what is planted after them."""
    asked = [*((name, code(name)) for name in CASES), *PLANTED.items()]
    return {name: ended for (name, _), ended, _ in outcomes(asked)}
