"""Where an extra is missing, whatever needs it names the extra and a command, from Python too: no raw import error."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from simspec.checks import EXTRAS, MissingExtra, install_command

ROOT = Path(__file__).parents[2] / "simspec"
HANDED = {
    "audit/adapters": "is handed PyTorch, or a package that is made of it",
    "logits/capture": "is handed a model that was loaded",
    "tools/advise/decoders.py": "is handed a model that was loaded",
    "tools/numerics/computing.py": "is handed a model that was loaded",
    "tools/answers": "is handed a model that was loaded",
    "tools/pivots": "is handed a model that was loaded",
    "tools/task_outputs": "is handed a model that was loaded",
    "studies/tasc/ngram_model.py": "is handed a model that was loaded",
    "engine/pools.py": "is reached once a scheduler of Dask was opened",
    "engine/show/picture.py": "is handed a figure of Matplotlib",
    "engine/show/plots.py": "is handed what Matplotlib has drawn, which brings Pillow",
}
"""Where an import may stand bare, and why what it needs is there."""
ANY = re.compile(rf"\b(?:from|import)\b.*\b(?:{'|'.join(EXTRAS)})\b")
"""A line of a file that is worth parsing."""


def bare(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Imports of modules of extras, less those that only types need and those whose failure is caught."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Try) and any("Import" in ast.unparse(h.type or ast.Name("")) for h in node.handlers):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            yield from ((node.lineno, n) for n in names if n.partition(".")[0] in EXTRAS)
        yield from bare(node)


def handed(name: str) -> bool:
    return any(name == place or name.startswith(f"{place}/") for place in HANDED)


def test_no_module_imports_what_an_extra_brings_without_saying_what_to_install() -> None:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if ANY.search(text) and (imports := list(bare(ast.parse(text)))):
            found[path.relative_to(ROOT).as_posix()] = imports
    assert not {name: imports for name, imports in found.items() if not handed(name)}
    assert {place for place in HANDED if not any(n == place or n.startswith(f"{place}/") for n in found)} == set()


def test_a_bare_import_is_found_and_a_guarded_one_is_not() -> None:
    code = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import scipy
def f():
    from scipy.special import ndtr
    import json, pandas.api
    try:
        import torch
    except (ImportError, OSError):
        pass
"""
    assert list(bare(ast.parse(code))) == [(6, "scipy.special"), (7, "pandas.api")]


def _label(scipy: bool) -> None:
    from simspec.methods.pad.labels import label_error

    label_error(0.5 if scipy else Fraction(1, 2), 0.25 if scipy else Fraction(1, 4), 4)


def _bits() -> None:
    from simspec.methods.sqs.payload import subset_log2

    subset_log2(4, np.array([1, 2]))


def _tokens() -> None:
    from simspec.studies.tasc.task_tokens import base_tokenizer

    base_tokenizer(["ab"], vocab=257)


@pytest.mark.parametrize(
    ("work", "module", "extra"),
    [(_bits, "scipy", "measure"), (lambda: _label(True), "scipy", "measure"), (_tokens, "tokenizers", "texts")],
)
def test_from_python_too_the_message_names_the_extra_and_a_command(work, module, extra, monkeypatch) -> None:
    work()
    for name in [n for n in sys.modules if n.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as told:
        work()
    what, _, needed = str(told.value).partition(" needs ")
    assert what and re.sub(r"^(\w+)[.\w]*", r"\1", needed) == f"{module}: {install_command(extra)}"
    _label(False)  # exact numbers need nothing
