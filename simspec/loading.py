"""What users bring: a rule, a claim or a study of their own, found in a file, in a module, or in an installed package.

``FILE.py:NAME`` names an object of a file, ``module:NAME`` one of a module, and a bare name what a package has
registered under one of the entry-point groups in `GROUPS`.  Whatever goes wrong in such code is told in one line that
names the file and the line; nothing here knows what a claim or a rule is.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

from simspec import guarding
from simspec.guarding import Originals, staying

__all__ = [
    "GROUPS",
    "Place",
    "blame",
    "called",
    "ended",
    "faults",
    "file_of",
    "installed",
    "line_of",
    "load",
    "names",
    "place_of",
    "space_of",
    "unwrapped",
]

GROUPS = {"claim": "simspec.claims", "rule": "simspec.rules", "sampler": "simspec.samplers", "study": "simspec.studies"}
"""Entry-point group of each kind of thing that a package may register."""
PROOF = "proof"
"""The role of a file that is checked: what checks it is guarded while it is loaded."""
_ERRORS = (Exception, SystemExit, GeneratorExit)
"""What may come out of a user's code and is told in a line; Ctrl-C goes through."""
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class Place(NamedTuple):
    """Where something is looked for: a file (its path ends in ``.py``) or a module, and the name that it has there."""

    where: str
    name: str


def place_of(reference: str) -> Place | None:
    """Place that ``FILE.py:NAME`` or ``module:NAME`` refers to; None for other text.

    >>> place_of("mine.py:power"), place_of("package.rules:power"), place_of("rdk.worst-case")
    (Place(where='mine.py', name='power'), Place(where='package.rules', name='power'), None)
    """
    where, colon, name = reference.rpartition(":")
    if not colon or not (where.endswith(".py") or _MODULE.fullmatch(where)):
        return None
    return Place(where, name)


def names(where: str, role: str) -> Mapping[str, Any]:
    """What a file or a module defines, by name.

    A file is executed anew and not left among the modules, so that what it defines travels to other processes by value.
    What lies beside it can be imported, as when Python runs the file.

    Parameters
    ----------
    where : str
        a path that ends in ``.py``, or the dotted name of a module.
    role : str
        what is looked for, for the error.

    Raises
    ------
    ValueError
        for a file or module that is missing, and for one that fails, with the line where it does.

    Examples
    --------
    >>> names("no/such/file.py", "claim")
    Traceback (most recent call last):
    ...
    ValueError: claim: no file no/such/file.py; expected FILE.py:NAME
    """
    return _file(Path(where), role) if where.endswith(".py") else _module(where, role)


def _file(path: Path, role: str) -> Mapping[str, Any]:
    """Execute a file of the user as a module of its own and return what it defines, by name."""
    if not path.is_file():
        raise ValueError(f"{role}: no file {path}; expected FILE.py:NAME")
    spec = spec_from_file_location(f"_loaded_{path.stem}", path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    # the file may import its neighbours, as when Python runs it
    _beside(path.parent.resolve())
    sys.modules[spec.name] = module  # while it is executed: dataclasses look there
    originals = _held(role)
    try:
        with staying():
            code = compile(path.read_bytes(), path, "exec", dont_inherit=True)  # bytecode may be of an older text
            exec(code, vars(module))
    except _ERRORS as error:
        raise ValueError(f"{role}: {path} cannot be loaded ({blame(error, path)})") from error
    finally:
        sys.modules.pop(spec.name, None)
    _guard(originals, f"{role}: {path}")
    if role == PROOF:
        guarding.forget()
    return vars(module)


def _module(name: str, role: str) -> Mapping[str, Any]:
    if "" not in sys.path:
        _beside(Path.cwd())
    originals = _held(role)
    try:
        with staying():
            module = import_module(name)
    except _ERRORS as error:
        raise ValueError(f"{role}: module {name!r} cannot be loaded ({blame(error)})") from error
    _guard(originals, f"{role}: module {name!r}")
    return vars(module)


def _held(role: str) -> Originals:
    """What is held while code of a user's is loaded: of a proof, what checks it, too."""
    return Originals(guarding.CHECKING) if role == PROOF else Originals()


def _guard(originals: Originals, label: str) -> None:
    """Refuse code that, loaded, has put things in place of others', and guard them while it is called."""
    guarding.check_replaced(label, originals)
    guarding.guard(originals)


def _beside(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _is_imported(definitions: Mapping[str, Any], name: str) -> bool:
    """Whether a function or class comes from another module: what a file defines itself is rather what its user means."""
    value = definitions[name]
    return hasattr(value, "__qualname__") and getattr(value, "__module__", None) != definitions.get("__name__")


def load(reference: str, role: str, kind: type | tuple[type, ...], arguments: Sequence[Any] | None = None) -> Any:
    """The object at a place, or the one that a package has registered under this name.

    Parameters
    ----------
    reference : str
        ``FILE.py:NAME``, ``module:NAME``, or the name of an entry point of the group of `role`.
    role : str
        one of `GROUPS`; every error begins with it.
    kind : type or types
        what the object must be.
    arguments : sequence, optional
        arguments for a function in its place that returns one; without, no function is taken.

    Raises
    ------
    ValueError
        naming the file or module, the name, what stands there and what was expected.

    Examples
    --------
    >>> load("math:pi", "claim", float)
    3.141592653589793
    >>> load("math:pi", "claim", dict)
    Traceback (most recent call last):
    ...
    ValueError: claim: 'math:pi' is a float; expected a dict, and there is none in math
    """
    place = place_of(reference)
    if place is None:
        registered = installed(role)
        if reference not in registered:
            raise ValueError(f"{role}: {reference!r}; expected FILE.py:NAME, module:NAME or an installed name")
        place = Place(registered[reference].module, registered[reference].attr or "")
    definitions = names(place.where, role)
    value = definitions.get(place.name)
    if arguments is not None and callable(value) and not isinstance(value, (type, kind)):
        value = called(value, f"{role}: {reference!r}({', '.join(map(str, arguments))})", *arguments)
    elif arguments and isinstance(value, kind):
        raise ValueError(f"{role}: {reference!r} is {_a(type(value))}; expected a function of {len(arguments)} numbers")
    if place.name not in definitions or not isinstance(value, kind):
        there = [n for n, v in definitions.items() if isinstance(v, kind) and not n.startswith("__")]
        there.sort(key=lambda name: _is_imported(definitions, name))
        suggestion = f", such as {place.where}:{there[0]}" if there else f", and there is none in {place.where}"
        is_ = "not there" if place.name not in definitions else _a(type(value))
        raise ValueError(f"{role}: {reference!r} is {is_}; expected {_a(kind)}{suggestion}")
    return value


def called(function: Callable[..., Any], label: str, *arguments: Any) -> Any:
    """What a user's function returns.

    Raises
    ------
    ValueError
        in one line that begins with `label`, for whatever it raises, a wrong number of arguments included.

    Examples
    --------
    >>> called(lambda: 1 // 0, "study: 'mine.py:study'()")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: study: 'mine.py:study'() fails (ZeroDivisionError: integer ...
    """
    try:
        with staying():
            return function(*arguments)
    except _ERRORS as error:
        files = [file] if (file := file_of(function)) else []
        raise ValueError(f"{label} fails ({blame(error, *files)})") from error


def _a(kind: type | tuple[type, ...]) -> str:
    return f"a {' or '.join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))}"


def installed(role: str) -> dict[str, EntryPoint]:
    """Entry points of one of `GROUPS`, by name: what installed packages have registered.

    >>> all(point.group == "simspec.claims" for point in installed("claim").values())
    True
    """
    return {point.name: point for point in entry_points(group=GROUPS[role])}


# --- blame ------------------------------------------------------------------------------------------------------------


def space_of(thing: object) -> dict[str, Any] | None:
    """Names of the module that a function is written in, be it in a partial or decorated; None for what is no function.

    >>> space_of(place_of)["GROUPS"] is GROUPS
    True
    """
    return getattr(unwrapped(thing), "__globals__", None)


def unwrapped(thing: object) -> Any:
    """The function within a partial, a method or a decorated one.

    >>> from functools import partial
    >>> unwrapped(partial(place_of, "mine.py:power")) is place_of
    True
    """
    inner = next((name for name in ("func", "__func__", "py_func", "__wrapped__") if hasattr(thing, name)), None)
    return thing if inner is None else unwrapped(getattr(thing, inner))


def file_of(thing: object) -> Path | None:
    """File that a function is written in; None where there is none.

    >>> file_of(place_of).name
    'loading.py'
    """
    file = (space_of(thing) or {}).get("__file__")
    return Path(file) if file else None


def line_of(thing: object) -> str | None:
    """File and line at which a function is written; None where there is none.

    >>> str(line_of(line_of)).partition(":")[0]
    'loading.py'
    """
    file = file_of(thing)
    code = getattr(unwrapped(thing), "__code__", None)
    return f"{file.name}:{code.co_firstlineno}" if file is not None and code is not None else None


def blame(error: BaseException, *files: Path, otherwise: str | None = None) -> str:
    """An error in one line: its type, its words, and the last line that it passed in these files or beside them, if any.

    Where it passed none of them, the line is `otherwise`, or the last of all that it passed.

    >>> try:
    ...     names("no.such.module", "claim")
    ... except ValueError as error:
    ...     print(blame(error.__cause__).partition(" (")[0])
    ModuleNotFoundError: No module named 'no'
    """
    message = str(error.msg if isinstance(error, SyntaxError) else error)
    words = f"{type(error).__name__}: {message}".splitlines()[0] if message else type(error).__name__
    if isinstance(error, SystemExit):
        words = f"{words}, which would end the process"
    if isinstance(error, SyntaxError) and error.filename:
        return f"{words} ({Path(error.filename).name}:{error.lineno})"
    line = _line(error, files) or otherwise or _line(error)
    return f"{words} ({line})" if line else words


def ended(command: str, error: BaseException) -> str:
    """What is said where code of a user's would have ended a command, with whatever status.

    >>> ended("simspec rates", SystemExit(0))
    'simspec rates is ended by code of yours (SystemExit: 0, which would end the process); expected a value or an error'
    """
    return f"{command} is ended by code of yours ({blame(error)}); expected a value or an error"


def _line(error: BaseException, files: Sequence[Path] = ()) -> str | None:
    """The last line of a traceback in the folders of some files, or in any file that is not Python's machinery or this one."""
    folders = {file.resolve().parent for file in files}
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if frame.filename.startswith("<"):  # what is frozen into Python has no folder
            continue
        if path.resolve().parent in folders if files else not _machinery(path):
            return f"{path.name}:{frame.lineno}"
    return None


def _machinery(path: Path) -> bool:
    return path in (Path(__file__), Path(guarding.__file__)) or path.parent.name == "importlib"


@contextmanager
def faults(subject: str, *things: Callable[..., Any] | Path) -> Iterator[None]:
    """Errors that pass through the code of a user's functions, or of files, leave as a ValueError of one line.

    >>> with faults("rule: 'mine.py:power'", place_of):  # doctest: +ELLIPSIS
    ...     place_of(3)
    Traceback (most recent call last):
    ...
    ValueError: rule: 'mine.py:power' fails (AttributeError: 'int' object has no attribute 'rpartition' (loading.py:...))
    """
    try:
        with staying():
            yield
    except _ERRORS as error:
        files = [f for f in (t if isinstance(t, Path) else file_of(t) for t in things) if f is not None]
        if not files or _line(error, files) is None:
            raise
        raise ValueError(f"{subject} fails ({blame(error, *files)})") from error
