"""Proof files that reach further than they may, by what they store, alias, decorate, format or have others do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from proofs_check.checking.proof import check
from proofs_check.checking.stores import allowed
from proofs_check.checking.written import Proof
from proofs_check.coq.check import traced
from proofs_check.coq.trace import Traced
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import eq, ge, le, total, x
from proofs_check.sd.acceptance import PROOF as ACCEPTANCE
from tests.proofs_check.attacks.attack import Attack, tried
from tests.proofs_check.attacks.promised import PROGRAM

__all__ = ["FILES"]

FILES: list[Attack] = []
READ, RUN, COQ = "proof files, by their text", "proof files, when they are run", "what a proof shows to Coq"
TEXTS: dict[str, tuple[str, str]] = {
    "what is given forgotten by a derivation that is called self": (
        "def prove(self):\n    self.givens = {}",
        "self.givens is changed",
    ),
    "a rule replaced in a derivation that is called self": (
        "def prove(self):\n    self.derive = lambda *facts, **how: facts[-1]",
        "self.derive is changed",
    ),
    "the steps that a reader sees replaced": ("def prove(self):\n    self.steps = ()", "self.steps is changed"),
    "the same by a constructor that takes another for itself": (
        "class Way:\n    def __init__(self, d):\n        self = d\n        self.givens = {}",
        "self.givens is changed",
    ),
    "the same by a function that is called as a constructor": (
        "def __init__(self):\n    self.givens = {}",
        "self.givens is changed",
    ),
    "the same inside of a class": (
        "class Way:\n    def prove(self):\n        self.givens = {}",
        "self.givens is changed",
    ),
    "the same in a pack of names": ("def prove(self):\n    self.claim, self.givens = '', {}", "is changed"),
    "the same in a loop": ("def prove(self):\n    for self.givens in ({},):\n        pass", "self.givens is changed"),
    "what Coq is given replaced": ("def prove(self):\n    self.finals = ()", "self.finals is changed"),
    "the same by deletion": ("def prove(self):\n    del self.givens", "self.givens is changed"),
    "a rule replaced in its class": ("Derivation.derive = print", "is changed from outside"),
    "a rule replaced in its class by another name of it": (
        "for kind in (Derivation,):\n    kind.derive = print",
        "is changed from outside",
    ),
    "a name that Python reads by a text": ("getattr(d, '_fact')(eq(1, 0), ())", "getattr reaches"),
    "a store by Python's own name for it": ("object.__setattr__(d, 'givens', {})", "is private"),
    "the globals of a rule": ("d.derive.__globals__['certificate'] = print", "is changed from outside"),
    "a class made by its metaclass": ("type('Sure', (sp.Symbol,), {})", "type makes a class"),
    "a class of symbols by its base": ("class Sure(sp.Symbol, metaclass=type):\n    pass", "is another class"),
    "a method that Python calls when a class is made": (
        "class Sure:\n    def __init_subclass__(cls):\n        pass",
        "changes what an operation means",
    ),
    "an operation given as a value": ("class Sure:\n    __eq__ = all", "reaches what has no name here"),
    "a decorator of the checker": ("@d._given\ndef prove(d):\n    pass", "is private"),
    "a pickle": ("import pickle\npickle.loads(b'')", "is no language of proofs"),
    "a pickle that NumPy reads": ("np.load('steps.npy')", "is no arithmetic that a proof may take"),
    "a file of numbers that NumPy reads": ("np.fromfile('steps')", "is no arithmetic that a proof may take"),
    "a file that is opened by a path": ("from pathlib import Path", "is no language of proofs"),
    "the environment": ("import os\nos.environ", "is no language of proofs"),
    "the clock": ("from time import time", "is no language of proofs"),
    "chance": ("from random import random", "is no language of proofs"),
    "another module by its name": ("from importlib import import_module", "is no language of proofs"),
    "the record of Coq": ("from simspec.claims.deciding.in_coq import coq_record", "is no language of proofs"),
    "the exporter": ("from proofs_check.coq.export import exported", "is no language of proofs"),
    "the class that Coq's text is made of": ("from proofs_check.coq.trace import Traced", "is no language of proofs"),
    "a text as a number": ("sp.Rational('1/3')", "is a text, which SymPy would run"),
    "a text as a whole number": ("sp.Integer('3')", "is a text, which SymPy would run"),
    "a text in bytes that Python runs": ("compile(b'1', 'a', 'eval')", "reaches what has no name here"),
    "the names around": ("vars()['d']", "reaches what has no name here"),
}
"""What a file says, and a part of the message that refuses it."""
Way = Callable[[], Any]


def _of_text(says: str, text: str, by: str) -> Attack:
    name = f"file_{says.replace(' ', '_')}".replace("'", "")
    return Attack(name, READ, says, lambda: allowed(text, says, own=True), by=by)


FILES += [_of_text(says, *rest) for says, rest in TEXTS.items()]


def _refused(by: str, family: str, beyond: str = "") -> Callable[[Way], Way]:
    def put(way: Way) -> Way:
        says = " ".join((way.__doc__ or "").split()).removesuffix(".")
        FILES.append(Attack(f"run_{way.__name__}", family, says, way, beyond, by=by))
        return way

    return put


def _acceptance(before: Callable[[Derivation], Any], bind: Any = None) -> Proof:
    """sd.acceptance, and something before it."""

    def prove(d: Derivation) -> None:
        before(d)
        ACCEPTANCE.prove(d)

    return Proof(ACCEPTANCE.claim, prove, {}, bind or ACCEPTANCE.bind)


c = sp.Symbol("c", real=True)


@_refused("a float is rounded", RUN)
def a_float_in_a_statement() -> Any:
    """c ≤ 0.1, a number that is rounded."""
    return tried(_acceptance(lambda d: d.domain("small", le(c, 0.1))))


@_refused("expected exact real numbers", RUN)
def no_number_in_a_statement() -> Any:
    """c ≤ not-a-number."""
    return tried(_acceptance(lambda d: d.domain("small", le(c, sp.nan))))


@_refused("expected exact real numbers", RUN)
def infinity_in_a_statement() -> Any:
    """c ≤ ∞ − ∞ of Python's floats, made exact by SymPy."""
    return tried(_acceptance(lambda d: d.domain("small", le(c, sp.oo))))


@_refused("a float in an exact comparison", RUN)
def a_float_in_a_bind() -> Any:
    """c is 0.1 in the bind, where c ≤ 1/10 is given."""
    small = lambda d: d.domain("small", le(c, sp.Rational(1, 10)))  # noqa: E731
    return tried(_acceptance(small, lambda p, q: {"p": p, "q": q, "V": len(p), "c": 0.1}))


@_refused("no class of the language", RUN)
def a_class_of_ones_own_by_another_name_of_type() -> Any:
    """A class of symbols that are not negative, made by `type` under another name."""
    make = type
    sure = make("Sure", (sp.Symbol,), {"is_nonnegative": True})
    return tried(_acceptance(lambda d: d.derive("so", ge(sure("s", real=True), 0))))


@_refused("expected a plain text as the name", RUN)
def a_name_that_is_no_text() -> Any:
    """A given whose name is no text."""
    return tried(_acceptance(lambda d: d.domain(sp.Symbol("wrong"), eq(1, 0))))  # type: ignore[arg-type]


@_refused("was not shown in this derivation", RUN)
def a_fact_of_ones_own() -> Any:
    """1 = 0 as a fact that is made by its class."""
    from proofs_check.language import Fact

    return tried(_acceptance(lambda d: d.derive("so", eq(1, 0), Fact(eq(1, 0), frozenset()))))


@_refused("expected a statement with one of", RUN)
def a_statement_of_sympy() -> Any:
    """A statement of SymPy's own class, which is true for it."""
    return tried(_acceptance(lambda d: d.derive("so", sp.Ge(c**2, 0))))  # type: ignore[arg-type]


@_refused("without a word of why", RUN)
def a_step_without_a_word() -> Any:
    """A step that no reader is told of."""
    return tried(_acceptance(lambda d: d.derive(" ", eq(1, 1))))


@_refused("", RUN, PROGRAM)
def rules_replaced_by_the_file_of_a_claim() -> Any:
    """The solver replaced by a file of claims, which the proof imports: 1 = 0."""
    from proofs_check.rules import definitions

    before = definitions.certificate
    definitions.certificate = lambda *asked: ""
    try:
        return Derivation("own.claim").derive("so", eq(1, 0), by="smt")
    finally:
        definitions.certificate = before


# --- what a proof shows to Coq ---


def _easy(d: Derivation) -> None:
    p, mass = d.law("p")
    d.qed(d.derive("a law", eq(total(p[x], x), 1), mass))


@_refused("for Coq is another than the one that was checked: its conclusions", COQ)
def another_statement_for_coq() -> Any:
    """sd.acceptance for the rules, and for Coq that a law has mass one."""
    return traced(
        Proof(ACCEPTANCE.claim, lambda d: _easy(d) if hasattr(d, "trace") else ACCEPTANCE.prove(d), {}, ACCEPTANCE.bind)
    )


@_refused("for Coq is another than the one that was checked: what is given", COQ)
def a_contradiction_for_coq() -> Any:
    """sd.acceptance for the rules, and for Coq the same from 1 = 0."""

    def prove(d: Derivation) -> None:
        if isinstance(d, Traced):
            d.domain("anything", eq(1, 0))
        ACCEPTANCE.prove(d)

    return traced(Proof(ACCEPTANCE.claim, prove, {}, ACCEPTANCE.bind))


@_refused("for Coq is another than the one that was checked: its definitions", COQ)
def another_definition_for_coq() -> Any:
    """A name that means 1 for the rules and 2 for Coq."""

    def prove(d: Derivation) -> None:
        d.define("a number", c, 2 if hasattr(d, "finals") else 1)
        ACCEPTANCE.prove(d)

    return traced(Proof(ACCEPTANCE.claim, prove, {}, ACCEPTANCE.bind))


@_refused("", COQ)
def steps_for_coq_taken_out() -> Any:
    """The steps that Coq is given, changed in place by the proof: the last one made a hypothesis."""

    def prove(d: Derivation) -> None:
        ACCEPTANCE.prove(d)
        steps: Any = getattr(d, "trace", [])
        if isinstance(steps, list) and steps:
            steps[-1] = steps[-1]._replace(rule="recursion")

    proof = Proof(ACCEPTANCE.claim, prove, {}, ACCEPTANCE.bind)
    check(proof)
    return _unchanged(traced(proof))


def _unchanged(d: Traced) -> None:
    from tests.proofs_check.attacks.attack import NotProved

    if d.trace[-1].rule != "recursion":
        raise NotProved("the steps are a tuple, for all to read")


@_refused("an enumeration of cases", COQ)
def an_enumeration_for_coq() -> Any:
    """An enumeration, which Coq is given nothing of."""
    from proofs_check.coq.terms import NotExported
    from tests.proofs_check.attacks.attack import NotProved

    proof = Proof(ACCEPTANCE.claim, lambda d: d.exhaust("one", lambda case: True, [1]), {}, None)
    try:
        return traced(proof)
    except NotExported as error:
        raise NotProved(str(error)) from None
