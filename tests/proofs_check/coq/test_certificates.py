"""Steps of arithmetic for Coq: what contradicts is found, what is false is not, and Coq accepts the scripts as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from sympy.polys.rings import ring  # noqa: E402

from proofs_check.coq.certificates import certificate  # noqa: E402
from proofs_check.coq.check import ask, prepared  # noqa: E402
from proofs_check.coq.cleared import certified  # noqa: E402
from proofs_check.coq.polynomials import Column, Inequality, combination, remainder  # noqa: E402
from proofs_check.coq.rewritten import rewritten  # noqa: E402
from proofs_check.coq.terms import Printer  # noqa: E402
from proofs_check.rules.terms import Relation, eq, ge, gt, le  # noqa: E402

a, b, c, s, z = sp.symbols("a b c s z", real=True)


def test_a_contradiction_is_found_by_hand() -> None:
    _, x, y = ring("x y", sp.QQ)
    some = [Inequality(x - 1, False, "F"), Inequality(-x, False, "G")]  # x at least one, and at most zero
    found = combination([], some)
    assert found is not None and {f.parts[0].term for f in found} == {"F", "G"}
    assert combination([], some[:1]) is None
    product = combination([], [Inequality(x, False, "F"), Inequality(y, False, "G"), Inequality(-x * y, True, "N")])
    assert product is not None and any(len(f.parts) == 2 for f in product)


def test_a_target_is_a_sum_of_multiples_of_what_is_zero() -> None:
    _, x, y = ring("x y", sp.QQ)
    found = combination([(x - y, "U")], (), x**2 - x * y)
    assert found is not None and [(f.kind, f.parts[1]) for f in found] == [("=", "U")]
    assert combination([(x - y, "U")], (), x) is None


def test_a_product_that_is_zero_has_no_quotients() -> None:
    """A fact such as 0 ≥ 0 says nothing; beside an equation that is divided by, it is passed over."""
    polynomials, x, y = ring("x y", sp.QQ)
    column = Column(polynomials.zero, ">=", (polynomials.one,))
    assert remainder(column, [(x - y, "U")]) == column
    facts = [Inequality(polynomials.zero, False, "F"), Inequality(x, False, "G"), Inequality(-y, True, "N")]
    used = combination([(x - y, "U")], facts, squared=[], is_widest=True)
    assert used is not None
    assert {part.term for column in used if column.kind != "=" for part in column.parts} == {"G", "N"}


STEPS: list[tuple[Relation, list[Relation]]] = [
    (ge(a * c, b * c), [ge(a, b), ge(c, 0)]),  # a product
    (le(a * z, a), [eq((1 - z) * z, 0), ge(a, 0)]),  # an indicator, by its two values
    (eq(a * b, 0), [ge(a, 0), le(a, 0)]),  # what is not negative, nor positive
    (ge(a / c, b / c), [ge(a, b), gt(c, 0)]),  # a denominator
    (le(a / c, b / c), [ge(a, b), gt(0, c)]),  # one that is negative
    (ge(a**2 + b**2, 2 * a * b), []),  # a square
    (le(4 * s, (a - b) ** 2), [ge(c * ((a - z) * (z - b) - s), 0), gt(c, 0)]),  # a second difference's
]
FALSE: list[tuple[Relation, list[Relation]]] = [
    (ge(a * c, b * c), [ge(a, b)]),
    (le(a * z, a), [eq((1 - z) * z, 0)]),
    (le(4 * s, (a - b) ** 2), [ge(c * ((a - z) * (z - b) - s), 0), ge(c, 0)]),
    (ge(a / c, b / c), [ge(a, b), gt(0, c)]),
]


def script(goal: Relation, facts: list[Relation]) -> str | None:
    found = certified(Printer((), {}), [goal, *facts], {}, [], lambda e: e)
    return None if found is None else found[1]


def lemma(k: int, goal: Relation, facts: list[Relation], proof: str) -> str:
    printer = Printer((), {})
    names = sorted({s for r in (goal, *facts) for s in r.lhs.free_symbols | r.rhs.free_symbols}, key=str)
    given = "".join(f"({printer.relation(r)}) -> " for r in facts)
    over = " ".join(printer.name(s) for s in names)
    intros = " ".join([over, *(f"U_{n}" for n in range(len(facts)))])
    return (
        f"Lemma step_{k} : forall {over} : R, {given}{printer.relation(goal)}.\nProof. intros {intros}; {proof}. Qed.\n"
    )


@pytest.fixture(scope="module")
def folder(compiled_once) -> Path:
    return compiled_once("prelude", prepared)


def test_scripts_are_accepted_and_say_nothing_more(folder: Path) -> None:
    parts = ["From Simspec Require Import prelude.\n"]
    for k, (goal, facts) in enumerate(STEPS):
        proof = script(goal, facts)
        assert proof is not None, goal
        parts.append(lemma(k, goal, facts, proof))
    assert ask(folder, "steps.v", "".join(parts)).error == ""
    proof = script(*STEPS[0])
    assert proof is not None
    false = parts[0] + lemma(0, ge(a * c, b * c + 1), STEPS[0][1], proof)  # the script proves its own goal only
    assert ask(folder, "false.v", false).error


def test_what_is_false_has_no_script() -> None:
    assert [script(goal, facts) for goal, facts in FALSE] == [None] * len(FALSE)


def test_what_is_no_polynomial_has_no_script() -> None:
    assert certificate(Printer((), {}), ge(sp.exp(a), 0), {}, []) is None


def test_parts_are_taken_apart_and_names_put_in() -> None:
    u, v = sp.symbols("u v", positive=True)
    made = {str(r.rhs): tactic for r, tactic in rewritten([ge(sp.log(u * v), 0)])}
    assert made == {"log(u) + log(v)": "logs"}
    (put, *_) = rewritten([ge(sp.log(u), 0), eq(u, v)])
    assert put[0].rhs == sp.log(v) and "U_0" in put[1]
