"""Outputs of commands: whole or not at all, through links, and into what is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simspec.cli.output import put


def test_a_file_is_replaced_as_a_whole(tmp_path, monkeypatch) -> None:
    path = tmp_path / "rows.csv"
    assert not put("old\n", path)

    def interrupted(*names: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(os, "replace", interrupted)
        put("new\n", path)
    assert path.read_text() == "old\n"
    put("more\n", path, "a")
    assert path.read_text() == "old\nmore\n"


def test_a_folder_that_is_missing_is_named(tmp_path) -> None:
    with pytest.raises(OSError, match=r"rows\.csv"):
        put("text\n", tmp_path / "none" / "rows.csv")


def test_a_link_stays_a_link(tmp_path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    put("text\n", tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_text() == "text\n"


def test_what_is_no_file_is_written_to_as_it_is(capsys) -> None:
    assert not put("text\n", Path(os.devnull)) and Path(os.devnull).read_text() == ""
    assert put("text\n", Path("-")) and capsys.readouterr().out == "text\n"
