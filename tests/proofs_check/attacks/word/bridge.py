"""The bridge to Coq: names that end a sentence or print alike, and answers that are none."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import sympy as sp

from proofs_check.coq.algorithm.compiled import FOLDER, Refused, sources
from proofs_check.coq.algorithm.page import stated
from proofs_check.coq.algorithm.record import whole
from proofs_check.coq.check import SECONDS, ask
from proofs_check.coq.export import exported
from proofs_check.coq.terms import NotExported
from proofs_check.coq.trace import Traced
from proofs_check.rules.derivation import Fact
from proofs_check.rules.terms import V, eq, ge, index, le, total, x
from simspec.claims.deciding import statements
from tests.proofs_check.attacks.attack import Attack, NotProved
from tests.proofs_check.attacks.promised import READ_BY_PEOPLE

__all__ = ["BRIDGE"]

BRIDGE: list[Attack] = []
NAMES, MEANING, ANSWERS, NATIVE = "names in Coq's text", "what Coq's text says", "answers of Coq", "theorems by hand"
v, w = sp.symbols("v w", real=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
a = sp.IndexedBase("a", real=True)
k = index("k")
ENDING = "c. Axiom wrong : 0 = 1. (*"
"""A name that would end a sentence of Coq, and begin another."""
Way = Callable[[], Any]


def _refused(by: str, family: str, beyond: str = "") -> Callable[[Way], Way]:
    def put(way: Way) -> Way:
        says = " ".join((way.__doc__ or "").split()).removesuffix(".")
        BRIDGE.append(Attack(f"coq_{way.__name__}", family, says, way, beyond, by=by))
        return way

    return put


def _written(*conclusions: Fact, of: Traced) -> str:
    """The text for Coq, where it has an axiom that no exporter writes; what it has in its place is the message."""
    of.qed(*conclusions)
    text, _ = exported(of)
    if re.search(r"\bAxiom\b|\(\*|\*\)", text):
        return text
    raise NotProved("no axiom and no comment is in the text for Coq")


# --- names ---


@_refused("no axiom and no comment", NAMES)
def number_that_ends_a_sentence() -> Any:
    """A number whose name ends a sentence and begins an axiom."""
    d = Traced("own.claim")
    c = sp.Symbol(ENDING, real=True)
    return _written(d.derive("a square", ge(c**2, 0)), of=d)


@_refused("no axiom and no comment", NAMES)
def array_that_ends_a_sentence() -> Any:
    """An array with such a name."""
    d = Traced("own.claim")
    return _written(d.derive("a square", ge(sp.IndexedBase(ENDING, real=True)[x] ** 2, 0)), of=d)


@_refused("no axiom and no comment", NAMES)
def function_that_ends_a_sentence() -> Any:
    """A function with such a name."""
    d = Traced("own.claim")
    return _written(d.derive("a square", ge(sp.Function(ENDING, real=True)(v) ** 2, 0)), of=d)


@_refused("no axiom and no comment", NAMES)
def given_that_ends_a_sentence() -> Any:
    """A given, a step and a claim with such names."""
    d = Traced(ENDING)
    given = d.domain(ENDING, ge(v, 1))
    return _written(d.derive(ENDING, ge(v, 0), given), of=d)


@_refused("no axiom and no comment", NAMES)
def definitions_that_end_a_sentence() -> Any:
    """A definition, an extremum and signs with such names."""
    d = Traced("own.claim")
    named = d.define("so", sp.Symbol(f"{ENDING} d", real=True), v + 1)
    _, bound, _ = d.extremum("so", f"{ENDING} e", a[x], x)
    _, upper, _, _ = d.sign("so", f"{ENDING} s", a[x], x)
    return _written(named, bound, upper, of=d)


def _apart(*symbols: sp.Symbol) -> str:
    """Names that look alike: c ≥ 1 of one and c ≤ 0 of the other, which are one in Coq's text or are not."""
    d = Traced("own.claim")
    first, second = symbols
    given = d.domain("one", ge(first, 1)), d.domain("other", le(second, 0))
    d.qed(*given)
    text, _ = exported(d)
    variables = re.findall(r"^Variable (\S+) : R\.$", text, re.MULTILINE)
    if len(set(variables)) < len(symbols):
        return text
    raise NotProved(f"{len(symbols)} names are {len(set(variables))} in the text for Coq")


@_refused("2 names are 2", NAMES)
def letters_that_look_alike() -> Any:
    """The Latin c and the Cyrillic letter that looks like it."""
    return _apart(*(sp.Symbol(name, real=True) for name in ("c", "с")))  # noqa: RUF001


@_refused("2 names are 2", NAMES)
def letters_that_coq_is_not_given() -> Any:
    """Two Greek letters, neither of which the text has."""
    return _apart(*(sp.Symbol(name, real=True) for name in ("α", "β")))


@_refused("2 names are 2", NAMES)
def a_name_with_a_dash() -> Any:
    """a_b and a-b, which are written alike without their signs."""
    return _apart(*(sp.Symbol(name, real=True) for name in ("a_b", "a-b")))


@_refused("2 names are 2", NAMES)
def a_name_as_it_was_written() -> Any:
    """a_b and a name that is called as the text calls a second one."""
    return _apart(*(sp.Symbol(name, real=True) for name in ("a_b", "a_b'")))


@_refused("was declared in two ways", NAMES)
def a_vocabulary_that_is_real() -> Any:
    """V as a real number beside the size of the vocabulary."""
    d = Traced("own.claim")
    counted = d.derive("counted", eq(total(1, x), V))
    return d.derive("so", ge(sp.Symbol("V", real=True) ** 2, 0), counted)


# --- what the text says ---


def _lacking(d: Traced, *needed: str) -> str:
    """The text for Coq, where it lacks what its statement must have."""
    text, _ = exported(d)
    if all(part in text for part in needed):
        raise NotProved(f"the text says {' and '.join(needed)}")
    return text


@_refused("the text says", MEANING)
def a_token_without_its_range() -> Any:
    """What is given of every token, for every whole number."""
    d = Traced("own.claim")
    d.qed(d.derive("so", ge(a[x] + 1, 1), d.domain("not negative", ge(a[x], 0))))
    return _lacking(d, "forall (v_x : Z) (R_v_x : (1 <= v_x <= v_V)%Z), (v_a (v_x)%Z) >= 0", "Hypothesis V_some")


@_refused("the text says", MEANING)
def a_positive_number_without_its_sign() -> Any:
    """1/c for a positive c, which is any number in the text."""
    d = Traced("own.claim")
    c = d.number("c", positive=True)
    d.qed(d.derive("so", ge(1 / c, 0)))
    return _lacking(d, "R_v_c : 0 < v_c")


@_refused("the text says", MEANING)
def a_conclusion_without_its_given() -> Any:
    """A conclusion from what is given of one number, for every number."""
    d = Traced("own.claim")
    d.qed(d.derive("so", ge(v**2, v), d.domain("large", ge(v, 1)), by="smt"))
    return _lacking(d, "Hypothesis H_0 : v_v >= 1", "Theorem conclusion_0")


@_refused("supposed, and not discharged", MEANING)
def a_conclusion_in_a_case() -> Any:
    """A conclusion in one case only."""
    d = Traced("own.claim")
    return d.qed(d.derive("so", ge(v, 0), d.case("up", ge(v, 0))))


def _not_written(d: Traced, fact: Fact) -> Any:
    d.qed(fact)
    try:
        return exported(d)
    except NotExported as error:
        raise NotProved(f"Coq is given nothing: {error}") from None


@_refused("Coq is given nothing: erf", MEANING)
def a_function_that_coq_does_not_have() -> Any:
    """erf, which the text has no word for."""
    d = Traced("own.claim")
    return _not_written(d, d.derive("a square", ge(sp.erf(v) ** 2, 0)))


@_refused("Coq is given nothing: ceiling", MEANING)
def a_whole_part_that_coq_does_not_have() -> Any:
    """The least whole number that is no less, which the text has no word for."""
    d = Traced("own.claim")
    return _not_written(d, d.derive("a square", ge(sp.ceiling(v) ** 2, 0)))


@_refused("Coq is given nothing", MEANING)
def a_power_that_may_be_negative() -> Any:
    """2 to the power of −n, which is 1 in the text if −n is taken for a number of factors."""
    d = Traced("own.claim")
    return _not_written(d, d.derive("positive", ge(sp.Integer(2) ** (-n), 0)))


@_refused("an exponent that may be negative", MEANING)
def a_power_that_is_less_than_none() -> Any:
    """2 to the power of n − 3, which is 1 in the text for n = 0, and 1/8 for the rules."""
    d = Traced("own.claim")
    return _not_written(d, d.derive("positive", ge(sp.Integer(2) ** (n - 3), 0)))


@_refused("the solver answers sat", MEANING)
def a_power_of_any_whole_number() -> Any:
    """2 to the power of m is at least 1 for every whole number m: so it is in the text, and the rules show it of none."""
    d = Traced("own.claim")
    m = sp.Symbol("m", integer=True)
    return d.derive("so", ge(sp.Integer(2) ** m, 1))


# --- answers ---

QUESTION = "Theorem conclusion_0 : 0 = 1.\nPrint Assumptions conclusion_0.\n"


def _answer(stdout: str, status: int = 0, stderr: str = "", late: bool = False) -> Any:
    """What is made of an answer that Coq, or what stands in its place, has given."""

    def run(command: list[str], **options: Any) -> Any:
        if late:
            raise subprocess.TimeoutExpired(command, options["timeout"])
        return subprocess.CompletedProcess(command, status, stdout, stderr)

    with tempfile.TemporaryDirectory() as name, patch.object(subprocess, "run", run):
        answer = ask(Path(name), "asked.v", QUESTION)
    if not answer.whole:
        raise NotProved(f"not whole: {answer.error or ', '.join(sorted(answer.axioms))}")
    return answer


ANSWER = {
    "nothing said": ("", 0, "0 reports on what 1 conclusions rest on"),
    "an answer to another question": ("conclusion_0 : 0 = 1\n", 0, "0 reports on what 1 conclusions rest on"),
    "a process that was killed": ("Closed under the global context\n", -9, "exit status -9"),
    "an error after the answer": ("Closed under the global context\n", 1, "exit status 1"),
    "a step that is told": ("Axioms:\nadmitted : forall statement : Prop, statement\n", 0, "admitted"),
    "a step that is told under its long name": ("Axioms:\nSimspec.prelude.admitted\n  : forall P, P\n", 0, "admitted"),
    "an axiom in Greek letters": ("Axioms:\nα : False\n", 0, "α"),
    "an axiom with a dash of its own": ("Axioms:\nwrong' : False\n", 0, "wrong'"),
    "an axiom after those of the reals": (
        "Axioms:\nClassicalDedekindReals.sig_not_dec : forall P : Prop, {~ ~ P} + {~ P}\nwrong : 0 = 1\n",
        0,
        "wrong",
    ),
    "a recursion that does not end": ("Axioms:\nloop is assumed to be guarded.\n", 0, "loop"),
    "a type that is not positive": ("Axioms:\nbad is assumed to be positive.\n", 0, "bad"),
    "a universe in itself": ("Axioms:\nbig relies on an unsafe hierarchy.\n", 0, "big"),
    "a hierarchy that is one": ("Axioms:\nType hierarchy is collapsed (logic is inconsistent)\n", 0, "Type"),
}
"""What Coq prints, its status, and what is made of it."""


def _of_answer(says: str, stdout: str, status: int, by: str) -> Attack:
    name = f"coq_{says.replace(' ', '_')}"
    return Attack(name, ANSWERS, says, lambda: _answer(stdout, status), by=f"{by}")


BRIDGE += [_of_answer(says, *rest) for says, rest in ANSWER.items()]
BRIDGE.append(
    Attack(
        "coq_no_answer", ANSWERS, "no answer in time", lambda: _answer("", late=True), by=f"no answer in {SECONDS} s"
    )
)


# --- theorems by hand ---


def _stated(text: str, name: str = "sd_lossless") -> Any:
    """A theorem by hand that would be listed for a claim."""
    listed = stated({"mine": text})
    if not listed:
        raise NotProved("no theorem is listed")
    return listed


@_refused("no theorem is listed", NATIVE)
def a_lemma_for_a_theorem() -> Any:
    """A lemma with the name of a claim."""
    return _stated("(** All of it. *)\nLemma sd_lossless : True.\n")


@_refused("no theorem is listed", NATIVE)
def a_theorem_without_words() -> Any:
    """A theorem that is told in no words."""
    return _stated("Theorem sd_lossless : True.\n")


NOT_READ = "is not the statement that was read"
LOSSLESS = "Theorem sd_lossless gamma T test :"


def _as_read(before: str, after: str, file: str = "lossless") -> Any:
    """The theorems that would be recorded once a file of theirs has one text in place of another."""
    texts = sources(FOLDER)
    if before not in texts[file]:
        raise KeyError(f"{before} is not in {file}.v")
    try:
        return whole({**texts, file: texts[file].replace(before, after)})
    except Refused as error:
        raise NotProved(str(error)) from None


@_refused(NOT_READ, NATIVE)
def a_theorem_that_says_nothing() -> Any:
    """A theorem with the name of a claim that says True."""
    return _as_read(LOSSLESS, "Theorem sd_lossless : True. Proof. exact I. Qed.\nTheorem other gamma T test :")


@_refused(NOT_READ, NATIVE)
def a_theorem_that_cannot_fail() -> Any:
    """A theorem with the name of a claim, and its definitions, that says that a number is itself."""
    trivial = "Theorem sd_lossless gamma : speculate verify 0 gamma 0 [] = speculate verify 0 gamma 0 [].\nProof. easy. Qed.\n"
    return _as_read(LOSSLESS, f"{trivial}Theorem other gamma T test :")


@_refused(NOT_READ, NATIVE)
def a_theorem_under_a_false_hypothesis() -> Any:
    """A theorem that says what it said, in a section that supposes that 1 is 0."""
    return _as_read("Hypothesis target_law :", "Hypothesis wrong : 1 = 0.\nHypothesis target_law :")


@_refused(NOT_READ, NATIVE)
def a_definition_of_another_number() -> Any:
    """A theorem that says what it said, with a total variation that is 0 by its definition."""
    return _as_read("Definition tv ", "Definition tv (V : nat) (p q : nat -> R) := 0.\nDefinition distance ", "laws")


@_refused("", NATIVE, READ_BY_PEOPLE)
def a_theorem_that_nobody_should_have_read() -> Any:
    """A theorem with the name of a claim that says True, with its entry in the file of what was read."""
    before = "(** All of it. *)\nTheorem sd_lossless : True.\nProof. easy. Qed.\n"
    with patch.object(
        statements, "_read", lambda: {"sd_lossless": statements.says("sd_lossless", "mine", {"mine": before})}
    ):
        return whole({"mine": before})
