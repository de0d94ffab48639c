"""The repository holds nothing that belongs to one machine, nothing untidy, and nothing too large."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from simspec.claims import PAPERS, file_of, registry, statement_of
from tests.test_layers import statements

ROOT = Path(__file__).parents[1]

# how large things may be
WIDEST = 16
"""Files of a folder with Python."""
DRAWERS, DRAWER = {*PAPERS}, 60
"""Folders that may hold a file for each statement of a paper, and how many files."""
LONGEST, LONGEST_TEST = 350, 530
"""Lines of a file."""
LONGEST_FUNCTION = 60
"""Lines of code of a function: docstrings, comments and blank lines are not counted."""
PARAMETERS = 8
"""Parameters of a function, outside compiled loops and launches on a device, which know arrays and numbers only."""
LINES = {"simspec": 107_100, "": 214_400}
"""All lines of Python in a folder: a ceiling that whoever adds a command or a rule raises on purpose."""
GENERATED_LINES = 79_000
"""All lines of text that .gitattributes calls generated."""
MEBIBYTE = 2**20
LARGEST_TEXT = MEBIBYTE
LARGEST_DATA = 40 * MEBIBYTE
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


# --- sizes ----------------------------------------------------------------------------------------------------------


@cache
def sources() -> dict[Path, str]:
    """Text of every file of Python, by path from the root."""
    return {p.relative_to(ROOT): p.read_text(encoding="utf-8") for p in tracked() if p.suffix == ".py"}


def crowded(paths: Iterable[Path]) -> list[str]:
    """Folders with more files than one can take in."""
    counts = Counter(path.parent for path in paths)
    return [f"{d}: {n} files" for d, n in sorted(counts.items()) if n > (DRAWER if d.name in DRAWERS else WIDEST)]


def test_no_folder_is_crowded() -> None:
    assert crowded(sources()) == []


def test_a_crowded_folder_is_noticed() -> None:
    many = [Path("simspec", "engine", f"{n}.py") for n in range(WIDEST + 1)]
    assert crowded(many) == ["simspec/engine: 17 files"]
    assert crowded(many[1:]) == crowded(Path("claims", "rdk", p.name) for p in many) == []


def long(texts: Mapping[Path, str]) -> dict[str, int]:
    """Files with more lines than one reads at once."""
    lines = {path: len(text.splitlines()) for path, text in texts.items()}
    return {str(p): n for p, n in lines.items() if n > (LONGEST_TEST if p.parts[0] == "tests" else LONGEST)}


def test_no_file_is_long() -> None:
    assert long(sources()) == {}


def test_a_long_file_is_noticed() -> None:
    texts = {Path("simspec/a.py"): "x\n" * 351, Path("tests/a.py"): "x\n" * 351, Path("tests/b.py"): "x\n" * 531}
    assert long(texts) == {"simspec/a.py": 351, "tests/b.py": 531}


def functions(text: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions of a file, with those inside others: statements hold them, and no expression does."""
    return (n for n in statements(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def too_much(path: Path, text: str) -> Iterator[str]:
    """Functions of a file with more code, or more parameters, than one keeps in mind."""
    loops = path.stem in {"loops", "core", "device"}
    lines = text.splitlines()
    for node in functions(text):
        where = f"{path}: {node.name}"
        span = (node.end_lineno or 0) - node.lineno + 1  # most functions are short with all that they hold
        if span > LONGEST_FUNCTION and (size := code_lines(node, lines)) > LONGEST_FUNCTION:
            yield f"{where} has {size} lines of code"
        names = {n.id for d in node.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
        given = node.name.startswith("test_")  # by pytest and Hypothesis, which nobody has to remember
        parameters = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        count = sum(parameter.arg != "self" for parameter in parameters)
        if count > PARAMETERS and not (loops or given or names & {"compiled", "_compiled", "inner", "kernel", "njit"}):
            yield f"{where} has {count} parameters"


def code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> int:
    """Lines of a function that are neither docstring nor comment nor blank."""
    docs = [
        n.body[0]
        for n in ast.walk(node)
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and ast.get_docstring(n, clean=False) is not None
    ]
    skipped = {n for doc in docs for n in range(doc.lineno, (doc.end_lineno or 0) + 1)}
    body = (lines[n - 1].strip() for n in range(node.lineno, (node.end_lineno or 0) + 1) if n not in skipped)
    return sum(1 for line in body if line and not line.startswith("#"))


def test_no_function_is_too_much() -> None:
    assert [found for path, text in sources().items() for found in too_much(path, text)] == []


def test_functions_are_found_wherever_they_stand() -> None:
    places = """
class A:
    async def a(self): ...
if x:
    def b(): ...
elif y:
    for _ in z:
        def c(): ...
    else:
        def d(): ...
try:
    while x:
        def e():
            def f(): ...
except E:
    def g(): ...
else:
    with x:
        def h(): ...
finally:
    match x:
        case 1:
            def i(): ...
"""
    assert sorted(node.name for node in functions(places)) == [*"abcdefghi"]


def test_a_function_that_is_too_much_is_noticed() -> None:
    def found(text: str, name: str = "simspec/a.py") -> list[str]:
        return list(too_much(Path(name), text))

    body = '    """Says\n\n    much."""\n' + "    # why\n\n" * 9 + "    x = 1\n" * 59
    assert found("def f():\n" + body) == []
    assert found("def f():\n" + body + "    x = 2\n") == ["simspec/a.py: f has 61 lines of code"]
    many = "def f(a, b, c, d, /, e, f, *, g, h, i): ...\n"
    assert found(many) == ["simspec/a.py: f has 9 parameters"]
    assert found(many.replace(", i", "")) == found(many.replace("f(", "test_f("), "tests/a.py") == []
    assert found(f"@njit(fastmath=True)\n{many}") == found(f"@kernel\n{many}") == found(many, "a/loops.py") == []
    assert found(f"@inner\n{many}") == []
    assert len(found("@cache\n" + many)) == 1


def test_python_is_no_longer_than_it_may_be() -> None:
    counts = {path: len(text.splitlines()) for path, text in sources().items()}
    lines = {folder: sum(n for p, n in counts.items() if p.is_relative_to(folder)) for folder in LINES}
    assert {folder: n for folder, n in lines.items() if n > LINES[folder]} == {}
    assert lines["simspec"] < lines[""]


def test_what_is_generated_is_no_longer_than_it_may_be() -> None:
    patterns = re.findall(r"^(\S+) linguist-generated$", (ROOT / ".gitattributes").read_text(), re.MULTILINE)
    paths = [p for p in tracked() if any(fnmatchcase(p.relative_to(ROOT).as_posix(), pattern) for pattern in patterns)]
    assert {"docs/verdicts.md", "docs/proofs/sd.md"} <= {p.relative_to(ROOT).as_posix() for p in paths}
    assert sum(p.read_bytes().count(b"\n") for p in paths if p.suffix not in DATA) <= GENERATED_LINES


def test_every_claim_is_found_at_its_path() -> None:
    """`rdk.worst-case` in rdk/worst_case.py; what shares a study stands in the file that the drawer's first page names."""
    for name, claim in registry().items():
        assert "STUB" not in claim.statement, f"{name} is as `simspec claims new` wrote it"
        path, (drawer, _, rest) = ROOT / file_of(name), statement_of(name).partition(".")
        assert path.is_file() and path.parent.name == drawer
        page = str(import_module(f"simspec.claims.{drawer}").__doc__)
        assert path.stem == rest.replace("-", "_") or (f"`{statement_of(name)}`" in page and f"`{path.name}`" in page)


GENERATED_RECORDS = {
    "simspec/claims/coq.json",
    "simspec/claims/counterexamples.json",
    "simspec/claims/expected.json",
    "simspec/claims/proofs.json",
    "simspec/methods/certificates/optima.json",
    "simspec/report/proofs.json.gz",
    "simspec/studies/tasc/data/tasks.json",
}
"""What `verify` and the studies read; every other generated file stands in docs."""


def test_what_is_generated_stands_in_docs() -> None:
    data = [p.relative_to(ROOT) for p in tracked() if p.suffix in {".json", ".gz", ".zip", ".svg", ".smt2"}]
    assert {str(p) for p in data if p.parts[0] != "docs"} == GENERATED_RECORDS
