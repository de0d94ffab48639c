"""What a record must hold beside the text of code: what objects contain, and where code asks for words or files."""

from __future__ import annotations

import ast
import copyreg
import functools
import re
import sys
import types
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np

__all__ = ["asks_for_words", "contents", "is_over_its_class", "is_plain", "names_in", "reads_a_file"]

PLAIN = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    type(...),
    Fraction,
    range,
    slice,
    re.Pattern,
    types.ModuleType,
)
"""Kinds of values that their text tells apart."""
CONTAINERS = (tuple, list, set, frozenset, dict, types.MappingProxyType, functools.partial)
"""Kinds whose text is that of their members."""
SHOWN = 1000
"""Entries of an array that NumPy shows in its text, at most."""
WORDS = frozenset(
    {"__doc__", "__annotations__", "__text_signature__", "__qualname__", "co_firstlineno", "f_lineno", "tb_lineno"}
    | {"getdoc", "getsource", "getsourcelines", "get_type_hints", "get_annotations", "signature", "getlines"}
)
"""By which code asks for what its own text leaves out."""
READING = frozenset(
    {
        "open",
        "read_text",
        "read_bytes",
        "load",
        "loadtxt",
        "genfromtxt",
        "fromfile",
        "memmap",
        "read_json",
        "getenv",
        "environ",
    }
)
"""By which code reads a file, or the environment."""


def is_plain(value: object) -> bool:
    """Whether the usual text of a value tells it apart from all that are not equal to it.

    >>> is_plain(Fraction(1, 2)), is_plain([object()]), is_plain(iter([1]))
    (True, True, False)
    """
    kind = type(value)
    if kind in PLAIN or kind in CONTAINERS or kind.__module__ == "typing":
        return True
    if kind is np.ndarray:
        return isinstance(value, np.ndarray) and (not value.dtype.hasobject or value.size <= SHOWN)
    return isinstance(value, Enum | PurePath | np.generic | np.dtype | types.GenericAlias | types.UnionType)


def contents(value: Any) -> list[Any] | None:
    """What makes an object equal to another one, as it would be copied; None for what cannot be.

    >>> contents(iter([1]))[1]
    ([1],)
    >>> contents(np.exp), contents(i for i in [1])
    (['exp'], None)
    """
    if type(value) is np.ndarray:
        return [value.shape, value.ravel().tolist()]
    if isinstance(value, types.BuiltinFunctionType) and not isinstance(value.__self__, types.ModuleType | type(None)):
        return [value.__name__, value.__self__]
    try:
        registered = copyreg.dispatch_table.get(type(value))
        reduced = registered(value) if registered else value.__reduce_ex__(4)
    except Exception:  # of whatever kind an object chooses
        return None
    if isinstance(reduced, str):
        module = sys.modules.get(getattr(value, "__module__", None) or "numpy")
        return [reduced] if getattr(module, reduced, None) is value else None
    return [list(state) if index > 2 and state is not None else state for index, state in enumerate(reduced[:5])]


def is_over_its_class(value: object, name: str) -> bool:
    """Whether an attribute of an object hides one of its class: what a class only remembers in objects does not count.

    >>> class Kind:
    ...     m = 1
    >>> kind = Kind()
    >>> kind.m = 2
    >>> is_over_its_class(kind, "m")
    True
    """
    return hasattr(type(value), name) and not hasattr(getattr(type(value), name), "__get__")


def names_in(node: ast.AST) -> bool:
    """Whether an expression has names in it: what it makes is not in its text.

    >>> [names_in(ast.parse(text)) for text in ("[1, 2]", "[m]")]
    [False, True]
    """
    return any(isinstance(inner, ast.Name) for inner in ast.walk(node))


def asks_for_words(node: ast.AST) -> bool:
    """Whether code asks for words that its text leaves out: docstrings, annotations, and what errors say.

    >>> asks_for_words(ast.parse("f.__doc__")), asks_for_words(ast.parse("f(1)"))
    (True, False)
    >>> asks_for_words(ast.parse("try:\\n  f()\\nexcept ValueError as error:\\n  raise KeyError from error"))
    False
    """
    return any(_is_asked(inner) for inner in ast.walk(node))


def _is_asked(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute | ast.Name):
        return (node.attr if isinstance(node, ast.Attribute) else node.id) in WORDS
    if isinstance(node, ast.Constant):
        return node.value in WORDS if isinstance(node.value, str) else False
    if not isinstance(node, ast.ExceptHandler) or node.name is None:
        return False
    causes = {id(r.cause) for statement in node.body for r in ast.walk(statement) if isinstance(r, ast.Raise)}
    used = [n for statement in node.body for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == node.name]
    return any(id(name) not in causes for name in used)


def reads_a_file(node: ast.AST) -> bool:
    """Whether a statement that is run with its module reads a file, or the environment.

    >>> reads_a_file(ast.parse("A = int(open(B).read())").body[0]), reads_a_file(ast.parse("def f(): return open(B)").body[0])
    (True, False)
    """
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return False
    names = [
        n.attr if isinstance(n, ast.Attribute) else n.id
        for n in ast.walk(node)
        if isinstance(n, ast.Attribute | ast.Name)
    ]
    return bool(READING.intersection(names))
