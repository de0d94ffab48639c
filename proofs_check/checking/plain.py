"""What a proof file may not do: reach into the checker, or change what is not its own.  Steps go by the public rules only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

__all__ = ["unfair"]

READ = {"proofs_check.rules.smt": {"model"}, "proofs_check.rules.values": {"evaluate"}}
"""Of the checker's own modules a proof file may take these beside the language: they show nothing."""
OURS = ("proofs_check.rules", "proofs_check.checking", "proofs_check.__main__")
TUPLES = frozenset({"_replace", "_asdict", "_fields", "_make"})
"""What named tuples have under a private name."""
STATE = frozenset(
    "assumed supposed local maps definitions made_of conclusions used enumerated extrema signs varied declared places typed "
    "certificates cited".split()
)
"""What a derivation remembers; a proof file may read the givens and what was dropped, nothing else."""
KINDS = frozenset({"Derivation", "Fact", "Proof", "Refutation", "Relation"})
BUILT_IN = frozenset(
    {"setattr", "delattr", "getattr", "vars", "globals", "locals", "exec", "eval", "compile", "__import__"}
)
MODULES = frozenset({"gc", "ctypes", "inspect", "importlib", "sys", "builtins", "unittest"})


def unfair(source: str) -> list[str]:
    """What a file does that a proof may not, with its line.

    >>> unfair("from proofs_check.language import eq\\nd._fact(eq(1, 0), ())\\n")
    ['line 2: d._fact is private']
    """
    return [f"line {line}: {what}" for node in ast.walk(ast.parse(source)) for line, what in _wrong(node)]


def _wrong(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Attribute):
        yield from _attribute(node)
    elif isinstance(node, (ast.ImportFrom, ast.Import)):
        yield from _imported(node)
    elif isinstance(node, ast.Name) and node.id in BUILT_IN:
        yield node.lineno, f"{node.id} reaches what has no name here"
    elif (
        isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Attribute)
    ):
        yield node.lineno, f"{ast.unparse(node.value)} is changed from outside"
    elif isinstance(node, ast.ClassDef) and KINDS & {ast.unparse(base) for base in node.bases}:
        yield node.lineno, f"class {node.name} is one of the checker's own with other rules"


def _attribute(node: ast.Attribute) -> Iterator[tuple[int, str]]:
    text = ast.unparse(node)
    if node.attr.startswith("_") and node.attr not in TUPLES:
        yield node.lineno, f"{text} is private"
    if node.attr in STATE and ast.unparse(node.value) == "d":
        yield node.lineno, f"{text} is the checker's own memory"
    if not isinstance(node.ctx, ast.Load) and ast.unparse(node.value) != "self":
        yield node.lineno, f"{text} is changed from outside"


def _imported(node: ast.ImportFrom | ast.Import) -> Iterator[tuple[int, str]]:
    names = {alias.name for alias in node.names}
    modules = {node.module or ""} if isinstance(node, ast.ImportFrom) else names
    taken = names if isinstance(node, ast.ImportFrom) else set()
    for module in sorted(modules):
        own = module == "proofs_check" or (module.startswith(OURS) and not taken <= READ.get(module, set()))
        own |= isinstance(node, ast.Import) and module.startswith("proofs_check.")
        if own or module.split(".")[0] in MODULES or any(n.startswith("__") for n in taken):
            yield node.lineno, f"{module} is no language of proofs"
