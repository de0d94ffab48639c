"""The text of code: what cannot change a value is not in it, and all else is."""

from __future__ import annotations

import ast
import random
import symtable
from pathlib import Path

import pytest

import simspec
from simspec.provenance.files import text_hash

FUNCTION = """
def f(p, *rest, scale=1.0, **options):
    \"\"\"What it does.\"\"\"
    total, count = 0.0, 1
    for index, mass in enumerate(p):
        if (share := mass * scale) > 0.5:
            total += share * index
        else:
            count -= 1
    try:
        value = total / count
    except ZeroDivisionError as error:
        raise ValueError(f"count: {count}; expected more") from error
    def inner(x):
        nonlocal count
        doubled = 2 * x
        count = doubled
        return doubled
    squares = [item**2 for item in p if item]
    pairs = {key: other for key, other in options.items()}
    with open(rest[0]) as file:
        text = file.read()
    match p:
        case [head, *tail]:
            value += head
        case {"a": entry, **others}:
            value -= entry + len(others)
    return value + inner(count) + sum(squares) + len(pairs) + len(text) + sum(tail)
"""
LOCALS = (
    "total count index mass share value error inner doubled squares item pairs key other file text head tail entry others"
).split()


def text_with(source: str, names: dict[str, str]) -> str:
    """The source with identifiers of variables replaced, by the syntax tree."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for field in ("id", "name", "rest"):
            if getattr(node, field, None) in names and not isinstance(node, ast.alias):
                setattr(node, field, names[getattr(node, field)])
        if isinstance(node, ast.Nonlocal):
            node.names = [names.get(name, name) for name in node.names]
        if isinstance(node, ast.arguments):
            for arg in (node.vararg, node.kwarg, *node.posonlyargs):
                if arg is not None:
                    arg.arg = names.get(arg.arg, arg.arg)
    return ast.unparse(ast.fix_missing_locations(tree))


@pytest.mark.parametrize("name", [*LOCALS, "rest", "options"])
def test_renaming_a_local_changes_nothing(name: str) -> None:
    other = text_with(FUNCTION, {name: "another"})
    assert other != ast.unparse(ast.parse(FUNCTION))
    assert text_hash(other) == text_hash(FUNCTION)


def test_renaming_every_local_changes_nothing_and_exchanging_two_does() -> None:
    assert text_hash(text_with(FUNCTION, {name: f"_{name}" for name in LOCALS})) == text_hash(FUNCTION)
    assert text_hash(text_with(FUNCTION, {"total": "count", "count": "total"})) == text_hash(FUNCTION)  # consistently
    assert text_hash(FUNCTION.replace("total / count", "count / total")) != text_hash(FUNCTION)
    assert text_hash(FUNCTION.replace("total, count = 0.0, 1", "count, total = 0.0, 1")) != text_hash(FUNCTION)


CHANGES = [
    ("total / count", "total * count"),
    ("0.5", "0.6"),
    ("enumerate(p)", "sorted(p)"),
    ("scale=1.0", "scale=2.0"),
    ("scale=1.0", "factor=1.0"),
    ("share * index", "index * share"),
    ("nonlocal count", "pass"),
    ("for item in p", "for item in rest"),
    ("item**2", "total**2"),
    ("except ZeroDivisionError", "except ArithmeticError"),
    ("raise ValueError", "raise KeyError"),
    ("key: other for", "other: key for"),
    ("key, other in", "other, key in"),
    ("(share := mass * scale)", "(mass := mass * scale)"),
    ("[head, *tail]", "[*head, tail]"),
    ("return doubled", "return x"),
    ("2 * x", "2.0 * x"),
    ("squares = ", "global squares; squares = "),
    ("p, *rest", "p, rest"),
]


@pytest.mark.parametrize(("old", "new"), CHANGES, ids=[f"{old} - {new}" for old, new in CHANGES])
def test_what_changes_a_value_changes_the_text(old: str, new: str) -> None:
    assert FUNCTION.count(old) == 1 or old in ("0.5", "scale=1.0")
    assert text_hash(FUNCTION.replace(old, new)) != text_hash(FUNCTION)


SAME = [
    ("What it does.", "What it does not."),
    ("; expected more", "; expected at least one"),
    ("scale=1.0", "scale: float = 1.0"),
    ("**options):", "**options) -> float:"),
    ("value = total / count", "value: float = total / count  # why"),
    ("total / count", "(total\n            / count)"),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_what_cannot_change_a_value_does_not(old: str, new: str) -> None:
    assert old in FUNCTION
    assert text_hash(FUNCTION.replace(old, new)) == text_hash(FUNCTION)


SCOPES_SAME = {
    "a comprehension's variable shadows a local": (
        "def f(a):\n x = a\n return [x for x in a], x",
        "def f(a):\n x = a\n return [y for y in a], x",
    ),
    "a nested function's local shadows one around it": (
        "def f(a):\n x = a\n def g():\n  x = 1\n  return x\n return g, x",
        "def f(a):\n x = a\n def h():\n  y = 1\n  return y\n return h, x",
    ),
    "a closure": (
        "def f(a):\n x = a\n return lambda b: x + b",
        "def f(a):\n y = a\n return lambda b: y + b",
    ),
    "a recursive inner function": (
        "def f(a):\n def g(n):\n  return g(n - 1) if n else a\n return g",
        "def f(a):\n def h(n):\n  return h(n - 1) if n else a\n return h",
    ),
    "a walrus in a comprehension binds outside": (
        "def f(a):\n b = [y for c in a if (y := c)]\n return y",
        "def f(a):\n b = [z for d in a if (z := d)]\n return z",
    ),
    "a positional parameter": ("def f(x, /, y):\n return x + y", "def f(z, /, y):\n return z + y"),
    "a decorated inner function": (
        "def f(d):\n @d\n def g(): return 1\n return g",
        "def f(d):\n @d\n def h(): return 1\n return h",
    ),
    "a local beside a class attribute of its name": (
        "class A:\n size = 1\n def f(self):\n  size = 2\n  return size",
        "class A:\n size = 1\n def f(self):\n  length = 2\n  return length",
    ),
    "the name of an import": (
        "import numpy as np\ndef f(a):\n return np.abs(a)",
        "import numpy\ndef f(a):\n return numpy.abs(a)",
    ),
}
SCOPES_OTHER = {
    "which variable a comprehension yields": (
        "def f(a):\n x = a\n return [x for x in a]",
        "def f(a):\n x = a\n return [x for y in a]",
    ),
    "which scope a closure takes from": (
        "def f(a):\n x = a\n def g():\n  x = 1\n  return x\n return g",
        "def f(a):\n x = a\n def g():\n  y = 1\n  return x\n return g",
    ),
    "nonlocal": (
        "def f(a):\n x = a\n def g():\n  nonlocal x\n  x = 1\n g()\n return x",
        "def f(a):\n x = a\n def g():\n  x = 1\n g()\n return x",
    ),
    "global": ("def f(a):\n global x\n x = a", "def f(a):\n x = a"),
    "a global under a local of its name": (
        "def f(a):\n x = a\n def g():\n  global x\n  return x\n return g",
        "def f(a):\n x = a\n def g():\n  return x\n return g",
    ),
    "a parameter that may be given by name": ("def f(x):\n return x", "def f(y):\n return y"),
    "the name of an attribute of a class": ("class A:\n x = 1", "class A:\n y = 1"),
    "the name of a method": ("class A:\n def x(self): 1", "class A:\n def y(self): 1"),
    "the default of a lambda": ("f = lambda a, b=1: a + b", "f = lambda a, b=2: a + b"),
    "where a default is taken from": (
        "def f(a):\n x = a\n return lambda b=x: b",
        "def f(a):\n x = a\n return lambda b=a: b",
    ),
    "a decorator": ("@cache\ndef f(): return 1", "@other\ndef f(): return 1"),
    "a keyword": ("def f(a):\n return g(a, x=1)", "def f(a):\n return g(a, y=1)"),
    "a name that is asked for as text": (
        "def f(a):\n x = a\n return locals()",
        "def f(a):\n y = a\n return locals()",
    ),
    "what an attribute is set on": ("def f(a, b):\n a.x = b", "def f(a, b):\n b.x = a"),
    "where a name is imported from": ("from a import f\nf()", "from b import f\nf()"),
    "the order of two statements": ("def f(a):\n a.g()\n a.h()", "def f(a):\n a.h()\n a.g()"),
}


@pytest.mark.parametrize(("one", "two"), SCOPES_SAME.values(), ids=SCOPES_SAME)
def test_scopes_in_which_only_names_differ(one: str, two: str) -> None:
    assert text_hash(one) == text_hash(two)


@pytest.mark.parametrize(("one", "two"), SCOPES_OTHER.values(), ids=SCOPES_OTHER)
def test_scopes_in_which_more_differs(one: str, two: str) -> None:
    assert text_hash(one) != text_hash(two)


# --- functions of the package -----------------------------------------------------------------------------------------


def local_names(source: str) -> set[str]:
    """Names that are local variables wherever they stand in a function, as Python's own tables of symbols say."""
    tables = symtable.symtable(source, "", "exec").get_children()
    local: set[str] = set()
    others: set[str] = set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for symbol in table.get_symbols():
            is_variable = symbol.is_local() or symbol.is_free()
            if table.get_type() == "function" and is_variable and not (symbol.is_parameter() or symbol.is_imported()):
                local.add(symbol.get_name())
            else:
                others.add(symbol.get_name())
    classes = {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)}
    return local - others - classes


def sample(number: int) -> list[tuple[str, str]]:
    """Functions of the package with some local variables, drawn at random: where each stands, and its source."""
    functions = []
    for path in sorted(Path(str(simspec.__file__)).parent.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "import" not in text:
            continue
        functions.append((path, text))
    draw = random.Random(38)
    chosen: list[tuple[str, str]] = []
    while len(chosen) < number:
        path, text = draw.choice(functions)
        nodes = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
        if nodes:
            node = draw.choice(nodes)
            source = ast.unparse(node)
            if len(local_names(source)) > 2:
                chosen.append((f"{path.stem}.{node.name}", source))
    return chosen


FUNCTIONS = sample(60)


@pytest.mark.parametrize(("name", "source"), FUNCTIONS, ids=[name for name, _ in FUNCTIONS])
def test_a_function_of_the_package_with_other_names_and_with_another_operator(name: str, source: str) -> None:
    names = local_names(source)
    order = sorted(names)
    turned = dict(zip(order, [*order[1:], order[0]], strict=True))  # each takes the name of the next
    for other in (text_with(source, {n: f"{n}_other" for n in names}), text_with(source, turned)):
        assert other != source
        assert text_hash(other) == text_hash(source), name
    for mutant in mutants(source):
        assert text_hash(mutant) != text_hash(source), mutant


OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt}
OPERATORS |= {ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.And: ast.Or, ast.Or: ast.And, ast.Is: ast.IsNot}


def places(tree: ast.AST) -> list[ast.AST]:
    """Operators and numbers that decide a value: not those of annotations, errors and texts."""
    found: list[ast.AST] = []
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
            continue
        operator = getattr(node, "op", None) or (node.ops[0] if isinstance(node, ast.Compare) else None)
        number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        if type(operator) in OPERATORS or number:
            found.append(node)
        for field, value in ast.iter_fields(node):
            if field not in ("annotation", "returns"):
                todo += [
                    child for child in (value if isinstance(value, list) else [value]) if isinstance(child, ast.AST)
                ]
    return found


def mutants(source: str, number: int = 3) -> list[str]:
    """The source with one operator or number changed, several times."""
    count = len(places(ast.parse(source)))
    draw = random.Random(len(source))
    texts = []
    for place in sorted(draw.sample(range(count), min(number, count))):
        tree = ast.parse(source)
        node = places(tree)[place]
        if isinstance(node, ast.Constant):
            node.value = node.value + 1  # type: ignore[operator]
        elif isinstance(node, ast.Compare):
            node.ops[0] = OPERATORS[type(node.ops[0])]()
        else:
            node.op = OPERATORS[type(node.op)]()  # type: ignore[attr-defined]
        texts.append(ast.unparse(tree))
    return texts


def test_most_functions_have_something_to_change() -> None:
    assert sum(bool(mutants(source)) for _, source in FUNCTIONS) > 0.8 * len(FUNCTIONS)
