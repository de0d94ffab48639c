"""The repository holds nothing that belongs to one machine, and nothing too large."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import pytest

from simspec.claims import file_of, registry, statement_of

ROOT = Path(__file__).parents[1]
MEBIBYTE = 2**20
LARGEST_TEXT = MEBIBYTE
LARGEST_DATA = 32 * MEBIBYTE
"""All shipped data together; no single text file needs more than a mebibyte."""
DATA = {".safetensors", ".parquet", ".npz", ".png", ".woff2", ".gz", ".zip"}
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


# --- sizes ----------------------------------------------------------------------------------------------------------

WIDEST, DRAWER, LONGEST = 16, 45, 350
DRAWERS = {"sd", "rdk", "ears", "pad", "sqs", "csqs", "tasc"}
"""Folders that may hold a file for each statement of a paper."""
LONG_TESTS = 530
"""Lines of a test file; those of the sources have `LONGEST`."""


def crowded(paths: Iterable[Path]) -> list[str]:
    """Folders with more files than one can take in."""
    counts = Counter(path.parent for path in paths)
    return [f"{d}: {n} files" for d, n in sorted(counts.items()) if n > (DRAWER if d.name in DRAWERS else WIDEST)]


def test_no_folder_is_crowded() -> None:
    sources = [p.relative_to(ROOT) for p in tracked() if p.suffix == ".py"]
    assert crowded(sources) == []


def test_a_crowded_folder_is_noticed() -> None:
    many = [Path("simspec", "engine", f"{n}.py") for n in range(WIDEST + 1)]
    assert crowded(many) == ["simspec/engine: 17 files"]
    assert crowded(many[1:]) == crowded(Path("claims", "rdk", p.name) for p in many) == []


def test_no_file_is_long() -> None:
    long = {}
    for path in tracked():
        if path.suffix == ".py":
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > (LONG_TESTS if path.is_relative_to(ROOT / "tests") else LONGEST):
                long[str(path.relative_to(ROOT))] = lines
    assert long == {}


def test_every_claim_is_found_at_its_path() -> None:
    """`rdk.worst-case` in rdk/worst_case.py; what shares a study stands in the file that the drawer's first page names."""
    for name in registry():
        path, (drawer, _, rest) = ROOT / file_of(name), statement_of(name).partition(".")
        assert path.is_file() and path.parent.name == drawer
        page = str(import_module(f"simspec.claims.{drawer}").__doc__)
        assert path.stem == rest.replace("-", "_") or (f"`{statement_of(name)}`" in page and f"`{path.name}`" in page)


GENERATED_RECORDS = {
    "simspec/claims/expected.json",
    "simspec/claims/proofs.json",
    "simspec/report/proofs.json.gz",
    "simspec/studies/tasc/data/tasks.json",
}
"""What `verify` and the studies read; every other generated file stands in docs."""


def test_what_is_generated_stands_in_docs() -> None:
    data = [p.relative_to(ROOT) for p in tracked() if p.suffix in {".json", ".gz", ".zip", ".svg", ".smt2"}]
    assert {str(p) for p in data if p.parts[0] != "docs"} == GENERATED_RECORDS
