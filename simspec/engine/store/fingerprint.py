"""A fingerprint of the code that makes a study's rows, so that rows of an edited simulation never join the old ones.

It covers `Study.simulate`, the measures' `reduce`, the means of controls, and all that they name, directly or not, in the
study's own file, in what lies beside it, and in this package, down to the compiled loops.  Other packages count by the names
taken from them, not by their version; CUDA sources, data files and methods of objects that no code on the way makes are not seen.

It is a hash of syntax trees keyed by the names of functions, without imports, module and file names, annotations, comments,
docstrings and the wording of errors.  A name of a module is read as what it refers to, so that ``laws.tv`` and ``tv`` are the
same.  It enters neither the keys of the random numbers nor the design hash: rows stored before it are found.
"""

from __future__ import annotations

import functools
import re
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from simspec.engine.estimates.statistics import Counts, Mean, Share
from simspec.engine.store.syntax import (
    Imported,
    Module,
    code_text,
    compiled_codes,
    module_of,
    nodes_of,
    targets,
    text_of,
)
from simspec.engine.study import Study

__all__ = ["Code", "fingerprint", "fingerprint_of"]

Code = Mapping[str, Any]
"""``{"fingerprint": 16 hexadecimal digits, "parts": {name: digits}}``: a part is a function, class or constant."""

_PACKAGE = __name__.partition(".")[0]
_INSTALLED = ("site-packages", "dist-packages")
_HOUSEKEEPING = frozenset({"compiling", "compiled", "cuda"})
"""Modules of the kernels that say how code is compiled, kept and loaded, not what it computes: they count by name."""
_LARGE = 2**24
"""Entries of an array beyond which it counts by as many of its entries, evenly spread."""
_known: WeakKeyDictionary[Any, dict[Any, Code]] = WeakKeyDictionary()


def fingerprint(study: Study) -> Code:
    """What identifies the code of a study; of one function object it is taken once, before it can change its own state.

    >>> from simspec.studies.catalogue import catalogue
    >>> code = fingerprint(catalogue()["acceptance"])
    >>> len(code["fingerprint"]), "philox_4x32" in code["parts"] or len(code["parts"]) > 10
    (16, True)
    """
    kinds: dict[Any, None] = dict.fromkeys([Mean, Share, Counts, *map(type, study.measures.values())])
    roots = (*(getattr(k, "row", k.reduce) for k in kinds), *(control.mean for control in study.control.values()))
    try:
        kept = _known.setdefault(study.simulate, {})
    except TypeError:  # cannot be referred to weakly
        kept = {}
    return kept.get(roots) or kept.setdefault(roots, _Walk(study.simulate).code([study.simulate, *roots]))


def fingerprint_of(functions: Sequence[Any]) -> Code:
    """What identifies the code of some functions; what lies beside the first that is not of this package counts as theirs."""
    return _Walk(next((f for f in functions if not f.__module__.startswith(_PACKAGE)), functions[0])).code(functions)


def _hash(text: str) -> str:
    return blake2b(text.encode(errors="backslashreplace"), digest_size=8).hexdigest()


def _unwrapped(value: Any) -> Any:
    """The Python function in a compiled or remembering one."""
    if isinstance(value, types.FunctionType | type):
        return value
    inner = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
    return value if inner is None else _unwrapped(inner)


class _Walk:
    """Everything that is reached from some functions: each piece once, in order of first mention."""

    def __init__(self, simulate: Any) -> None:
        root = simulate
        while isinstance(root, functools.partial):
            root = root.func
        root = _unwrapped(getattr(root, "__func__", root))
        space = getattr(root if hasattr(root, "__globals__") else type(root).__call__, "__globals__", {})
        own = str(space.get("__name__", "")).partition(".")[0]
        self.tops = {_PACKAGE, own}
        file = space.get("__file__")
        self.folder = Path(file).resolve().parent if file and own != _PACKAGE else None
        self.numbers: dict[Any, int] = {}
        self.todo: list[tuple[str, Any]] = []
        self.alive: list[Any] = []  # numbers are by identity
        self.refs: list[int] = []
        self.read: dict[int, Module | None] = {}

    def code(self, roots: Iterable[Any]) -> Code:
        """The fingerprint of what these refer to."""
        parts: dict[str, list[str]] = {}
        whole = [self.value(root) for root in roots]
        whole.append(f"{self.refs}")
        for name, make in self.todo:  # grows meanwhile
            self.refs = []
            local = _hash(make())
            whole.append(f"{name} {local} {self.refs}")
            parts.setdefault(name, []).append(local)
        named = {name: "+".join(sorted(set(found))) for name, found in sorted(parts.items())}
        return {"fingerprint": _hash("\n".join(whole)), "parts": named}

    def _reach(self, key: Any, name: str, make: Any, *alive: Any) -> str:
        """Note that a piece is mentioned; the name that stands for it."""
        if key not in self.numbers:
            self.numbers[key] = len(self.todo)
            self.alive += alive
            self.todo.append((name, make))
        self.refs.append(self.numbers[key])
        return name

    # --- where something belongs --------------------------------------------------------------------------------------

    def _mine(self, space: Mapping[str, Any]) -> bool:
        """Whether a module, by its names, is of this package or of the study's."""
        if str(space.get("__name__", "")).partition(".")[0] in self.tops:
            return True
        file = space.get("__file__")
        if not file or self.folder is None:
            return False
        path = Path(file).resolve()
        inside = path.relative_to(self.folder).parts if path.is_relative_to(self.folder) else None
        return inside is not None and not any(part in _INSTALLED for part in inside)

    def _syntax(self, space: Mapping[str, Any]) -> Module | None:
        """The syntax of a module's file, or None where it has none."""
        if id(space) not in self.read:
            self.alive.append(space)
            self.read[id(space)] = module_of(str(space["__file__"]), space) if space.get("__file__") else None
        return self.read[id(space)]

    def _is_written(self, space: Mapping[str, Any], name: str) -> bool:
        """Whether the file of a module defines a name: what was piped to Python, or run by `exec`, stands in no file."""
        syntax = self._syntax(space)
        return syntax is not None and name in syntax.defs

    def _module(self, name: str) -> types.ModuleType | None:
        """A module of ours by its name, or None."""
        if name not in sys.modules:
            top = name.partition(".")[0]
            try:
                spec = find_spec(top)  # of the first part alone: nothing foreign is imported for this
                if spec is None or not self._mine({"__name__": top, "__file__": spec.origin}):
                    return None
                import_module(name)
            except (ImportError, ValueError):
                return None
        module = sys.modules[name]
        return module if self._mine(vars(module)) else None

    # --- what a name stands for ---------------------------------------------------------------------------------------

    def _imported(self, source: Imported, rest: Sequence[str]) -> str:
        name, taken = source
        module = self._module(name)
        if module is None:
            return ".".join([name, *([taken] if taken else []), *rest])
        if taken is None:
            return self._member(module, rest)
        inner = vars(module).get(taken)
        if not isinstance(inner, types.ModuleType) and taken not in vars(module):
            inner = self._module(f"{name}.{taken}")
        if isinstance(inner, types.ModuleType):
            return self._member(inner, rest)
        return self._member(module, [taken, *rest])

    def _member(self, module: types.ModuleType, dotted: Sequence[str]) -> str:
        """What stands for ``module.a.b``."""
        if not dotted:
            return f"module {module.__name__.rpartition('.')[2]}"
        if not self._mine(vars(module)):
            return ".".join([module.__name__, *dotted])
        inner = vars(module).get(dotted[0])
        if inner is None:
            inner = sys.modules.get(f"{module.__name__}.{dotted[0]}")
        if isinstance(inner, types.ModuleType):
            return self._member(inner, dotted[1:])
        return self._global(vars(module), dotted[0], dotted[1:])

    def _global(self, space: Mapping[str, Any], name: str, rest: Sequence[str] = ()) -> str:
        """What stands for a dotted name of a module; what it is defined as is reached."""
        whole, _, leaf = str(space.get("__name__", "")).rpartition(".")
        if whole == f"{_PACKAGE}.kernels" and leaf in _HOUSEKEEPING:
            return ".".join([name, *rest])
        syntax = self._syntax(space)
        if syntax and name in syntax.defs:
            found = self._reach((id(space), name), name, lambda: self._definition(space, name), space)
            return ".".join([found, *rest])
        if syntax and name in syntax.imports:
            return self._imported(syntax.imports[name], rest)
        value = space.get(name)
        if value is None and "__getattr__" in space:  # names that a package imports when they are asked for
            value = getattr(sys.modules.get(str(space.get("__name__"))), name, None)
        if isinstance(value, types.ModuleType):
            return self._member(value, rest)
        if value is None:  # of Python itself
            return ".".join([name, *rest])
        if not isinstance(value, types.FunctionType | type):
            return ".".join([self._reach(("value", id(value), name), name, lambda: self.value(value), value), *rest])
        return ".".join([self.value(value), *rest])

    def _resolver(self, space: Mapping[str, Any], free: Mapping[str, Any], tree: Any = None) -> Any:
        def resolve(dotted: Sequence[str], imports: Mapping[str, Imported]) -> str:
            first, *rest = dotted
            if first in imports:
                return self._imported(imports[first], rest)
            if first in free:
                self._closed(first, free[first], space, tree)
                return f"Name({'.'.join(dotted)})"
            return self._global(space, first, rest)

        return resolve

    def _closed(self, name: str, value: Any, space: Mapping[str, Any], tree: Any) -> None:
        """A variable of an enclosing function: by its value, or as it is made there where it may change meanwhile."""
        made = targets(tree, name) if tree is not None and isinstance(value, dict | list | set) else []
        resolve = self._resolver(space, {})
        if made:
            self._reach(("made", id(value)), name, lambda: " ".join(text_of(s, resolve) for s in made), value)
        elif isinstance(value, types.FunctionType) and value.__name__ == name:
            self.value(value)
        else:
            self._reach(("closed", id(value), name), name, lambda: self.value(value), value)

    # --- pieces as text -----------------------------------------------------------------------------------------------

    def _definition(self, space: Mapping[str, Any], name: str) -> str:
        syntax = self._syntax(space)
        function = _unwrapped(space.get(name))
        if isinstance(function, types.FunctionType) and function.__globals__ is space and self._stale(function, syntax):
            return self._bytecode(function)
        resolve, package = self._resolver(space, {}), str(space.get("__package__") or "")
        return "\n".join(text_of(statement, resolve, package) for statement in syntax.defs[name]) if syntax else ""

    def _stale(self, function: types.FunctionType, syntax: Any) -> bool:
        """Whether the file says something else than what was imported from it (this package is not asked)."""
        if str(function.__globals__.get("__name__", "")).partition(".")[0] == _PACKAGE or syntax is None:
            return False
        same = (c for c in compiled_codes(syntax.tree) if c.co_name == function.__code__.co_name)
        return code_text(function.__code__) not in map(code_text, same)

    def _bytecode(self, function: types.FunctionType) -> str:
        """For a function without source; then Python's version counts too."""
        space = function.__globals__
        names = [n for n in function.__code__.co_names if n in space and not isinstance(space[n], types.ModuleType)]
        reached = [self._global(space, name) for name in names]
        return f"{sys.version_info[:2]} {code_text(function.__code__)} {reached}"

    def _function(self, function: types.FunctionType) -> str:
        code, space, free = function.__code__, function.__globals__, _contents(function)
        syntax = module_of(code.co_filename, space)
        nodes = nodes_of(syntax.tree, code.co_name, code.co_firstlineno) if syntax else []
        given = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        defaults = [self.value(v) for v in given if not isinstance(v, dict | list | set)]  # these may remember
        if not nodes or self._stale(function, syntax):
            for name, value in free.items():
                self._closed(name, value, space, None)
            return f"{self._bytecode(function)} {defaults}"
        resolve = self._resolver(space, free, syntax.tree if syntax else None)
        texts = [text_of(node, resolve, str(space.get("__package__") or "")) for node in nodes]
        return "\n".join([*texts, *defaults])

    def value(self, wrapped: Any) -> str:
        """A value as text, the same on every machine; what it refers to is reached."""
        value: Any = _unwrapped(wrapped)
        if isinstance(value, types.MethodType):
            return f"{self.value(value.__func__)} of {self.value(value.__self__)}"
        if isinstance(value, types.FunctionType):
            return self._of_function(value)
        if isinstance(value, type):
            return self._of_class(value)
        if isinstance(value, types.ModuleType):
            return f"module {value.__name__.rpartition('.')[2]}"
        return self._plain(value)

    def _of_function(self, function: Any) -> str:
        space, name = function.__globals__, function.__name__
        if not self._mine(space):
            inner = getattr(function, "__wrapped__", None)
            return self.value(inner) if inner else f"{str(function.__module__).partition('.')[0]}.{name}"
        if space.get(name) is function and self._is_written(space, name):
            return self._global(space, name)
        return self._reach(id(function), name, lambda: self._function(function), function)

    def _of_class(self, kind: Any) -> str:
        module, name = sys.modules.get(kind.__module__), str(kind.__name__)
        methods = [getattr(f, "fget", f) for f in vars(kind).values()]
        spaces = [vars(module)] if module else [f.__globals__ for f in methods if hasattr(f, "__globals__")]
        if not spaces or not self._mine(spaces[0]):
            return f"{kind.__module__.partition('.')[0]}.{kind.__qualname__}"
        for space in spaces:
            if space.get(name) is kind and self._is_written(space, name):
                return self._global(space, name)
        own = [f for f in methods if isinstance(f, types.FunctionType)]
        return f"{name} {[self.value(thing) for thing in (*kind.__bases__, *own)]}"

    def _plain(self, value: Any) -> str:
        if isinstance(value, functools.partial):
            return f"partial {self.value(value.func)} {self.value(value.args)} {self.value(value.keywords)}"
        if isinstance(value, tuple | list):
            return f"{type(value).__name__} [{','.join(map(self.value, value))}]"
        if isinstance(value, set | frozenset):
            return f"set {sorted(map(self.value, value))}"
        if isinstance(value, Mapping):
            return f"dict {sorted((self.value(k), self.value(v)) for k, v in value.items())}"
        if isinstance(value, np.ndarray) and value.dtype != object:
            taken = value.ravel()[:: 1 + value.size // _LARGE]
            return f"array {value.dtype.str} {value.shape} {blake2b(taken.tobytes(), digest_size=8).hexdigest()}"
        if isinstance(value, Path):
            return f"path {value.name}"
        if (callable(value) and hasattr(value, "__dict__")) or is_dataclass(value):
            names = [f.name for f in fields(value)] if is_dataclass(value) else sorted(vars(value))
            inner = [(n, getattr(value, n)) for n in names if not hasattr(type(value), n) or is_dataclass(value)]
            key = ("object", id(value))
            kind = type(value)
            return self._reach(
                key, kind.__name__, lambda: f"{self.value(kind)} {[(n, self.value(v)) for n, v in inner]}", value
            )
        return f"{type(value).__name__} {re.sub(r' at 0x[0-9a-fA-F]+', '', repr(value))}"


def _contents(function: types.FunctionType) -> dict[str, Any]:
    """Variables of enclosing functions that have a value."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # none yet
            continue
    return found
