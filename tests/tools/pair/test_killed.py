"""`simspec pair` is killed at random moments and loses nothing.  SIMSPEC_SOAK=n kills n runs."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simspec.files import PARTIAL, undigested
from simspec.tools.pair import PARTS
from tests.logits import tiny
from tests.requirements import require

ROOT = Path(__file__).parents[3]
KILLS = int(os.environ.get("SIMSPEC_SOAK", "6"))
LISTS = {"speed": "settings", "rules": "rows", "verdicts": "claims"}
"""Parts that keep what they have done step by step, and the list that it is in."""


class Killer:
    """The process of `tests.tools.pair.killed`."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.tools.pair.killed"]
        self._process = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, arguments: list[str], kill_after: float | None = None) -> tuple[int | None, float]:
        """Exit status of a run, None where it was killed, and its seconds."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"arguments": arguments, "kill_after": kill_after}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return answer["status"], answer["seconds"]

    def close(self) -> None:
        """End it."""
        self._process.communicate(timeout=60)


def done(out: Path) -> dict[str, object]:
    """What a folder holds: the bank's bytes, each answer, each part or the steps of it.

    A file that is there is whole: reading one that is not fails.
    """
    state: dict[str, object] = {}
    if (out / "pair.safetensors").is_file():
        state["capture"] = (out / "pair.safetensors").read_bytes()
    for path in sorted((out / "answers").glob("*.json")):
        state[f"answers/{path.name}"] = json.loads(path.read_text())
    for part in PARTS[1:-1]:
        if (out / f"{part}.json").is_file():
            values = undigested(json.loads((out / f"{part}.json").read_text()), needed=True)
            state[part] = [json.dumps(step) for step in values[LISTS[part]]] if part in LISTS else json.dumps(values)
    return state


def is_kept(before: dict[str, object], after: dict[str, object]) -> bool:
    """Whether all that was done before is there after, the same to the byte; lists may have become longer."""
    for name, value in before.items():
        now = after.get(name)
        if isinstance(value, list):
            if not isinstance(now, list) or now[: len(value)] != value:
                return False
        elif now != value:
            return False
    return True


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    require("torch")
    home = tmp_path_factory.mktemp("killed")
    tiny.chat(home / "target")
    tiny.llama(home / "draft")
    words = "sat ran in on at to".split()
    lines = [json.dumps({"prompt": f"the cat {word} on"}) for word in words]
    (home / "prompts.jsonl").write_text("\n".join(lines))
    small = ["--chat-length", "8", "--measure", "10", "--effort", "quick", "--device", "cpu"]
    models = [str(home / "target"), str(home / "draft")]
    return lambda out: ["pair", *models, "--chat", str(home / "prompts.jsonl"), "--out", str(out), *small]


@pytest.fixture
def killer():
    process = Killer()
    yield process
    process.close()


def test_killed_runs_lose_nothing(command, killer, tmp_path) -> None:
    """After each kill all that was done is there as it was, and an undisturbed run ends with the bytes of one never killed."""
    rng = random.Random(0)
    # a bank holds the name of its folder, so all have the same
    whole = tmp_path / "whole" / "pair"
    status, seconds = killer.run(command(whole))
    assert status == 0
    expected = done(whole)
    assert set(expected) >= {*PARTS[:-1]} and (whole / "index.html").is_file()
    kills = 0
    completed = 0
    states = set()
    out = tmp_path / "killed-0" / "pair"
    before: dict[str, object] = {}
    while kills < KILLS:
        status, taken = killer.run(command(out), rng.uniform(0, 1.1) * seconds)
        assert status in (None, 0)
        kills += status is None
        if status == 0 and not before:  # a run from begin to end, which the machine let run faster than the first
            seconds = taken
        after = done(out) if out.is_dir() else {}
        assert is_kept(before, after)
        states.add(tuple(sorted(after)))
        before = after
        if status == 0:
            completed += 1
            _check_ended(out, expected)
            shutil.rmtree(out)
            out = tmp_path / f"killed-{completed}" / "pair"
            before = {}
    assert killer.run(command(out))[0] == 0
    assert is_kept(before, done(out))
    _check_ended(out, expected)
    assert KILLS < 50 or len(states) >= 5  # kills hit several parts


def _check_ended(out: Path, expected: dict[str, object]) -> None:
    """What does not depend on the clock is what a run that was never killed has written, and no other file is there."""
    ended = done(out)
    for name in ("capture", "acceptance", "lengths", *(name for name in expected if name.startswith("answers/"))):
        assert ended[name] == expected[name], name
    rows = [[json.loads(row) for row in state["rules"]] for state in (ended, expected)]
    same = ("rule", "temperature", "acceptance", "missing")
    assert [[row.get(key) for key in same] for row in rows[0]] == [[row.get(key) for key in same] for row in rows[1]]
    claims = [[json.loads(claim) for claim in state["verdicts"]] for state in (ended, expected)]
    assert [(c["id"], c["verdict"]) for c in claims[0]] == [(c["id"], c["verdict"]) for c in claims[1]]
    # a kill in the middle of a write leaves half a file, which is removed once no process can be writing it
    names = {path.name for path in out.iterdir() if path.suffix != PARTIAL}
    assert names == {"answers", "pair.json", "pair.safetensors", "index.html", *(f"{part}.json" for part in PARTS[1:])}


def test_a_loss_would_be_noticed() -> None:
    before = {"capture": b"bank", "speed": ["one", "two"]}
    assert is_kept(before, {**before, "speed": ["one", "two", "three"]})
    for lost in (
        {"capture": b"bank", "speed": ["one"]},
        {"speed": ["one", "two"]},
        {**before, "speed": ["two", "one"]},
    ):
        assert not is_kept(before, lost)
