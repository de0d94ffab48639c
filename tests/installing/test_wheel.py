"""The wheel as the page on installing builds it, in an environment of its own: names, commands and what needs a clone."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from simspec.engine.show.plots import save
from simspec.figures import draw
from simspec.version import DISTRIBUTION

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/tours/installing.md"
AUDIT = ROOT / "docs/tours/audit.md"


class Installed(NamedTuple):
    """An environment with the wheel, the folder that it is used from, and what its processes see."""

    python: Path
    folder: Path
    env: dict[str, str]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.python), *words], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=300
        )


def commands() -> list[str]:
    """The lines of the page's blocks of shell commands."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Installed:
    """The page's commands as written, offline where the build tools are here; libraries are those of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    ours = " --no-build-isolation" if find_spec("hatchling") and find_spec("hatch_fancy_pypi_readme") else ""
    _, code, _, install, _ = commands()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    words = shlex.split(code.replace("dist ", f"{folder / 'dist'} ") + ours)
    subprocess.run([*pip, *words[1:]], cwd=ROOT, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    python = folder / "env/bin/python"
    words = shlex.split(install)
    there = ["--python", str(python)]
    subprocess.run([*pip, *there, *words[1:], "--no-deps", "--no-index"], cwd=folder, check=True, capture_output=True)
    own = sysconfig.get_path("purelib", vars={"base": str(folder / "env"), "platbase": str(folder / "env")})
    libraries = folder / "libraries"
    libraries.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "simspec" not in path.name and path.suffix != ".pth":
            (libraries / path.name).symlink_to(path)
    Path(own, "libraries.pth").write_text(f"{libraries}\n")
    hidden = ("PYTHONPATH", "VIRTUAL_ENV")
    return Installed(python, folder, {name: value for name, value in os.environ.items() if name not in hidden})


def test_the_wheel_has_a_name_of_its_own_and_the_import_keeps_its(installed) -> None:
    names = [path.name for path in (installed.folder / "dist").iterdir()]
    assert [name.partition("-")[0] for name in names] == [DISTRIBUTION.replace("-", "_")]
    code = "import simspec, sys; print(simspec.__file__.startswith(sys.prefix))"
    assert installed.run("-c", code).stdout == "True\n"


def test_a_wheel_names_itself_in_a_command_that_works_without_an_index(installed) -> None:
    """The command that is printed is run: pip takes the package that is there, and its libraries."""
    printed = installed.run(
        "-c", "from simspec.checks import install_command; print(install_command('measure'))"
    ).stdout
    command, _, origin = printed.partition("  # ")
    assert command.endswith(f"-m pip install '{DISTRIBUTION}[measure]'")
    assert origin.endswith("no package index has it\n") and "installed from " in origin
    words = shlex.split(command)[3:]
    pip = [sys.executable, "-m", "pip", "--python", str(installed.python), *words, "--no-index", "--dry-run"]
    done = subprocess.run(pip, cwd=installed.folder, env=installed.env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    other = [word.replace(DISTRIBUTION, "no-such-distribution-here") for word in pip]
    assert subprocess.run(other, cwd=installed.folder, env=installed.env, capture_output=True).returncode != 0


def test_without_banks_what_is_on_record_is_not_decided_here_and_no_change(installed) -> None:
    done = installed.run("-m", "simspec", "verify", "rdk.static-mixture.attained", "sd.acceptance", "--effort", "quick")
    assert done.returncode == 0, done.stderr
    assert "changed:" not in done.stderr and "not decided here" in done.stderr
    assert "1 not decided here" in done.stdout and "1 proved" in done.stdout
    report = json.loads((installed.folder / "report/verdicts.json").read_text(encoding="utf-8"))
    assert [claim["decided_here"] for claim in report["claims"]] == [False, True]


def test_a_figure_is_drawn_without_a_clone(installed, tmp_path) -> None:
    """From the stored rows that the wheel carries: the very picture that this clone draws."""
    done = installed.run("-m", "simspec", "figures", "rdk.pruning", "--format", "png")
    assert done.returncode == 0, done.stderr
    save(draw("rdk.pruning").figure, tmp_path / "clone.png", palette=True)
    assert (installed.folder / "report/figures/rdk/pruning.png").read_bytes() == (tmp_path / "clone.png").read_bytes()
    assert json.loads(installed.run("-c", CLAIM_PICTURES).stdout) == {}


CLAIM_PICTURES = (
    "import json, pathlib; from simspec.figures.gallery import links; print(json.dumps(links(pathlib.Path())))"
)
"""A wheel carries no pictures that a report could link to."""


def test_no_text_asks_an_index_for_a_name_that_it_has_otherwise() -> None:
    wrong = re.compile(r"pip install ['\"]?simspec(?![-\w/])")
    files = subprocess.run(["git", "ls-files", "-z", "*.py", "*.md", "*.toml", "*.yml"], cwd=ROOT, capture_output=True)
    texts = [ROOT / name for name in files.stdout.decode().split("\0")[:-1] if name != "CHANGELOG.md"]
    assert len(texts) > 100
    assert not [str(path) for path in texts if wrong.search(path.read_text(encoding="utf-8"))]
    assert wrong.search("pip install " + "'simspec[measure]'") and not wrong.search("pip install 'simspec-decoding[x]'")


def test_the_job_of_the_audits_page_runs_as_written(installed, tmp_path) -> None:
    """In a repository with a sampler and the wheel in `wheels`; pip may download nothing, and the audit's sizes are small."""
    job = AUDIT.read_text(encoding="utf-8").partition("```yaml\n")[2].partition("```")[0]
    install, audit, look = re.findall(r"- run: (.*)", job)
    (wheel,) = (installed.folder / "dist").iterdir()
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / wheel.name).symlink_to(wheel)
    (tmp_path / "my_sampler.py").write_text("from simspec.audit.reference import speculative as sampler\n")
    commands = tmp_path / "commands"
    commands.mkdir()
    pip = f'#!/bin/sh\nexec "{sys.executable}" -m pip --python "{installed.python}" "$@"\n'
    for name, text in (("pip", pip), ("simspec", f'#!/bin/sh\nexec "{installed.python}" -m simspec "$@"\n')):
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    env = installed.env | {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PATH": f"{commands}:{os.environ['PATH']}"}
    env |= {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "PIP_FORCE_REINSTALL": "1"}
    for line in (install, f"{audit} --gamma 1 --vocab 2 --calls 100000", look):
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
    assert "lossless" in (tmp_path / "summary.md").read_text(encoding="utf-8")
