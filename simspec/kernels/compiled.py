"""How every compiled kernel is compiled: once on a machine, however many processes ask for it at the same time."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows: processes that start together may compile the same kernel twice
    fcntl = None  # type: ignore[assignment]

__all__ = ["compiled", "inner", "inner_options", "kernel", "sources"]


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile with Numba's options, cached on disk where any cache directory can be written.

    Kernels are inlined into kernels of other modules, while Numba looks at the file of a function alone to see whether its
    cache is stale; here a change of any of `sources` makes it stale.

    >>> compiled(lambda x: x + 1)(1)
    2
    """
    import numba

    options = {"no_cfunc_wrapper": True, **options}  # which C would call: nothing does, and it is a sixth of the work
    njit: Any = numba.njit
    try:
        dispatcher = njit(cache=True, **options)(function)
        index = dispatcher._cache._cache_file
        index._source_stamp = (index._source_stamp, sources())
        index._version = (index._version, sources())  # read before the rest, which may hold a class that is gone
        _without_broken_files(dispatcher._cache)
        _one_at_a_time(dispatcher, Path(index._index_path).with_suffix(".lock"))
        _of_types(dispatcher)
    except (RuntimeError, AttributeError):  # no writable directory, or a Numba whose index is another
        dispatcher = njit(**options)(function)
    return dispatcher


def inner(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Numba's `njit` for what kernels alone call: no wrapper for Python, and no machine code but in those kernels.

    >>> inner(lambda x: x + 1)(1)
    Traceback (most recent call last):
    TypeError: <lambda>: called from Python; expected a compiled function to call it
    """
    if function is None:
        return partial(inner, **options)
    import numba

    njit: Any = numba.njit
    dispatcher = njit(**inner_options(**options))(function)
    _of_types(dispatcher)
    return _closed(dispatcher)


def inner_options(**options: Any) -> Any:
    """Numba's options for what kernels alone call, which `numba.extending` takes as well, and more of them."""
    return {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _part(), **options}


@cache
def _part() -> Any:
    """Numba's compiler for what is compiled into others: typed and lowered once, optimised and made machine code there alone."""
    from numba.core import compiler
    from numba.core.codegen import JITCodeLibrary

    class Library(JITCodeLibrary):
        def _optimize_final_module(self) -> None:
            pass

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

    class Part(compiler.Compiler):
        def define_pipelines(self) -> Any:
            state = self.state
            state.flags.no_compile = True
            state.library = Library(state.targetctx.codegen(), state.func_id.func_qualname)
            return super().define_pipelines()

        def _compile_core(self) -> Any:
            marker = object().__format__  # a function that is no other's, by which callers find this one
            compile_result = super()._compile_core()._replace(entry_point=marker)
            self.state.targetctx.insert_user_function(marker, compile_result.fndesc, [compile_result.library])
            return compile_result

    return Part


def _closed(dispatcher: Any) -> Any:
    """A function without a wrapper refuses calls from Python, for which Numba would jump to address 0."""

    def refuse(*arguments: Any, **named: Any) -> Any:
        raise TypeError(f"{dispatcher.__name__}: called from Python; expected a compiled function to call it")

    dispatcher._insert = lambda *entry: None  # so that every call from Python has to ask for code
    dispatcher._compile_for_args = refuse
    return dispatcher


UNREADABLE = (AttributeError, EOFError, ImportError, LookupError, OSError, RuntimeError, TypeError, ValueError)
"""What reading or writing a cache raises after a compilation or a write was interrupted, pickle's own error aside."""


def _without_broken_files(cache: Any) -> None:
    """What an interruption has left half-made is compiled again: a cache saves time, and must not end a computation.

    A file that cannot be read counts as none, and its index is begun anew.  Code of which LLVM has given back no object
    ("no compiled object yet") is used, and not saved.
    """
    load = cache.load_overload
    save = cache.save_overload

    def readable_overload(*key: object) -> object:
        try:
            return load(*key)
        except (*UNREADABLE, pickle.UnpicklingError):
            with suppress(OSError):
                cache.flush()
            return None

    def save_overload(*entry: object) -> None:
        with suppress(*UNREADABLE, pickle.PicklingError):
            save(*entry)

    cache.load_overload = readable_overload
    cache.save_overload = save_overload


PATIENCE = 120.0
"""Seconds for which a process waits for another that compiles the same kernel; then it compiles it itself."""
_held: set[Path] = set()


def _one_at_a_time(dispatcher: Any, lock: Path) -> None:
    """Compile, or load from the cache, only while no other process does so: the second one loads what the first has made.

    Numba's own lock is taken first, so that one thread of a process at most holds or awaits locks of kernels; kernels
    that are inlined into others are locked after these, in the order of their calls, which has no circle.
    """
    from numba.core.compiler_lock import global_compiler_lock

    compile_ = dispatcher.compile

    def compile_alone(signature: Any) -> Any:
        with global_compiler_lock, _locked(lock):
            return compile_(signature)

    dispatcher.compile = compile_alone


def _of_types(dispatcher: Any) -> None:
    """Compile for the types of constants, not for each constant that a caller passes."""
    from numba.core import types

    compile_ = dispatcher.compile
    dispatcher.compile = lambda signature: compile_(
        tuple(x.literal_type if isinstance(x, types.Literal) else x for x in signature)
    )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock on a file that ends with the process, if it can be had in time; within itself it is held already."""
    if fcntl is None or path in _held:
        yield
        return
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:  # a cache that another user has made is read all the same
        yield
        return
    _held.add(path)
    try:
        until = time.monotonic() + PATIENCE
        while not _taken(handle) and time.monotonic() < until:
            time.sleep(0.02)
        yield
    finally:
        _held.discard(path)
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def kernel(function: Callable[..., Any]) -> Any:
    """`compiled` for loops over rows: without the interpreter lock, and dividing by zero as NumPy does.

    >>> kernel(lambda x: 1 / x)(0.0)
    inf
    """
    return compiled(function, nogil=True, error_model="numpy")


@cache
def sources() -> str:
    """Hash of all files with compiled kernels.

    >>> len(sources())
    32
    """
    folder = Path(__file__).parent
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
