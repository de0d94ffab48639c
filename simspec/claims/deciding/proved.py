"""The record of machine-checked proofs, and whether it still is about this code.

``python -m proofs_check`` writes ``proofs.json``; an entry counts only while the proof's files and the source of the claim's
formulas are those that were checked.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import json
import pkgutil
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simspec.claims.claim import Claim

__all__ = [
    "ENTRY",
    "entries",
    "files_of",
    "fingerprint",
    "formulas",
    "reached",
    "record",
    "roles",
    "sources_of",
    "text_of",
    "used_by",
    "whole",
]

PROOFS = "proofs_check"
ENTRY = ("kind", "scope", "whole", "seconds", "file", "versions")
"""What of an entry of the record ``verdicts.json`` shows."""


@cache
def record() -> dict[str, Any]:
    """The content of ``proofs.json``; empty where there is none."""
    file = resources.files("simspec.claims").joinpath("proofs.json")
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"versions": {}, "proofs": {}}


def entries(claim: Claim) -> list[dict[str, Any]]:
    """Recorded proofs of a claim that are still about its formulas, as ``verdicts.json`` shows them.

    >>> from simspec.claims import find
    >>> all(e["file"] == "sd/acceptance.py" for e in entries(find(["sd.acceptance"])[0]))
    True
    """
    found = record()["proofs"].get(claim.name, [])
    return [
        {**{k: e[k] for k in ENTRY}, "checked_now": False} for e in found if e["hash"] == fingerprint(claim, e["file"])
    ]


def files_of(name: str) -> list[str]:
    """Files with the recorded proofs of a claim, from the root of the repository; none where it has no proof.

    >>> files_of("sd.acceptance")
    ['proofs_check/sd/acceptance.py']
    """
    return sorted({f"{PROOFS}/{entry['file']}" for entry in record()["proofs"].get(name, ())})


def whole(proofs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Those entries that prove the whole statement (a counterexample is no proof of it)."""
    return [dict(e) for e in proofs if e["whole"] and e["kind"] != "counterexample"]


def fingerprint(claim: Claim, file: str) -> str | None:
    """Hash of a proof file, of the checking code it imports, and of the source of the claim's formulas.

    None when the proof file is not installed.

    >>> from simspec.claims import find
    >>> fingerprint(find(["sd.acceptance"])[0], "sd/nowhere.py") is None
    True
    """
    files = reached(file)
    if not files:
        return None
    digest = hashlib.sha256()
    for name in files:
        digest.update(f"\n{name}\n{text_of(name)}".encode())
    for role, thing in roles(claim).items():
        digest.update("\n".join([role, *_look(thing)[0]]).encode())
    for text in sorted(formulas(claim).union(*(used_by(name) for name in files))):
        digest.update(f"\n{text}".encode())
    return digest.hexdigest()[:24]


# --- the proof's own files --------------------------------------------------------------------------------------------


@cache
def _folder() -> Path | None:
    spec = importlib.util.find_spec(PROOFS)  # finds the folder, runs nothing
    return Path(next(iter(spec.submodule_search_locations))) if spec and spec.submodule_search_locations else None


class _Read(NamedTuple):
    """A file of the proofs: its text, the names it imports by module."""

    text: str
    imports: tuple[tuple[str, tuple[str, ...]], ...]


@cache
def _read(file: str) -> _Read | None:
    folder = _folder()
    if folder is None or not (folder / file).is_file():
        return None
    text = (folder / file).read_text(encoding="utf-8")
    lines = re.findall(r"^ *from ([\w.]+) import (\([^)]*\)|[^\n]+)", text, re.MULTILINE)
    imports = [
        (module, tuple(n.split()[0] for n in re.sub(r"[()]|#.*", "", names).split(",") if n.strip()))
        for module, names in lines
    ]
    return _Read(text, tuple(imports))


def text_of(file: str) -> str:
    """Text of a file of the proofs; empty where there is none.

    >>> text_of("sd/nowhere.py")
    ''
    """
    return getattr(_read(file), "text", "")


@cache
def reached(file: str) -> tuple[str, ...]:
    """A proof file and what it imports from the proofs' package, directly or not; nothing where it is not installed.

    A file that is not of that package is named by its whole path.

    >>> reached("sd/nowhere.py")
    ()
    """
    found: set[str] = set()
    todo = [file]
    while todo:
        name = todo.pop()
        read = _read(name)
        if name in found or read is None:
            continue
        found.add(name)
        for module, names in read.imports:
            if module.split(".")[0] == PROOFS:
                places = [module, *(f"{module}.{n}" for n in names)]
                todo += [p.removeprefix(PROOFS).lstrip(".").replace(".", "/") + ".py" for p in places]
    return tuple(sorted(found))


@cache
def used_by(file: str) -> frozenset[str]:
    """Source of what a file of the proofs takes from this package, and of what that calls.

    >>> used_by("sd/nowhere.py")
    frozenset()
    """
    read = _read(file)
    things = [
        getattr(import_module(module), name, None)
        for module, names in (read.imports if read else ())
        if _ours(module)
        for name in names
    ]
    return frozenset(_closure([t for t in things if t is not None and not isinstance(t, (Claim, types.ModuleType))]))


# --- the claim's formulas ---------------------------------------------------------------------------------------------


def formulas(claim: Claim) -> frozenset[str]:
    """Source of every function of this package that the two sides and the assumptions of a claim may call.

    >>> from simspec.claims import find
    >>> any("def tv(" in text for text in formulas(find(["sd.acceptance"])[0]))
    True
    """
    return sources_of(*roles(claim).values())


def sources_of(*things: Any) -> frozenset[str]:
    """Source of every function of this package that some functions may call.

    >>> any("def sources_of(" in text for text in sources_of(formulas))
    True
    """
    return frozenset(_closure(list(things)))


def roles(claim: Claim) -> dict[str, Any]:
    """The functions of a claim, by what they are there for.

    >>> from simspec.claims import find
    >>> list(roles(find(["sd.acceptance"])[0]))
    ['lhs', 'rhs', 'relation', 'instances']
    """
    assumes = {f"assumes: {name}": holds for name, holds in claim.assumes.items()}
    return {"lhs": claim.lhs, "rhs": claim.rhs, "relation": claim.relation, "instances": claim.instances, **assumes}


def _closure(todo: list[Any]) -> set[str]:
    """Source of some things and of all that they refer to."""
    found: set[str] = set()
    seen: dict[int, Any] = {}  # holds what it has seen, so that no number is used twice
    while todo:
        thing = todo.pop()
        if thing is None or id(thing) in seen:
            continue
        seen[id(thing)] = thing
        texts, more = _look(thing)
        found.update(texts)
        todo += more
    return found


def _look(thing: Any) -> tuple[tuple[str, ...], list[Any]]:
    """Source of one thing, and what it refers to."""
    thing = getattr(thing, "__wrapped__", getattr(thing, "py_func", thing))
    if isinstance(thing, types.FunctionType):
        return _function(thing) if _ours(thing.__module__) else ((), [])
    if isinstance(thing, type):
        if not _ours(thing.__module__):
            return (), []
        functions = [f for f in vars(thing).values() if isinstance(f, types.FunctionType) and _own(f, thing)]
        return _source(thing.__module__, thing.__qualname__.split(".")[0]), functions
    if isinstance(thing, functools.partial):
        return (), [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, types.MethodType):
        return (), [thing.__func__]
    if isinstance(thing, (tuple, list, frozenset, set)):
        return _constant(thing), list(thing)
    if isinstance(thing, dict):
        return (), list(thing.values())
    if isinstance(thing, (int, float, str, Fraction, np.ndarray)):
        return _constant(thing), []
    return (), []


@cache
def _function(function: types.FunctionType) -> tuple[tuple[str, ...], list[Any]]:
    return _source(function.__module__, function.__code__.co_firstlineno), list(_references(function))


def _own(function: types.FunctionType, kind: type) -> bool:
    """Whether a class's function is of the class's own file: how it is shown and named is given to it from others."""
    return function.__module__ == kind.__module__


def _ours(module: str | None) -> bool:
    return module is not None and module.split(".")[0] == "simspec"


def _constant(value: Any) -> tuple[str, ...]:
    """Constants that a formula reads count with their value."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (tuple, list, frozenset, set)):
        if not all(isinstance(v, (int, float, str, Fraction, tuple)) for v in value):
            return ()
        return (f"constant: {sorted(map(repr, value)) if isinstance(value, (set, frozenset)) else value!r}",)
    return (f"constant: {value!r}",)


def _references(function: types.FunctionType) -> Iterator[Any]:
    """What a function's code names: globals, attributes of this package's modules, imports inside it, and its closure."""
    names: set[str] = set()
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        names |= set(code.co_names)
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    space = function.__globals__
    modules = [space[n] for n in names if isinstance(space.get(n), types.ModuleType)]
    modules += [import_module(n) for n in names if n.startswith("simspec.")]
    within = [sys.modules[function.__module__], *modules]  # whatever happens to be loaded, the answer is the same
    modules += [m for package in within if _ours(package.__name__) for m in _submodules(package, names)]
    yield from (space[n] for n in sorted(names) if n in space and _worth(space[n]))
    for module in modules:
        if _ours(module.__name__):
            yield from (vars(module)[n] for n in sorted(names) if n in vars(module) and _worth(vars(module)[n]))
    for cell in function.__closure__ or ():
        if _worth(cell.cell_contents):
            yield cell.cell_contents
    yield from (v for v in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()) if _worth(v))


def _submodules(package: types.ModuleType, names: Iterable[str]) -> Iterator[types.ModuleType]:
    """Modules of a package that some names stand for, loaded or not."""
    for name in sorted(_within(package) & {*names}):
        yield import_module(f"{package.__name__}.{name}")


@cache
def _within(package: types.ModuleType) -> frozenset[str]:
    return frozenset(module.name for module in pkgutil.iter_modules(getattr(package, "__path__", ())))


def _worth(value: Any) -> bool:
    return not isinstance(value, types.ModuleType) and value is not None


@cache
def _tree(module: str) -> tuple[list[str], dict[str | int, list[slice]]]:
    """Lines of a module, and where its functions and classes stand, by name and first line; no syntax tree is kept."""
    lines = Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8").splitlines()
    places: dict[str | int, list[slice]] = {}
    for node in _nodes(ast.parse("\n".join(lines))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            decorated = getattr(node, "decorator_list", [])
            keys = [min([node.lineno, *(d.lineno for d in decorated)]), *([node.name] if hasattr(node, "name") else [])]
            places |= {k: [*places.get(k, ()), slice(node.lineno - 1, node.end_lineno)] for k in keys}
    return lines, places


_LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)


def _nodes(tree: ast.AST) -> list[ast.AST]:
    """What `ast.walk` yields, in its order, without names, constants and operators, within which there is nothing."""
    found = [tree]
    for node in found:  # grows
        for value in vars(node).values():
            within = value if isinstance(value, list) else (value,)
            found += [v for v in within if isinstance(v, ast.AST) and not isinstance(v, _LEAVES)]
    return found


@cache
def _source(module: str, place: str | int) -> tuple[str, ...]:
    """Texts of what has a name, or begins on a line, of a module."""
    lines, places = _tree(module)
    return tuple("\n".join([module, *lines[within]]) for within in places.get(place, ()))
