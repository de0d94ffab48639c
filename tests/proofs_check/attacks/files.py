"""A referee's attacks by the text of a proof file; each has a twin, a file that does the like and may."""

from __future__ import annotations

from proofs_check.checking.plain import fair
from tests.proofs_check.attacks.attack import Attack

__all__ = ["FILES"]

FAMILY = "texts of proof files"
TEXTS: dict[str, tuple[str, str]] = {
    "memory reached under another name": (
        "for thing in [d]:\n    thing.supposed.clear()",
        "for thing in [d]:\n    thing.qed()",
    ),
    "a private method by its name": ("from operator import methodcaller", "from functools import partial"),
    "a private method by a pattern": (
        "match d:\n    case object(_fact=made):\n        made()",
        "match d:\n    case object(claim=made):\n        made",
    ),
    "the checker by a relative name": (
        "from ..rules.smt import certificate",
        "from proofs_check.rules.smt import model",
    ),
    "help from a file that nobody reads": (
        "from tests.proofs_check.attacks.files import FILES",
        "from proofs_check.sd.acceptance import PROOF",
    ),
    "help from a test": ("from tests.proofs_check.helper import sure", "from simspec.claims.authoring import law"),
    "a derivation under another name": ("base = Derivation\nclass Sure(base):\n    pass", "class Sure:\n    pass"),
    "a class of symbols": ("class Sure(sp.Symbol):\n    is_positive = True", "class Pair(NamedTuple):\n    p: object"),
    "a class made by a call": ("type('Sure', (sp.Symbol,), {'is_positive': True})", "type(d)"),
    "equality with everything": (
        "class All:\n    def __eq__(self, other):\n        return True",
        "class One:\n    def same(self, other):\n        return True",
    ),
    "no arithmetic": ("with sp.evaluate(False):\n    d.qed()", "sp.expand(1)"),
    "SymPy's memory": ("sp.core.cache.clear_cache()", "sp.factor(1)"),
    "an assumption in passing": ("with sp.assuming(sp.Q.positive(v)):\n    d.qed()", "d.number('v', 0)"),
    "code from SymPy": ("from sympy import lambdify", "from sympy import symbols"),
    "code from a name of Python's": ("__builtins__['exec']('d')", "__all__ = ['PROOF']"),
    "a file that is read": ("text = open('proofs.json').read()", "text = 'proofs.json'"),
    "another process": ("import subprocess", "import itertools"),
    "the frame above": ("import sys\nsys._getframe(1)", "import math\nmath.comb(2, 1)"),
    "a thread that waits": ("from threading import Timer", "from fractions import Fraction"),
    "a fact's own class": ("class Fact2(Fact):\n    pass", "known = Fact"),
}


def _attack(what: str, wrong: str, right: str) -> Attack:
    return Attack(
        what.replace(" ", "_").replace("'", ""), FAMILY, what, lambda: fair(wrong, what), twin=lambda: fair(right, what)
    )


FILES = [_attack(what, *texts) for what, texts in TEXTS.items()]
