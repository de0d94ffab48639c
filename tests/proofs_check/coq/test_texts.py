"""Names on texts: what a name is after one token more is its definition, and Coq computes what Python does."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq.bridge import HEAD, library, proved_givens, settled  # noqa: E402
from proofs_check.coq.session import Session  # noqa: E402
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.rules.terms import eq, ge, index, le, x  # noqa: E402

STEP = "r is multiplied by p/q and cut at one"
FIRST = "the empty text is kept"
RANGE = "r is a probability"
c = index("c")
root = index("root")
AT_NUMBER = """repeat (first [rewrite on_texts_first | rewrite on_texts_step by lia]; cbv beta; repeat match goal with
  | |- context [parent ?a ?b] => let t := eval vm_compute in (parent a b) in change (parent a b) with t
  | |- context [last_token ?a ?b] => let t := eval vm_compute in (last_token a b) in change (last_token a b) with t end)"""
"""Takes a name on texts from its number back to the empty text."""


@pytest.fixture(scope="module")
def coq(compiled_once) -> Iterator[Session]:
    with Session(compiled_once("defined", library), HEAD) as session:
        yield session


def prefixes(top: sp.Expr = sp.S.One, first: sp.Expr = sp.S.One) -> Traced:
    """Chances of prefixes, cut at one and 1 at first; or a larger bound of them, or another first one."""
    d = Traced("prefixes")
    p, q, r = (sp.IndexedBase(name, nonnegative=True) for name in "pqr")
    child = d.map("child")
    later = r[child[c, x]]
    d.domain("masses", ge(p[c, x], 0), ge(q[c, x], 0))
    d.domain(STEP, eq(q[c, x] * later, sp.Min(p[c, x] * r[c], top * q[c, x])))
    d.domain(RANGE, ge(r[c], 0), le(r[c], 1))
    d.domain(FIRST, eq(r[root], first))
    d.varied.add((RANGE, "c"))  # as where it is used of a child: c is any text then, and the root is one
    return d


def fractions_on_texts(size: int, first: Fraction, step, text: int) -> Fraction:
    """``on_texts`` of ``texts.v`` in Python: by the text's number, 1 for the empty one."""
    if text <= 1:
        return first
    parent, token = (text - 2) // size + 1, (text - 2) % size + 1
    return step(parent, token, fractions_on_texts(size, first, step, parent))


def test_a_chance_of_prefixes_is_a_definition(coq: Session) -> None:
    bridge, lemmas = settled(prefixes(), coq, lambda definition: True)
    assert [(str(k.symbol), k.form) for k in bridge.definitions] == [("r[c]", "along")]
    assert {STEP, RANGE, FIRST} <= {*proved_givens(bridge, lemmas)}


@pytest.mark.parametrize("wrong", [{"top": sp.Integer(2)}, {"first": sp.Integer(2)}])
def test_what_does_not_follow_of_texts_stays_given(coq: Session, wrong) -> None:
    """A cut at two, or a first chance of two, is at most one at no text; the name is a variable again."""
    bridge, lemmas = settled(prefixes(**wrong), coq, lambda definition: True)
    assert bridge.definitions == [] and not {STEP, RANGE, FIRST} & {*proved_givens(bridge, lemmas)}


@pytest.mark.parametrize("error", [0, 1])
def test_coq_computes_what_python_does(coq: Session, error) -> None:
    """At all texts of up to two of two tokens, numbered alike; another number is refused."""

    def step(parent: int, token: int, before: Fraction) -> Fraction:
        return before / 2 + token + 10 * parent

    lines = []
    for text in range(1, 8):
        number = fractions_on_texts(2, Fraction(1, 3), step, text) + (error if text == 7 else 0)
        name = "on_texts 2 (1 / 3) (fun parent token before => before / 2 + IZR token + 10 * IZR parent)"
        lines.append(
            f"Lemma at_{text} : {name} {text} = {number.numerator} / {number.denominator}.\n"
            f"Proof. first [solve [{AT_NUMBER}; lra]"
            f' | idtac "admitted at_{text}"; apply admitted]. Qed.'
        )
    every = ", ".join(f"@at_{text}" for text in range(1, 8))
    answer = coq.ask("\n".join([*lines, f"Definition every_one := ({every}).", "Print Assumptions every_one."]))
    assert not answer.error and answer.admitted == (("at_7",) if error else ())
