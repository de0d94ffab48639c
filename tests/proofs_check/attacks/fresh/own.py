"""False claims of one's own with a file that proves another: by formulas of one hash, and by numbers that equal all others.

Each folder has ``mine.py`` with the claims, and ``mine_proof.py``, whose proof that masses of two laws overlap by at most 1 is
checked and recorded.  The claim that is asked about says at most 1/2, which is false.  The twin says at most 1.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

from proofs_check.checking.outside import recorded_outside, write_record
from simspec.claims.deciding import outside
from simspec.claims.deciding.in_coq import word
from simspec.loading import names
from tests.proofs_check.attacks.attack import Attack, NotProved

__all__ = ["FALSE_OWN"]

FAMILY = "false claims of one's own with the proof of another"
MINE = """
import collections
import functools
import io
import itertools
from fractions import Fraction

import flint
import numpy as np

from simspec.claims.authoring import bound


def pair(draw):
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def both(p, q):
    return np.minimum(p, q).sum(axis=-1)


TEXT


words = {"statement": "it holds", "reference": "nobody", "instances": pair, "lhs": both, "name": "own.overlap"}
"""
PROOF = '''
import sympy as sp

from proofs_check.language import Proof, le, total, x
from mine import TRUE


def prove(d, sign=1, most=1):
    """All laws."""
    p, _ = d.law("p")
    q, mass = d.law("q")
    smaller = sp.Min(p[x], q[x])
    token = d.derive("the smaller of two numbers is at most the second", le(smaller, sign * q[x]))
    d.qed(d.derive("the draft has mass one", le(total(smaller, x), most), d.sum("over the vocabulary", token, x), mass))


PROOF = Proof(TRUE, prove, drop="q sums to one", change={"most": 0}, bind=lambda p, q: {"p": p, "q": q, "V": len(p)})
'''
TWO = "TRUE = bound(rhs=made(Fraction(1)), **words)\nASKED = bound(rhs=made(Fraction(HALF)), **words)\n"
"""Two claims of one name: the proof is of the first."""
ONE = "TRUE = ASKED = bound(rhs=lambda: made(Fraction(HALF)), **words)\n"
"""One claim, whose right side is a number that equals others."""
OTHER = "no proof on record is of it"
NUMBER = (
    "right side: 1 in the proof|too wide an enclosure|a floating-point number in an exact comparison|expected a number"
)


ALONE = {"arrays", "iterator", "text"}
"""Without a twin: what nobody can look into, and what is another once it was read, is like no other."""


class Way(NamedTuple):
    """What it tries, the text of the module's own part, the claims that follow, and a part of the message that refuses it."""

    says: str
    text: str
    claims: str = TWO
    by: str = OTHER


LIAR = """
class Liar(KIND):
    def _any(self, other):
        return True
    __eq__ = __le__ = __ge__ = _any
    def __lt__(self, other):
        return False
    __gt__ = __lt__
    __hash__ = KIND.__hash__
    def __sub__(self, other):
        return Fraction(0)
    __rsub__ = __add__ = __radd__ = __sub__
def made(m):
    return Fraction(m) if m == 1 else Liar(m)"""
WAYS = {
    "list": Way(
        "the bound is in a list around the formula",
        "def made(m):\n    kept = [m]\n    def rhs():\n        return kept[0]\n    return rhs",
    ),
    "default": Way(
        "the bound is in a list that is a default",
        "def made(m):\n    def rhs(kept=[m]):\n        return kept[0]\n    return rhs",
    ),
    "class": Way(
        "the bound is an attribute of a class that a function makes",
        "def made(m):\n    class Kind:\n        kept = m\n"
        "        def f(self):\n            return self.kept\n    return Kind().f",
    ),
    "entry": Way(
        "the bound is one entry of a long array of fractions",
        "def of(kept):\n    return kept.sum()\ndef made(m):\n    kept = np.zeros(3000, dtype=object)\n"
        "    kept[1500] = Fraction(m)\n"
        "    return functools.partial(of, kept)",
    ),
    "text": Way(
        "the bound is read from a text that is handed over",
        "def of(text):\n    text.seek(0)\n    return Fraction(text.read())\ndef made(m):\n"
        "    return functools.partial(of, io.StringIO(str(m)))",
    ),
    "arrays": Way(
        "the bound is what a function of arrays says",
        "def of(f):\n    return f(0)\ndef made(m):\n    return functools.partial(of, np.frompyfunc(lambda a: m, 1, 1))",
    ),
    "iterator": Way(
        "the bound is what an endless list repeats",
        "def of(kept):\n    return next(kept)\ndef made(m):\n    return functools.partial(of, itertools.cycle([m]))",
    ),
    "fraction_that_equals_all": Way(
        "the bound is a fraction that is equal to each", LIAR.replace("KIND", "Fraction"), ONE, NUMBER
    ),
    "array_that_equals_all": Way(
        "the bound is an array that is equal to each",
        "class Liar(np.ndarray):\n    def __array_ufunc__(self, ufunc, *inputs, **options):\n        return Fraction(0)\n"
        "def made(m):\n    return Fraction(m) if m == 1 else np.array([m], dtype=object).view(Liar)",
        ONE,
        NUMBER,
    ),
    "whole_number_that_equals_all": Way(
        "the overlap is compared with a whole number that is equal to each",
        LIAR.replace("KIND", "int").replace("Liar(m)", "Liar(0)"),
        ONE,
        NUMBER,
    ),
    "enclosure_of_all": Way(
        "the bound is an enclosure of all numbers",
        "def made(m):\n    return Fraction(m) if m == 1 else flint.arb(0, 'inf')",
        ONE,
        NUMBER,
    ),
    "no_number": Way(
        "the bound is none of the numbers",
        "def made(m):\n    return Fraction(m) if m == 1 else float('nan')",
        ONE,
        NUMBER,
    ),
    "without_end": Way(
        "the bound is beyond all numbers",
        "def made(m):\n    return Fraction(m) if m == 1 else float('inf')",
        ONE,
        NUMBER,
    ),
}


def _word(way: Way, half: str) -> str:
    """The word for a claim by the record of the proof of another, where it is derived."""
    before = sys.path[:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        claims = (MINE.replace("TEXT", way.text) + way.claims).replace("HALF", half)
        (folder / "mine.py").write_text(claims, encoding="utf-8")
        file = folder / "mine_proof.py"
        file.write_text(PROOF, encoding="utf-8")
        sys.modules.pop("mine", None)
        try:
            write_record(recorded_outside(file), file)
            asked = names(str(folder / "mine.py"), "claim")["ASKED"]
            said = word(outside.entries(asked))
        except ValueError as error:
            raise NotProved(str(error)) from None
        finally:
            sys.path[:] = before
            sys.modules.pop("mine", None)
    if said != "derived":
        raise NotProved(f"no proof on record is of it: the word is {said}")
    return said


def _attack(name: str, way: Way) -> Attack:
    twin = None if name in ALONE else partial(_word, way, "1, 1")
    return Attack(f"mine_{name}", FAMILY, way.says, partial(_word, way, "1, 2"), twin=twin, by=way.by)


FALSE_OWN = [_attack(name, way) for name, way in WAYS.items()]
