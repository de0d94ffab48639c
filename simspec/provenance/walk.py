"""All that some functions rest on, by one walk: what they name, directly or not, and what that names, each piece once.

A piece is a function, a class or a constant: its text is that of `simspec.provenance.syntax`, and what its names stand for are
further pieces.  Pieces of this package and of the home of the first function are followed, down to the compiled loops; other
packages count by the names taken from them, not by their version.

What counts of a file that code reads: a constant of a module that is the `Path` of a file beside the code counts with the
content of that file.  A formula that reads shipped data names such a constant:
``TABLES = Path(__file__).with_name("tables.npz")``.

Nothing depends on where the package lies, on what is loaded, or on the seed of hashes.  CUDA sources, and methods of objects
that no code on the way makes, are not seen.
"""

from __future__ import annotations

import ast
import functools
import re
import secrets
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simspec.provenance.contents import (
    asks_for_words,
    contents,
    is_over_its_class,
    is_plain,
    names_in,
    reads_a_file,
)
from simspec.provenance.modules import (
    Module,
    code_text,
    functions_at,
    is_compiled_from,
    makers,
    module_of,
)
from simspec.provenance.syntax import Imported, Resolve, Writer

__all__ = ["Code", "code_of", "hash_of_file", "texts_of"]

Code = Mapping[str, Any]
"""``{"fingerprint": 16 hexadecimal digits, "parts": {name: digits}}``: a part is a function, class or constant."""

_PACKAGE = __name__.partition(".")[0]
_INSTALLED = ("site-packages", "dist-packages")
_STUDY = (f"{_PACKAGE}.engine.study", "Study")
"""Module and name of the class of studies; the layers forbid to import it here."""
_HOUSEKEEPING = frozenset({"compiling", "compiled", "cuda"})
"""Modules of the kernels that say how code is compiled, cached and loaded, not what it computes: they count by name."""
_LARGE = 2**24
"""Entries of an array beyond which it counts by as many of its entries, evenly spread."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_OWN_NAMES = frozenset({"__file__", "__name__", "__path__", "__package__", "__spec__", "__doc__", "__loader__"})
"""What Python says of a module: it depends on the folder, and no formula may."""
_OF_CLASSES = frozenset(
    "__module__ __dict__ __weakref__ __doc__ __qualname__ __slots__ __abstractmethods__ _abc_impl".split()
)
"""What Python says of a class."""


def code_of(roots: Sequence[Any], home: Any = None, is_whole: bool = False) -> Code:
    """What identifies the code of some functions, or of other values that refer to functions.

    What lies beside `home` counts as theirs: by default, the first that is not of this package.  A `is_whole` fingerprint is for
    records that must not outlive what they are about: it holds the contents of objects, too, what a module beside changes, what
    a constant was read from, and the words of code that asks for them.  A value that has no text is like no other.

    >>> from simspec.laws import overlap, tv
    >>> code_of([tv]) == code_of([tv]) != code_of([overlap])
    True
    """
    outside = (root for root in roots if not _is_of_package(root))
    return _Walk(home if home is not None else next(outside, None), is_whole).code(roots)


def texts_of(roots: Sequence[Any]) -> frozenset[str]:
    """The canonical text of every piece that some functions rest on.

    >>> from simspec.laws import tv
    >>> any("abs" in text for text in texts_of([tv]))
    True
    """
    return frozenset(_Walk(roots[0] if roots else None).texts(roots))


def _is_of_package(root: Any) -> bool:
    return str(getattr(root, "__module__", "")).partition(".")[0] == _PACKAGE


class _Reference(NamedTuple):
    """A piece that is referred to.

    Attributes
    ----------
    key : what tells it apart in a run
    name : what it is called where a change is reported
    label : the name as far as it counts; empty for locals
    text : makes its text
    alive : what must live on, since keys hold identities
    lasts : whether its text is the same for every walk
    """

    key: Any
    name: str
    label: str
    text: Callable[[_Walk], str]
    alive: Any
    lasts: bool = False


_lasting: dict[Any, tuple[str, tuple[_Reference, ...]]] = {}
"""Hash, and references, of pieces of this package."""
_lasting_whole: dict[Any, tuple[str, tuple[_Reference, ...]]] = {}
"""The same of whole fingerprints."""
_package_modules: dict[int, tuple[Any, Module | None]] = {}


def _hash(text: str) -> str:
    return blake2b(text.encode(errors="backslashreplace"), digest_size=8).hexdigest()


def hash_of_file(path: Path) -> str:
    """Hash of a file's bytes, as it stands in the text of code that names the file by a `Path` constant.

    >>> len(hash_of_file(Path(__file__)))
    16
    """
    return blake2b(path.read_bytes(), digest_size=8).hexdigest()


def _unwrapped(value: object) -> Any:
    """The Python function in a compiled or remembering one."""
    if isinstance(value, types.FunctionType | type):
        return value
    inner = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
    return value if inner is None else _unwrapped(inner)


class _Walk:
    """Everything that is reached from some functions: each piece once, in order of first mention."""

    def __init__(self, home: Any, is_whole: bool = False) -> None:
        """Begin at a function; `is_whole` asks for what objects contain, too."""
        root = home
        self.is_whole = is_whole
        self.lasting = _lasting_whole if is_whole else _lasting
        while isinstance(root, functools.partial):
            root = root.func
        root = _unwrapped(getattr(root, "__func__", root))
        space = getattr(root if hasattr(root, "__globals__") else type(root).__call__, "__globals__", {})
        self.home: Mapping[str, Any] = space
        top = str(space.get("__name__", "")).partition(".")[0]
        self.tops = {_PACKAGE, top}
        file = space.get("__file__")
        self.folder = Path(file).resolve().parent if file and top != _PACKAGE else None
        self.numbers: dict[Any, int] = {}
        self.references: list[_Reference] = []
        self.mentioned: list[_Reference] = []
        self.modules: dict[int, tuple[Any, Module | None]] = {}
        self.at_home: dict[str, bool] = {}

    def code(self, roots: Sequence[Any]) -> Code:
        """The fingerprint of what these refer to."""
        parts: dict[str, set[str]] = {}
        lines = [self.value(root) for root in roots]
        lines.append(f"{self._numbered(self.mentioned)}")
        for reference in self.references:  # grows meanwhile
            piece, mentioned = self._piece(reference)
            lines.append(f"{reference.label} {piece} {self._numbered(mentioned)}")
            parts.setdefault(reference.name, set()).add(piece)
        named = {name: "+".join(sorted(pieces)) for name, pieces in sorted(parts.items())}
        return {"fingerprint": _hash("\n".join(lines)), "parts": named}

    def texts(self, roots: Sequence[Any]) -> list[str]:
        """The text of every piece that these refer to."""
        texts = [self.value(root) for root in roots]
        self._numbered(self.mentioned)
        for reference in self.references:  # grows meanwhile
            self.mentioned = []
            texts.append(reference.text(self))
            self._numbered(self.mentioned)
        return texts

    def _piece(self, reference: _Reference) -> tuple[str, Sequence[_Reference]]:
        """Hash of the text of a piece, and what it mentions."""
        if reference.key in self.lasting:
            return self.lasting[reference.key]
        self.mentioned = []
        piece = _hash(reference.text(self)), tuple(self.mentioned)
        if reference.lasts:
            self.lasting[reference.key] = piece
        return piece

    def _numbered(self, mentioned: Sequence[_Reference]) -> list[int]:
        for reference in mentioned:
            if reference.key not in self.numbers:
                self.numbers[reference.key] = len(self.references)
                self.references.append(reference)
        return [self.numbers[reference.key] for reference in mentioned]

    def _mention(self, reference: _Reference) -> str:
        """Note that a piece is mentioned; the name that stands for it."""
        self.mentioned.append(reference)
        return reference.label

    # --- where something belongs --------------------------------------------------------------------------------------

    def _is_ours(self, space: Mapping[str, Any]) -> bool:
        """Whether a module, by its names, is of this package or of the home of the functions."""
        if str(space.get("__name__", "")).partition(".")[0] in self.tops:
            return True
        file = str(space.get("__file__") or "")
        if not file or self.folder is None:
            return False
        if file not in self.at_home:  # asked of every loaded module, for each name
            self.at_home[file] = self._lies_at_home(Path(file).resolve())
        return self.at_home[file]

    def _lies_at_home(self, path: Path) -> bool:
        if self.folder is None or not path.is_relative_to(self.folder):
            return False
        return not any(part in _INSTALLED for part in path.relative_to(self.folder).parts)

    def _source(self, space: Mapping[str, Any]) -> Module | None:
        """The source of a module's file, or None where it has none; that of this package is read once."""
        sources = _package_modules if _is_package(space) else self.modules
        if id(space) not in sources:
            file = space.get("__file__")
            sources[id(space)] = space, module_of(str(file), space) if file else None
        return sources[id(space)][1]

    def _is_written(self, space: Mapping[str, Any], name: str) -> bool:
        """Whether the file of a module defines a name: what was piped to Python, or run by `exec`, stands in no file."""
        source = self._source(space)
        return source is not None and name in source.defs

    def _module(self, name: str) -> types.ModuleType | None:
        """A module of ours by its name, or None."""
        if name not in sys.modules:
            top = name.partition(".")[0]
            try:
                spec = find_spec(top)  # of the first part alone: nothing foreign is imported for this
                if spec is None or not self._is_ours({"__name__": top, "__file__": spec.origin}):
                    return None
                import_module(name)
            except (ImportError, ValueError):
                return None
        module = sys.modules[name]
        return module if self._is_ours(vars(module)) else None

    # --- what a name stands for ---------------------------------------------------------------------------------------

    def _imported(self, source: Imported, rest: Sequence[str]) -> str:
        name, taken = source
        module = self._module(name)
        if module is None:
            return ".".join([name, *([taken] if taken else []), *rest])
        return self._member(module, [*([taken] if taken else []), *rest])

    def _member(self, module: types.ModuleType, dotted: Sequence[str]) -> str:
        """What stands for ``module.a.b``."""
        if not dotted:
            return f"module {module.__name__.rpartition('.')[2]}"
        if not self._is_ours(vars(module)):
            return ".".join([module.__name__, *dotted])
        inner = vars(module).get(dotted[0])
        if inner is None:
            inner = self._module(f"{module.__name__}.{dotted[0]}")  # loaded or not
        if isinstance(inner, types.ModuleType):
            return self._member(inner, dotted[1:])
        return self._global(vars(module), dotted[0], dotted[1:])

    def _global(self, space: Mapping[str, Any], name: str, rest: Sequence[str] = ()) -> str:
        """What stands for a dotted name of a module; what it is defined as is mentioned."""
        parent, _, leaf = str(space.get("__name__", "")).rpartition(".")
        if name in _OWN_NAMES or (parent == f"{_PACKAGE}.kernels" and leaf in _HOUSEKEEPING):
            return ".".join([name, *rest])
        source = self._source(space)
        if source and name in source.defs:
            lasts = _is_package(space)
            text: Callable[[_Walk], str] = lambda walk: walk._definition(space, name)  # noqa: E731
            return ".".join([self._mention(_Reference((id(space), name), name, name, text, space, lasts)), *rest])
        if source and name in source.imports:
            return self._imported(source.imports[name], rest)
        value = space.get(name)
        if value is None and "__getattr__" in space:  # names that a package imports when they are asked for
            value = getattr(sys.modules.get(str(space.get("__name__"))), name, None)
        if isinstance(value, types.ModuleType):
            return self._member(value, rest)
        if value is None:  # of Python itself
            return ".".join([name, *rest])
        if isinstance(value, types.FunctionType | type):
            return ".".join([self.value(value), *rest])
        key = ("value", id(value), name)
        return ".".join([self._mention(_Reference(key, name, name, lambda walk: walk.value(value), value)), *rest])

    def _resolver(self, space: Mapping[str, Any], cells: Mapping[str, Any], around: Sequence[Any] = ()) -> Resolve:
        """What names stand for in a module, or in a function of it with these variables of the functions around it."""
        order: dict[str, int] = {}

        def resolve(dotted: Sequence[str], imports: Mapping[str, Imported]) -> str:
            first, *rest = dotted
            if first in imports:
                return self._imported(imports[first], rest)
            if first in cells:
                self._closed(first, cells[first], space, around)
                return ".".join([f"^{order.setdefault(first, len(order))}", *rest])
            return self._global(space, first, rest)

        return resolve

    def _writer(self, space: Mapping[str, Any], cells: Mapping[str, Any], around: Sequence[Any] = ()) -> Writer:
        """What writes the code of a module, or of a function of it with these variables of the functions around it."""

        def is_study(name: str, imports: Mapping[str, Imported]) -> bool:
            value = space.get(name)
            if name in imports:
                module, taken = imports[name]
                value = getattr(self._module(module), taken or "", None)
            elif name in cells:
                return False
            return (getattr(value, "__module__", ""), getattr(value, "__qualname__", "")) == _STUDY

        return Writer(self._resolver(space, cells, around), str(space.get("__package__") or ""), is_study)

    def _closed(self, name: str, cell: Any, space: Mapping[str, Any], around: Sequence[Any]) -> None:
        """A variable of an enclosing function: by its value, or as it is made there where it may change meanwhile."""
        try:
            value = cell.cell_contents
        except ValueError:  # none yet
            return
        text: Callable[[_Walk], str] = lambda walk: walk.value(value)  # noqa: E731
        assigning = ((function, makers(function, name)) for function in around)
        function, statements = next((pair for pair in assigning if pair[1]), (None, []))
        if isinstance(value, dict | list | set) and statements:
            text = lambda walk: walk._made(function, statements, space, value)  # noqa: E731
        self._mention(_Reference(("closed", id(cell)), name, "", text, cell))

    # --- pieces as text -----------------------------------------------------------------------------------------------

    def _made(self, function: Any, statements: Sequence[Any], space: Mapping[str, Any], value: Any) -> str:
        """Statements of an enclosing function as text; what they make of numbers that are handed over counts by its value."""
        writer = self._writer(space, {})
        writer.enter(function)
        is_open = self.is_whole and any(names_in(statement.value) for statement in statements if statement.value)
        return f"{writer.text([*statements])}{self.value(value) if is_open else ''}"

    def _definition(self, space: Mapping[str, Any], name: str) -> str:
        source = self._source(space)
        value = space.get(name)
        function = _unwrapped(value)
        if isinstance(function, types.FunctionType) and function.__globals__ is space and _is_stale(function, source):
            return self._bytecode(function)
        writer = self._writer(space, {})
        statements = [source.statement(place) for place in source.defs[name]] if source else []
        texts = [writer.text(statement) for statement in statements]
        if self.is_whole:
            texts += self._beyond_text(space, name, statements)
            if source and _is_package(space) and _is_replaced(function, space, source, name):
                texts.append(f"replaced by {self._bytecode(function)}")
        return "\n".join([*texts, *([self._content(value)] if isinstance(value, Path) else [])])

    def _beyond_text(self, space: Mapping[str, Any], name: str, statements: Sequence[ast.stmt]) -> list[str]:
        """What a name of a module rests on beside the statements that define it, which are given."""
        texts = [] if _is_package(space) else self._changed_elsewhere(space, name)
        if any(map(reads_a_file, statements)):
            texts.append(self.value(space.get(name)))
        if not _is_package(space) and any(map(asks_for_words, statements)):
            texts.append(self._words(space))
        return texts

    def _changed_elsewhere(self, space: Mapping[str, Any], name: str) -> list[str]:
        """Statements of other modules at home that change what a name of a module stands for."""
        texts = []
        for inner in self._spaces_at_home():
            source = self._source(inner)
            for (target, imported_name), places in source.elsewhere.items() if source and inner is not space else ():
                if target == space.get("__name__") and imported_name in {name, None}:
                    writer = self._writer(inner, {})
                    texts += [writer.text(source.statement(place)) for place in places] if source else []
        return texts

    def _spaces_at_home(self) -> list[Mapping[str, Any]]:
        """The names of the modules beside the functions, and of the one that these are in, which need not be listed."""
        loaded = [vars(m) for _, m in sorted(sys.modules.items()) if isinstance(m, types.ModuleType)]
        spaces = [s for s in (self.home, *loaded) if s.get("__file__") and not _is_package(s) and self._is_ours(s)]
        return list({id(s): s for s in spaces}.values())

    def _words(self, space: Mapping[str, Any]) -> str:
        """The text of a module as it is written, and of the others at home: words that code asks for stand in any of them."""
        sources = [self._source(s) for s in (space, *self._spaces_at_home())]
        return f"words {_hash(''.join(line for source in sources if source for line in source.lines))}"

    def _bytecode(self, function: types.FunctionType) -> str:
        """For a function without source; then Python's version counts too."""
        space = function.__globals__
        names = [n for n in function.__code__.co_names if n in space and not isinstance(space[n], types.ModuleType)]
        texts = [self._global(space, name) for name in names]
        return f"{sys.version_info[:2]} {code_text(function.__code__)} {texts}"

    def _function(self, function: types.FunctionType) -> str:
        """A function that is no name of a module: with the defaults, and the variables around it, that it was made with."""
        code = function.__code__
        space = function.__globals__
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        is_home = space.get("__file__") == code.co_filename
        source = self._source(space) if is_home else module_of(code.co_filename, space)
        nodes = []
        for statement, shift in source.statements_on(code.co_firstlineno) if source else []:
            nodes += functions_at(statement, code.co_name, code.co_firstlineno, code, shift)
        given = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        defaults = [self.value(v) for v in given if not isinstance(v, dict | list | set)]  # these may remember
        if not nodes or _is_stale(function, source):
            for name, cell in cells.items():
                self._closed(name, cell, space, ())
            return f"{self._bytecode(function)} {defaults}"
        if self.is_whole and any(names_in(default) for node, _ in nodes for default in node.args.defaults):
            defaults = [self.value(v) for v in given]
        texts = []
        for node, around in nodes:
            texts.append(self._writer(space, cells, around).function(node))
            if self.is_whole and not _is_package(space) and asks_for_words(node):
                texts.append(self._words(space))
        return "\n".join([*texts, *defaults])

    def value(self, wrapped: Any) -> str:
        """A value as text, the same on every machine; what it refers to is mentioned."""
        value: Any = _unwrapped(wrapped)
        if isinstance(value, types.MethodType):
            return f"{self.value(value.__func__)} of {self._owner(value.__self__)}"
        if isinstance(value, types.FunctionType):
            return self._of_function(value)
        if isinstance(value, type):
            return self._of_class(value)
        if isinstance(value, types.ModuleType):
            return f"module {value.__name__.rpartition('.')[2]}"
        return self._plain(value)

    def _of_function(self, function: Any) -> str:
        space = function.__globals__
        name = function.__name__
        if not self._is_ours(space):
            inner = getattr(function, "__wrapped__", None)
            return self.value(inner) if inner else f"{str(function.__module__).partition('.')[0]}.{name}"
        if space.get(name) is function and self._is_written(space, name):
            return self._global(space, name)
        label = "" if "<locals>" in function.__qualname__ else name
        return self._mention(_Reference(id(function), name, label, lambda walk: walk._function(function), function))

    def _of_class(self, kind: Any) -> str:
        """A class by its name, its bases and what it defines; one that is not ours by its name and package."""
        module = sys.modules.get(kind.__module__)
        name = str(kind.__name__)
        methods = [getattr(f, "fget", f) for f in vars(kind).values()]
        spaces = [vars(module)] if module else [f.__globals__ for f in methods if hasattr(f, "__globals__")]
        if not spaces or not self._is_ours(spaces[0]):
            return f"{kind.__module__.partition('.')[0]}.{kind.__qualname__}"
        for space in spaces:
            if space.get(name) is kind and self._is_written(space, name):
                return self._global(space, name)
        of_the_class: list[Any] = [f for f in methods if isinstance(f, types.FunctionType)]
        if self.is_whole:
            of_the_class += [
                getattr(v, "__func__", v) for n, v in vars(kind).items() if n not in _OF_CLASSES and not _is_method(v)
            ]
        return f"{name} {[self.value(thing) for thing in (*kind.__bases__, *of_the_class)]}"

    def _plain(self, value: object) -> str:
        """Return the text of a value, the same in every process: no addresses, no order of a set."""
        text = self._usual(value)
        if not self.is_whole or is_plain(value) or _is_of_package(type(value)):
            return text
        return f"{text} {self._mention(_Reference(('content', id(value)), '', '', lambda walk: walk._contents(value), value))}"

    def _contents(self, value: object) -> str:
        """What an object holds, as it would be copied; a value that cannot be is like no other."""
        parts = contents(value)
        return f"unknown {secrets.token_hex()}" if parts is None else f"{[self.value(state) for state in parts]}"

    def _usual(self, value: object) -> str:
        """The text of a value by its kind."""
        if isinstance(value, functools.partial):
            return f"partial {self.value(value.func)} {self.value(value.args)} {self.value(value.keywords)}"
        if isinstance(value, tuple | list):
            return f"{type(value).__name__} [{','.join(map(self.value, value))}]"
        if isinstance(value, set | frozenset):
            ordered = sorted(value, key=lambda item: _ADDRESS.sub("", repr(item)))  # in which they are mentioned
            return f"set {sorted(map(self.value, ordered))}"
        if isinstance(value, Mapping):
            return f"dict {sorted((self.value(k), self.value(v)) for k, v in value.items())}"
        if isinstance(value, np.ndarray) and value.dtype != object:
            taken = value.ravel()[:: 1 + value.size // _LARGE]
            return f"array {value.dtype.str} {value.shape} {blake2b(taken.tobytes(), digest_size=8).hexdigest()}"
        if isinstance(value, Path):
            return f"path {value.name} {self._content(value)}"
        if isinstance(value, types.GenericAlias) or type(value).__module__ == "typing":
            return f"type {value!r}"
        # an object may hold itself: a mention lets the walk visit it once
        if (callable(value) and hasattr(value, "__dict__")) or is_dataclass(value):
            return self._mentioned_object(value)
        return f"{type(value).__name__} {_ADDRESS.sub('', repr(value))}"

    def _owner(self, value: Any) -> str:
        """The object that a method is of, by its attributes."""
        if isinstance(value, type | types.ModuleType) or not hasattr(value, "__dict__"):
            return self.value(value)
        return self._mentioned_object(value)

    def _mentioned_object(self, value: object) -> str:
        """A mention of an object by its attributes, which may hold it."""
        kind = type(value)
        text: Callable[[_Walk], str] = lambda walk: walk._object(value)  # noqa: E731
        return self._mention(_Reference(("object", id(value)), kind.__name__, kind.__name__, text, value))

    def _object(self, value: object) -> str:
        """An object by its class and its attributes."""
        names = [f.name for f in fields(value)] if is_dataclass(value) else sorted(vars(value))
        inner = [(n, getattr(value, n)) for n in names if not hasattr(type(value), n) or is_dataclass(value)]
        if self.is_whole and not is_dataclass(value):
            inner += [(n, v) for n, v in sorted(getattr(value, "__dict__", {}).items()) if is_over_its_class(value, n)]
        return f"{self.value(type(value))} {[(n, self.value(v)) for n, v in inner]}"

    def _content(self, path: Path) -> str:
        """Hash of a file of ours; empty for a folder, and for what lies elsewhere."""
        resolved = path.resolve()
        is_ours = resolved.is_relative_to(Path(__file__).resolve().parents[1]) or self._lies_at_home(resolved)
        return f"content {hash_of_file(resolved)}" if is_ours and resolved.is_file() else ""


def _is_method(value: object) -> bool:
    """Whether an attribute of a class is a function or gives one its arguments: static and class methods are told apart."""
    return hasattr(value, "__get__") and not isinstance(value, staticmethod | classmethod)


def _is_package(space: Mapping[str, Any]) -> bool:
    return str(space.get("__name__", "")).partition(".")[0] == _PACKAGE


def _is_replaced(function: object, space: Mapping[str, Any], source: Module, name: str) -> bool:
    """Whether a function of this package, or its code, stands elsewhere than in the one statement that defines its name.

    A file of a user's may be run from the text of a path: its functions are compared by what other modules at home change.
    """
    places = source.defs[name]
    if not isinstance(function, types.FunctionType) or len(places) != 1:
        return False
    (place,) = places
    code = function.__code__
    is_there = code.co_filename == space.get("__file__") and place.line <= code.co_firstlineno <= place.end_line
    return not is_there and isinstance(source.statement(place), ast.FunctionDef)


def _is_stale(function: types.FunctionType, source: Module | None) -> bool:
    """Whether the file says something else than what was imported from it (this package is not asked)."""
    if _is_package(function.__globals__) or source is None:
        return False
    return not is_compiled_from(function.__code__, source)
