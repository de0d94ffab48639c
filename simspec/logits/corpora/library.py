"""Pairs of texts from the sources of Python's own standard library; `simspec.logits.corpora.standard_library` is the way in."""

from __future__ import annotations

import ast
import io
import sysconfig
import tokenize
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from simspec.logits.bank import MissingPart

__all__ = ["LONGEST", "MODULES", "documented", "pairs", "tagged"]

MODULES = tuple(
    "argparse calendar codecs configparser contextlib csv dataclasses difflib enum fractions functools http.client "
    "http.cookiejar imaplib ipaddress optparse os pprint random shutil smtplib statistics string tempfile textwrap "
    "threading traceback weakref zipfile".split()
)
"""Modules that the pairs are made of, in this order; those that a Python lacks are passed over."""
LONGEST = 40
"""Lines of the longest function that is tagged."""


@cache
def pairs() -> dict[str, tuple[tuple[str, str], ...]]:
    """Pairs of both tasks; the same for the same version of Python.

    Raises
    ------
    ValueError
        where the standard library has no sources (it may lie in an archive).

    Examples
    --------
    >>> sorted(pairs())
    ['docstrings', 'tagging']
    """
    folder = Path(sysconfig.get_path("stdlib"))
    pairs_by_task: dict[str, list[tuple[str, str]]] = {"tagging": [], "docstrings": []}
    for path in _sources(folder):
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        pairs_by_task["tagging"] += tagged(source, tree)
        pairs_by_task["docstrings"] += documented(source, tree)
    if not all(pairs_by_task.values()):
        raise MissingPart(f"standard library: no sources in {folder}; expected the .py files that Python comes with")
    return {task: tuple(task_pairs) for task, task_pairs in pairs_by_task.items()}


def _sources(folder: Path) -> Iterator[Path]:
    for module in MODULES:
        stem = folder.joinpath(*module.split("."))
        yield from (p for p in (stem.with_suffix(".py"), stem / "__init__.py") if p.is_file())


def tagged(source: str, tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Functions of 3 to 40 lines, without their indentation, and the types of their tokens.

    >>> text = "def f(x):\\n    x += 1\\n    return x\\n"
    >>> [tags.split()[:8] for _, tags in tagged(text, ast.parse(text))]
    [['NAME', 'NAME', 'LPAR', 'NAME', 'RPAR', 'COLON', 'NEWLINE', 'INDENT']]
    """
    lines = source.split("\n")
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            last = node.end_lineno or node.lineno
            if 2 < last + 1 - node.lineno <= LONGEST:
                margin = " " * node.col_offset
                text = "\n".join(line.removeprefix(margin) for line in lines[node.lineno - 1 : last])
                yield text, " ".join(_types(text))
                continue  # what is defined within it is part of it
        waiting.extend(reversed(_statements(node)))


def _statements(node: ast.AST) -> list[ast.AST]:
    """What stands within a statement and may hold statements: no definition is within an expression."""
    child_lists = (value for name in node._fields if isinstance(value := getattr(node, name, None), list))
    return [child for value in child_lists for child in value if isinstance(child, _HOLDERS)]


_HOLDERS = (ast.stmt, ast.excepthandler, ast.match_case)


def _types(text: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(text + "\n").readline):
        if token.type != tokenize.ENDMARKER:
            yield tokenize.tok_name[token.exact_type]


def documented(source: str, tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Headers of functions and classes, in one line, and their docstrings.

    >>> text = "def f(x,\\n      y):\\n    'Sum.'"
    >>> list(documented(text, ast.parse(text)))
    [('def f(x, y):', 'Sum.')]
    """
    lines = source.split("\n")
    waiting: deque[ast.AST] = deque([tree])  # level by level, as `ast.walk` goes
    while waiting:
        node = waiting.popleft()
        waiting.extend(_statements(node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            text = ast.get_docstring(node)
            if text and node.body[0].lineno > node.lineno:
                header = " ".join(line.strip() for line in lines[node.lineno - 1 : node.body[0].lineno - 1])
                yield header, text
