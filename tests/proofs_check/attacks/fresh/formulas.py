"""Formulas whose value changes behind their text: the hash of what they are has to change with it.

Each attack is a module in which one number is changed.  The number reaches the formula by another name of a list, by what a
decorator keeps, in an object that the claim is handed, or as a text that is left out of the hash.  The twin changes nothing.
"""

from __future__ import annotations

import sys
import tempfile
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simspec.claims.deciding.in_coq import formulas_hash
from simspec.loading import names
from tests.proofs_check.attacks.attack import Attack, NotProved

__all__ = ["BEHIND"]

FAMILY = "formulas whose value changes behind their text"
MODULE = """
import collections
import functools
import io
import itertools
import types
from pathlib import Path

import numpy as np

from simspec.claims.claim import Claim, at_most

{text}


def rhs(p, q):
    return 1


def draw(source):
    target, draft = source.pair(source.vocab())
    return {{"p": target, "q": draft}}


CLAIM = Claim("own.true", "bound", "a claim", "nobody", {formula}, at_most, rhs, draw)
"""
NUMBERS = ("1", "2")
ALONE = {"function_of_arrays"}
"""Without a twin: nobody can look into such a function, and it is like no other."""
LHS = "\ndef lhs(p, q):\n    return "
BOX = "class Box:\n    def __init__(self, m):\n        self.m = m\ndef of(box, p, q):\n    return box.m"


class Changed(NamedTuple):
    """What is changed, the text of a module with NUMBER in its place, the formula there, and the text of a module beside it."""

    says: str
    text: str
    formula: str = "lhs"
    beside: str = ""


TEXTS = {
    "another_name_of_a_list": Changed(
        "an entry of a list that has two names, by the other one",
        f"KEPT = [1]\nOTHER = KEPT\nOTHER[0] = NUMBER{LHS}KEPT[0]",
    ),
    "another_name_of_a_class": Changed(
        "an attribute of a class that has two names, by the other one",
        f"class Kept:\n    m = 1\nOther = Kept\nOther.m = NUMBER{LHS}Kept.m",
    ),
    "member_of_a_list_of_lists": Changed(
        "an entry of a list that another list holds, by that one",
        f"KEPT = [1]\nALL = [KEPT]\nALL[0][0] = NUMBER{LHS}KEPT[0]",
    ),
    "loop_over_lists": Changed(
        "an entry of a list, in a loop over some", f"KEPT = [1]\nfor item in [KEPT]:\n    item[0] = NUMBER{LHS}KEPT[0]"
    ),
    "decorator_that_registers": Changed(
        "a function that a decorator puts into a table",
        "TABLE = {}\ndef put(f):\n    TABLE['f'] = f\n    return f\n"
        f"@put\ndef chosen():\n    return NUMBER{LHS}TABLE['f']()",
    ),
    "class_that_registers": Changed(
        "a class that the class above it puts into a list",
        "ALL = []\nclass Above:\n    def __init_subclass__(cls):\n        ALL.append(cls)\nclass Below(Above):\n    m = NUMBER"
        f"{LHS}ALL[0].m",
    ),
    "call_that_registers": Changed(
        "a list that a function changes, whose call is the value of another name",
        "KEPT = [1]\ndef put(m):\n    KEPT[0] = m\n    return m\nANSWER = put(NUMBER)" + f"{LHS}KEPT[0]",
    ),
    "names_of_the_module": Changed(
        "a name of the module, by its dictionary", f"KEPT = 1\nglobals()['KEPT'] = NUMBER{LHS}KEPT"
    ),
    "module_by_its_name": Changed(
        "a name of the module, by the list of all modules",
        f"import sys\nKEPT = 1\nsys.modules[__name__].KEPT = NUMBER{LHS}KEPT",
    ),
    "name_of_another_module": Changed(
        "a name of the module beside it, from here",
        f"import beside\nbeside.KEPT = NUMBER{LHS}beside.KEPT",
        beside="KEPT = 1",
    ),
    "name_from_another_module": Changed(
        "an entry of a list of the module beside it, from here",
        f"from beside import KEPT as OTHER\nimport beside\nOTHER[0] = NUMBER{LHS}beside.f()",
        beside="KEPT = [1]\ndef f():\n    return KEPT[0]",
    ),
    "default_that_is_set": Changed(
        "an entry of a default, by the function's other name",
        "def lhs(p, q, kept=[1]):\n    return kept[0]\nOTHER = lhs\nOTHER.__defaults__[0][0] = NUMBER",
    ),
    "object_of_a_partial": Changed(
        "an attribute of an object that the formula is handed", BOX, "functools.partial(of, Box(NUMBER))"
    ),
    "object_around": Changed(
        "an attribute of an object around the formula",
        f"{BOX}\ndef make(box):\n    def lhs(p, q):\n        return box.m\n    return lhs",
        "make(Box(NUMBER))",
    ),
    "list_around": Changed(
        "an entry of a list around the formula, made of a number that is handed over",
        "def make(m):\n    kept = [m]\n    def lhs(p, q):\n        return kept[0]\n    return lhs",
        "make(NUMBER)",
    ),
    "list_as_a_default": Changed(
        "an entry of a list that is a default, made of a number that is handed over",
        "def make(m):\n    def lhs(p, q, kept=[m]):\n        return kept[0]\n    return lhs",
        "make(NUMBER)",
    ),
    "attribute_of_a_class_around": Changed(
        "an attribute of a class that a function makes",
        "def make(m):\n    class Kind:\n        kept = m\n        def f(self, p, q):\n            return self.kept\n"
        "    return Kind().f",
        "make(NUMBER)",
    ),
    "static_method": Changed(
        "a static method of a class that a function makes",
        "def make(m):\n    class Kind:\n        @staticmethod\n        def g():\n            return m\n"
        "        def f(self, p, q):\n            return self.g()\n    return Kind().f",
        "make(NUMBER)",
    ),
    "attribute_over_that_of_its_class": Changed(
        "an attribute of an object whose class has one, too",
        "class Kind:\n    m = 1\n    def __init__(self, m):\n        self.m = m\n"
        "    def __call__(self, p, q):\n        return self.m",
        "Kind(NUMBER)",
    ),
    "slot": Changed(
        "a slot of an object that is called",
        "class Kind:\n    __slots__ = ('m',)\n    def __init__(self, m):\n        self.m = m\n"
        "    def __call__(self, p, q):\n        return self.m",
        "Kind(NUMBER)",
    ),
    "function_of_arrays": Changed(
        "a function that NumPy has made one of arrays",
        "def make(m):\n    def f(a):\n        return m\n    return np.frompyfunc(f, 1, 1)\ndef of(f, p, q):\n    return f(0)",
        "functools.partial(of, make(NUMBER))",
    ),
    "text_to_be_read": Changed(
        "a text that waits to be read",
        "def of(text, p, q):\n    text.seek(0)\n    return int(text.read())",
        "functools.partial(of, io.StringIO('NUMBER'))",
    ),
    "far_entry_of_objects": Changed(
        "one entry of a long array of fractions",
        "def make(m):\n    kept = np.zeros(3000, dtype=object)\n    kept[1500] = m\n    return kept\n"
        "def of(kept, p, q):\n    return kept.sum()",
        "functools.partial(of, make(NUMBER))",
    ),
    "what_a_dictionary_lacks": Changed(
        "what a dictionary has where it has nothing, handed over",
        "def make(m):\n    return collections.defaultdict(lambda: m)\ndef of(kept, p, q):\n    return kept['a']",
        "functools.partial(of, make(NUMBER))",
    ),
    "masked_entries": Changed(
        "which entries of an array are masked",
        "def make(m):\n    return np.ma.array(np.ones(2, dtype=int), mask=[False, m == 1])\n"
        "def of(kept, p, q):\n    return int(kept.sum())",
        "functools.partial(of, make(NUMBER))",
    ),
    "words_of_a_function": Changed(
        "a number in the words of a function", 'def kept():\n    "NUMBER"' + f"{LHS}int(kept.__doc__)"
    ),
    "kind_of_a_parameter": Changed(
        "a number that stands where the kind of a parameter does",
        f"def kept(a: NUMBER):\n    return a{LHS}kept.__annotations__['a']",
    ),
    "kind_of_a_name": Changed(
        "a number that stands where the kind of a field does",
        f"class Kept:\n    m: NUMBER{LHS}Kept.__annotations__['m']",
    ),
    "words_of_an_error": Changed(
        "a number in the words of an error",
        "def fail():\n    raise ValueError('NUMBER')" + "\ndef lhs(p, q):\n    try:\n        fail()\n"
        "    except ValueError as error:\n        return int(str(error))",
    ),
    "file_that_was_read": Changed(
        "a number of a file that the module reads once, and names in no constant",
        'KEPT = int((Path(__file__).parent / "beside.py").read_text())' + f"{LHS}KEPT",
        beside="NUMBER",
    ),
}


def _read(text: Changed, number: str) -> tuple[str, Any]:
    """The hash of a claim's formulas, and the left side's value."""
    before = sys.path[:]
    law = np.array([Fraction(1, 2), Fraction(1, 2)])
    module = (
        MODULE.replace("{text}", text.text).replace("{formula}", text.formula).replace("{{", "{").replace("}}", "}")
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mine.py"
        file.write_text(module.replace("NUMBER", number), encoding="utf-8")
        (Path(folder) / "beside.py").write_text(text.beside.replace("NUMBER", number), encoding="utf-8")
        for name in ("mine", "beside"):
            sys.modules.pop(name, None)
        try:
            claim = names(str(file), "claim")["CLAIM"]
            return formulas_hash(claim), claim.lhs(law, law)
        finally:
            sys.path[:] = before
            for name in ("mine", "beside"):
                sys.modules.pop(name, None)


def _unnoticed(text: Changed, first: str, second: str) -> str:
    """The hash of the formulas with one number and with another, where it is one."""
    try:
        prints, values = zip(*(_read(text, number) for number in (first, second)), strict=True)
    except ValueError as error:
        raise NotProved(str(error)) from None
    if (values[0] == values[1]) != (first == second):
        raise KeyError(f"{text.says}: the values are {values}")
    if prints[0] != prints[1]:
        raise NotProved("the formulas have another hash, and the record is not about them")
    return str(prints[0])


def _attack(name: str, text: Changed) -> Attack:
    same = None if name in ALONE else partial(_unnoticed, text, NUMBERS[0], NUMBERS[0])
    return Attack(
        f"behind_{name}", FAMILY, text.says, partial(_unnoticed, text, *NUMBERS), "", same, "have another hash"
    )


BEHIND = [_attack(name, text) for name, text in TEXTS.items()]
