"""What a proof file may not do: reach into the checker, or change what is not its own.  Steps go by the public rules only."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import sympy.physics.units  # noqa: F401  # SymPy loads it when it first needs it, and it reads its units' names as texts
from sympy.parsing import sympy_parser

from proofs_check.rules.smt import Unproved
from simspec import claims
from simspec.claims import PAPERS

__all__ = ["fair", "unfair", "without_texts"]

READ = {"proofs_check.rules.smt": {"model"}, "proofs_check.rules.values": {"evaluate"}}
"""Of the checker's own modules a proof file may take these beside the language: they show nothing."""
LANGUAGE = "proofs_check.language"
STANDARD = {
    "__future__": "annotations",
    "collections": "Counter",
    "collections.abc": "Callable Iterable Iterator Mapping Sequence",
    "dataclasses": "dataclass replace",
    "fractions": "Fraction",
    "functools": "cache partial reduce",
    "itertools": "accumulate chain combinations combinations_with_replacement pairwise permutations product",
    "math": "ceil comb factorial floor gcd isqrt lcm perm prod",
    "typing": "Any NamedTuple NoReturn",
}
"""Of Python's own modules a proof file may take these names: none runs a text, makes a class or reads a file."""
WHOLE = {
    "numpy": (
        "np",
        (
            "abs all any arange argmax argmin argsort array asarray atleast_1d atleast_2d broadcast_arrays broadcast_to clip "
            "concatenate cumsum diag diff dot eye flip floor full max maximum mean min minimum ndarray ndindex newaxis ones "
            "ones_like outer prod reshape sort sqrt stack sum take_along_axis tile trace transpose unique where zeros zeros_like"
        ),
    ),
    "sympy": (
        "sp",
        (
            "Abs Add E Expr Function Indexed IndexedBase Integer KroneckerDelta Max Min Mul Pow Rational S Sum Symbol "
            "Tuple binomial ceiling diff erf exp expand factor factorial floor log pi sqrt symbols"
        ),
    ),
    "itertools": ("itertools", STANDARD["itertools"]),
    "math": ("math", STANDARD["math"]),
}
"""Modules that a proof file may take whole, under which name, and what it may take of them: arithmetic, and names."""
PACKAGE = ("simspec.claims", "simspec.laws", "simspec.methods")
"""Of the package, the formulas that a proof is compared with: names that a module writes itself, none that it has imported."""
HOMES = {
    "simspec": Path(str(claims.__file__)).resolve().parents[1],
    "proofs_check": Path(__file__).resolve().parents[1],
}
DECIDING = "simspec.claims.deciding"
"""What decides claims, and keeps records of it, is no formula."""
TUPLES = frozenset({"_replace", "_asdict", "_fields", "_make"})
"""What named tuples have under a private name."""
STATE = frozenset(
    "assumed supposed at_hand maps definitions made_of conclusions used enumerated extrema signs varied declared places typed "
    "certificates cited theorems makers declarations number_ranges".split()
)
"""What a derivation remembers; a proof file may read the givens and what was dropped, nothing else."""
TAKEN = {name: frozenset(names.split()) for name, names in WHOLE.values()}
"""By the names that the modules have in a file."""
BASES = frozenset({"NamedTuple"})
BUILT_IN = frozenset(
    "__import__ breakpoint compile delattr eval exec getattr globals help input locals open setattr vars".split()
)
CHANGES = frozenset(
    "add append clear discard extend fill insert pop popitem put remove reverse setdefault setflags sort update".split()
)
"""What changes a list, a table, a set or an array in place."""
JUDGED = tuple(
    getattr(ast, name)
    for name in "Attribute AugAssign Call ClassDef FunctionDef Import ImportFrom MatchClass Name Subscript".split()
)
"""Kinds of nodes that anything is asked of: a rule about another kind has to name it here, or is never asked."""
NAMED = frozenset({"Function", "IndexedBase", "Symbol", "symbols"})
"""What of SymPy takes a text as the name of a symbol, and does not run it."""
STATED = frozenset({"eq", "ge", "gt", "le", "lt", "total"})
"""What of the language takes expressions alone."""
SUBSTITUTING = frozenset({"coeff", "subs", "xreplace"})
"""Methods of expressions that take expressions alone, and would run a text."""
REACHING = frozenset(
    (
        "ag_code ag_frame cr_code cr_frame f_back f_builtins f_code f_globals f_locals func_globals gi_code gi_frame tb_frame "
        "tb_next with_traceback "  # from a generator or an error to the frames of the checker
        "ctypes data dump dumps setfield tofile"  # from an array to memory, or to a file
    ).split()
)
"""What reaches, from a value that a proof file may have, what it may not."""
WORKINGS = frozenset({"core", "evaluate", "assuming", "lambdify", "parse_expr", "cacheit"})
"""Of SymPy: what changes how it works, or runs a text."""


def unfair(source: str, is_own: bool = False) -> list[str]:
    """What a file does that a proof may not, with its line; a file of one's `is_own` may take other packages.

    >>> unfair("from proofs_check.language import eq\\nd._fact(eq(1, 0), ())\\n")
    ['line 2: d._fact is private']
    """
    nodes: list[ast.AST] = [node for node in ast.walk(ast.parse(source)) if isinstance(node, JUDGED)]
    modules = {**TAKEN, **_modules(nodes)}
    parts = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    faults = [w for node in nodes for w in _wrong(node, is_own, modules)]
    faults += [
        (node.lineno, f"{node.id} is passed on; what is taken of it has to be written")
        for node in nodes
        if isinstance(node, ast.Name) and node.id in modules and id(node) not in parts
    ]
    faults += _changed(nodes)
    return [f"line {line}: {fault}" for line, fault in faults]


@cache
def fair(source: str, name: str, own: bool = False) -> None:
    """Refuse a file that does what a proof may not; a text that passes is read once, however many proofs share it.

    Raises
    ------
    Unproved
    """
    if wrong := unfair(source, own):
        raise Unproved(f"{name}: {wrong[0]}")


@contextmanager
def without_texts() -> Iterator[None]:
    """While a proof runs, SymPy runs no text: wherever one is handed to it, by whatever name, the proof is refused.

    >>> import sympy as sp
    >>> with without_texts():
    ...     sp.Max("print(1)", 0)
    Traceback (most recent call last):
        ...
    proofs_check.rules.smt.Unproved: 'print(1)' is a text, which SymPy would run; expected an expression
    """
    before = sympy_parser.parse_expr

    def refuse(text: Any, *options: Any, **settings: Any) -> NoReturn:
        raise Unproved(f"{text!r} is a text, which SymPy would run; expected an expression")

    sympy_parser.parse_expr = refuse
    try:
        yield
    finally:
        sympy_parser.parse_expr = before


def _text_in(node: ast.Call) -> ast.expr | None:
    """A text among the arguments of a call, those of calls inside it apart."""
    todo: list[ast.AST] = [*node.args, *(keyword.value for keyword in node.keywords)]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str)):
            return part
        if not isinstance(part, ast.Call | ast.Subscript):  # the place of a table may be a text
            todo += ast.iter_child_nodes(part)
    return None


def _runs_text(function: ast.expr) -> bool:
    """Whether a function takes expressions, and would run a text in place of one."""
    match function:
        case ast.Attribute(value=ast.Name(id="sp"), attr=name):
            return name not in NAMED
        case ast.Attribute(attr=name):
            return name in SUBSTITUTING
        case ast.Name(id=name):
            return name in STATED
    return False


def _changed(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Where what was taken from elsewhere, or a part or an answer of it, is changed in place."""
    imported_names = {a.asname or a.name for node in nodes if isinstance(node, ast.ImportFrom) for a in node.names}
    for node in nodes:
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            owner: ast.AST = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            owner = node.func.value
        elif isinstance(node, ast.AugAssign):
            owner = node.target
        else:
            continue
        root = owner
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            root = root.func if isinstance(root, ast.Call) else root.value
        if isinstance(root, ast.Name) and root.id in imported_names:
            yield node.lineno, f"{ast.unparse(owner)} is changed, which is not this file's own"


def _modules(nodes: list[ast.AST]) -> dict[str, frozenset[str]]:
    """Modules of the package, and other proofs, that a file takes whole, by the names that they have there: what they write."""
    imports = [(node.module, alias) for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names]
    return {
        alias.asname or alias.name: written_names
        for module, alias in imports
        if module
        and alias.name not in (_written(module) or ())
        and (written_names := _written(f"{module}.{alias.name}")) is not None
    }


@cache
def _written(module: str) -> frozenset[str] | None:
    """Names that a module of this package writes, or says that it passes on; None where there is no such module.

    >>> "tv" in _written("simspec.laws"), "import_module" in _written("simspec.claims"), _written("simspec.laws.tv")
    (True, False, None)
    """
    first, *rest = module.split(".")
    if first not in HOMES:
        return None
    place = HOMES[first].joinpath(*rest)  # nothing is run to find it
    file = next((f for f in (place.with_suffix(".py"), place / "__init__.py") if f.is_file()), None)
    if file is None:
        return None
    names: set[str] = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names if alias.asname == alias.name}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
            if [ast.unparse(target) for target in targets] == ["__all__"] and node.value is not None:
                names |= {str(n.value) for n in ast.walk(node.value) if isinstance(n, ast.Constant)}
    return frozenset(names)


def _wrong(node: ast.AST, is_own: bool, modules: Mapping[str, frozenset[str]]) -> Iterator[tuple[int, str]]:
    """The line and reason of each rule for proof files that a syntax node breaks."""
    match node:
        case ast.Name() if node.id in BUILT_IN or _special(node.id):
            yield node.lineno, f"{node.id} reaches what has no name here"
        case ast.Attribute():
            yield from _attribute(node, modules)
        case ast.Import() | ast.ImportFrom():
            yield from _imported(node, is_own)
        case ast.Subscript(value=ast.Attribute()) if not isinstance(node.ctx, ast.Load):
            yield node.lineno, f"{ast.unparse(node.value)} is changed from outside"
        case ast.ClassDef() if not {ast.unparse(base) for base in node.bases} <= BASES:
            yield (
                node.lineno,
                f"class {node.name} is another class with other rules; expected a named tuple, or no base",
            )
        case ast.FunctionDef() if _special(node.name):
            yield node.lineno, f"{node.name} changes what an operation means"
        case ast.Call(func=ast.Attribute(value=ast.Name(id="sp"), attr="S")):
            yield node.lineno, "sp.S evaluates a text; expected a number"
        case ast.Call() if _runs_text(node.func) and (text := _text_in(node)) is not None:
            yield node.lineno, f"{ast.unparse(text)} is a text, which SymPy would run; expected an expression"
        case ast.Call(func=ast.Name(id="type")) if len(node.args) != 1:
            yield node.lineno, "type makes a class; expected a named tuple"
        case ast.MatchClass() if hidden := [a for a in node.kwd_attrs if a in STATE or a[0] == "_"]:
            yield node.lineno, f"{hidden[0]} is private"


def _special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in {"__init__", "__all__"}


def _attribute(node: ast.Attribute, modules: Mapping[str, frozenset[str]]) -> Iterator[tuple[int, str]]:
    if node.attr.startswith("_") and node.attr not in TUPLES:
        yield node.lineno, f"{ast.unparse(node)} is private"
    if node.attr in STATE:
        yield node.lineno, f"{ast.unparse(node)} is the checker's own memory"
    if node.attr in REACHING:
        yield node.lineno, f"{ast.unparse(node)} reaches what has no name here"
    if node.attr in WORKINGS:
        yield node.lineno, f"{ast.unparse(node)} changes how SymPy works"
    if isinstance(node.value, ast.Name) and node.attr not in modules.get(node.value.id, {node.attr}):
        yield node.lineno, f"{ast.unparse(node)} is no arithmetic that a proof may take"
    if not isinstance(node.ctx, ast.Load) and ast.unparse(node.value) != "self":
        yield node.lineno, f"{ast.unparse(node)} is changed from outside"


def _imported(node: ast.ImportFrom | ast.Import, own: bool) -> Iterator[tuple[int, str]]:
    """The line and reason of each import that a proof file may not write."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if WHOLE.get(alias.name, ("",))[0] != (alias.asname or alias.name) and not (own and _another(alias.name)):
                yield node.lineno, f"{alias.name} is no language of proofs"
        return
    if node.level:
        yield node.lineno, "a module is taken by its whole name"
    module = node.module or ""
    imported_names = {alias.name for alias in node.names}
    if not (_known(module, imported_names) or (own and _another(module))) or any(
        n.startswith("__") for n in imported_names
    ):
        yield node.lineno, f"{module} is no language of proofs"
    written_names = _written(module) if module != LANGUAGE else None
    for name in sorted(imported_names - written_names) if written_names is not None else ():
        if _written(f"{module}.{name}") is None:
            yield node.lineno, f"{name} is none of what {module} writes"


def _another(module: str) -> bool:
    """Whether a module is neither Python's nor of this package nor one whose names are listed."""
    first = module.split(".")[0]
    return first not in sys.stdlib_module_names and first not in {"proofs_check", "simspec", "tests", *WHOLE}


def _known(module: str, imported_names: set[str]) -> bool:
    """Whether a proof file may take some names from a module: of the checker the language, and other proofs."""
    first, _, rest = module.partition(".")
    if first == "proofs_check":
        is_listed = module in READ and imported_names <= READ[module]
        return bool(imported_names) and (module == LANGUAGE or is_listed or rest.split(".")[0] in PAPERS)
    if module in WHOLE or module in STANDARD:
        listed = WHOLE[module][1] if module in WHOLE else STANDARD[module]
        return imported_names <= {*listed.split()}
    is_package = any(module == name or module.startswith(f"{name}.") for name in PACKAGE)
    return (
        is_package
        and not f"{module}.".startswith(f"{DECIDING}.")
        and not (module == "simspec.claims" and "deciding" in imported_names)
    )
