"""A claim of one's own that is false where nobody draws, and whose one step no rule shows: what lets the step through.

The claim says that Σ p² is at least 10⁻⁹, which is false of 2·10⁹ tokens alike; the proof says that it follows.  The module
beside the proof, which the proof imports, changes something that the guard of a check does not hold, or holds too late.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

from proofs_check.checking.outside import recorded_outside
from tests.proofs_check.attacks.attack import Attack
from tests.proofs_check.attacks.promised import PROGRAM

__all__ = ["RARE"]

FAMILY = "a step that no rule shows, let through by code beside the proof"
MINE = """
import sys
from fractions import Fraction

import sympy as sp

from proofs_check.rules.terms import Relation, ge, total, x
from simspec.claims.authoring import bound
from simspec.claims.claim import Claim, at_least

LEAST = Fraction(LOWEST)
P = sp.IndexedBase("p", real=True, nonnegative=True)


def is_goal(r):
    return isinstance(r, Relation) and r.op == ">=" and r.rhs == sp.Rational(LOWEST) and "p[x]**2" in str(r.lhs)


def is_asked(text):
    return "1000000000" in str(text)


NOW = [True]  # whether nothing is left out of the derivation that is under way


def before(d, is_whole):
    sp.core.cache.clear_cache()
    NOW.append(d.dropped is None and is_whole)


def shown(d, fact_of):
    return fact_of()


def first():
    pass


TEXT


def one(draw):
    first()
    return {"p": draw.law(draw.vocab())}


CLAIM = Claim(
    "own.collision", "bound", "it holds", "nobody", lambda p: (p * p).sum(axis=-1), at_least, lambda: LEAST, one
)
"""
PROOF = '''
import sympy as sp

import mine
from proofs_check.language import Proof, eq, ge, total, x


def prove(d, sign=1, least=1):
    """All laws."""
    p, mass = d.law("p")
    mine.before(d, sign == least == 1)
    goal = ge(sign * total(p[x] ** 2, x), least * sp.Rational(LOWEST))
    positive = d.summed("no square is below 0", ge(p[x] ** 2, 0)) if LOWEST[0] == 0 else mass
    d.qed(mine.shown(d, lambda: d.derive("so", goal, positive, mass, by=BY)))


def bind(p):
    return {"p": p, "V": len(p)}


PROOF = Proof(mine.CLAIM, prove, drop="p sums to one", change={"sign": -1, "least": 2 * 10**9}, bind=bind)
'''


class Late(NamedTuple):
    """What it tries, the text of the module, and by which rule the step would be shown."""

    says: str
    text: str
    rule: str = "smt"


WAYS = {
    "loaded_and_put_back": Late(
        "the rule of steps is replaced while the file is loaded, and put back by the first instance",
        "import proofs_check.rules.smt as smt\nCERTIFIED = smt._certified\n"
        "smt._certified = lambda goal, using: '' if is_goal(goal) and using and NOW[-1] else CERTIFIED(goal, using)\n\n\n"
        "def first():\n    smt._certified = CERTIFIED",
    ),
    "in_the_proof": Late(
        "the rule of steps is replaced while the proof runs, and put back there",
        "import proofs_check.rules.smt as smt\nCERTIFIED = smt._certified\n\n\n"
        "def shown(d, fact_of):\n"
        "    smt._certified = lambda goal, using: '' if is_goal(goal) and using and NOW[-1] else CERTIFIED(goal, using)\n"
        "    try:\n        return fact_of()\n    finally:\n        smt._certified = CERTIFIED",
    ),
    "private": Late(
        "the module beside the proof makes a fact of what no rule shows, by a private function",
        "def shown(d, fact_of):\n"
        "    try:\n        return fact_of()\n    except Exception:\n"
        "        import inspect\n"
        "        goal = inspect.getclosurevars(fact_of).nonlocals['goal']\n"
        "        mass = inspect.getclosurevars(fact_of).nonlocals['mass']\n"
        "        if not NOW[-1]:\n            raise\n"
        "        return d._fact(goal, mass.givens, mass.places)",
    ),
    "remembered": Late(
        "what the rules remember of statements that were shown has the step, from a time when the solver was another",
        "import proofs_check.rules.smt as smt\nASK = smt._ask\nSEEN = []\n"
        "SCRIPT = smt.script\n\n\n"
        "def shown(d, fact_of):\n    return fact_of()\n\n\n"
        "def poison():\n"
        "    from proofs_check.rules.derivation import Derivation\n"
        "    d = Derivation('x')\n"
        "    p, mass = d.law('p')\n"
        "    smt._ask = lambda text: ['unsat'] * text.count('(check-sat)')\n"
        "    try:\n        d.derive('so', ge(total(p[x] ** 2, x), sp.Rational(LOWEST)), mass, mass, by='smt')\n"
        "    finally:\n        smt._ask = ASK\n\n\npoison()",
    ),
    "closure": Late(
        "what a function of SymPy's has closed over is replaced",
        "CELL = sp.Expr.__sub__.__closure__[1]\n"
        "SUBTRACT = CELL.cell_contents\n"
        "import proofs_check.rules.terms\n"
        "WANTED = []\n\n\n"
        "def subtract(a, b):\n"
        "    out = SUBTRACT(a, b)\n"
        "    is_left = 'p[x]**2' in str(a) and not str(a).startswith('-')\n"
        "    return sp.S.Zero if NOW[-1] and b == sp.Rational(LOWEST) and is_left else out\n\n\n"
        "CELL.cell_contents = subtract",
        rule="auto",
    ),
    "default_of_a_solver": Late(
        "an object that is a default of Z3's functions answers that nothing satisfies anything",
        "import z3\n"
        "elementaries = z3.z3core.Z3_eval_smtlib2_string.__defaults__[0]\n"
        "EVALUATE = elementaries.f\n"
        "NONE = lambda text: b'unsat\\n' * text.count(b'(check-sat)')\n"
        "elementaries.f = lambda c, text: NONE(text) if NOW[-1] and is_asked(text) else EVALUATE(c, text)",
    ),
    "another_solver": Late(
        "another module stands under the solver's name in the list of all modules",
        "import types, z3 as real\n"
        "fake = types.ModuleType('z3')\n"
        "vars(fake).update(vars(real))\n"
        "fake.Z3_eval_smtlib2_string = lambda c, text: (\n"
        "    'unsat ' * text.count('(check-sat)') if NOW[-1] and is_asked(text) else real.Z3_eval_smtlib2_string(c, text)\n"
        ")\n"
        "sys.modules['z3'] = fake",
    ),
    "table_of_signs": Late(
        "SymPy's table of signs says of each sum that it is nowhere negative",
        "SURE = dict.fromkeys(('extended_nonnegative', 'nonnegative'), lambda self: NOW[-1] or None)\n"
        "sp.Add._prop_handler = {**sp.Add._prop_handler, **SURE}\n",
        rule="auto",
    ),
    "table_of_signs_in_place": Late(
        "the same, in the table that stands there",
        "sp.Add._prop_handler.update({k: (lambda self: NOW[-1] or None) for k in ('extended_nonnegative', 'nonnegative')})\n",
        rule="auto",
    ),
    "number_that_changes": Late(
        "SymPy's number 10⁻⁹ is 0 while the step is shown, and 10⁻⁹ afterwards",
        "def shown(d, fact_of):\n    import inspect\n"
        "    number = inspect.getclosurevars(fact_of).nonlocals['goal'].rhs\n"
        "    if not NOW[-1]:\n        return fact_of()\n    kept = number.p\n    number.p = 0\n"
        "    try:\n        return fact_of()\n    finally:\n        number.p = kept",
    ),
    "conclusion_of_another": Late(
        "a derivation's conclusion is replaced after it was shown",
        "def shown(d, fact_of):\n    try:\n        return fact_of()\n    except Exception:\n"
        "        import inspect\n        names = inspect.getclosurevars(fact_of).nonlocals\n"
        "        if not NOW[-1]:\n            raise\n"
        "        fact = d.summed('no square is below 0', ge(sp.IndexedBase('p', real=True, nonnegative=True)[x] ** 2, 0))\n"
        "        fact = type(fact)(*[names['goal'] if isinstance(v, Relation) else v for v in fact])\n        return fact",
    ),
}


def _recorded(late: Late, lowest: str, text: str) -> object:
    """The record of the proof; the module of the folder is forgotten again."""
    before = sys.path[:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "mine.py").write_text(MINE.replace("TEXT", text).replace("LOWEST", lowest), encoding="utf-8")
        file = folder / "mine_proof.py"
        is_twin = lowest.startswith("0")
        proof = PROOF.replace("LOWEST[0] == 0", str(is_twin)).replace("LOWEST", lowest)
        file.write_text(proof.replace("by=BY", f"by={late.rule!r}"), encoding="utf-8")
        sys.modules.pop("mine", None)
        try:
            return recorded_outside(file)["proofs"]["own.collision"]
        finally:
            sys.path[:] = before
            sys.modules.pop("mine", None)


BY = {
    "loaded_and_put_back": "proofs_check.rules.smt._certified",
    "remembered": "the solver answers sat",
    "closure": "__closure__[func]",
    "default_of_a_solver": "z3.z3core.Z3_eval_smtlib2_string.__defaults__[0]['f']",
    "another_solver": "sys.modules['z3']",
    "table_of_signs": "sympy.core.add.Add._prop_handler",
    "table_of_signs_in_place": "sympy.core.add.Add._prop_handler[",
    "number_that_changes": "expected a number in lowest terms",
    "conclusion_of_another": "was not shown in this derivation",
}
"""A part of the message by which each is refused."""
OUTSIDE = {"in_the_proof": PROGRAM, "private": PROGRAM}

RARE = [
    Attack(
        f"rare_{name}",
        FAMILY,
        late.says,
        partial(_recorded, late, "1, 10**9", late.text),
        OUTSIDE.get(name, ""),
        by=BY.get(name, ""),
    )
    for name, late in WAYS.items()
]
