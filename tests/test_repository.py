"""The repository holds nothing that belongs to one machine, nothing untidy, and nothing too large."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from simspec.claims import file_of, registry, statement_of

ROOT = Path(__file__).parents[1]

MEBIBYTE = 2**20
LARGEST_FILE = 72 * MEBIBYTE
"""No single file may be larger: a clone takes it for good.  How long files and folders are is a report, `tests/sizes.py`."""
DATA = {".safetensors", ".parquet", ".npz", ".png", ".woff2", ".xz", ".zip"}
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


@cache
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
        text = re.sub(r'"image/png": "[^"]*"', "", path.read_text(encoding="utf-8"))  # a picture in letters
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


def too_large(sizes: Mapping[Path, int]) -> dict[Path, int]:
    """Files that may not land, with their bytes."""
    return {path: size for path, size in sizes.items() if size > LARGEST_FILE}


def test_no_file_is_too_large() -> None:
    assert too_large({p.relative_to(ROOT): p.stat().st_size for p in tracked()}) == {}


def test_a_file_that_is_too_large_is_noticed() -> None:
    sizes = {Path("bank.safetensors"): LARGEST_FILE + 1, Path("page.md"): LARGEST_FILE}
    assert too_large(sizes) == {Path("bank.safetensors"): LARGEST_FILE + 1}


def test_nothing_generated_is_tracked() -> None:
    names = [p.relative_to(ROOT) for p in tracked()]
    assert names
    assert [n for n in names if GENERATED & {*n.parts}] == []


def test_the_licence_is_complete() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text and "Version 2.0, January 2004" in text and "END OF TERMS AND CONDITIONS" in text


# --- tidiness -------------------------------------------------------------------------------------------------------


def untidy(text: bytes) -> list[str]:
    """What no file should hold, whatever its language."""
    found = []
    if text and (not text.endswith(b"\n") or text.endswith(b"\n\n")):
        found.append("does not end with one newline")
    if b"\r" in text:
        found.append("carriage return")
    if re.search(rb"[ \t]$", text, re.MULTILINE):
        found.append("space at the end of a line")
    if re.search(rb"^(<{7}|>{7}) ", text, re.MULTILINE):
        found.append("mark of a merge")
    return found


def test_files_are_tidy() -> None:
    found = {p.relative_to(ROOT): untidy(p.read_bytes()) for p in tracked() if p.suffix not in DATA | {".svg"}}
    assert {path: what for path, what in found.items() if what} == {}


@pytest.mark.parametrize("text", [b"a", b"a\n\n", b"a\r\n", b"a \nb\n", b"a\t\n", b"<" * 7 + b" HEAD\n"])
def test_an_untidy_file_is_noticed(text) -> None:
    assert len(untidy(text)) == 1
    assert untidy(b"") == untidy(b"\ta\n\nb\n") == []


# --- where things stand -----------------------------------------------------------------------------------------------


def test_every_claim_is_found_at_its_path() -> None:
    """`rdk.worst-case` in rdk/worst_case.py; what shares a study stands in the file that the drawer's first page names."""
    for name, claim in registry().items():
        assert "STUB" not in claim.statement, f"{name} is as `simspec new claim` wrote it"
        path, (drawer, _, rest) = ROOT / file_of(name), statement_of(name).partition(".")
        assert path.is_file() and path.parent.name == drawer
        page = str(import_module(f"simspec.claims.{drawer}").__doc__)
        assert path.stem == rest.replace("-", "_") or (f"`{statement_of(name)}`" in page and f"`{path.name}`" in page)


GENERATED_RECORDS = {
    "benchmarks/gpu/instructions.json",
    "proofs_check/coq/algorithm/statements.json",
    "proofs_check/coq/vain/searches.json",
    "simspec/audit/searched_pairs.json",
    "simspec/claims/composed.json",
    "simspec/claims/coq.json",
    "simspec/claims/counterexamples.json",
    "simspec/claims/defined.json",
    "simspec/claims/evaluated.json",
    "simspec/claims/expected.json",
    "simspec/claims/proofs.json",
    "simspec/methods/optima/optima.json",
    "simspec/report/proofs.json.xz",
    "simspec/studies/tasc/data/tasks.json",
    "tests/readability.json",
}
"""What `verify`, the studies, the benchmarks and the tests read; every other generated file stands in docs."""


def test_what_is_generated_stands_in_docs() -> None:
    data = [p.relative_to(ROOT) for p in tracked() if p.suffix in {".json", ".xz", ".zip", ".svg", ".smt2"}]
    assert {str(p) for p in data if p.parts[0] != "docs"} == GENERATED_RECORDS
