"""The repository holds nothing that belongs to one machine, and nothing too large."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MEBIBYTE = 2**20
LARGEST_TEXT = MEBIBYTE
LARGEST_DATA = 32 * MEBIBYTE
"""All shipped data together; no single text file needs more than a mebibyte."""
DATA = {".safetensors", ".parquet", ".npz", ".png", ".woff2", ".gz"}
GENERATED = {"__pycache__", ".git", ".venv", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache", "dist"}

# written in pieces, so that this file does not catch itself
PATTERNS = {
    "path of one machine": r"(?<![\w.$}])/(?:"
    + "|".join(["work", "home", "root", "farm", "Users", "tmp"])
    + r")/[A-Za-z_]",
    "registry address": "|".join(
        ["index" + "-url", r"pypi" + r"\.org", r"files\.python" + "hosted", r"download\.py" + "torch"]
    ),
    "note to oneself": r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"]) + r")\b",
}


def tracked() -> list[Path]:
    """Files of the repository: what git tracks or would (all but ignored ones), or every file of an unpacked archive."""
    run = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if run.returncode == 0:
        return [ROOT / name for name in run.stdout.split("\0") if name and (ROOT / name).is_file()]
    found = [p for p in ROOT.rglob("*") if p.is_file() and not p.is_relative_to(ROOT / "report")]
    return [p for p in found if not GENERATED & {*p.relative_to(ROOT).parts}]


def offences(text: str) -> list[tuple[str, str]]:
    """What a text holds that it should not, with the kind of offence."""
    return [(kind, m.group()) for kind, pattern in PATTERNS.items() for m in re.finditer(pattern, text)]


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = {}
    for path in tracked():
        if path.suffix in DATA:
            continue
        text = path.read_text(encoding="utf-8")  # every other file is text
        if hits := offences(text):
            found[str(path.relative_to(ROOT))] = hits
    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        "open('" + "/wo" + "rk/data')",
        "cd " + "/ro" + "ot/x",
        "pip install --index" + "-url u",
        "see py" + "pi.org/simple",
        "# TO" + "DO later",
    ],
)
def test_a_made_up_offence_is_caught(text) -> None:
    assert len(offences(text)) == 1


@pytest.mark.parametrize("text", ["a/work/b", "$HOME/tmp/x", "tmp_path / 'x'", "https://pytorch.org/get-started"])
def test_harmless_text_passes(text) -> None:
    assert offences(text) == []


def test_sizes_stay_within_their_limits() -> None:
    sizes = {p.relative_to(ROOT): p.stat().st_size for p in tracked()}
    assert {p: s for p, s in sizes.items() if p.suffix not in DATA and s > LARGEST_TEXT} == {}
    assert sum(s for p, s in sizes.items() if p.suffix in DATA) <= LARGEST_DATA


def test_nothing_generated_is_tracked() -> None:
    names = [p.relative_to(ROOT) for p in tracked()]
    assert names
    assert [n for n in names if GENERATED & {*n.parts}] == []


def test_the_licence_is_complete() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text and "Version 2.0, January 2004" in text and "END OF TERMS AND CONDITIONS" in text
