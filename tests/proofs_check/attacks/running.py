"""Claims of one's own whose code, while their proof is checked, puts something else in place of what the check calls.

Each folder has ``mine.py`` with a claim, and ``mine_proof.py`` with a proof that says less than the claim, or another thing: that
two laws overlap by at most 1, where the claim says at most 1/2.  The code that is called in the middle of the check changes the
checker so that nothing differs.  The twin changes nothing, and says at most 1.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from proofs_check.checking.outside import recorded_outside
from tests.proofs_check.attacks.attack import Attack

__all__ = ["RUNNING", "Way", "recorded_with"]

FAMILY = "code of one's own that changes the checker while it runs"
MINE = """
import fractions
import sys
from fractions import Fraction

import numpy as np

from simspec.claims.authoring import bound
from simspec.claims.claim import Claim

MOST = Fraction(HALF)


def changes():
    pass


TEXT


def pair(draw):
    if "instances" == WHERE:
        changes()
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def both(p, q):
    if "sides" == WHERE:
        changes()
    return np.minimum(p, q).sum(axis=-1)


CLAIM = bound(
    name="own.overlap", statement="it holds", reference="nobody", instances=pair, lhs=both, rhs=lambda: MOST
)
"""
PROOF = '''
import sympy as sp

import mine
from proofs_check.language import Proof, le, total, x


def prove(d, sign=1, most=1):
    """All laws."""
    p, _ = d.law("p")
    q, mass = d.law("q")
    smaller = sp.Min(p[x], q[x])
    token = d.derive("the smaller of two numbers is at most the second", le(smaller, sign * q[x]))
    d.qed(d.derive("the draft has mass one", le(total(smaller, x), most), d.sum("over the vocabulary", token, x), mass))


def bind(p, q):
    if "bind" == mine.WHERE:
        mine.changes()
    return {"p": p, "q": q, "V": len(p)}


PROOF = Proof(mine.CLAIM, prove, drop="q sums to one", change={"most": 0}, bind=bind)
'''


class Way(NamedTuple):
    """What it tries, the function that changes something, where it is called, and a part of the message that refuses it."""

    says: str
    text: str
    by: str
    where: str = "instances"


def _reaching(module: str, line: str) -> str:
    """A function that changes a module of the checker, and takes away what asks a claim of one's own at its edges."""
    edges = "sys.modules['proofs_check.checking.about'].broken_at = lambda claim: None"
    return f"def changes():\n    module = sys.modules['{module}']\n    {line}\n    {edges}"


AGREEMENT = "proofs_check.checking.agreement"
WAYS = {
    "name": Way(
        "an instance puts a comparison that always agrees in place of the check's",
        _reaching(AGREEMENT, "module.near = lambda *a, **b: True"),
        f"{AGREEMENT}.near",
    ),
    "code": Way(
        "an instance gives the function that compares sides another code",
        _reaching(AGREEMENT, "module.sides_apart.__code__ = (lambda *a: (None, None)).__code__"),
        f"{AGREEMENT}.sides_apart.__code__",
    ),
    "default": Way(
        "an instance gives a function of the check another default",
        _reaching("proofs_check.checking.about", "module.compared.__defaults__ = (0,)"),
        "proofs_check.checking.about.compared.__defaults__",
    ),
    "globals": Way(
        "a side replaces, through the globals of a shipped function, what says whether a claim is violated",
        "def changes():\n    Claim.slack.__globals__['at_most'] = lambda a, b: Fraction(0)",
        "simspec.claims.claim.at_most",
        "sides",
    ),
    "method": Way(
        "a side puts another method in place of a class's of the checker",
        _reaching("proofs_check.rules.derivation", "module.Derivation.qed = lambda self, *facts: None"),
        "proofs_check.rules.derivation.Derivation.qed",
        "sides",
    ),
    "formula": Way(
        "an instance gives a claim another way to its sides",
        "def changes():\n    Claim.sides.__code__ = (lambda self, instance: (0, 1)).__code__",
        "simspec.claims.claim.Claim.sides.__code__",
    ),
    "constant": Way(
        "an instance takes the number of instances on which proof and claim are compared to none",
        _reaching("proofs_check.checking.about", "module.TRIES = 0"),
        "proofs_check.checking.about.TRIES",
    ),
    "fraction": Way(
        "a side lets every fraction equal all numbers",
        "def changes():\n    Fraction.__eq__ = lambda a, b: True",
        "fractions.Fraction.__eq__",
        "sides",
    ),
    "sympy": Way(
        "a bind, through a module that it imports, lets SymPy expand everything to nothing",
        _reaching("sympy.core.function", "module.expand.__code__ = (lambda e, **hints: e * 0).__code__"),
        "sympy.core.function.expand.__code__",
        "bind",
    ),
    "built_in": Way(
        "an instance hides a function of Python's under a name of the checker's module",
        _reaching(AGREEMENT, "module.zip = lambda *a, **b: iter(())"),
        f"{AGREEMENT}.zip",
    ),
    "solver": Way(
        "a bind, through a module that it imports, lets the solver refute whatever it is asked",
        _reaching("z3", "module.Solver.check = lambda self, *a: module.unsat"),
        "z3.z3.Solver.check",
        "bind",
    ),
    "loaded": Way(
        "the file, when it is loaded, gives the function that compares sides another code",
        f"import {AGREEMENT} as agreement\n"
        "import proofs_check.checking.about as about\n"
        "about.broken_at = lambda claim: None\n"
        "agreement.sides_apart.__code__ = (lambda claim, d, values, ranges, instance, compared: (None, None)).__code__",
        f"{AGREEMENT}.sides_apart.__code__",
        "nowhere",
    ),
}


def _record(file: Path) -> object:
    return recorded_outside(file)["proofs"]["own.overlap"]


def recorded_with(where: str, most: str, text: str, check: Callable[[Path], object] = _record) -> object:
    """The record of the proof, or what another check says of its file; the modules of the folder are forgotten again."""
    before = sys.path[:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mine = MINE.replace("TEXT", text).replace("HALF", most).replace("WHERE", repr(where))
        (folder / "mine.py").write_text(f"WHERE = {where!r}\n{mine}", encoding="utf-8")
        file = folder / "mine_proof.py"
        file.write_text(PROOF, encoding="utf-8")
        sys.modules.pop("mine", None)
        try:
            return check(file)
        finally:
            sys.path[:] = before
            sys.modules.pop("mine", None)


RUNNING = [
    Attack(
        f"running_{name}",
        FAMILY,
        way.says,
        partial(recorded_with, way.where, "1, 2", way.text),
        twin=partial(recorded_with, way.where, "1, 1", ""),
        by=way.by,
    )
    for name, way in WAYS.items()
]
