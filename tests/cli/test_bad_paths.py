"""A path that cannot be used gives one line that names it and the status 2, whatever the command."""

import os
from functools import cache
from pathlib import Path
from shutil import copytree

import pytest

from simspec import cli
from tests.engine.study_files import COINS

PATHS = {
    "missing": "missing", "a folder": "folder", "text": "text.txt", "bytes": "bytes", "empty": "empty",
    "a link to itself": "loop", "in a file": "text.txt/sub", "a long name": "x" * 300, "no name": "a\0b",
    "a device": "/dev/null",
}  # fmt: skip
COMMANDS = [
    ["verify", "sd.acceptance", "--effort", "quick", "--out", "report", "--bank", "PATH"],
    ["verify", "PATH.py:CLAIM"],
    ["verify", "PATH.py"],
    ["rates", "wiki", "--rule", "PATH.py:rule"],
    ["rates", "PATH"],
    ["rates", "PATH.npz"],
    ["numerics", "PATH", "PATH"],
    ["numerics", "PATH.npy", "PATH.npy"],
    ["texts", "PATH"],
    ["texts", "PATH.jsonl"],
    ["texts", "pairs.tsv", "--tokenizer", "PATH"],
    ["texts", "--recorded", "PATH"],
    ["texts", "pairs.tsv", "--save", "PATH/tasks.json"],
    ["capture", "--pair", "PATH", "-o", "own.safetensors"],
    ["capture", "--pair", "PATH.npz", "-o", "own.safetensors"],
    ["capture", "--logits", "PATH", "--vocab", "PATH", "--records", "PATH", "-o", "own.safetensors"],
    ["capture", "--target", "none", "--text", "PATH.json", "-o", "own.safetensors"],
    ["capture", "--pair", "pair.npz", "-o", "PATH/own.safetensors"],
    ["report", "PATH"],
    ["study", "run", "PATH.py:STUDY"],
    ["study", "run", "acceptance", "--rows", "1", "--dir", "PATH"],
    ["study", "status", "PATH"],
    ["study", "status", "results", "--study", "PATH.py:STUDY"],
    ["study", "merge", "PATH", "results"],
    ["study", "merge", "results", "PATH"],
    ["study", "compact", "PATH"],
    ["study", "rebuild", "PATH"],
    ["study", "replay", "PATH.py:STUDY", "--cell", "0", "--row", "0"],
    ["study", "replay", "acceptance", "--cell", "0", "--row", "0", "--dir", "PATH"],
    ["study", "plot", "PATH"],
    ["study", "plot", "results", "-o", "PATH"],
    ["study", "plot", "results", "-o", "PATH/drawn.svg"],
]
MADE = {"missing", "a folder"}
"""What is no bad path where a command makes the folder that is not there, or fills the one that is."""
WRITES = ("--dir", "merge PATH", "drawn.svg", "runs.json")


@pytest.fixture(scope="module", autouse=True)
def one_parser():
    """A parser keeps nothing of what it has parsed: the hundreds of commands here need not make it anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "parser", cache(cli.parser))
        yield


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A directory of results of a study of coins, with a number in every cell."""
    file, folder = tmp_path_factory.mktemp("study") / "coins.py", tmp_path_factory.mktemp("results")
    file.write_text(COINS, encoding="utf-8")
    assert cli.main(["study", "run", f"{file}:sure", "--rows", "1", "--dir", str(folder)]) == 0
    return folder


@pytest.fixture
def here(tmp_path, monkeypatch, results):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.txt").write_text("hello")
    (tmp_path / "bytes").write_bytes(bytes(range(256)))
    (tmp_path / "empty").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "pairs.tsv").write_text("".join(f"in {n} a\tout {n} b\n" for n in range(8)))
    copytree(results, tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", PATHS)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_one_line_and_status_2(here, capsys, command, kind) -> None:
    if ("--save" in command and kind == "a folder") or (command[-1] == "PATH/own.safetensors" and kind == "a folder"):
        pytest.skip("a file in an existing folder")
    if kind in MADE and any(word in " ".join(command) for word in WRITES) and "replay" not in command:
        pytest.skip("a folder that is made or filled")
    if command[1] in ("compact", "merge") and kind == "a folder":
        pytest.skip("results to which nothing has been added yet")
    if (command[0] == "study" or "PATH.py" in " ".join(command)) and kind == "no name":
        pytest.skip("no shell can give such a name")
    before = set(os.listdir(here))
    asked = [word.replace("PATH", PATHS[kind]) for word in command]
    assert cli.main(asked) == 2
    out, err = capsys.readouterr()
    err = err.strip()  # the progress bar leaves an empty line
    assert "\n" not in err and err.startswith("simspec") and out == "", err
    assert set(os.listdir(here)) == before
    named = PATHS[kind] if "\0" not in PATHS[kind] else "a\\x00b"
    assert named in err or f"{named}.npz" in err or Path(named).name in err


@pytest.mark.parametrize("out", ["text.txt", "text.txt/sub", "loop", "a\0b", "/dev/null"])
def test_a_report_that_cannot_be_written_is_told_before_anything_is_computed(here, capsys, out) -> None:
    assert cli.main(["verify", "sd.acceptance", "--effort", "quick", "--out", out]) == 2
    err = capsys.readouterr().err
    assert "\n" not in err.strip() and "--out: " in err and "proved" not in err


def test_a_page_in_place_of_a_folder_is_told(here, capsys) -> None:
    (here / "verdicts.json").write_text('{"claims": []}')
    assert cli.main(["report", "verdicts.json", "--out", "folder"]) == 2
    assert "--out: 'folder' is a folder" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may read everything")
def test_a_file_that_may_not_be_read_is_named(here, capsys) -> None:
    (here / "text.txt").chmod(0)
    for command in (["rates", "text.txt"], ["report", "text.txt"], ["texts", "text.txt"]):
        assert cli.main(command) == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1 and "text.txt" in err
