"""Attacks by the text of a proof file: by what it takes of NumPy, SymPy, Python and this package.  Each has a twin that may."""

from __future__ import annotations

from proofs_check.checking.plain import fair
from proofs_check.rules.derivation import Derivation, Step
from tests.proofs_check.attacks.attack import Attack

__all__ = ["TAKEN"]

FAMILY = "what a proof file takes"
TEXTS: dict[str, tuple[str, str]] = {
    "code that NumPy unpacks under another name of NumPy": (
        "import numpy as arithmetic\narithmetic.load('steps.npy', allow_pickle=True)",
        "import numpy as np\nnp.eye(2)",
    ),
    "NumPy passed on, so that nobody sees what is taken of it": ("for kind in (np,):\n    kind.load('s')", "np.eye(2)"),
    "a library in C that NumPy opens": ("np.ctypeslib.load_library('m', '.')", "np.eye(2)"),
    "a text that SymPy evaluates": ("sp.sympify('open(1)')", "sp.Integer(1)"),
    "the same by its registry of numbers": ("sp.S('open(1)')", "sp.S.Half"),
    "SymPy under its own name": ("import sympy\nsympy.sympify('open(1)')", "import sympy as sp\nsp.Integer(1)"),
    "annotations that Python evaluates": ("from typing import get_type_hints", "from typing import NamedTuple"),
    "a class that is made by a list of its bases": (
        "from dataclasses import make_dataclass",
        "from dataclasses import replace",
    ),
    "code of this package that runs a file": (
        "from simspec.loading import load",
        "from simspec.claims.authoring import law",
    ),
    "a file that this package writes": ("from simspec.files import write_file", "from simspec.laws import overlap"),
    "a package that unpacks code": ("from joblib import load", "from simspec.methods import SD"),
    "all of a module": ("from math import *", "from math import comb"),
}


def _attack(what: str, wrong: str, right: str) -> Attack:
    return Attack(
        what.replace(" ", "_").replace("'", ""), FAMILY, what, lambda: fair(wrong, what), twin=lambda: fair(right, what)
    )


TAKEN = [_attack(what, *texts) for what, texts in TEXTS.items()]


def _forged() -> None:
    """A step that no rule made, put among those that a reader sees."""
    fair("d.steps._add(known)", "a forged step")


def _shown() -> None:
    d = Derivation("an attack")
    assert not any(isinstance(step, Step) for step in d.steps)


TAKEN.append(
    Attack("a_step_that_no_rule_made", FAMILY, "a step that no rule made, shown to a reader", _forged, twin=_shown)
)
