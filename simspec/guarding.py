"""What the code of a user's file may not do to the command that runs it: end the process, or replace what others use.

Within `staying`, `os._exit` and the like are errors; `Originals` tells what was put in place of functions of Python, of NumPy and
of this package, or of what they do, and puts them back.  Errors that say where the code did it are made in `simspec.loading`.
"""

from __future__ import annotations

import builtins
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter, is_
from types import FunctionType, MethodType, ModuleType
from typing import Any, NoReturn

__all__ = ["CHECKING", "Originals", "begin", "check_guarded", "check_replaced", "forget", "guard", "staying"]

_ENDING = ("_exit", "abort", "execv", "execve")
"""Functions of `os` that end the process without an error that passes through its callers; others of the kind call these."""
_OF_CLASSES = ("__dict__", "__weakref__")
"""What Python itself gives every class."""
_OURS = ("simspec", "proofs_check")
CHECKING = frozenset(
    "collections copy flint fractions functools mpmath numbers numpy operator proofs_check re sympy z3".split()
)
"""What a check of proofs calls, beside this package, Python's own functions and the modules of `_STANDARD`."""
_STANDARD = frozenset(
    "contextlib hashlib importlib itertools json math os pathlib posixpath re secrets shutil subprocess tempfile".split()
)
"""Modules of Python's that are held where packages are: by them a check reads, writes, asks others and compares texts."""
_WITHOUT_TEXTS = frozenset({"sympy.parsing.sympy_parser.parse_expr"})
"""What is another function while a proof file is loaded, so that SymPy runs no text."""
_WORKINGS = ("__code__", "__defaults__", "__kwdefaults__")
_SAME, _EACH, _ALL = is_, map, all
"""What the comparison calls, under names that a copy of it keeps when Python's own names are given to something else."""
_MADE_WHEN_ASKED = ("__annotations__", "__abstractmethods__", "__signature__", "__doc__")
"""Names that classes may get later."""
_lock = threading.Lock()
_entered: list[dict[tuple[Any, str], Any]] = []
"""What stands where while someone is within `staying`: once for each of them, so that the last puts it back."""
_threads: list[threading.Thread] = []
"""Threads that are within `staying`, once for each time."""


@contextmanager
def staying() -> Iterator[None]:
    """Within, `os._exit` and what replaces the process are a SystemExit, in this process; forks of it may still end.

    The main thread may still end the process where only other threads are within: that of a pool's worker does, as it is told to.

    >>> with staying():
    ...     try:
    ...         os._exit(0)
    ...     except SystemExit as error:
    ...         print(error)
    os._exit(0)
    """
    thread = threading.current_thread()
    with _lock:
        _threads.append(thread)
        if not _entered:
            _entered.append(_refused())
        else:
            _entered.append(_entered[0])
    try:
        yield
    finally:
        with _lock:
            _threads.remove(thread)
            functions = _entered.pop()
            if not _entered:
                for (module, name), function in functions.items():
                    setattr(module, name, function)


def _refused() -> dict[tuple[Any, str], Any]:
    """The functions that end the process, in whose place refusals stand now."""
    modules = [os, *(sys.modules[name] for name in ("posix", "nt") if name in sys.modules)]
    functions = {(m, name): getattr(m, name) for m in modules for name in _ENDING if hasattr(m, name)}
    for (module, name), function in functions.items():
        setattr(module, name, _refusal(name, function, os.getpid()))
    return functions


def _refusal(name: str, function: Callable[..., Any], process: int) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        if os.getpid() != process or _is_free():  # a fork ends as it is used to
            function(*args, **kwargs)
        raise SystemExit(f"os.{name}({', '.join(map(repr, args))})")

    return refuse


def _is_free() -> bool:
    """Whether this is the main thread, and it runs nobody's code within `staying`."""
    main = threading.main_thread()
    return threading.current_thread() is main and main not in _threads


class _Attributes:
    """What an attribute of some objects is, compared one by one as identities."""

    def __init__(self, name: str, objects: Mapping[str, Any]) -> None:
        self.name = name
        self._labels = [*objects]
        self._objects = [*objects.values()]
        self._value_of = attrgetter(name)
        self._values = [*map(self._value_of, self._objects)]
        self.changed = MethodType(
            _copied(vars(_Attributes)["_changed"]), self
        )  # a copy, as of the methods of `Originals`

    def _changed(self) -> Iterator[tuple[str, Any, Any]]:
        """Label, object and earlier value of each whose attribute is something else now."""
        if _ALL(_EACH(_SAME, _EACH(self._value_of, self._objects), self._values)):
            return
        for label, holder, value in zip(self._labels, self._objects, self._values, strict=True):
            if self._value_of(holder) is not value:
                yield label, holder, value


def _by_space(
    spaces: Mapping[str, tuple[Any, Any, Any]],
) -> list[tuple[Mapping[Any, Any], Sequence[str], Sequence[Any], Sequence[Any]]]:
    """Labels, names and values by the dictionary that holds them, a name of a dictionary under the first of its labels."""
    grouped: dict[int, tuple[Mapping[Any, Any], dict[Any, tuple[str, Any]]]] = {}
    for label, (holder, name, value) in spaces.items():
        key = id(holder)
        if key not in grouped:
            grouped[key] = (holder if isinstance(holder, dict) else vars(holder), {})
        grouped[key][1].setdefault(name, (label, value))
    return [
        (space, [label for label, _ in names.values()], [*names], [value for _, value in names.values()])
        for space, names in grouped.values()
    ]


class Originals:
    """The functions, classes and tables of Python, NumPy and this package, as they are when it is made, and what functions do.

    Parameters
    ----------
    packages : names of packages whose modules, as far as they are loaded, are held in this way too

    >>> originals = Originals()
    >>> import builtins
    >>> builtins.ascii = repr
    >>> originals.put_back(), originals.put_back()
    (['builtins.ascii'], [])
    """

    def __init__(self, packages: Collection[str] = ()) -> None:
        """Hold what stands there now."""
        modules = dict(_modules({*packages, *_STANDARD} if packages else ()))
        functions = dict(_functions(modules))
        spaces = {label: (holder, name, value) for label, holder, name, value in _originals(modules)}
        if packages:
            spaces |= {label: (holder, name, value) for label, holder, name, value in _behind(modules)}
        self._names = {label: (holder, vars(holder), frozenset(vars(holder))) for label, holder in _holders(modules)}
        self._held: dict[str, tuple[Any, Any, Any]] = dict(spaces)
        for label, function in functions.items():
            self._held |= {f"{label}.{name}": (function, name, getattr(function, name)) for name in _WORKINGS}
        # what is compared often: names in the dictionaries that hold them, which are live, and functions
        self._spaces = _by_space(spaces)
        self._workings = [_Attributes(name, functions) for name in _WORKINGS]
        cells = {
            f"{label}.__closure__[{name}]": cell
            for label, function in (functions.items() if packages else ())
            for name, cell in _cells(function)
        }
        self._cells = _Attributes("cell_contents", cells)
        self._hooks = (sys.getprofile(), sys.gettrace())
        self._path = os.environ.get("PATH", "")  # where programs are looked for
        for name in ("_changed", "put_back"):  # copies, which nobody changes by the class
            vars(self)[name] = MethodType(_copied(vars(Originals)[name]), self)

    def _changed(self) -> Iterator[str]:
        """Labels under which something else stands now, or nothing."""
        for space, labels, names, values in self._spaces:
            if _ALL(_EACH(_SAME, _EACH(space.get, names), values)):  # by functions in C: this is asked at each call
                continue
            for label, name, value in zip(labels, names, values, strict=True):
                if space.get(name) is not value:
                    yield label
        for workings in self._workings:
            yield from (f"{label}.{workings.name}" for label, _, _ in workings.changed())
        for label, cell, value in self._cells.changed():
            cell.cell_contents = value
            yield label
        if os.environ.get("PATH", "") != self._path:
            os.environ["PATH"] = self._path
            yield "os.environ['PATH']"
        if (sys.getprofile(), sys.gettrace()) != self._hooks:
            yield "sys.setprofile" if sys.getprofile() is not self._hooks[0] else "sys.settrace"
            sys.setprofile(self._hooks[0])
            sys.settrace(self._hooks[1])

    def items(self) -> Iterator[tuple[str, Any]]:
        """Everything that is held, under its name."""
        return ((label, value) for label, (_, _, value) in self._held.items())

    def put_back(self, besides: Collection[str] = ()) -> list[str]:
        """Names of what was replaced or taken away since then, or put in front of something, which are put back.

        What is named in `besides` may be something else for now.
        """
        replaced = []
        for label in [*self._changed()]:
            if label in besides:
                continue
            replaced.append(label)
            if label not in self._held:  # what is put back already
                continue
            holder, name, value = self._held[label]
            if isinstance(holder, dict):
                holder[name] = value
            else:
                setattr(holder, name, value)
        for label, (holder, space, names) in self._names.items():
            if space.keys() <= names:
                continue
            for name in sorted(space.keys() - names):
                if _hides(holder, name):
                    replaced.append(f"{label}.{name}")
                    delattr(holder, name)
        return replaced


def forget() -> None:
    """What the rules of proofs and SymPy remember is forgotten: code of a user's may have had it computed by other functions.

    >>> forget()
    """
    for name, module in [*sys.modules.items()]:
        if name.startswith("proofs_check.rules"):
            for value in [*vars(module).values()]:
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
    if "sympy" in sys.modules:
        sys.modules["sympy.core.cache"].clear_cache()


def _copied(function: FunctionType) -> FunctionType:
    """A function that does the same, whatever becomes of this one and of the names of its module."""
    copy = FunctionType(function.__code__, dict(function.__globals__), function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _cells(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function has closed over, where that is a function or a class."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            if callable(cell.cell_contents):
                yield name, cell
        except ValueError:  # empty for now
            continue


def _behind(modules: Mapping[str, ModuleType]) -> Iterator[tuple[str, Any, str, Any]]:
    """Modules in the list of all; functions in tables of modules and of classes; and those in objects that are defaults."""
    for module_name, module in modules.items():
        yield f"sys.modules[{module_name!r}]", sys.modules, module_name, module
        if module_name == "builtins":
            continue
        for name, value in [*vars(module).items()]:
            label = f"{module_name}.{name}"
            if isinstance(value, dict) and not name.startswith("__"):
                yield from _callables(label, value)
            if isinstance(value, type) and value.__module__ == module_name:
                for member_name, member in [*vars(value).items()]:
                    if isinstance(member, dict) and member_name not in _MADE_WHEN_ASKED:
                        yield f"{label}.{member_name}", value, member_name, member
                        yield from _callables(f"{label}.{member_name}", member)
            if isinstance(value, FunctionType) and value.__module__ == module_name:
                for n, default in enumerate(value.__defaults__ or ()):
                    if type(default).__module__.partition(".")[0] == module_name.partition(".")[0]:
                        yield from _callables(f"{label}.__defaults__[{n}]", getattr(default, "__dict__", {}))


def _callables(label: str, table: Mapping[Any, Any]) -> Iterator[tuple[str, Any, Any, Any]]:
    """The functions and classes of a table, by their keys."""
    for key, value in [*table.items()]:
        if callable(value):
            yield f"{label}[{key!r}]", table, key, value


def _hides(holder: Any, name: str) -> bool:
    """Whether a new name of a module hides one of Python's, or one of a class what its bases have."""
    if isinstance(holder, ModuleType):
        return hasattr(builtins, name) and not name.startswith("__")
    return any(name in vars(base) for base in holder.__mro__[1:]) and name not in _MADE_WHEN_ASKED


_guarded: list[Originals] = []
"""Of this command, what stood in its place before each file of a user's was loaded."""


def begin() -> None:
    """A command begins, with nothing to guard."""
    _guarded.clear()


def guard(originals: Originals) -> None:
    """Check at the end of the command, too, that these are what they were."""
    _guarded.append(originals)


def check_guarded() -> None:
    """At the end of a command, an error where code of a user's replaced something since it was loaded.

    >>> begin()
    >>> check_guarded()
    """
    for originals in _guarded:
        check_replaced("code of a file or module of yours", originals)


def check_replaced(label: str, originals: Originals) -> None:
    """Put back what was replaced, and raise ValueError that names it.

    >>> check_replaced("rule: mine.py", Originals())
    """
    names = originals.put_back(_WITHOUT_TEXTS)
    if names:
        remainder = f" and {len(names) - 3} more" if len(names) > 3 else ""
        raise ValueError(
            f"{label} replaces {', '.join(names[:3])}{remainder}; expected names of its own (what was there is put back)"
        )


def _modules(packages: Collection[str]) -> Iterator[tuple[str, ModuleType]]:
    """Modules that are held, by name."""
    for name, module in [*sys.modules.items()]:
        package = name.partition(".")[0]
        is_held = package == "simspec" or package in packages or name in ("builtins", "numpy")
        if is_held and isinstance(module, ModuleType):
            yield name, module


def _holders(modules: Mapping[str, ModuleType]) -> Iterator[tuple[str, Any]]:
    """Modules and their own classes, whose new names may hide others."""
    for module_name, module in modules.items():
        if module_name == "builtins":
            continue
        yield module_name, module
        for name, value in [*vars(module).items()]:
            if isinstance(value, type) and value.__module__ == module_name:
                yield f"{module_name}.{name}", value


def _originals(modules: Mapping[str, ModuleType]) -> Iterator[tuple[str, Any, str, Any]]:
    """Label, what holds it, name and value of each."""
    for module_name, module in modules.items():
        is_ours = module_name.partition(".")[0] in _OURS
        is_whole = module_name not in ("builtins", "numpy")
        for name, value in [*vars(module).items()]:
            if name in ("_", "__getattr__"):
                continue
            label = f"{module_name}.{name}"
            if callable(value) or isinstance(value, tuple) or (is_ours and name.isupper()):
                yield label, module, name, value
            if is_whole and isinstance(value, type) and value.__module__ == module_name:
                yield from ((f"{label}.{n}", value, n, member) for n, member in _members(value))
            if is_ours and name.isupper() and isinstance(value, dict):
                yield from ((f"{label}[{key!r}]", value, key, member) for key, member in value.items())


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """Methods and properties of a class, by name."""
    for name, member in [*vars(kind).items()]:
        if hasattr(member, "__get__") and name not in _OF_CLASSES:
            yield name, member


def _functions(modules: Mapping[str, ModuleType]) -> Iterator[tuple[str, FunctionType]]:
    """Functions of Python's that modules define, those of their classes and those under a wrapper among them, with labels."""
    for module_name, module in modules.items():
        if module_name in ("builtins", "numpy"):
            continue
        for name, value in [*vars(module).items()]:
            if getattr(value, "__module__", None) != module_name:
                continue
            members = [("", value)]
            if isinstance(value, type):
                members = [(f".{n}", member) for n, member in _members(value)]
            for suffix, member in members:
                inner = getattr(member, "fget", None) or getattr(member, "__func__", None) or member
                function = getattr(inner, "__wrapped__", inner)
                if isinstance(function, FunctionType):
                    yield f"{module_name}.{name}{suffix}", function
                if isinstance(inner, FunctionType) and inner is not function:
                    yield f"{module_name}.{name}{suffix} (around it)", inner
