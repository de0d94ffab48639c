"""Arguments are refused by name, with the amounts."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from simspec import checks
from simspec.checks import check_extra, check_memory, install_command, needs, physical_memory, pip_of


@pytest.mark.parametrize(
    ("needed", "said"),
    [
        (1001, "would take 1001 bytes of memory, expected at most 1000 bytes"),
        (1024, "would take 1.0 KiB"),
        (3 * 2**29, "would take 1.5 GiB"),
        (2**59, "would take 512.0 PiB"),
        (2**100, r"would take 2\*\*100 bytes"),
    ],
)
def test_what_is_too_large_is_refused_with_its_size(needed, said) -> None:
    with pytest.raises(ValueError, match=rf"^rows: 7; {said}"):
        check_memory("rows", 7, needed, limit=1000)


def test_what_fits_is_let_through() -> None:
    check_memory("rows", 7, 1000, limit=1000)
    check_memory("rows", 7, 1)


def test_the_machine_is_the_limit() -> None:
    assert 2**20 < physical_memory() <= 2**60
    with pytest.raises(ValueError, match="num"):
        check_memory("num", 1, physical_memory() + 1)


# --- what is not installed --------------------------------------------------------------------------------------------


def test_pip_is_that_of_the_running_python() -> None:
    run = subprocess.run([*shlex.split(pip_of()), "--version"], capture_output=True, text=True, check=True)
    assert Path(sys.prefix).resolve() in Path(run.stdout.split(" from ")[1].split(" (python")[0]).resolve().parents


def test_an_activated_environment_needs_no_path(monkeypatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(Path(sys.executable).parents[1]))
    assert pip_of() == "pip"
    monkeypatch.setenv("VIRTUAL_ENV", os.sep + "another")
    assert pip_of().endswith(" -m pip")


def test_below_the_current_folder_the_path_is_short(monkeypatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    environment = Path(sys.executable).parents[1]
    monkeypatch.setattr(
        Path, "cwd", lambda: environment
    )  # as the system names it, which follows links, it may be another
    assert pip_of() == f"{Path('bin', Path(sys.executable).name)} -m pip"


def test_a_clone_is_installed_from_its_folder(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(checks, "pip_of", lambda: "pip")
    clone = Path(__file__).parents[1]
    monkeypatch.chdir(clone)
    assert install_command("capture") == "pip install -e '.[capture]'"
    monkeypatch.chdir(tmp_path)
    assert install_command("capture") == f"pip install -e '{clone}[capture]'"


def test_a_missing_module_names_its_extra(monkeypatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[1])
    monkeypatch.setattr(checks, "pip_of", lambda: "pip")
    for module in ("matplotlib", "matplotlib.figure"):  # whether or not another test has drawn
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ValueError, match=r"^drawing needs matplotlib.*: pip install -e '\.\[figures\]'$"):
        needs("drawing", "matplotlib.figure")
    with pytest.raises(ValueError, match=r"^rows needs matplotlib.*: pip install -e '\.\[studies\]'$"):
        needs("rows", "matplotlib.figure", extra="studies")


def test_work_is_refused_before_it_begins_by_the_first_extra_that_is_named(monkeypatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[1])
    monkeypatch.setattr(checks, "pip_of", lambda: "pip")
    check_extra("studying", "measure")
    monkeypatch.setitem(sys.modules, "scipy", None)
    check_extra("drawing", "figures")
    with pytest.raises(ValueError, match=r"^studying needs scipy: pip install -e '\.\[studies\]'$"):
        check_extra("studying", "studies", "measure")
