"""The deepest scripts: Coq accepts them as they are, what is false has none, and the record says which steps have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq import check  # noqa: E402
from proofs_check.coq.check import Answer, ask, checked, digest, prepared  # noqa: E402
from proofs_check.coq.export import exported  # noqa: E402
from proofs_check.coq.numbers import compared  # noqa: E402
from proofs_check.coq.rewritten import rewritten  # noqa: E402
from proofs_check.coq.terms import Printer  # noqa: E402
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.rules.terms import Relation, eq, ge, gt, index, le, x  # noqa: E402
from tests.proofs_check.coq.test_export import derivation, forged, p  # noqa: E402
from tests.proofs_check.coq.test_further import NAME, lemma, script  # noqa: E402

HEAD = "From Simspec Require Import deeper.\n"
a, b, c, d, k, m, n, t, u, v = sp.symbols("a b c d k m n t u v", real=True)
A, B, N, M = sp.symbols("A B N M", real=True)

STEPS: list[tuple[Relation, list[Relation]]] = [
    (  # five facts multiplied
        ge(M * m**2 * (c + 1), N * a**2 * (d + 1)),
        [ge(M * m * (A + 1), N * a * (B + 1)), eq(c, N * a + A), eq(d, M * m + B), ge(m, a)]
        + [ge(s, 0) for s in (A, B, a, M, N)],
    ),
    (  # a number and its reciprocal, and one factor twice
        ge((B - n * (u - t * (1 - a)) * b) * sp.Max(0, u - b) * sp.Max(0, b), 0),
        [
            le((d - (n - 1) * b) * sp.Max(0, u - b) * sp.Max(0, b), 0),
            *(eq(B, b - t * (d - a)), eq(n * u, 1), gt(t, 0), ge(a, 0), le(a, 1), gt(u, 0), gt(n, 0)),
        ],
    ),
    (  # where a maximum is not zero it is positive
        ge(a, 0),
        [ge(a * sp.Max(0, b), 0), ge(a, -c * sp.Max(0, b)), ge(c, 0)],
    ),
    (  # a square of what holds a reciprocal
        ge(4 * a**2 * v**3 / (a * v**2 + b) ** 2 - 4 * a * v / (a * v**2 + b) + 1 / v, 0),
        [gt(a * v**2 + b, 0), gt(v, 0), gt(a, 0), ge(b, 0)],
    ),
]
FALSE: list[tuple[Relation, list[Relation]]] = [
    (ge(a * b - c, 0), [ge(a, 0), ge(b, 0), ge(c, 0)]),
    (ge(M * m**2, N * a**2), [ge(M * m, N * a), ge(m, 0), ge(a, 0), ge(M, 0), ge(N, 0)]),  # m may be below a
    (ge(1 / v - 4 * a / b + 3 * a**2 * v / b**2, 0), [gt(v, 0), gt(b, 0), gt(a, 0)]),
]
NUMBERS = [
    ge(sp.log(sp.log(2)), -sp.Rational(11, 30)),
    gt(sp.log(6), sp.Rational(179, 100)),
    le(sp.Rational(1, 5) - sp.Rational(33, 50) * sp.log(sp.Rational(66, 35)), -sp.Rational(2, 10)),
    le(sp.exp(sp.Rational(-2)), sp.Rational(14, 100)),
    le(sp.sqrt(3), sp.Rational(9, 5)),
]
FUNCTIONS = {
    "forall w l Z, 0 < Z -> l = ln Z -> exp (w + -1 * l) = exp w * / Z": "intros w l Z S E; try rewrite E; by_functions",
    "forall e k p : R, forall n, (pw k n * k = k) -> pw (k * p) n * (k * p) = k * (pw p n * p)": (
        "intros e k p n E; powers_apart; replace (pw k n * pw p n * (k * p)) with (pw k n * k * (pw p n * p)) by ring;"
        "try rewrite E; by_powers"
    ),
    "forall (f : Z -> R) i j, IZR i = 1 + IZR j -> f (i - 1)%Z = 2 -> f j = 2": "intros f i j E F; real_places; lra",
}


@pytest.fixture(scope="module")
def folder(compiled_once: Any) -> Path:
    return Path(compiled_once("prelude", prepared))


def test_scripts_are_accepted_and_say_nothing_more(folder: Path) -> None:
    lemmas = [HEAD]
    for place, (goal, facts) in enumerate(STEPS):
        closing = script(goal, facts, 3)
        assert closing is not None, goal
        lemmas.append(lemma(place, goal, facts, closing))
    assert ask(folder, "steps.v", "".join(lemmas)).error == ""
    goal, facts = STEPS[-1]
    closing = script(goal, facts, 3)
    assert closing is not None
    assert ask(folder, "false.v", HEAD + lemma(0, gt(goal.lhs, 0), facts, closing)).error  # it proves its own goal only


def test_what_is_false_has_no_script() -> None:
    assert [script(goal, facts, 3) for goal, facts in FALSE] == [None] * len(FALSE)


def test_numbers_are_enclosed(folder: Path) -> None:
    printer = Printer((), {})
    lemmas = [
        f"Lemma number_{place} : {printer.relation(r)}.\nProof. {compared(printer, r)}. Qed.\n"
        for place, r in enumerate(NUMBERS)
    ]
    assert ask(folder, "numbers.v", HEAD + "".join(lemmas)).error == ""
    close = Relation(sp.log(2), ">=", sp.Rational(6932, 10000))  # it is 0.69314…
    text = f"Lemma wrong : {printer.relation(close)}.\nProof. {compared(printer, close)}. Qed.\n"
    assert ask(folder, "wrong.v", HEAD + text).error
    assert compared(printer, ge(sp.log(sp.log(1 + sp.Rational(1, 10**9))), 0)) is None  # its argument may be below zero


def test_functions_and_places_of_what_equations_say(folder: Path) -> None:
    lemmas = [
        f"Lemma function_{place} : {statement}.\nProof. {tactic}. Qed.\n"
        for place, (statement, tactic) in enumerate(FUNCTIONS.items())
    ]
    assert ask(folder, "of_functions.v", HEAD + "".join(lemmas)).error == ""
    wrong = lemmas[0].replace("exp w * / Z", "exp w * Z")
    assert wrong != lemmas[0] and ask(folder, "wrong_function.v", HEAD + wrong).error


def test_logarithms_of_sums_and_fractions_in_reciprocals_are_taken_apart() -> None:
    y = sp.Symbol("y", positive=True)
    goal = ge(sp.log(y / 2 + sp.S.Half) + 1 / (1 / (1 + y) + 1), 0)
    logarithm = sp.log(y / 2 + sp.S.Half), "=", sp.log(y + 1) - sp.log(2)
    reciprocal = 1 / (1 / (1 + y) + 1), "=", (y + 1) / (y + 2)
    plain, deep = (
        {(r.lhs, r.op, r.rhs): tactic for r, tactic in rewritten([goal], Printer((), {}), deeper=deeper)}
        for deeper in (False, True)
    )
    assert reciprocal in deep and reciprocal not in plain
    assert deep[logarithm].startswith("transitivity") and plain[logarithm] == "logs"  # of a sum, that shows nothing


def test_an_induction_knows_the_signs_of_whole_numbers(folder: Path) -> None:
    """What is left of a text is no negative number of tokens, as its length is none."""
    d = Traced("tokens left")
    place = sp.Symbol("m", integer=True, nonnegative=True)
    length = sp.IndexedBase("L", integer=True, nonnegative=True)
    R = sp.IndexedBase("R", real=True)
    text = index("c")
    whole, less = d.recursion(
        "one less at each place", eq(R[text, 0], length[text]), eq(R[text, place + 1], sp.Max(R[text, place] - 1, 0))
    )
    statement = eq(R[text, place], sp.Max(length[text] - place, 0))
    d.qed(d.inductive("all but those passed", statement, place, [whole], [less], by="smt"))
    last = exported(d)[1][-1]
    further, deeper = (exported(d, [last], steps)[0] for steps in ([], [last]))
    assert ask(folder, "further_left.v", further).admitted == (last,)
    assert ask(folder, "deeper_left.v", deeper).whole


def test_the_root_of_a_number_is_squared(folder: Path) -> None:
    """SymPy knows that the square of √2 is 2; Coq is told by no equation."""
    d = Traced("root")
    tolerance = d.number("T", 0)
    root = sp.Symbol("r", real=True)
    defined = d.define("the root", root, sp.sqrt(2) * sp.sqrt(tolerance))
    d.qed(d.derive("its square", eq(root**2, 2 * tolerance), defined))
    last = exported(d)[1][-1]
    further, deeper = (exported(d, [last], steps)[0] for steps in ([], [last]))
    assert ask(folder, "further_root.v", further).admitted == (last,)
    assert ask(folder, "deeper_root.v", deeper).whole


def test_a_false_step_stays_admitted_with_the_deepest_script(folder: Path) -> None:
    d = forged(gt(p[x], 1))
    _, steps = exported(d)
    text, _ = exported(d, steps, steps)
    answer = ask(folder, "forged.v", text)
    assert answer.admitted == (steps[-1],) and not answer.whole and check.ADMITTED in answer.axioms


def test_what_further_scripts_leave_open_has_the_deepest(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def answer(folder: Path, file: str, text: str | None = None) -> Answer:
        if text is not None:
            texts.append(text)
        is_open = text is not None and "Import deeper" not in text
        return Answer(("derive_0",) if is_open else (), frozenset({check.ADMITTED} if is_open else ()), "")

    monkeypatch.setattr(check, "ask", answer)
    (entry,) = checked([NAME], 1)
    assert entry["whole"] and entry["further"] == entry["deeper"] == ["derive_0"] and len(texts) == 3
    assert entry["text"] == digest(exported(derivation(NAME), ["derive_0"], ["derive_0"])[0])
    (again,) = checked([NAME], 1, known=[entry])
    assert again == entry and texts[3:] == [texts[2]]


def test_only_what_requires_the_deepest_tactics_depends_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    heads = (HEAD, HEAD.replace("deeper", "further"), "")
    before = [digest(head) for head in heads]
    library = check._library
    monkeypatch.setattr(check, "_library", lambda name: f"{library(name)}\n" if name == check.DEEPER else library(name))
    assert [digest(head) == old for head, old in zip(heads, before, strict=True)] == [False, True, True]


def signed() -> Traced:
    """The root has one, a child half of it: a name of what a child has is not below zero, as it is declared."""
    d = Traced("signed")
    child = d.map("child")
    node, root = index("c"), index("root")
    has = sp.IndexedBase("r", real=True)
    first = d.domain("the root has one", eq(has[root], 1))
    half = d.domain("a child has half", eq(2 * has[child[node]], has[node]))
    there = d.instantiate("there", half, {node: root})
    name = sp.IndexedBase("s", nonnegative=True)
    some = d.derive("a child has something", ge(has[child[root]], 0), first, there)
    d.define("what the root's child has", name[root], has[child[root]], some)
    d.qed(d.derive("as declared", ge(name[root] + 1, 1)))
    return d


def test_a_declared_sign_brings_what_it_rests_on(folder: Path) -> None:
    """That what a child has is not below zero rests on what the root has: a step by the sign alone rests on it, too."""
    plain = ask(folder, "signed.v", exported(signed())[0])
    (step,) = plain.admitted
    text = exported(signed(), [step], [step])[0]
    assert ask(folder, "signed_deeper.v", text).whole
    (statement,) = (line for line in text.splitlines() if line.startswith("Theorem conclusion_0"))
    assert "(v_r (v_root)%Z) = 1" in statement
