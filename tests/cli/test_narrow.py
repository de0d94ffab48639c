"""Commands in a narrow terminal: no number is cut, and columns that are left out are named."""

from __future__ import annotations

import json
import os
import pty
import re
import sys
import threading
from pathlib import Path

import pytest

from simspec import cli
from tests.engine.study_files import COINS

WIDTHS = (60, 80)
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

WIDE = """
from simspec.studies import Share, Study, cross

def yes(cell, rows, device):
    return {"a measure with a long name": [number % 2 == 0 for number in rows.numbers]}

names = ("temperature of the target", "temperature of the draft", "vocabulary", "number of drafts")
wide = Study(
    "wide", "?", cross(**{name: (123456.789, 0.000012345) for name in names[:2]}, **{name: (1, 2) for name in names[2:]}),
    yes, rows=100, measures={"a measure with a long name": Share()},
)
"""


def in_terminal(width: int, monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    """What a command prints to stdout where that is a terminal of this width, without colours."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    near, far = pty.openpty()
    parts: list[bytes] = []

    def collect() -> None:
        while part := _read(near):
            parts.append(part)

    reader = threading.Thread(target=collect)
    reader.start()
    try:
        with os.fdopen(far, "w", encoding="utf-8") as terminal, monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", terminal)
            status = cli.main(list(words))
    finally:
        reader.join()
        os.close(near)
    assert status != 2
    return CODES.sub("", b"".join(parts).decode()).replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux: the other end is closed
        return b""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("narrow")
    (folder / "coins.py").write_text(COINS)
    (folder / "wide.py").write_text(WIDE)
    lengths = [
        {"num_spec_steps": 4, "num_accepted_draft_tokens": 3, "num_draft_tokens": 8, "acceptance_histogram": [2, 1, 1]},
        {"num_spec_steps": 4, "num_accepted_draft_tokens": 7, "num_draft_tokens": 8, "acceptance_histogram": [0, 1, 3]},
    ]
    records = [{"metrics": {"speculative_decoding": counts}} for counts in lengths * 10]
    (folder / "requests.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    turns = [{"question": f"turn {n} times left", "answer": f"left {n} left"} for n in range(30)]
    (folder / "turns.jsonl").write_text("\n".join(map(json.dumps, turns)))
    return folder


COMMANDS = [
    "study list",
    "study run coins.py:coins --rows 1000 --dir d{width}",
    "study run wide.py:wide --rows 100 --dir w{width}",
    "texts turns.jsonl --input question --output answer --resamples 20 --budget 8",
    "texts --recorded",
    "lengths requests.jsonl --cost 0.05",
    "claims",
    "claims sd.acceptance",
    "verify sd.acceptance --effort quick --out report{width}",
    "audit --list",
    "audit sd --exact",
    "audit sd --calls 20000",
    "rates wiki",
    "trees wiki",
    "advise --bank wiki --cost 0.1",
]


DIGEST = re.compile(r"sha256 [0-9a-f]{16}…")
"""The beginning of a file's digest, which is all that is ever shown."""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_cut(folder, monkeypatch, command, width) -> None:
    monkeypatch.chdir(folder)
    text = in_terminal(width, monkeypatch, *command.format(width=width).split())
    assert text.strip()
    assert not re.search(r"\S…", DIGEST.sub("", text)), text


def test_what_a_study_found_is_shown_before_which_cell_it_is(folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    text = in_terminal(80, monkeypatch, "study", "run", "wide.py:wide", "--rows", "100", "--dir", "found")
    heading = next(line for line in text.splitlines() if line.split()[:1] == ["cell"])
    assert "a measure with a long name" in heading and "decided" in heading
    assert "not enough room for: " in text and "number of drafts" in text and "--json" in text
