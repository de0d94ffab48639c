"""`simspec new paper` in a copy of the repository: what it writes runs, and its test fails until every stub is replaced."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simspec.cli.new.paper import paper_texts, write_paper

ROOT = Path(__file__).parents[2]
FOLDERS = ("simspec", "proofs_check")
TESTS = ("tests/__init__.py", "tests/claims/__init__.py", "tests/claims/cases.py")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository, with a new paper."""
    root = tmp_path_factory.mktemp("clone")
    ignored = shutil.ignore_patterns("__pycache__", "*.safetensors")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, root / folder, ignore=ignored)
    for file in TESTS:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, root / file)
    shutil.copy(ROOT / "pyproject.toml", root)
    done = run(root, "simspec", "new", "paper", "mine", "--title", "A Paper of Mine")
    assert done.returncode == 0, done.stderr
    assert "next: simspec verify mine --effort quick" in done.stdout
    assert all(f"written: {path}" in done.stdout and (root / path).is_file() for path in paper_texts("mine"))
    return root


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(root)}
    return subprocess.run([sys.executable, "-m", *words], cwd=root, env=environment, capture_output=True, text=True)


def test_its_claim_is_decided(clone: Path) -> None:
    done = run(clone, "simspec", "verify", "mine", "--effort", "quick", "--out", "report")
    assert done.returncode in (0, 1), done.stderr
    assert "mine.first-claim" in done.stdout + (clone / "report" / "verdicts.json").read_text(encoding="utf-8")


def test_its_title_stands_in_the_bibliography_only(clone: Path) -> None:
    done = run(clone, "simspec", "cite", "mine")
    assert "title = {A Paper of Mine}" in done.stdout
    files = [*(clone / "simspec").rglob("*.py"), *(clone / "proofs_check").rglob("*.py")]
    assert not [f for f in files if "A Paper of Mine" in f.read_text(encoding="utf-8")]


def test_its_style_is_that_of_the_repository(clone: Path) -> None:
    paths = [path for path in paper_texts("mine") if path.endswith(".py")]
    for words in (("check",), ("format", "--check")):
        done = run(clone, "ruff", *words, *paths, "simspec/claims/__init__.py")
        assert done.returncode == 0, done.stdout + done.stderr


def test_its_test_fails_until_the_stubs_are_replaced(clone: Path) -> None:
    own = ("pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/claims/mine")
    before = run(clone, *own)
    assert before.returncode == 1 and "replace what is marked STUB in __init__.py, first_claim.py" in before.stdout
    for path in (*sorted((clone / "simspec/claims/mine").glob("*.py")), clone / "simspec/claims/references.bib"):
        path.write_text(re.sub(r"STUB[,:]? ?", "", path.read_text(encoding="utf-8")), encoding="utf-8")
    after = run(clone, *own)
    assert after.returncode == 0, after.stdout


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("rdk", "KEY: 'rdk' is taken; `simspec claims rdk` lists its claims; expected another word, such as rdk2"),
        ("leviathan2023", "KEY: 'leviathan2023' is taken; expected another word, such as leviathan20232"),
        ("authoring", "KEY: 'authoring' is taken; expected another word, such as authoring2"),
        ("My-Paper", "KEY: 'My-Paper'; expected a lower-case word, letters then digits, such as mypaper"),
        ("2026", "KEY: '2026'; expected a lower-case word, letters then digits, such as medusa"),
        ("class", "KEY: 'class'; expected a lower-case word"),
    ],
)
def test_a_bad_or_taken_key_is_refused_with_the_cure(tmp_path: Path, key: str, said: str) -> None:
    for folder in ("simspec", "proofs_check", "tests"):
        (tmp_path / folder).mkdir()
    with pytest.raises(ValueError, match=re.escape(said)):
        write_paper(key, None, tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """What of a clone a paper is written into."""
    for folder in ("proofs_check", "tests", "simspec/claims"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("__init__.py", "references.bib"):
        shutil.copy(ROOT / "simspec" / "claims" / file, tmp_path / "simspec" / "claims" / file)
    return tmp_path


def test_a_work_that_has_an_entry_gets_no_second_one(bare: Path) -> None:
    entries = (bare / "simspec/claims/references.bib").read_text(encoding="utf-8")
    lines = write_paper("mine", None, bare, ("one-claim", "other"), "sharma2026", "Mine: a heading")
    assert (bare / "simspec/claims/references.bib").read_text(encoding="utf-8") == entries
    assert not [line for line in lines if "references.bib" in line]
    assert '    "mine": "Mine: a heading",' in (bare / "simspec/claims/__init__.py").read_text(encoding="utf-8")
    contents = (bare / "simspec/claims/mine/__init__.py").read_text(encoding="utf-8")
    assert contents.index('"mine.one-claim", "one_claim"') < contents.index('"mine.other", "other"')
    assert (bare / "proofs_check/mine/one_claim.py").is_file() and (bare / "tests/claims/mine/test_other.py").is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"claims": ("Mine",)}, "--claims: 'Mine'; expected lower-case words with hyphens, such as my-claim"),
        ({"claims": ("mine-corrected",)}, "--claims: 'mine-corrected'; expected a statement"),
        ({"claims": ("mine", "mine")}, "--claims: 'mine' is named twice"),
        ({"work": "sharma"}, "--work: 'sharma' is no entry of simspec/claims/references.bib; nearest: sharma2026"),
        ({"work": "sharma2026", "title": "A Title"}, "--title: 'A Title'; expected none beside --work"),
    ],
)
def test_bad_words_of_a_paper_are_refused_with_the_cure(bare: Path, words: dict[str, str], said: str) -> None:
    before = sorted(bare.rglob("*"))
    with pytest.raises(ValueError, match=re.escape(said)):
        write_paper("mine", root=bare, **{"title": None, **words})
    assert sorted(bare.rglob("*")) == before


def test_outside_of_a_clone_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a clone of the repository"):
        write_paper("mine", None, tmp_path)
    assert list(tmp_path.iterdir()) == []
