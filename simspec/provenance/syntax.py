"""One text for every way to write the same code: what cannot change a value is left out of it.

Left out are comments, docstrings, annotations, imports, positions, the wording of errors, the questions and summaries of
studies, and the names of local variables, which are numbered in the order of their first mention.  Parameters that may be
passed by keyword keep their names; so do the locals of a function that asks for them by name (``locals()``, ``eval``).  What a
global name stands for is left to a `Resolve`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

__all__ = ["Bindings", "Imported", "Resolve", "Writer", "bindings", "children", "constant_text", "imports_of"]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SKIPPED = frozenset({"ctx", "type_comment", "type_params", "kind", "annotation", "returns", "simple"})
_LEAVES = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)
_VALUES = (type(None), type(...), bool, int, float, complex, str, bytes)
_PLAIN = frozenset({*_VALUES, ast.Constant, *(kind for leaf in _LEAVES for kind in leaf.__subclasses__())})
"""Types of what stands in nodes and holds no nodes."""
_WORDS = frozenset({"question", "summary"})
"""Fields of a `Study` that only people read."""
_BY_NAME = frozenset({"locals", "eval", "exec"})
_BY_NAME_WHEN_BARE = frozenset({"vars", "dir"})

_BINDING = frozenset(
    {*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef, ast.Lambda, ast.Name, ast.Call, ast.Import, ast.ImportFrom}
    | {ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping, ast.Global, ast.Nonlocal}
)
"""Nodes that bind names, or in which names are looked for otherwise."""

Imported = tuple[str, str | None]
"""Module, and the name taken from it (None for the module itself)."""
Resolve = Callable[[Sequence[str], Mapping[str, Imported]], str]
"""From a dotted name and the imports of the functions around it to the text that stands for it."""
IsStudy = Callable[[str, Mapping[str, Imported]], bool]
"""From a name and the imports of the functions around it to whether it stands for the class `Study`."""


# --- what binds a name ------------------------------------------------------------------------------------------------


class Bindings(NamedTuple):
    """What the statements of one scope bind, without the insides of functions and classes.

    Attributes
    ----------
    names : names bound in the scope itself
    globals : names declared ``global``
    imports : {name: (module, name there or None)}
    by_name : whether the scope asks for its variables by name, so that their names are values
    """

    names: frozenset[str]
    globals: frozenset[str]
    imports: Mapping[str, Imported]
    by_name: bool


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly in a node, as they are written, without operators and constants."""
    nodes: list[ast.AST] = []
    for value in vars(node).values():
        kind = type(value)
        if kind is list:
            nodes += [item for item in value if type(item) not in _PLAIN]
        elif kind not in _PLAIN:
            nodes.append(value)
    return nodes


def bindings(body: Iterable[ast.AST], package: str = "") -> Bindings:
    """What some statements or expressions of one scope bind.

    >>> bindings(ast.parse("import numpy as np\\nfor i in a:\\n  b = [c for c in d if (e := c)]").body).names == {"i", "b", "e"}
    True
    """
    names: set[str] = set()
    global_names: set[str] = set()
    elsewhere: set[str] = set()
    imports: dict[str, Imported] = {}
    by_name = False
    todo = list(body)
    while todo:
        node = todo.pop()
        if type(node) not in _BINDING:
            todo += children(node)
            continue
        names |= _names_bound(node)
        todo += _parts_in_scope(node)
        if isinstance(node, ast.Global):
            global_names |= {*node.names}
        elif isinstance(node, ast.Nonlocal):
            elsewhere |= {*node.names}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports |= imports_of(node, package)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            by_name |= node.func.id in _BY_NAME or (node.func.id in _BY_NAME_WHEN_BARE and not node.args)
    return Bindings(frozenset(names - global_names - elsewhere), frozenset(global_names), imports, by_name)


def _names_bound(node: ast.AST) -> set[str]:
    """Names that a node itself binds."""
    match node:
        case ast.Name():
            return set() if isinstance(node.ctx, ast.Load) else {node.id}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return {name}
        case ast.MatchMapping(rest=str(name)):
            return {name}
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return _walrus_names(node)
    return set()


def _parts_in_scope(node: ast.AST) -> list[ast.AST]:
    """What stands in a node and belongs to the scope around it."""
    if isinstance(node, FUNCTIONS):
        return [*node.decorator_list, *_defaults(node.args)]
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    if isinstance(node, ast.Lambda):
        return _defaults(node.args)
    return [] if isinstance(node, COMPREHENSIONS) else children(node)


def _defaults(arguments: ast.arguments) -> list[ast.AST]:
    return [default for default in (*arguments.defaults, *arguments.kw_defaults) if default is not None]


def _walrus_names(comprehension: ast.AST) -> set[str]:
    """Names that ``:=`` binds in a comprehension: they belong to the function around it."""
    names: set[str] = set()
    todo = [comprehension]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.NamedExpr):
            names.add(node.target.id)
        if not isinstance(node, ast.Lambda):
            todo += children(node)
    return names


def imports_of(node: ast.Import | ast.ImportFrom, package: str = "") -> dict[str, Imported]:
    """What an import statement binds.

    >>> imports_of(ast.parse("import numpy as np, os.path").body[0])
    {'np': ('numpy', None), 'os': ('os', None)}
    >>> imports_of(ast.parse("from ..b import c as d").body[0], "top.a")
    {'d': ('top.b', 'c')}
    """
    if isinstance(node, ast.ImportFrom):
        parts = package.split(".")
        above = parts[: len(parts) - node.level + 1] if node.level else []
        module = ".".join([*above, *([node.module] if node.module else [])])
        return {alias.asname or alias.name: (module, alias.name) for alias in node.names}
    imports: dict[str, Imported] = {}
    for alias in node.names:
        first = alias.name.split(".")[0]
        imports[alias.asname or first] = (alias.name if alias.asname else first, None)
    return imports


# --- the text ---------------------------------------------------------------------------------------------------------


class _Scope:
    """Names of a function, comprehension or class, with the text that stands for each: None until it is mentioned."""

    def __init__(self, names: dict[str, str | None], bound: Bindings | None = None, is_class: bool = False) -> None:
        self.names = names
        self.imports: Mapping[str, Imported] = bound.imports if bound else {}
        self.globals: frozenset[str] = bound.globals if bound else frozenset()
        self.is_class = is_class


def _is_no_study(name: str, imports: Mapping[str, Imported]) -> bool:
    return False


def _same(name: str) -> str:
    return f"Name({name})"


class Writer:
    """Writes pieces of code as text: equal for pieces that compute the same in the same way.

    One writer numbers the local variables of all that it writes.

    >>> def written(text):
    ...     return Writer(lambda dotted, imports: ".".join(dotted)).text(ast.parse(text).body)
    >>> written("def f(x):\\n  y = x  # why\\n  return y") == written("def f(x: int):\\n  'Doc.'\\n  z = x\\n  return z")
    True
    >>> written("def f(x):\\n  y = x\\n  return y") == written("def f(x):\\n  y = x\\n  return x")
    False
    """

    def __init__(self, resolve: Resolve, package: str = "", is_study: IsStudy = _is_no_study) -> None:
        self.resolve = resolve
        self.package = package
        self.is_study = is_study
        self.count = 0
        self.scopes: list[_Scope] = []

    def text(self, node: Any) -> str:
        """The text of a node, of a list of nodes, or of what stands in a node."""
        write = _WRITERS.get(type(node))
        if write is not None:
            return write(self, node)
        return self._parts(node) if isinstance(node, ast.AST) else repr(node)

    def _parts(self, node: ast.AST) -> str:
        """The text of a node, from the texts of its fields."""
        parts = []
        kind: Any = type(node)
        for name in _fields(kind):
            value = getattr(node, name, None)
            if value is not None and value != []:
                parts.append(f"{name}={self.text(value)}")
        return f"{kind.__name__}({','.join(parts)})"

    def enter(self, node: Any) -> None:
        """Take the names of a function or lambda as local from here on."""
        arguments = node.args
        bound = bindings(node.body if isinstance(node.body, list) else [node.body], self.package)
        names: dict[str, str | None] = {name: _same(name) if bound.by_name else None for name in bound.names}
        rest = [arg for arg in (arguments.vararg, arguments.kwarg) if arg is not None]
        names |= {arg.arg: _same(arg.arg) if bound.by_name else None for arg in (*arguments.posonlyargs, *rest)}
        names |= {arg.arg: _same(arg.arg) for arg in (*arguments.args, *arguments.kwonlyargs)}
        self.scopes.append(_Scope(names, bound))

    def function(self, node: Any) -> str:
        """The text of a function or lambda without its own name."""
        arguments = node.args
        defaults = [self.text(d) if d else "" for d in (*arguments.defaults, *arguments.kw_defaults)]
        decorators = [*filter(None, map(self.text, getattr(node, "decorator_list", ())))]
        around = self.scopes
        self.scopes = self._outside_classes()
        self.enter(node)
        groups = [arguments.posonlyargs, arguments.args, arguments.kwonlyargs]
        groups += [[arg] if arg else [] for arg in (arguments.vararg, arguments.kwarg)]
        parameters = [[self._bound(parameter.arg) for parameter in group] for group in groups]
        body = self.text(node.body)
        self.scopes = around
        return f"{type(node).__name__} {parameters} {defaults} {decorators} {body}"

    def _outside_classes(self) -> list[_Scope]:
        """The scopes that a method, or a comprehension in a class, sees: not the names of the class."""
        return [scope for scope in self.scopes if not scope.is_class]

    def _bound(self, name: str) -> str:
        """The text that stands for a name where it is bound."""
        for scope in reversed(self.scopes):
            if name in scope.globals:
                break
            if name in scope.names:
                return self._local(scope, name)
        return _same(name)

    def _local(self, scope: _Scope, name: str) -> str:
        stands_for = scope.names[name]
        if stands_for is None:
            stands_for = scope.names[name] = f"#{self.count}"
            self.count += 1
        return stands_for

    def _dotted(self, node: ast.Name | ast.Attribute) -> str:
        """A name, or what is reached from one by dots: the first part is local, or is resolved together with the rest."""
        if not isinstance(node.ctx, ast.Load):
            return self._bound(node.id) if isinstance(node, ast.Name) else self._attribute(node)
        attributes: list[str] = []
        first: ast.expr = node
        while isinstance(first, ast.Attribute):
            attributes.append(first.attr)
            first = first.value
        if not isinstance(first, ast.Name):
            return self._attribute(node)
        dotted = [first.id, *reversed(attributes)]
        for scope in reversed(self.scopes):
            if first.id in scope.globals:
                break
            if first.id in scope.imports:
                return self.resolve(dotted, scope.imports)
            if first.id in scope.names:
                return ".".join([self._local(scope, first.id), *dotted[1:]])
        return self.resolve(dotted, {})

    def _attribute(self, node: Any) -> str:
        return f"Attribute({self.text(node.value)},{node.attr})"

    def _definition(self, node: Any) -> str:
        return f"{self._bound(node.name)} {self.function(node)}"

    def _class(self, node: ast.ClassDef) -> str:
        outer = [self.text(part) for part in (*node.decorator_list, *node.bases, *node.keywords)]
        bound = bindings(node.body, self.package)
        self.scopes.append(_Scope({name: _same(name) for name in bound.names}, bound, is_class=True))
        body = self.text(node.body)
        self.scopes.pop()
        return f"ClassDef {node.name} {outer} {body}"

    def _comprehension(self, node: Any) -> str:
        first = self.text(node.generators[0].iter)  # is evaluated outside
        targets = bindings([generator.target for generator in node.generators])
        around = self.scopes
        self.scopes = [*self._outside_classes(), _Scope(dict.fromkeys(targets.names))]
        rest = [
            [self.text(g.target), self.text(g.iter) if place else first, self.text(g.ifs), g.is_async]
            for place, g in enumerate(node.generators)
        ]
        values = [self.text(getattr(node, part)) for part in ("elt", "key", "value") if hasattr(node, part)]
        self.scopes = around
        return f"{type(node).__name__} {rest} {values}"

    def _call(self, node: ast.Call) -> str:
        """A call; one that makes a study, without the words in it: its rows do not depend on them."""
        wording = [k for k in node.keywords if k.arg in _WORDS and _is_wording(k.value)]
        if wording and isinstance(node.func, ast.Name) and self._makes_study(node.func.id):
            keywords = [k for k in node.keywords if k not in wording]
            return self._parts(ast.Call(func=node.func, args=node.args, keywords=keywords))
        return self._parts(node)

    def _makes_study(self, name: str) -> bool:
        for scope in reversed(self.scopes):
            if name in scope.globals:
                break
            if name in scope.imports:
                return self.is_study(name, scope.imports)
            if name in scope.names:
                return False
        return self.is_study(name, {})

    def _raise(self, node: ast.Raise) -> str:
        return f"Raise({self._error(node.exc)},{self.text(node.cause) if node.cause else ''})"

    def _error(self, error: ast.expr | None) -> str:
        """What is raised, without its wording."""
        if isinstance(error, ast.Call):
            arguments = [self.text(argument) for argument in error.args if not _is_wording(argument)]
            return f"Call({self.text(error.func)},{arguments},{[self.text(k) for k in error.keywords]})"
        return self.text(error) if error else ""

    def _assert(self, node: ast.Assert) -> str:
        return f"Assert({self.text(node.test)})"

    def _annotated(self, node: ast.AnnAssign) -> str:
        return f"Assign(targets=[{self.text(node.target)}],value={self.text(node.value) if node.value else ''})"

    def _expression(self, node: ast.Expr) -> str:
        is_docstring = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return "" if is_docstring else f"Expr({self.text(node.value)})"

    def _handler(self, node: ast.ExceptHandler) -> str:
        error = self.text(node.type) if node.type else ""
        return f"ExceptHandler({error},{self._bound(node.name) if node.name else ''},{self.text(node.body)})"

    def _captured(self, node: ast.MatchAs | ast.MatchStar) -> str:
        pattern = getattr(node, "pattern", None)
        name = self._bound(node.name) if node.name else ""
        return f"{type(node).__name__}({self.text(pattern) if pattern else ''},{name})"

    def _mapping(self, node: ast.MatchMapping) -> str:
        rest = self._bound(node.rest) if node.rest else ""
        return f"MatchMapping({self.text(node.keys)},{self.text(node.patterns)},{rest})"

    def _list(self, nodes: list[Any]) -> str:
        return f"[{','.join(filter(None, map(self.text, nodes)))}]"

    def _nothing(self, node: ast.AST) -> str:
        return ""

    def _constant(self, node: ast.Constant) -> str:
        return constant_text(node.value)


@cache
def _fields(kind: type) -> tuple[str, ...]:
    return tuple(name for name in getattr(kind, "_fields", ()) if name not in _SKIPPED)


def constant_text(value: object) -> str:
    """A constant of the language as text.

    >>> constant_text(1), constant_text(True), constant_text(frozenset({2, 1}))
    ('int 1', 'bool True', "frozenset ['1', '2']")
    """
    return f"{type(value).__name__} {sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)}"


def _is_wording(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_wording(node.left) or _is_wording(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


_WRITERS: dict[type, Callable[[Writer, Any], str]] = {
    list: Writer._list,
    ast.Name: Writer._dotted,
    ast.Attribute: Writer._dotted,
    ast.Constant: Writer._constant,
    ast.Lambda: Writer.function,
    ast.ClassDef: Writer._class,
    ast.Call: Writer._call,
    ast.Raise: Writer._raise,
    ast.Assert: Writer._assert,
    ast.AnnAssign: Writer._annotated,
    ast.Expr: Writer._expression,
    ast.ExceptHandler: Writer._handler,
    ast.MatchAs: Writer._captured,
    ast.MatchStar: Writer._captured,
    ast.MatchMapping: Writer._mapping,
    **dict.fromkeys(FUNCTIONS, Writer._definition),
    **dict.fromkeys(COMPREHENSIONS, Writer._comprehension),
    **dict.fromkeys((ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal), Writer._nothing),
}
