"""Notebooks show simspec's objects by formatters that are registered from outside."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import simspec
from simspec.claims.claim import Evidence
from simspec.engine.results import Results
from simspec.methods import tli
from simspec.notebook import FORMATTERS, PICTURES, html, plot, register
from tests.engine.coins import COINS

IN_A_KERNEL = """
import sys
from IPython.core.interactiveshell import InteractiveShell
{first}
shell = InteractiveShell.instance()
{then}
from simspec.engine.study import Study
study = Study("coin <b>", "?", ({{"bias": 0.5}},), lambda cell, rows, device: {{}})
print(shell.display_formatter.format(study)[0].get("text/html", "no HTML"))
"""


@pytest.mark.parametrize("place", [*FORMATTERS.values(), *PICTURES.values()])
def test_every_formatter_exists(place) -> None:
    module, _, name = place.partition(":")
    assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize(("module", "name"), [*FORMATTERS, *PICTURES])
def test_every_class_exists_and_draws_nothing_itself(module, name) -> None:
    shown = getattr(import_module(module), name)
    assert not {"_repr_html_", "_repr_png_", "plot"} & {*dir(shown)}


def test_only_what_is_there_to_be_shown_shows_itself() -> None:
    """`Shown` holds HTML that is written already; every other class is shown by a function that is registered."""
    package = Path(simspec.__file__).parent
    classes = [
        (node.name, method.name)
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name in ("_repr_html_", "plot")
    ]
    assert classes == [("Shown", "_repr_html_")]


def test_subclasses_are_shown_as_their_class() -> None:
    named = html(tli(np.array([True, False])))
    assert named is not None and named.startswith("<div>")


def test_an_object_without_a_formatter_shows_its_text_only() -> None:
    assert html(3) is None
    assert html(Evidence("coins", None, 1, 0.5)) is not None


def test_what_cannot_be_drawn_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="thing: int; expected one of Results, Advice, RatesTable, Verdicts, Report"):
        plot(3)
    with pytest.raises(ValueError, match="no cell has a mean yet"):
        simspec.plot(Results(COINS, []))


class _Formatter:
    def __init__(self) -> None:
        self.names: list[tuple[str, str]] = []

    def for_type_by_name(self, module: str, name: str, function: object) -> None:
        assert callable(function)
        self.names.append((module, name))


def test_registering_names_every_class_and_imports_none() -> None:
    formatter = _Formatter()
    shell = SimpleNamespace(display_formatter=SimpleNamespace(formatters={"text/html": formatter}))
    register(shell)
    assert formatter.names == [*FORMATTERS]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("", "import simspec"),
        ("import simspec", "shell.run_line_magic('load_ext', 'simspec')"),
    ],
    ids=["imported in the shell", "loaded as an extension"],
)
def test_a_real_shell_shows_html(first, then) -> None:
    pytest.importorskip("IPython")
    code = IN_A_KERNEL.format(first=first, then=then)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("<div>") and "coin &lt;b&gt;" in done.stdout


def test_without_ipython_nothing_is_registered_and_nothing_is_imported() -> None:
    code = "import sys, simspec; print('simspec.notebook' in sys.modules, 'IPython' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
