"""Layers: a file imports only from layers to its left, in the `ORDER` below; and no modules import each other in a circle.

Imports are read from the syntax tree.  For layers, those inside functions and under TYPE_CHECKING count as well.  For
circles, those under TYPE_CHECKING do not count: they never run.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping
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
    "certificates",
    "numerics",
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
CHECKED_ABOVE = {"simspec/claims/deciding/outside.py": {"proofs_check"}}
"""A record of a user's proof counts once what checks proofs, a layer above, has checked it again; nothing else asks it."""
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
    allowed = ALLOWED[own or ""] | ({"cli"} if path in COMMAND_LINES else set()) | CHECKED_ABOVE.get(path, set())
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


def module_name(path: Path) -> str:
    """Dotted name of a file; a package's name is that of its `__init__.py`."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def running_statements(body: Iterable[ast.stmt], inside_functions: bool) -> Iterator[ast.stmt]:
    """Statements that run when a module is loaded, or, `inside_functions`, at any time: those for type checkers never do."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not inside_functions:
            continue
        if isinstance(node, ast.If) and _name(node.test) == "TYPE_CHECKING":
            yield from running_statements(node.orelse, inside_functions)
            continue
        yield node
        for part in ("body", "orelse", "finalbody"):
            yield from running_statements(getattr(node, part, ()), inside_functions)
        for branch in [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]:
            yield from running_statements(branch.body, inside_functions)


def import_graph(sources: Mapping[str, str], inside_functions: bool) -> dict[str, set[str]]:
    """The modules that each module imports, from sources by path; only modules among the sources count.

    `from package import name` imports the submodule of that name where there is one, else the package.
    """
    modules = {module_name(Path(path)) for path in sources}
    graph = {}
    for path, source in sources.items():
        package = ".".join(Path(path).parts[:-1])
        names: set[str] = set()
        for node in running_statements(ast.parse(source).body, inside_functions):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                outer_levels = max(node.level - 1, 0)
                base = package.split(".")[: len(package.split(".")) - outer_levels] if node.level else []
                module = ".".join([*base, *([node.module] if node.module else [])])
                submodules = [f"{module}.{alias.name}" for alias in node.names]
                names.update(name if name in modules else module for name in submodules)
        graph[module_name(Path(path))] = names & modules
    return graph


def _after_their_imports(graph: Mapping[str, set[str]]) -> list[str]:
    """Nodes in the order in which a depth-first search leaves them."""
    order: list[str] = []
    entered: set[str] = set()
    for start in sorted(graph):
        stack = [(start, False)]
        while stack:
            node, is_finished = stack.pop()
            if is_finished:
                order.append(node)
            elif node not in entered:
                entered.add(node)
                stack.append((node, True))
                stack += [(target, False) for target in sorted(graph[node])]
    return order


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Strongly connected components of more than one module, and modules that import themselves (Kosaraju's algorithm)."""
    importers: dict[str, set[str]] = {node: set() for node in graph}
    for node, targets in graph.items():
        for target in targets:
            importers[target].add(node)
    components = []
    assigned: set[str] = set()
    for root in reversed(_after_their_imports(graph)):
        component = []
        stack = [root]
        while stack:
            node = stack.pop()
            if node not in assigned:
                assigned.add(node)
                component.append(node)
                stack += importers[node]
        if len(component) > 1 or root in graph[root]:
            components.append(sorted(component))
    return sorted(components)


@pytest.mark.parametrize("inside_functions", [False, True], ids=["when loaded", "inside functions too"])
def test_no_modules_import_each_other_in_a_circle(inside_functions) -> None:
    paths = (ROOT / "simspec").rglob("*.py")
    sources = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    graph = import_graph(sources, inside_functions)
    assert len(graph) > 500 and sum(map(len, graph.values())) > 2000  # the imports were read
    assert circles(graph) == []


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ({"p/a.py": "from p import b", "p/b.py": "import p.c", "p/c.py": "from .a import x"}, ["p.a", "p.b", "p.c"]),
        ({"p/__init__.py": "from p.a import x", "p/a.py": "from p import y"}, ["p", "p.a"]),
        ({"p/__init__.py": "", "p/q/__init__.py": "from ..a import x", "p/a.py": "from . import q"}, ["p.a", "p.q"]),
        (
            {"p/a.py": "try:\n    import p.b\nexcept OSError:\n    pass", "p/b.py": "if x:\n    import p.a"},
            ["p.a", "p.b"],
        ),
        ({"p/a.py": "class A:\n    from p.b import x", "p/b.py": "from p.a import A"}, ["p.a", "p.b"]),
        ({"p/a.py": "from p import a"}, ["p.a"]),
    ],
)
def test_a_made_up_circle_is_caught(sources, expected) -> None:
    assert circles(import_graph(sources, inside_functions=False)) == [expected]


@pytest.mark.parametrize(
    "sources",
    [
        {"p/__init__.py": "from p import a", "p/a.py": "from p import b", "p/b.py": ""},
        {"p/a.py": "from p import b", "p/b.py": "if TYPE_CHECKING:\n    from p import a"},
        {"p/a.py": "from p import b", "p/b.py": "if typing.TYPE_CHECKING:\n    from p import a"},
        {"p/a.py": "from p import b", "p/b.py": "", "p/c.py": "from p import a, b"},
    ],
)
def test_made_up_imports_without_a_circle_pass(sources) -> None:
    assert circles(import_graph(sources, inside_functions=True)) == []


def test_an_import_inside_a_function_makes_a_circle_where_those_count() -> None:
    sources = {"p/a.py": "from p import b", "p/b.py": "def f():\n    from p import a"}
    assert circles(import_graph(sources, inside_functions=False)) == []
    assert circles(import_graph(sources, inside_functions=True)) == [["p.a", "p.b"]]


def test_no_module_has_the_name_of_a_function_of_pythons() -> None:
    """In a package, the module would be an attribute that hides it: the guard of users' files takes that for their doing."""
    modules = [path for name in ("simspec", "proofs_check") for path in (ROOT / name).rglob("*.py")]
    names = {path.parent.name if path.stem == "__init__" else path.stem for path in modules}
    assert not names & {name for name in dir(builtins) if not name.startswith("__")}
