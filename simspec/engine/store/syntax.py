"""Source as syntax trees: what a module's names are bound to, and one text for every way to write the same code.

The text of a piece of code leaves out what cannot change a value: comments, docstrings, annotations, imports, positions,
and the wording of errors.  What the names in it refer to is `simspec.engine.store.fingerprint`.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

__all__ = [
    "Imported",
    "Module",
    "code_text",
    "compiled_codes",
    "imports_of",
    "module_of",
    "nodes_of",
    "targets",
    "text_of",
]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CLOSED = frozenset({*_FUNCTIONS, ast.ClassDef, ast.Lambda, *_COMPREHENSIONS})
"""What has names of its own."""
_SKIPPED = frozenset({"ctx", "type_comment", "type_params", "kind", "annotation", "returns", "simple"})

Imported = tuple[str, str | None]
"""Module, and the name taken from it (None for the module itself)."""
Resolve = Callable[[Sequence[str], Mapping[str, Imported]], str]
"""From a dotted name and the imports of the functions around it to the text that stands for it."""


class Module(NamedTuple):
    """The syntax of one file.

    Attributes
    ----------
    tree : ast.Module
    defs : {name: statements}
        those at the top level that bind the name or change what it is bound to.
    imports : {name: (module, name there or None)}
    """

    tree: ast.Module
    defs: Mapping[str, tuple[ast.stmt, ...]]
    imports: Mapping[str, Imported]


def module_of(file: str, space: Mapping[str, Any]) -> Module | None:
    """The syntax of a file as it is now (or of a notebook's cell), or None where its source is not at hand."""
    linecache.checkcache(file)
    lines = linecache.getlines(file, dict(space))
    return _parsed("".join(lines), str(space.get("__package__") or "")) if lines else None


@lru_cache(maxsize=1024)
def _parsed(text: str, package: str) -> Module | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    bound: dict[str, list[ast.stmt]] = {}
    changed: dict[str, list[ast.stmt]] = {}
    for statement in _top(tree.body):
        for name in _binds(_inside(statement)):
            bound.setdefault(name, []).append(statement)
        for name in _changes(statement):
            changed.setdefault(name, []).append(statement)
    defs = {name: tuple(dict.fromkeys([*made, *changed.get(name, ())])) for name, made in bound.items()}
    return Module(tree, defs, imports_of(tree.body, package))


def _top(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, those under ``if``, ``try`` and ``with`` one by one."""
    for statement in body:
        if isinstance(statement, ast.If | ast.Try | ast.With):
            for part in ("body", "orelse", "finalbody"):
                yield from _top(getattr(statement, part, ()))
            for handler in getattr(statement, "handlers", ()):
                yield from _top(handler.body)
        else:
            yield statement


def _inside(node: ast.AST) -> list[ast.AST]:
    """A node and what is in it, as it is written, but not the insides of functions, classes and comprehensions."""
    found, todo = [], [node]
    while todo:
        node = todo.pop()
        found.append(node)
        if type(node) not in _CLOSED:
            todo += reversed([*ast.iter_child_nodes(node)])
    return found


def _binds(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that some of these nodes bind."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                found.add(node.id)
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, _COMPREHENSIONS):
            found |= {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
    return found


def _root(node: ast.AST) -> str | None:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _changes(statement: ast.AST) -> set[str]:
    """Names whose objects a statement may change: ``TABLE["a"] = 1``, ``LIST.append(2)``."""
    if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
        return set()
    stores = (ast.Attribute, ast.Subscript)
    inside = _inside(statement)
    nodes = [n for n in inside if isinstance(n, stores) and not isinstance(n.ctx, ast.Load)]
    calls = [n.value.func for n in inside if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
    return {name for n in (*nodes, *calls) if isinstance(n, stores) and (name := _root(n))}


def targets(tree: ast.AST, name: str) -> list[ast.stmt]:
    """Statements anywhere in a function that assign a name.

    >>> [ast.unparse(s) for s in targets(ast.parse("def f():\\n kept = {}\\n a = 1"), "kept")]
    ['kept = {}']
    """
    kinds = (ast.Assign, ast.AnnAssign, ast.AugAssign)
    return [n for n in ast.walk(tree) if isinstance(n, kinds) and name in _binds(_inside(n))]


def imports_of(body: Iterable[ast.stmt], package: str = "") -> dict[str, Imported]:
    """What the import statements of a body bind.

    >>> imports_of(ast.parse("import numpy as np\\nfrom a.b import c as d").body)
    {'np': ('numpy', None), 'd': ('a.b', 'c')}
    """
    return _imports([node for statement in body for node in _inside(statement)], package)


def _imports(nodes: Iterable[ast.AST], package: str) -> dict[str, Imported]:
    found: dict[str, Imported] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.split(".")[0]] = (
                    (alias.name, None) if alias.asname else (alias.name.split(".")[0], None)
                )
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            above = parts[: len(parts) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            found |= {alias.asname or alias.name: (module, alias.name) for alias in node.names}
    return found


@lru_cache(maxsize=8192)
def _scope(node: Any, package: str) -> tuple[frozenset[str], dict[str, Imported]]:
    """Names that are local in a function or lambda, and what its imports bind; once for each place in a file."""
    a = node.args
    every = {x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg)))}
    inside = [x for part in _body(node) for x in _inside(part)]
    elsewhere = {n for x in inside if isinstance(x, ast.Global) for n in x.names}
    return frozenset((every | _binds(inside)) - elsewhere), _imports(inside, package)


def _body(node: Any) -> list[ast.AST]:
    return node.body if isinstance(node.body, list) else [node.body]


def nodes_of(tree: ast.Module, name: str, line: int) -> list[ast.AST]:
    """The functions of this name (or lambdas) that begin on a line, decorators included."""
    found: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS) and node.name == name:
            if min([node.lineno, *(d.lineno for d in node.decorator_list)]) == line:
                found.append(node)
        elif isinstance(node, ast.Lambda) and name == "<lambda>" and node.lineno == line:
            found.append(node)
    return found


def compiled_codes(tree: ast.Module) -> list[CodeType]:
    """Every code object that a module compiles to."""
    todo: list[Any] = [compile(tree, "", "exec", dont_inherit=True)]
    for code in todo:
        todo += [const for const in code.co_consts if isinstance(const, CodeType)]
    return todo


def code_text(code: CodeType) -> str:
    """Bytecode as text without positions, for functions whose source is not at hand.

    >>> code_text((lambda x: x + 1).__code__) == code_text((lambda x: x + 2).__code__)
    False
    """
    consts = [code_text(c) if isinstance(c, CodeType) else _constant(c) for c in code.co_consts]
    return f"code {code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {consts}"


def _constant(value: Any) -> str:
    return f"{type(value).__name__} {sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)}"


# --- one text for the same code ---------------------------------------------------------------------------------------


def text_of(node: ast.AST, resolve: Resolve, package: str = "") -> str:
    """A piece of code as text: equal for pieces that compute the same in the same way."""
    return _Writer(resolve, package).text(node)


class _Writer:
    """Walks a tree with the names that are local at each place."""

    def __init__(self, resolve: Resolve, package: str) -> None:
        self.resolve, self.package = resolve, package
        self.scopes: list[tuple[Set[str], Mapping[str, Imported]]] = []

    def text(self, node: Any) -> str:
        if isinstance(node, ast.Name | ast.Attribute) and (name := self._name(node)) is not None:
            return name
        if isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            return self._function(node)
        if isinstance(node, ast.ClassDef):
            return self._class(node)
        if isinstance(node, _COMPREHENSIONS):
            return self._comprehension(node)
        if isinstance(node, ast.Constant):
            return _constant(node.value)
        if isinstance(node, ast.Raise):
            return f"Raise({self._error(node.exc)},{self.text(node.cause) if node.cause else ''})"
        if isinstance(node, ast.Assert):
            return f"Assert({self.text(node.test)})"
        if isinstance(node, ast.AnnAssign):
            value = self.text(node.value) if node.value else ""
            return f"Assign(targets=[{self.text(node.target)}],value={value})"
        if isinstance(node, list):
            return f"[{','.join(filter(None, map(self.text, node)))}]"
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_text(node):
            return ""
        if not isinstance(node, ast.AST):
            return repr(node)
        fields = ((n, v) for n, v in ast.iter_fields(node) if n not in _SKIPPED and v is not None and v != [])
        return f"{type(node).__name__}({','.join(f'{n}={self.text(v)}' for n, v in fields)})"

    def _name(self, node: ast.expr) -> str | None:
        """What stands for a dotted name that is read, if its first part is not local."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                return None
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        if not isinstance(node.ctx, ast.Load):
            return f"Name({node.id})"
        dotted = [node.id, *reversed(parts)]
        for names, imports in reversed(self.scopes):
            if node.id in imports:
                return self.resolve(dotted, imports)
            if node.id in names:
                return f"Name({'.'.join(dotted)})"
        return self.resolve(dotted, {})

    def _function(self, node: Any) -> str:
        a = node.args
        every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
        defaults = [self.text(d) if d else "" for d in (*a.defaults, *a.kw_defaults)]
        kinds = [*(len(x) for x in (a.posonlyargs, a.args, a.kwonlyargs)), bool(a.vararg), bool(a.kwarg)]
        decorators = [*filter(None, map(self.text, getattr(node, "decorator_list", ())))]
        self.scopes.append(_scope(node, self.package))
        inner = self.text(_body(node))
        self.scopes.pop()
        head = f"{type(node).__name__} {getattr(node, 'name', '')} {[x.arg for x in every]} {kinds}"
        return f"{head} {defaults} {decorators} {inner}"

    def _class(self, node: ast.ClassDef) -> str:
        outer = [self.text(x) for x in (*node.decorator_list, *node.bases, *node.keywords)]
        local = _binds([x for statement in node.body for x in _inside(statement)])
        parts = []
        for statement in node.body:
            if isinstance(statement, _FUNCTIONS):  # does not see the names of the class
                parts.append(self.text(statement))
                continue
            self.scopes.append((local, imports_of([statement], self.package)))
            parts.append(self.text(statement))
            self.scopes.pop()
        return f"ClassDef {node.name} {outer} {parts}"

    def _comprehension(self, node: Any) -> str:
        first = self.text(node.generators[0].iter)  # seen from outside
        local = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        self.scopes.append((local, {}))
        rest = [
            [self.text(g.target), self.text(g.iter) if i else first, self.text(g.ifs), g.is_async]
            for i, g in enumerate(node.generators)
        ]
        made = [self.text(getattr(node, part)) for part in ("elt", "key", "value") if hasattr(node, part)]
        self.scopes.pop()
        return f"{type(node).__name__} {rest} {made}"

    def _error(self, error: ast.expr | None) -> str:
        """What is raised, without its wording."""
        if isinstance(error, ast.Call):
            kept = [self.text(a) for a in error.args if not _wording(a)]
            return f"Call({self.text(error.func)},{kept},{[self.text(k) for k in error.keywords]})"
        return self.text(error) if error else ""


def _wording(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _wording(node.left) or _wording(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_text(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
