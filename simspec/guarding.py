"""What the code of a user's file may not do to the command that runs it: end the process, or replace what others use.

Within `staying`, `os._exit` and the like are errors; `Originals` tells what was put in place of functions of Python, of NumPy and
of this package, and puts them back.  Errors that say where the code did it are made in `simspec.loading`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

__all__ = ["Originals", "begin", "check_guarded", "check_replaced", "guard", "staying"]

_ENDING = ("_exit", "abort", "execv", "execve")
"""Functions of `os` that end the process without an error that passes through its callers; others of the kind call these."""
_OF_CLASSES = ("__dict__", "__weakref__")
"""What Python itself gives every class."""
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


class Originals:
    """The functions, classes and tables of Python, NumPy and this package, as they are when it is made.

    >>> originals = Originals()
    >>> import builtins
    >>> builtins.ascii = repr
    >>> originals.put_back(), originals.put_back()
    (['builtins.ascii'], [])
    """

    def __init__(self) -> None:
        self._held = {label: (holder, name, value) for label, holder, name, value in _originals()}

    def put_back(self) -> list[str]:
        """Names of what was replaced or taken away since then, which are put back."""
        replaced = []
        for label, (holder, name, value) in self._held.items():
            now = holder.get(name) if isinstance(holder, dict) else vars(holder).get(name)
            if now is value:
                continue
            replaced.append(label)
            if isinstance(holder, dict):
                holder[name] = value
            else:
                setattr(holder, name, value)
        return replaced


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
    names = originals.put_back()
    if names:
        remainder = f" and {len(names) - 3} more" if len(names) > 3 else ""
        raise ValueError(
            f"{label} replaces {', '.join(names[:3])}{remainder}; expected names of its own (what was there is put back)"
        )


def _originals() -> Iterator[tuple[str, Any, str, Any]]:
    """Label, what holds it, name and value of each."""
    for module_name, module in [*sys.modules.items()]:
        is_ours = module_name.partition(".")[0] == "simspec"
        if not is_ours and module_name not in ("builtins", "numpy"):
            continue
        for name, value in [*vars(module).items()]:
            if name in ("_", "__getattr__"):
                continue
            if callable(value) or isinstance(value, tuple):
                yield f"{module_name}.{name}", module, name, value
            if is_ours and isinstance(value, type) and value.__module__ == module_name:
                parts = [
                    (n, member)
                    for n, member in vars(value).items()
                    if hasattr(member, "__get__") and n not in _OF_CLASSES
                ]
                yield from ((f"{module_name}.{name}.{n}", value, n, member) for n, member in parts)
            if is_ours and name.isupper() and isinstance(value, dict):
                yield from ((f"{module_name}.{name}[{key!r}]", value, key, member) for key, member in value.items())
