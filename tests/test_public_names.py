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


def mislisted(module: ModuleType) -> list[str]:
    """What is wrong with the `__all__` of a module: definitions left out, names of nothing, names listed twice."""
    listed = getattr(module, "__all__", None)
    names = listed or ()
    wrong = [f"leaves out {name}" for name in sorted(unlisted(source(module), listed))]
    wrong += [f"lists {name}, which does not exist" for name in names if not hasattr(module, name)]
    wrong += [f"lists {name} twice" for name in sorted({name for name in names if names.count(name) > 1})]
    return [f"{module.__name__}.__all__ {what}" for what in wrong]


def bare(module: ModuleType) -> list[str]:
    """What of a module is public and has no docstring: itself, unless it is empty, or what it lists."""
    wrong = [module.__name__] if source(module).strip() and not (module.__doc__ or "").strip() else []
    return wrong + [f"{module.__name__}: {thing}" for thing in undocumented(members(module))]


def test_all_lists_what_is_defined_and_nothing_that_is_not() -> None:
    assert [wrong for name in MODULES for wrong in mislisted(import_module(name))] == []


def test_what_is_public_is_documented() -> None:
    assert [wrong for name in MODULES for wrong in bare(import_module(name))] == []


@pytest.mark.parametrize("name", API)
def test_functions_of_the_api_have_an_example(name) -> None:
    module = import_module(name)
    assert unshown(getattr(module, entry) for entry in module.__all__) == []


def test_the_package_names_its_entries() -> None:
    for name in simspec.__all__:
        assert hasattr(simspec, name)


def test_a_made_up_bad_module_is_caught() -> None:
    def plain() -> None: ...

    assert unlisted("def f(): ...\nclass _C: ...\nclass D: ...", ["f"]) == {"D"}
    assert undocumented([plain, unlisted]) == [plain]
    assert unshown([plain, simspec.laws.tv]) == [plain]


def test_a_made_up_bad_module_is_named(tmp_path) -> None:
    module = ModuleType("made_up")
    module.__file__ = str(tmp_path / "made_up.py")
    Path(module.__file__).write_text("def f(): ...\ndef g(): ...", encoding="utf-8")
    exec(Path(module.__file__).read_text(encoding="utf-8"), vars(module))
    module.__all__ = ["f", "f", "h"]
    said = ["leaves out g", "lists h, which does not exist", "lists f twice"]
    assert mislisted(module) == [f"made_up.__all__ {what}" for what in said]
    module.__all__ = ["f"]
    assert bare(module)[0] == "made_up" and bare(module)[1].startswith("made_up: <function f")
