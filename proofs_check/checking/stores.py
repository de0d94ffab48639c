"""What else a proof file may not do: store anything under a name that a derivation has, whatever it calls the derivation.

`checking.plain` refuses a store from outside of an object, and a derivation that is called `self` looks like the object itself.
This file decides no step: it is no part of what a recorded proof is hashed by.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from proofs_check.checking.plain import fair
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.smt import Unproved

__all__ = ["allowed", "stored"]


UNCALLED = frozenset({"cases"})
"""A rule that no other rule calls: what stands before it changes only what a file's own calls do, and shows nothing."""


@cache
def _names() -> frozenset[str]:
    """What a derivation has under a public name, and what one that is written out for Coq has beside it."""
    return frozenset({*dir(Derivation), *vars(Derivation("names")), "finals", "trace"}) - UNCALLED


def stored(source: str) -> list[str]:
    """Where a file stores what a derivation has, with its line.

    >>> stored("def prove(self):\\n    self.givens = {}\\n")
    ['line 2: self.givens is changed, which a derivation has']
    >>> stored("class Rows:\\n    def __init__(self, rows):\\n        self.rows = rows\\n")
    []
    """
    tree = ast.parse(source)
    own = {id(node) for node in _of_constructors(tree)}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and id(node) not in own]
    changes = [node for node in nodes if not isinstance(node.ctx, ast.Load) and node.attr in _names()]
    return [f"line {node.lineno}: {ast.unparse(node)} is changed, which a derivation has" for node in changes]


def _of_constructors(tree: ast.Module) -> Iterator[ast.AST]:
    """Attributes of `self` in constructors of classes, where `self` is what is made and nothing else is called so."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for method in (node for each in classes for node in each.body if isinstance(node, ast.FunctionDef)):
        if method.name == "__init__" and _binds_self_once(method):
            yield from (node for node in ast.walk(method) if isinstance(node, ast.Attribute) and _is_self(node.value))


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _binds_self_once(method: ast.FunctionDef) -> bool:
    """Whether `self` is the first parameter of a method, and bound by nothing else in it."""
    first = method.args.posonlyargs + method.args.args
    arguments = [node for node in ast.walk(method) if isinstance(node, ast.arg) and node.arg == "self"]
    named = [
        name
        for node in ast.walk(method)
        for name in (getattr(node, "name", 0), getattr(node, "asname", 0), getattr(node, "rest", 0))
    ]
    names_stored = [
        node for node in ast.walk(method) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    ]
    stored_again = any(map(_is_self, names_stored))
    return [*map(id, first[:1])] == [*map(id, arguments)] and "self" not in named and not stored_again


@cache
def allowed(source: str, name: str, own: bool = False) -> None:
    """Refuse a file that does what a proof may not, before it is run: `fair`, and no store into a derivation.

    Raises
    ------
    Unproved
    """
    fair(source, name, own)
    if changes := stored(source):
        raise Unproved(f"{name}: {changes[0]}")
