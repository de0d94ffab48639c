"""Formulas of claims that say another number, with the record of what they said: the same hash would make the old proof theirs.

Each attack is a module with one number in it, which is changed; the formula's value changes with it.  The twin changes nothing.
"""

from __future__ import annotations

import sys
import tempfile
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simspec.claims.deciding.in_coq import formulas_hash
from simspec.loading import names
from tests.proofs_check.attacks.attack import Attack, NotProved
from tests.proofs_check.attacks.promised import LOOKED_UP

__all__ = ["CHANGED"]

FAMILY = "formulas that say another number, with the record of what they said"
MODULE = """
import collections
import enum
import functools
import os
from pathlib import Path

import numpy as np

from simspec.claims.claim import Claim, at_most

{text}


def rhs(p, q):
    return 1


def draw(source):
    target, draft = source.pair(source.vocab())
    return {{"p": target, "q": draft}}


CLAIM = Claim("own.true", "bound", "a claim", "nobody", lhs, at_most, rhs, draw)
"""
NUMBERS = ("1", "2")
RETURNS = "\ndef lhs(p, q):\n    return {}"
TEXTS = {
    "attribute_of_a_methods_object": (
        "A method of an object, whose attribute is another",
        (
            "class Kind:\n    def __init__(self, m):\n        self.m = m\n"
            "    def f(self, p, q):\n        return self.m\nlhs = Kind(NUMBER).f"
        ),
    ),
    "attribute_that_a_call_sets": (
        "An attribute of a class that is set by a call",
        "class Kind:\n    m = 1\nsetattr(Kind, 'm', NUMBER)" + RETURNS.format("Kind.m"),
    ),
    "array_that_a_call_changes": (
        "An entry of an array that NumPy puts there",
        "KEPT = np.ones(2)\nnp.put(KEPT, 0, NUMBER)" + RETURNS.format("int(KEPT[0])"),
    ),
    "list_that_a_function_changes": (
        "A list that a function of the module changes",
        "KEPT = [1]\ndef change(kept, m):\n    kept[0] = m\nchange(KEPT, NUMBER)" + RETURNS.format("KEPT[0]"),
    ),
    "one_of_two_definitions": (
        "Of two definitions the other one, by a condition",
        "if NUMBER == 1:\n    KEPT = 1\nelse:\n    KEPT = 2" + RETURNS.format("KEPT"),
    ),
    "one_of_two_functions": (
        "The formula itself, by a condition on a name",
        "WHICH = NUMBER\nif WHICH == 1:\n    def lhs(p, q):\n        return 1\nelse:\n    def lhs(p, q):\n        return 2",
    ),
    "function_for_a_class": (
        "The function that is registered for whole numbers",
        "@functools.singledispatch\ndef f(a):\n    return 0\n@f.register\ndef _(a: int):\n    return NUMBER"
        + RETURNS.format("f(1)"),
    ),
    "default": ("A default", "def lhs(p, q, m=NUMBER):\n    return m"),
    "closure": (
        "A number around the formula",
        "def make(m):\n    def lhs(p, q):\n        return m\n    return lhs\nlhs = make(NUMBER)",
    ),
    "exchanged_code": (
        "The code of another function",
        "def other(p, q):\n    return NUMBER\ndef lhs(p, q):\n    return 1\nlhs.__code__ = other.__code__",
    ),
    "shown_by_another": (
        "A function that shows another as what it wraps",
        "def shown(p, q):\n    return 1\ndef lhs(p, q):\n    return NUMBER\nlhs.__wrapped__ = shown",
    ),
    "far_entry": (
        "One entry of a long array",
        "KEPT = np.zeros(5000, dtype=int)\nKEPT[2500] = NUMBER" + RETURNS.format("int(KEPT.sum())"),
    ),
    "class_of_a_class": (
        "An attribute of the class of a class",
        "class Kind(type):\n    m = NUMBER\nclass Own(metaclass=Kind):\n    pass" + RETURNS.format("Own.m"),
    ),
    "member": (
        "A member of a list of names",
        "class Kind(enum.Enum):\n    A = NUMBER" + RETURNS.format("Kind.A.value"),
    ),
    "missing_key": (
        "What a dictionary has where it has nothing",
        "KEPT = collections.defaultdict(lambda: NUMBER)" + RETURNS.format("KEPT['a']"),
    ),
    "any_attribute": (
        "What a class says of an attribute that it does not have",
        "class Kind:\n    def __getattr__(self, name):\n        return NUMBER" + RETURNS.format("Kind().m"),
    ),
}
"""What is changed, and the text with NUMBER in its place."""
BEYOND = {
    "environment": (
        "A number of the environment",
        "os.environ['SIMSPEC_ATTACK'] = str(NUMBER)" + RETURNS.format("int(os.environ['SIMSPEC_ATTACK'])"),
    ),
    "attribute_of_a_library": (
        "A number that the module has put into a library",
        "np.attack = NUMBER" + RETURNS.format("np.attack"),
    ),
}
"""The same of what a formula looks up when it is run."""


def _read(text: str) -> tuple[str, Any]:
    """The hash of a claim's formulas, and the left side's value."""
    before = sys.path[:]
    law = np.array([Fraction(1, 2), Fraction(1, 2)])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mine.py"
        file.write_text(MODULE.format(text=text), encoding="utf-8")
        sys.modules.pop("mine", None)
        try:
            claim = names(str(file), "claim")["CLAIM"]
            return formulas_hash(claim), claim.lhs(law, law)
        finally:
            sys.path[:] = before
            sys.modules.pop("mine", None)


def _unnoticed(text: str, first: str, second: str) -> str:
    """The hash of the formulas of two texts, where it is one."""
    prints, values = zip(*(_read(text.replace("NUMBER", number)) for number in (first, second)), strict=True)
    if (values[0] == values[1]) != (first == second):
        raise KeyError(f"{text}: the values are {values}")
    if prints[0] != prints[1]:
        raise NotProved("the formulas have another hash, and the record is not about them")
    return str(prints[0])


def _attack(name: str, says: str, text: str, beyond: str = "") -> Attack:
    same = partial(_unnoticed, text, NUMBERS[0], NUMBERS[0])
    by = "" if beyond else "have another hash"
    return Attack(f"formula_{name}", FAMILY, says, partial(_unnoticed, text, *NUMBERS), beyond, same, by)


CHANGED = [_attack(name, *of) for name, of in TEXTS.items()] + [
    _attack(name, *of, LOOKED_UP) for name, of in BEYOND.items()
]
