"""What a proof file may not do: reach into the checker, or change what is not its own.  Steps go by the public rules only."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache

from proofs_check.rules.smt import Unproved
from simspec.claims import PAPERS

__all__ = ["fair", "unfair"]

READ = {"proofs_check.rules.smt": {"model"}, "proofs_check.rules.values": {"evaluate"}}
"""Of the checker's own modules a proof file may take these beside the language: they show nothing."""
LANGUAGE = "proofs_check.language"
STANDARD = frozenset("__future__ collections dataclasses fractions functools itertools math typing".split())
"""Of Python's own modules a proof file may take these."""
TUPLES = frozenset({"_replace", "_asdict", "_fields", "_make"})
"""What named tuples have under a private name."""
STATE = frozenset(
    "assumed supposed at_hand maps definitions made_of conclusions used enumerated extrema signs varied declared places typed "
    "certificates cited theorems".split()
)
"""What a derivation remembers; a proof file may read the givens and what was dropped, nothing else."""
BASES = frozenset({"NamedTuple"})
BUILT_IN = frozenset(
    {"setattr", "delattr", "getattr", "vars", "globals", "locals", "exec", "eval", "compile", "__import__", "open"}
)
WORKINGS = frozenset({"core", "evaluate", "assuming", "lambdify", "parse_expr", "cacheit"})
"""Of SymPy: what changes how it works, or runs a text."""


def unfair(source: str) -> list[str]:
    """What a file does that a proof may not, with its line.

    >>> unfair("from proofs_check.language import eq\\nd._fact(eq(1, 0), ())\\n")
    ['line 2: d._fact is private']
    """
    return [f"line {line}: {what}" for node in ast.walk(ast.parse(source)) for line, what in _wrong(node)]


@cache
def fair(source: str, name: str) -> None:
    """Refuse a file that does what a proof may not; a text that passes is read once, however many proofs share it.

    Raises
    ------
    Unproved
    """
    if wrong := unfair(source):
        raise Unproved(f"{name}: {wrong[0]}")


def _wrong(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Attribute):
        yield from _attribute(node)
    elif isinstance(node, (ast.ImportFrom, ast.Import)):
        yield from _imported(node)
    elif isinstance(node, ast.Name) and (node.id in BUILT_IN or _special(node.id)):
        yield node.lineno, f"{node.id} reaches what has no name here"
    elif (
        isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Attribute)
    ):
        yield node.lineno, f"{ast.unparse(node.value)} is changed from outside"
    elif isinstance(node, ast.ClassDef) and not {ast.unparse(base) for base in node.bases} <= BASES:
        yield node.lineno, f"class {node.name} is another class with other rules; expected a named tuple, or no base"
    elif isinstance(node, ast.FunctionDef) and _special(node.name):
        yield node.lineno, f"{node.name} changes what an operation means"
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "type" and len(node.args) != 1:
        yield node.lineno, "type makes a class; expected a named tuple"
    elif isinstance(node, ast.MatchClass) and (hidden := [a for a in node.kwd_attrs if a in STATE or a[0] == "_"]):
        yield node.lineno, f"{hidden[0]} is private"


def _special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in {"__init__", "__all__"}


def _attribute(node: ast.Attribute) -> Iterator[tuple[int, str]]:
    text = ast.unparse(node)
    if node.attr.startswith("_") and node.attr not in TUPLES:
        yield node.lineno, f"{text} is private"
    if node.attr in STATE:
        yield node.lineno, f"{text} is the checker's own memory"
    if node.attr in WORKINGS:
        yield node.lineno, f"{text} changes how SymPy works"
    if not isinstance(node.ctx, ast.Load) and ast.unparse(node.value) != "self":
        yield node.lineno, f"{text} is changed from outside"


def _imported(node: ast.ImportFrom | ast.Import) -> Iterator[tuple[int, str]]:
    names = {alias.name for alias in node.names}
    modules = {node.module or ""} if isinstance(node, ast.ImportFrom) else names
    taken = names if isinstance(node, ast.ImportFrom) else set()
    if isinstance(node, ast.ImportFrom) and node.level:
        yield node.lineno, "a module is taken by its whole name"
    for module in sorted(modules):
        if not _known(module, taken) or any(n.startswith("__") or (module == "sympy" and n in WORKINGS) for n in taken):
            yield node.lineno, f"{module} is no language of proofs"


def _known(module: str, taken: set[str]) -> bool:
    """Whether a proof file may take some names from a module: of the checker the language, and other proofs."""
    first, _, rest = module.partition(".")
    if first == "proofs_check":
        own = module in READ and taken <= READ[module]
        return bool(taken) and (module == LANGUAGE or own or rest.split(".")[0] in PAPERS)
    if first in {"tests", "sympy"}:
        return module == "sympy"
    return first in STANDARD or first not in sys.stdlib_module_names
