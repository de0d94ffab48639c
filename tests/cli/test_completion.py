"""Completion in a shell: what bash itself offers after some keys, from the script that is printed."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from simspec import cli
from simspec.checks import install_command
from tests.requirements import require


def test_without_shtab_the_message_says_what_brings_it(monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 2
    said = capsys.readouterr().err
    assert said == f"simspec: error: completion needs shtab: {install_command('completion')}\n"


@pytest.fixture(scope="module")
def bash(tmp_path_factory) -> str:
    require("shtab")
    made = subprocess.run([sys.executable, "-m", "simspec", "completion", "bash"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    path = tmp_path_factory.mktemp("completion") / "simspec.sh"
    path.write_text(made.stdout)
    return str(path)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("simspec verif", "verify"),
        ("simspec verify sd.loss", "sd.lossless"),
        ("simspec verify --effort q", "quick"),
        ("simspec cite sd.loss", "sd.lossless"),
        ("simspec study run accep", "acceptance"),
        ("simspec figures rdk.prun", "rdk.pruning"),
        ("simspec rates --rule lenience-l", "lenience-levelled"),
        ("simspec verify no.such", ""),
    ],
)
def test_bash_offers(bash, typed, offered) -> None:
    shell = shutil.which("bash")
    assert shell is not None
    keys = f"COMP_WORDS=({typed}); COMP_CWORD={len(typed.split()) - 1}; _shtab_simspec"
    keys = f'source {bash}; {keys}; echo "${{COMPREPLY[*]}}"'
    done = subprocess.run([shell, "-c", keys], capture_output=True, text=True, check=True)
    assert done.stdout.split() == offered.split()


def test_the_script_for_zsh_knows_the_names_too(capsys) -> None:
    require("shtab")
    assert cli.main(["completion", "zsh"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("#compdef simspec")
    assert "sd.lossless" in out and "rdk.pruning" in out
