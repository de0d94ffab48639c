"""Public names: what a module defines without an underscore is listed in `__all__`, documented, and shown by an example."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import simspec

MODULES = sorted(m.name for m in pkgutil.walk_packages(simspec.__path__, "simspec."))
API = ("simspec.laws", "simspec.methods", "simspec.logits")
"""Where users find what they call: each function listed there has an example."""


def defined(text: str) -> set[str]:
    """Functions and classes defined at the top level of a file, without a leading underscore."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {n.name for n in ast.parse(text).body if isinstance(n, kinds) and not n.name.startswith("_")}


def source(module: ModuleType) -> str:
    """Text of a module's file (an empty file has none)."""
    return Path(str(module.__file__)).read_text(encoding="utf-8")


def unlisted(text: str, listed: list[str] | None) -> set[str]:
    """Public definitions that `__all__` leaves out."""
    return defined(text) - set(listed or ())


def undocumented(things: Iterable[object]) -> list[object]:
    """Functions and classes without a docstring."""
    return [t for t in things if not inspect.getdoc(t)]


def unshown(things: Iterable[object]) -> list[object]:
    """Functions without an example in their docstring."""
    return [t for t in things if inspect.isfunction(t) and ">>>" not in (inspect.getdoc(t) or "")]


def members(module: ModuleType) -> list[object]:
    """Listed functions and classes that the module itself defines."""
    things = [getattr(module, name) for name in getattr(module, "__all__", ())]
    return [t for t in things if callable(t) and getattr(t, "__module__", None) == module.__name__]


@pytest.mark.parametrize("name", MODULES)
def test_all_lists_what_is_defined_and_nothing_that_is_not(name) -> None:
    module = import_module(name)
    listed = getattr(module, "__all__", None)
    assert unlisted(source(module), listed) == set()
    for entry in listed or ():
        assert hasattr(module, entry), f"{name}.__all__ lists {entry}, which does not exist"
    assert len(set(listed or ())) == len(listed or ())


@pytest.mark.parametrize("name", MODULES)
def test_what_is_public_is_documented(name) -> None:
    module = import_module(name)
    assert not source(module).strip() or (module.__doc__ or "").strip(), f"{name} has no docstring"
    assert undocumented(members(module)) == []


@pytest.mark.parametrize("name", API)
def test_functions_of_the_api_have_an_example(name) -> None:
    module = import_module(name)
    assert unshown(getattr(module, entry) for entry in module.__all__) == []


def test_the_package_names_its_entries() -> None:
    for name in simspec.__all__:
        assert hasattr(simspec, name)


def test_a_made_up_bad_module_is_caught() -> None:
    def bare() -> None: ...

    assert unlisted("def f(): ...\nclass _C: ...\nclass D: ...", ["f"]) == {"D"}
    assert undocumented([bare, unlisted]) == [bare]
    assert unshown([bare, simspec.laws.tv]) == [bare]
