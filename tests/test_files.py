"""The generated part of a page is exchanged, the rest of the page never touched."""

from __future__ import annotations

import errno
import json
import os
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from simspec import files
from simspec.files import digested, fill, plain, undigested, write_file, write_json, write_text

BEGIN, END = "<!-- x:begin -->", "<!-- x:end -->"


def test_only_the_named_part_changes() -> None:
    other = "<!-- y:begin -->kept<!-- y:end -->"
    page = f"before\n{BEGIN}\nstale\n{END}\n{other}\nafter\n"
    assert fill(page, "x", "new") == f"before\n{BEGIN}\nnew\n{END}\n{other}\nafter\n"
    assert fill(fill(page, "x", "new"), "x", "new") == fill(page, "x", "new")


@pytest.mark.parametrize("page", ["", BEGIN, f"{END}{BEGIN}", f"{BEGIN}{END}{BEGIN}{END}"])
def test_a_page_without_one_pair_of_markers_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="page: expected one <!-- x:begin -->"):
        fill(page, "x", "")


def test_a_digest_finds_every_change_of_a_byte_that_changes_the_content() -> None:
    values = {"seed": 1, "claims": [{"id": "sd.a", "verdict": "holds", "slack": 1e-3, "text": "\u00e9"}]}
    data = json.dumps(digested(values), indent=1).encode()
    refused = 0
    for place in range(len(data)):
        for new in {data[place] ^ 1, data[place] ^ 0x20, ord("7"), ord(" ")} - {data[place]}:
            try:
                found = undigested(json.loads(data[:place] + bytes([new]) + data[place + 1 :]))
            except ValueError:
                refused += 1
            else:
                # what was called digest is a field more: the rest is whole
                assert {name: found[name] for name in values} == values
    assert refused > 3 * len(data) // 2
    with pytest.raises(ValueError, match="it has no digest"):
        undigested(values, needed=True)
    assert undigested(values) == values


# ------------------------------------------------------------------------------------------- files written whole


def test_an_error_names_the_file_that_was_asked_for(tmp_path, monkeypatch) -> None:
    path = tmp_path / "a.json"
    with pytest.raises(FileNotFoundError) as said:
        write_file(tmp_path / "missing" / "a.json", b"x")
    assert said.value.filename == str(tmp_path / "missing" / "a.json") and ".partial" not in str(said.value)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as said:
        write_file(path, b"x")
    assert said.value.filename == str(path) and said.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []


def test_what_killed_processes_left_is_removed_after_an_hour(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(files, "_swept", set())
    kept = [".a.json.01234567.partial", "a.01234567.partial", ".a.partial", ".a.json.0123456x.partial"]
    for name in (*kept, ".b.json.89abcdef.partial", ".index.html.00000000.partial"):
        (tmp_path / name).write_bytes(b"half")
        if name != kept[0]:  # which somebody may still be writing
            os.utime(tmp_path / name, (time.time() - 2 * files.STALE,) * 2)
    write_file(Path(tmp_path, "c"), b"whole")
    assert {p.name for p in tmp_path.iterdir()} == {*kept, "c"}


def test_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch) -> None:
    path = tmp_path / "verdicts.json"
    write_json({"old": 1}, path)

    def stop(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        write_text("new", path)
    assert json.loads(path.read_text()) == {"old": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["verdicts.json"]


def test_plain_values() -> None:
    assert plain({"p": np.array([Fraction(1, 2)], dtype=object), "m": np.array([True]), "x": float("nan")}) == {
        "p": ["1/2"],
        "m": [True],
        "x": None,
    }
