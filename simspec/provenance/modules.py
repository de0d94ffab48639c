"""The source of modules: which statements bind a name, and where a function object is written.

Of a module only its lines and the places of its statements are kept.  A syntax tree is made of one statement when it is asked
for: thousands of nodes that stay alive would be gone through by every collection of garbage.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

from simspec.provenance.changes import Changes
from simspec.provenance.syntax import FUNCTIONS, Imported, bindings, children, constant_text

__all__ = ["Module", "Place", "code_text", "functions_at", "is_compiled_from", "makers", "module_of"]


class Place(NamedTuple):
    """Where a statement stands: lines from 1, columns in bytes."""

    line: int
    column: int
    end_line: int
    end_column: int


class Module(NamedTuple):
    """The source of one file.

    Attributes
    ----------
    lines : its text
    defs : {name: places}
        of the statements at the top level that bind the name, or change what it is bound to.
    imports : {name: (module, name there or None)}
    places : of every statement at the top level
    elsewhere : of statements that change what a name of another module is bound to, by that module and name
    """

    lines: tuple[str, ...]
    defs: Mapping[str, tuple[Place, ...]]
    imports: Mapping[str, Imported]
    places: tuple[Place, ...]
    elsewhere: Mapping[Imported, tuple[Place, ...]]

    def statement(self, place: Place) -> ast.stmt:
        """The syntax tree of a statement; its lines are numbered as if it stood alone."""
        lines = [*self.lines[place.line - 1 : place.end_line]]
        lines[-1] = lines[-1].encode()[: place.end_column].decode()
        lines[0] = lines[0].encode()[place.column :].decode()
        return _parsed_statement("".join(lines), place.column)

    def statements_on(self, line: int) -> list[tuple[ast.stmt, int]]:
        """The statements at the top level that a line belongs to, each with what is to be added to its line numbers."""
        places = [place for place in self.places if place.line <= line <= place.end_line]
        return [(self.statement(place), place.line - 1 - bool(place.column)) for place in places]


@lru_cache(maxsize=64)
def _parsed_statement(text: str, column: int) -> ast.stmt:
    """A statement by itself; one that was indented stands in a block, so that its further lines fit."""
    if not column:
        return ast.parse(text).body[0]
    tree: Any = ast.parse(f"if True:\n{' ' * column}{text}")
    return tree.body[0].body[0]


def module_of(file: str, names: Mapping[str, Any]) -> Module | None:
    """The source of a file as it is now (or of a notebook's cell), or None where it is not at hand.

    >>> sorted(module_of(__file__, {}).imports)[:3]
    ['Any', 'Changes', 'CodeType']
    """
    linecache.checkcache(file)
    lines = linecache.getlines(file, dict(names))
    return _module("".join(lines), str(names.get("__package__") or "")) if lines else None


@lru_cache(maxsize=1024)
def _module(text: str, package: str) -> Module | None:
    """Return the lines of a module and where its names are bound and changed; None where it is not Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    places: list[Place] = []
    bound: dict[str, list[Place]] = {}
    imports: dict[str, Imported] = {}
    statements = list(_top(tree.body))
    for statement, conditions in statements:
        place = _place(statement)
        places.append(place)
        names = bindings([statement], package)
        imports |= names.imports
        for name in names.names:
            bound.setdefault(name, []).extend((place, *conditions))
    changed: dict[str, list[Place]] = {}
    elsewhere: dict[Imported, list[Place]] = {}
    changes = Changes([statement for statement, _ in statements], frozenset(bound))
    for statement, _ in statements:
        for name, attribute in changes.by(statement):
            if name in imports and name not in bound:
                module, imported_name = imports[name]
                elsewhere.setdefault((module, imported_name or attribute), []).append(_place(statement))
            else:
                changed.setdefault(name, []).append(_place(statement))
    # a dictionary keeps the order and drops a statement that both binds and changes a name
    defs = {name: tuple(dict.fromkeys([*binding, *changed.get(name, ())])) for name, binding in bound.items()}
    others = {target: tuple(dict.fromkeys(places_of_target)) for target, places_of_target in elsewhere.items()}
    return Module(tuple(f"{line}\n" for line in text.split("\n")), defs, imports, tuple(places), others)


def _place(statement: ast.stmt) -> Place:
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
    return Place(first, statement.col_offset, statement.end_lineno or first, statement.end_col_offset or 0)


def _top(body: Iterable[ast.stmt], conditions: tuple[Place, ...] = ()) -> Iterator[tuple[ast.stmt, tuple[Place, ...]]]:
    """Statements of a module, those under ``if``, ``try`` and ``with`` one by one, with what decides whether they are run."""
    for statement in body:
        if isinstance(statement, ast.If | ast.Try | ast.With):
            inner = (*conditions, _extent(statement.test)) if isinstance(statement, ast.If) else conditions
            for part in ("body", "orelse", "finalbody"):
                yield from _top(getattr(statement, part, ()), inner)
            for handler in getattr(statement, "handlers", ()):
                yield from _top(handler.body, inner)
        else:
            yield statement, conditions


def _extent(node: ast.expr) -> Place:
    return Place(node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)


# --- where a function object is written -------------------------------------------------------------------------------


def functions_at(
    tree: ast.AST, name: str, line: int, code: CodeType | None = None, shift: int = 0
) -> list[tuple[Any, tuple[Any, ...]]]:
    """The functions of this name (or lambdas) that begin on a line, decorators included, and the functions around each.

    Of several lambdas those remain that the positions of `code` lie in, the innermost alone.  `shift` is what the line numbers
    of the file are larger by than those of the tree.
    """
    line -= shift
    nodes: list[tuple[Any, tuple[Any, ...]]] = []
    todo: list[tuple[Any, tuple[Any, ...]]] = [(tree, ())]
    while todo:
        node, around = todo.pop()
        first = getattr(node, "lineno", line)
        if isinstance(node, FUNCTIONS):
            first = min([first, *(d.lineno for d in node.decorator_list)])
            if node.name == name and first == line:
                nodes.append((node, around))
        elif isinstance(node, ast.Lambda) and name == "<lambda>" and first == line:
            nodes.append((node, around))
        if not isinstance(node, ast.ClassDef) and not first <= line <= getattr(node, "end_lineno", line):
            continue
        inner = (node, *around) if isinstance(node, (*FUNCTIONS, ast.Lambda)) else around
        todo += [(child, inner) for child in reversed(children(node))]
    if len(nodes) < 2 or code is None:
        return nodes
    spots = [spot for spot in code.co_positions() if None not in spot and spot[2] != spot[3]]
    held = [pair for pair in nodes if spots and all(_holds(pair[0], spot, shift) for spot in spots)]
    return held[-1:] or nodes  # an inner one comes after those around it


def _holds(node: Any, spot: Any, shift: int) -> bool:
    """Whether the body of a function holds a position: (line, end line, column, end column)."""
    if not isinstance(node, ast.Lambda):
        return True
    line, end_line, column, end_column = spot
    body: Any = node.body
    is_after = (body.lineno + shift, body.col_offset) <= (line, column)
    return is_after and (end_line, end_column) <= (body.end_lineno + shift, body.end_col_offset)


def makers(function: Any, name: str) -> list[ast.stmt]:
    """Statements of a function itself that assign a name.

    >>> function = ast.parse("def f():\\n kept = {}\\n a = 1\\n def g():\\n  kept = 2").body[0]
    >>> [ast.unparse(statement) for statement in makers(function, "kept")]
    ['kept = {}']
    """
    statements: list[ast.stmt] = []
    todo = list(reversed(function.body)) if isinstance(function.body, list) else []
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            if name in bindings([node]).names:
                statements.append(node)
        elif not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            todo += reversed([child for child in children(node) if isinstance(child, ast.stmt | ast.ExceptHandler)])
    return statements


# --- code without source ----------------------------------------------------------------------------------------------


def code_text(code: CodeType) -> str:
    """Bytecode as text without positions and without names of locals, for functions whose source is not at hand.

    >>> code_text((lambda x: x + 1).__code__) == code_text((lambda x: x + 2).__code__)
    False
    """
    constants = [code_text(c) if isinstance(c, CodeType) else constant_text(c) for c in code.co_consts]
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    sizes = (code.co_nlocals, len(code.co_cellvars), len(code.co_freevars))
    return f"code {code.co_code.hex()} {code.co_names} {parameters} {sizes} {constants}"


def is_compiled_from(code: CodeType, module: Module) -> bool:
    """Whether the text of a module compiles to this code, wherever it stands there."""
    return (code.co_name, code_text(code)) in _codes("".join(module.lines))


@lru_cache(maxsize=64)
def _codes(text: str) -> frozenset[tuple[str, str]]:
    todo = [compile(text, "", "exec", dont_inherit=True)]
    for code in todo:
        todo += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return frozenset((code.co_name, code_text(code)) for code in todo)
