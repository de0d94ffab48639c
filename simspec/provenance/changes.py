"""Which statements of a module change what a name is bound to, when the module is run: not all of them say the name.

``TABLE["a"] = 1`` does, and so do: the same of another name of the table; a call, or a decorator, of a function that changes
it; a class below one that does; and ``globals()``, which reaches every name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from simspec.provenance.syntax import FUNCTIONS, bindings, children

__all__ = ["Changes"]

Target = tuple[str, str | None]
"""A name, and the attribute of it that is changed, if it is one."""
REACHING = frozenset({"globals", "vars", "locals", "exec", "eval"})
"""Functions that reach every name of a module."""


class Changes:
    """What the statements at the top level of a module change, beside what they bind.

    Parameters
    ----------
    statements : at the top level
    bound : names that they bind

    >>> text = "A = [1]\\nB = A\\nB[0] = 2\\ndef f():\\n  A.append(3)\\nc = f()\\nd = len(A)"
    >>> body = ast.parse(text).body
    >>> [sorted({name for name, _ in Changes(body, frozenset("ABfcd")).by(statement)}) for statement in body]
    [[], [], ['A', 'B'], [], ['A'], []]
    """

    def __init__(self, statements: Sequence[ast.stmt], bound: frozenset[str]) -> None:
        self.bound = bound
        self.aliases: dict[str, set[str]] = {}
        self.effects: dict[str, set[Target]] = {}
        self._inside: dict[str, set[str]] = {}
        for statement in statements:
            if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                inner = [
                    node for node in statement.body if not isinstance(statement, ast.ClassDef) or _is_function(node)
                ]
                changed_inside = set[Target]().union(*(_changed(node, True) for node in inner))
                self.effects.setdefault(statement.name, set()).update((n, a) for n, a in changed_inside if n in bound)
                self._inside.setdefault(statement.name, set()).update(_loaded(inner, True))
            for name, others in _aliased(statement):
                self.aliases.setdefault(name, set()).update(others)

    def by(self, statement: ast.stmt) -> set[Target]:
        """Names whose objects a statement may change."""
        if _reaches_all(statement):
            return {(name, None) for name in self.bound}
        targets = _changed(statement, False)
        for name in _called(statement):
            targets |= self._effects_of(name)
        return targets | {(name, None) for name in self._same([name for name, _ in targets])}

    def _effects_of(self, name: str) -> set[Target]:
        """What a function changes, and those that it mentions."""
        targets: set[Target] = set()
        functions_so_far: set[str] = set()
        todo = [name]
        while todo:
            function = todo.pop()
            if function not in functions_so_far and function in self.effects:
                functions_so_far.add(function)
                targets |= self.effects[function]
                todo += self._inside[function]
        return targets

    def _same(self, names: Iterable[str]) -> set[str]:
        """Names that may stand for the same objects as these, or for what these hold."""
        alike: set[str] = set()
        todo = [*names]
        while todo:
            for alias in self.aliases.get(todo.pop(), ()):
                if alias not in alike:
                    alike.add(alias)
                    todo.append(alias)
        return alike


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, FUNCTIONS)


def _reaches_all(statement: ast.stmt) -> bool:
    """Whether what is run of a statement reaches all names of the module, by its dictionary or by the list of modules."""
    for node in _run(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in REACHING and not (node.func.id == "vars" and node.args):
                return True
        elif isinstance(node, ast.Attribute) and node.attr == "modules":
            return True
    return False


def _run(statement: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement that are run with the module: not the bodies of functions."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, FUNCTIONS):
            defaults = [default for default in (*node.args.defaults, *node.args.kw_defaults) if default is not None]
            todo += [*node.decorator_list, *defaults]
        elif not isinstance(node, ast.Lambda):
            todo += children(node)


def _nodes(statement: ast.AST, is_inside: bool) -> Iterator[ast.AST]:
    return ast.walk(statement) if is_inside else _run(statement)


def _loaded(statements: Iterable[ast.AST], is_inside: bool) -> set[str]:
    """Names that are read, in what is run of some statements, or anywhere in them."""
    nodes = (node for statement in statements for node in _nodes(statement, is_inside))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _called(statement: ast.stmt) -> set[str]:
    """Names of what is called when a statement is run: functions, decorators, and classes that others are below."""
    names: set[str] = set()
    for node in _run(statement):
        callees: list[ast.AST] = [node.func] if isinstance(node, ast.Call) else []
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            callees += node.decorator_list
        if isinstance(node, ast.ClassDef):
            callees += [*node.bases, *(keyword.value for keyword in node.keywords)]
        names |= {name.id for callee in callees for name in ast.walk(callee) if isinstance(name, ast.Name)}
    return names


def _changed(statement: ast.AST, is_inside: bool) -> set[Target]:
    """Names that a statement itself changes.

    ``TABLE["a"] = 1``, ``LIST.append(2)``, ``setattr(KIND, "a", 1)``, ``global NAME``, a function under ``@SEVERAL.register``.

    >>> texts = ("T['a'] = 1", "L.sort()", "put(A, 0, 1)", "x = f(A)", "m.b = 2")
    >>> [sorted(_changed(ast.parse(text).body[0], False)) for text in texts]
    [[('T', None)], [('L', 'sort')], [('A', None)], [], [('m', 'b')]]
    """
    targets: set[Target] = set()
    for node in _nodes(statement, is_inside):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            decorators = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
            targets |= set[Target]().union(*(_root(d) for d in decorators if isinstance(d, ast.Attribute)))
        elif isinstance(node, ast.Global):
            targets |= {(name, None) for name in node.names}
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            targets |= _root(node.value.func)
            arguments = (*node.value.args, *(keyword.value for keyword in node.value.keywords))
            targets |= {(argument.id, None) for argument in arguments if isinstance(argument, ast.Name)}
        elif isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            targets |= _root(node)
    return targets


def _root(node: ast.AST) -> set[Target]:
    """The name that an attribute or an item is taken from, if there is one, and its first attribute."""
    if isinstance(node, ast.Name):
        return set()
    attribute: str | None = None
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        attribute = node.attr if isinstance(node, ast.Attribute) else None
        node = node.func if isinstance(node, ast.Call) else node.value
    return {(node.id, attribute)} if isinstance(node, ast.Name) else set()


def _aliased(statement: ast.stmt) -> Iterator[tuple[str, set[str]]]:
    """Names that a statement binds to objects that have other names, or that hold these: not what calls return."""
    if isinstance(statement, ast.For):
        yield from ((name, _held(statement.iter)) for name in bindings([statement.target]).names)
    for node in _run(statement):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((name, _held(node.value)) for name in bindings(targets).names)


def _held(value: ast.expr) -> set[str]:
    """Names of the objects that an expression is, or holds."""
    names: set[str] = set()
    todo: list[ast.AST] = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
            todo.append(node.value)
        elif isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict | ast.IfExp | ast.BoolOp):
            todo += children(node)
    return names
