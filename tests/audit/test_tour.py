"""What the tour of the audit shows beside its examples is run: the sampler's file, its test, its commands, the job to copy."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from simspec import cli
from simspec.audit.adapters.junit import unfinished
from tests.audit.test_plugin import run
from tests.test_readme import blocks, read, write_files

PAGE = "docs/tours/audit.md"


@pytest.fixture
def shown(tmp_path, monkeypatch) -> Path:
    assert write_files(PAGE, tmp_path) == ["my_sampler.py", "test_mine.py"]
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_recipe_is_lossless(shown, capsys) -> None:
    line = next(line for line in blocks(read(PAGE), "sh")[0].splitlines() if "my_sampler" in line)
    assert cli.main(shlex.split(line)[1:]) == 0
    assert "my_sampler.py:sampler: lossless within TV" in capsys.readouterr().out


def test_its_test_passes(shown) -> None:
    done = run(shown, "-q")
    assert done.returncode == 0 and "1 passed" in done.stdout


def test_the_job_runs(shown, capsys, monkeypatch) -> None:
    """With few calls: not decided, and both files are there.  The step after it fails where there is no verdict."""
    (job,) = blocks(read(PAGE), "yaml")
    (line,) = re.findall(r"- run: (simspec .*)", job)
    words = shlex.split(line.replace("$GITHUB_STEP_SUMMARY", "summary.md"))[1:]
    assert cli.main([*words, "--gamma", "1", "--vocab", "2", "--calls", "250"]) == 3
    assert (shown / "summary.md").read_text().startswith("### simspec audit my_sampler.py:sampler")
    assert (shown / "audit.xml").read_text().count("<testcase") > 5
    (check,) = re.findall(r"- run: (grep .*)", job)
    assert subprocess.run(shlex.split(check), check=False).returncode == 0
    (shown / "audit.xml").write_text(unfinished("my_sampler.py:sampler", "no verdict"))
    assert subprocess.run(shlex.split(check), check=False).returncode == 1
