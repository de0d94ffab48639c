"""A process that is fed malformed calls and may die of them: ``python -m tests.crashes.child``.

It reads lines of JSON, [name, seed] or [name, code], and answers each with "begin", then "end" and how it ended.  A call
is made by the examples of a docstring: they are run as they stand, but where they call the function of that name its
arguments are spoiled on the way (`tests.crashes.mutate`).  So state and arguments of every kind come from the examples.
"""

from __future__ import annotations

import contextlib
import doctest
import faulthandler
import inspect
import io
import json
import os
import resource
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from simspec import checks
from tests.crashes.mutate import spoil
from tests.crashes.targets import RECIPES, plain

MEMORY = 3 * 2**30
SECONDS, PATIENCE = 1, 60  # of the processor, not of the clock: a busy machine makes no call too long
DEAF = 10
"""Seconds after an interrupt that is not heard before the process is killed."""
EXAMPLE = "<example>"


class TooLong(BaseException):
    """Raised in Python code that runs for too long; compiled code does not hear it, and the process is killed."""


def examples(module: ModuleType, name: str, guess: bool = True) -> list[str]:
    """Statements of the examples of "function", "Class" or "Class.method", or those that stand in for them."""
    whole = f"{module.__name__}:{name}"
    if recipe := RECIPES.get(whole) or RECIPES.get(whole.rpartition(".")[0]):
        return [part.source for part in doctest.DocTestParser().get_examples(recipe)]
    thing: Any = module
    docs = []
    for part in name.split("."):
        thing = inspect.getattr_static(thing, part)
        thing = thing.__func__ if isinstance(thing, staticmethod | classmethod) else thing
        docs.append((thing.fget if isinstance(thing, property) else thing).__doc__ or "")
    found = [part.source for doc in docs for part in doctest.DocTestParser().get_examples(doc)]
    return found or ([bare(thing, name)] if guess and len(docs) == 1 else [])


def bare(thing: Any, name: str) -> str:
    """A call with two rows of two numbers for each argument that must be given: all that is known without an example."""
    try:
        given = [p for p in inspect.signature(thing).parameters.values() if p.default is p.empty]
    except ValueError:  # a type that does not say
        return f"{name}()"
    some = [p for p in given if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    law = "__import__('numpy').array([[0.25, 0.75], [0.5, 0.5]])"
    return f"{name}({', '.join(f'{p.name}={law}' if p.kind == p.KEYWORD_ONLY else law for p in some)})"


def spoiling(function: Callable[..., Any], rng: np.random.Generator, said: list[str], own: int) -> Callable[..., Any]:
    """The function with its arguments spoiled where an example calls it; the first `own` arguments are left alone."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if sys._getframe(1).f_code.co_filename == EXAMPLE:
            changed, kwargs = spoil(args[own:], kwargs, rng)
            args = (*args[:own], *changed)
            said.append(f"{shown(args)} {shown(kwargs)}")
            print("call", json.dumps(said[-1]), flush=True, file=sys.__stdout__)
        return function(*args, **kwargs)

    return call


def shown(value: Any) -> str:
    """An argument in few words."""
    if isinstance(value, np.ndarray):
        text = np.array2string(np.array(value.flat[:6]), threshold=6) if value.size else "[]"
        return f"array({text}, {value.shape}, {value.dtype})"
    if isinstance(value, tuple | list) and len(value) < 20:
        return f"{type(value).__name__}({', '.join(map(shown, value))})"
    if isinstance(value, dict) and len(value) < 20:
        return "{" + ", ".join(f"{k}: {shown(v)}" for k, v in value.items()) + "}"
    text = repr(value)
    return text if len(text) < 200 else text[:200] + "…"


@contextlib.contextmanager
def small(size: int | None) -> Iterator[None]:
    """With a size, all that is no smaller goes to the compiled loops."""
    changed = []
    for module in [m for n, m in sys.modules.items() if n.startswith("simspec.kernels") and m]:
        for name in ("SMALL", "_SMALL", "SMALL_MATRIX"):
            if size is not None and hasattr(module, name):
                changed.append((module, name, getattr(module, name)))
                setattr(module, name, size)
    try:
        yield
    finally:
        for module, name, old in changed:
            setattr(module, name, old)


def run(statements: list[str], names: dict[str, Any]) -> str:
    """How the statements ended: the last exception, or nothing."""
    ended = ""
    for statement in statements:
        code = compile(statement, EXAMPLE, "single" if statement.count("\n") <= 1 else "exec")
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, names)
        except Exception as error:
            ended = f"{type(error).__name__}: {error}"
    return ended


def attack(target: str, seed: int) -> str:
    """Spoil the calls of one function in its examples; how that ended."""
    module_name, _, name = target.partition(":")
    module = import_module(module_name)
    rng = np.random.default_rng([seed, *target.encode()])
    statements, names, said = examples(module, name), dict(vars(module)), []
    owner, _, last = name.rpartition(".")
    with small(int(rng.choice([0, 0, 8])) if seed else None), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not owner:
            names[last] = spoiling(getattr(module, name), rng, said, 0) if seed else getattr(module, name)
            return run(statements, names)
        kind = getattr(module, owner)
        old = inspect.getattr_static(kind, last)
        if seed and inspect.isfunction(old):
            setattr(kind, last, spoiling(old, rng, said, 1))
        try:
            return run(statements, names)
        finally:
            setattr(kind, last, old)


def limits() -> None:
    """Little memory, no core files, an alarm in time of the processor."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**28, 2**28))
    checks.physical_memory = lambda: MEMORY // 2  # so that what is refused does not depend on the machine


def arm(seconds: float) -> None:
    """Interrupt after so many seconds of the processor, and kill `DEAF` later; 0 for never."""
    signal.signal(signal.SIGPROF, interrupt if seconds else signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_PROF, seconds, DEAF if seconds else 0)


def interrupt(number: int, frame: Any) -> None:
    """Compiled code never comes here, and the next alarm kills the process."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    raise TooLong


def main() -> None:
    limits()
    folder = tempfile.mkdtemp()
    sys.path.insert(0, str(Path.cwd()))
    os.chdir(folder)
    for line in sys.stdin:
        target, what = json.loads(line)
        print("begin", flush=True)
        arm(SECONDS if isinstance(what, int) and plain(target.partition(":")[0]) else PATIENCE)
        try:
            ended = attack(target, what) if isinstance(what, int) else run(what, {})
        except TooLong:
            ended = "interrupted"
        except ImportError as error:
            ended = f"ImportError: {error}"
        arm(0)
        print("end", json.dumps(ended), flush=True)


if __name__ == "__main__":
    main()
