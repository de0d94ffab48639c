"""Layers: a file imports only from layers to its left, in the `ORDER` below.

Imports are read from the syntax tree, so that those inside functions and under TYPE_CHECKING count as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ORDER = (
    "version",
    "files",
    "checks",
    "html",
    "guarding",
    "loading",
    "interrupts",
    "provenance",
    "kernels",
    "laws",
    "logits",
    "methods",
    "engine",
    "studies",
    "claims",
    "figures",
    "report",
    "tools",
    "notebook",
    "cli",
)
BESIDE = ("audit", "proofs_check", "benchmarks")
ALLOWED = {name: set(ORDER[:n]) for n, name in enumerate(ORDER)} | {name: set(ORDER) - {"cli"} for name in BESIDE}
ALLOWED["cli"] |= {"audit", "proofs_check"}
ALLOWED["benchmarks"] |= {"audit"}
COMMAND_LINES = ("benchmarks/__main__.py",)
"""Files outside `cli` that parse a command line, with its parser."""
FACADE = "simspec"  # simspec/__init__.py names the public entries of every layer


IN_EXPRESSIONS = ("import simspec", "import_module", "__import__")
"""What stands in a file that takes something from the package within an expression."""


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every statement of a file, wherever it stands."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(tree, part, ()):
            yield node
            yield from statements(node)


def imported(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Dotted names a file imports, with their lines; relative ones are resolved against its package."""
    tree = ast.parse(source)
    for node in ast.walk(tree) if any(word in source for word in IN_EXPRESSIONS) else statements(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, a.name) for a in node.names if a.name != "simspec" or a.asname)
        elif isinstance(node, ast.Attribute) and _name(node.value) == "simspec":
            yield node.lineno, f"simspec.{node.attr}"  # what is taken from a plain `import simspec`
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and _name(node.func) in {"import_module", "__import__"} and node.args:
            match node.args[0]:
                case ast.Constant(value=str(name)):
                    yield node.lineno, name
                case ast.JoinedStr(values=[ast.Constant(value=str(name)), *_]):
                    yield node.lineno, name.rstrip(".")


def _name(node: ast.expr) -> str | None:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def layer(dotted: str) -> str | None:
    """Layer of a dotted name, or None when it is not of this project."""
    top, *rest = dotted.split(".")
    if top in ("proofs_check", "benchmarks"):
        return top
    if top != "simspec":
        return None
    if rest and (rest[0].endswith("_cli") or rest[0] == "__main__"):
        return "cli"  # the command line is several files
    return rest[0] if rest and rest[0] in {*ORDER, *BESIDE} else FACADE


def violations(path: str, source: str) -> list[str]:
    """Imports of one file that its layer does not allow."""
    parts = Path(path).with_suffix("").parts
    own = layer(".".join(parts))
    package = ".".join(parts[:-1])
    if own == FACADE:
        return [] if parts[-1] == "__init__" else [f"{path}: belongs to no layer of {', '.join(ORDER)}"]
    allowed = ALLOWED[own or ""] | ({"cli"} if path in COMMAND_LINES else set())
    found = []
    for line, name in imported(source, package):
        used = layer(name)
        if used is None or used == own or used in allowed:
            continue
        found.append(f"{path}:{line}: {own} must not import {name}")
    return found


def files() -> list[Path]:
    return sorted(p for folder in ("simspec", "proofs_check", "benchmarks") for p in (ROOT / folder).rglob("*.py"))


def test_a_file_imports_only_from_layers_to_its_left() -> None:
    """Of every file; what is found names the file and the line."""
    found = [v for path in files() for v in violations(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("simspec/laws.py", "from simspec import methods"),
        ("simspec/laws.py", "import simspec.claims.deciding.search"),
        ("simspec/laws.py", "def f():\n    from simspec.logits import bank"),
        ("simspec/laws.py", "from importlib import import_module\nimport_module('simspec.studies')"),
        ("simspec/laws.py", "from importlib import import_module\nimport_module(f'simspec.claims.{name}')"),
        ("simspec/kernels/tv/numba_tv.py", "from ...laws import tv"),
        ("simspec/kernels/tv/numba_tv.py", "from ... import laws"),
        ("simspec/kernels/tv/numba_tv.py", "if TYPE_CHECKING:\n    from simspec.methods import SD"),
        ("simspec/methods/sd.py", "import simspec\nsimspec.claims.find()"),
        ("simspec/methods/sd.py", "import simspec as s"),
        ("simspec/claims/sd.py", "from proofs_check import sd"),
        ("simspec/claims/sd.py", "from benchmarks import tv"),
        ("simspec/cli/bench.py", "from benchmarks import tv"),
        ("benchmarks/tv.py", "from simspec import cli"),
        ("simspec/studies/joint/rounds.py", "from simspec.tools.rates import rates"),
        ("simspec/figures/data.py", "from simspec.tools.reading import load"),
        ("simspec/extra.py", "x = 1"),
        ("simspec/logits/capture/__init__.py", "from simspec import __version__"),
        ("simspec/version.py", "from simspec import files"),
        ("simspec/engine/run.py", "from simspec import study_cli"),
        ("benchmarks/tv.py", "from simspec.cli.study import add_commands"),
    ],
)
def test_a_made_up_bad_file_is_caught(path, source) -> None:
    assert len(violations(path, source)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "simspec/methods/sd.py",
            "from simspec.methods.method import Method\nfrom .method import Method\nimport numpy",
        ),
        ("simspec/cli/__init__.py", "from simspec.report import page\nfrom simspec.audit import zoo"),
        ("simspec/cli/study/__init__.py", "from simspec.studies import engine\nfrom simspec import study_read_cli"),
        ("simspec/tools/rates/__init__.py", "from simspec.studies.pairs import bank_laws"),
        ("simspec/logits/capture/__init__.py", "from simspec.version import __version__"),
        ("benchmarks/tv.py", "from simspec import kernels\nimport torch"),
        ("benchmarks/__main__.py", "from simspec.cli.lazy import LazyParser\nfrom benchmarks import tv"),
        ("proofs_check/sd.py", "from simspec.claims import sd\nfrom proofs_check import steps"),
        ("simspec/__init__.py", "from simspec.claims.deciding.verify import verify"),
    ],
)
def test_a_made_up_good_file_passes(path, source) -> None:
    assert violations(path, source) == []


def test_every_layer_that_exists_is_found() -> None:
    seen = {layer(".".join(p.relative_to(ROOT).with_suffix("").parts)) for p in files()}
    assert {"kernels", "laws", "logits", "methods", "engine", "studies", "claims", "report"} <= seen
