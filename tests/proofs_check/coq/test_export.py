"""Derivations in Coq: small proofs are accepted whole, what is false is not, and a step without a proof is counted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.checking.listed import listed  # noqa: E402
from proofs_check.checking.proof import Proof  # noqa: E402
from proofs_check.coq.check import ADMITTED, ALLOWED, ask, prepared, traced  # noqa: E402
from proofs_check.coq.export import exported  # noqa: E402
from proofs_check.coq.terms import NotExported  # noqa: E402
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.rules.terms import Relation, eq, ge, i, index, le, total, x  # noqa: E402
from simspec.claims import find  # noqa: E402
from simspec.claims.deciding.in_coq import coq_record, sentence, sentence_of  # noqa: E402

SMALL = """
    folk.lean-residual-corrected relaxed.slem.text-corrected sd.inverse-proportional-corrected folk.own-samples-corrected
    tasc.table8-speedup-corrected rdk.small-overlap.draft-corrected sd.speedup-monotone rdk.non-expansive
    folk.one-hot-better.enough-corrected sd.acceptance
""".split()


@pytest.fixture(scope="module")
def folder(compiled_once) -> Path:
    return compiled_once("prelude", prepared)


def derivation(name: str) -> Traced:
    (proof, *_) = (p for proofs in listed().values() for p in proofs if p.claim.name == name and isinstance(p, Proof))
    return traced(proof)


def together(texts: Iterable[str]) -> str:
    """Derivations as modules of one file, in which Coq is asked once what the conclusions of all rest on."""
    head, asked = "From Simspec Require Import prelude.\n", re.compile(r"^Print Assumptions (\w+)\.\n", re.MULTILINE)
    parts, conclusions = [head], []
    for k, text in enumerate(texts):
        parts.append(f"Module Part_{k}.\n{asked.sub('', text.removeprefix(head))}End Part_{k}.\n")
        conclusions += [f"@Part_{k}.{name}" for name in asked.findall(text)]
    return "".join([*parts, f"Definition every_one := ({', '.join(conclusions)}).\nPrint Assumptions every_one.\n"])


def forged(relation: Relation) -> Traced:
    """A derivation whose last step was never checked."""
    d = Traced("forged")
    _, mass = d.law("p")
    made = d._fact(relation, mass.givens)
    d._note("derive", "by assertion", [made], [mass], how="SMT, 1 sign pattern(s)")
    d.qed(made)
    return d


p = sp.IndexedBase("p", nonnegative=True)


def test_a_false_step_is_not_proved(folder: Path) -> None:
    answer = ask(folder, "false.v", exported(forged(eq(total(p[x], x), 2)))[0])
    assert not answer.error and not answer.whole
    assert answer.admitted == ("derive_0",) and answer.axioms - ALLOWED == {ADMITTED}


def test_a_statement_without_its_given_is_not_proved(folder: Path) -> None:
    text = exported(derivation("sd.acceptance"))[0]
    assert ") = 1." in text
    answer = ask(folder, "changed.v", text.replace(") = 1.", ") = 2.", 1))
    assert not answer.whole and answer.admitted


def halved(at_any: bool) -> Traced:
    """A root with r = 1, and children with half of what their parent has; at any node if what is said of the root is used so."""
    d = Traced("halved")
    child = d.map("child")
    c, root = index("c"), index("root")
    r = sp.IndexedBase("r", nonnegative=True)
    first = d.domain("the root has one", eq(r[root], 1))
    half = d.domain("a child has half", eq(2 * r[child[c]], r[c]))
    if at_any:
        d.instantiate("at a child", first, {root: child[c]})
    d.qed(
        d.derive(
            "a child of the root", eq(r[child[root]], sp.Rational(1, 2)), first, d.instantiate("there", half, {c: root})
        )
    )
    return d


def test_what_is_given_of_one_member_is_given_of_no_other(folder: Path) -> None:
    """Of any node it would contradict what is given of children, and Coq would prove everything."""
    text = exported(halved(False))[0]
    assert "(P_0 : (v_r (v_root)%Z) = 1)" in text and "Hypothesis H_0" not in text
    assert ask(folder, "halved.v", text).whole
    everywhere = exported(halved(True))[0]
    assert "Hypothesis H_0 : forall (v_root : Z)" in everywhere
    absurd = (
        "Lemma absurd : 0 = 1.\nProof. pose proof (H_0 1 ltac:(lia))%Z; pose proof (H_1 1 ltac:(lia))%Z; {}lra. Qed.\n"
    )
    of_child = "pose proof (H_0 (v_child 1) (v_child_range 1))%Z; "
    said = ask(folder, "absurd.v", everywhere.replace("End Derivation.", absurd.format(of_child) + "End Derivation."))
    assert not said.error, said
    assert ask(folder, "without.v", everywhere.replace("End Derivation.", absurd.format("") + "End Derivation.")).error


def test_what_coq_does_not_read_is_an_error(folder: Path) -> None:
    answer = ask(folder, "nonsense.v", "Theorem nothing : 1 = .")
    assert answer.error and not answer.whole
    assert "no answer in" in ask(folder, "slow.v", "Goal True. repeat idtac. exact I. Qed.", seconds=0.0001).error


def one_at_a_time() -> Traced:
    """A supposition about a number, which then gets a value that depends on the token of the supposition."""
    d = Traced("one token")
    c, mu = sp.IndexedBase("c", real=True), sp.Symbol("mu", real=True)
    half = d.suppose("μ is half of it", eq(c[i], 2 * mu))
    made = d.derive("a square", ge(c[i] ** 2, 4 * mu - 1), half)
    d.qed(d.instantiate("at the half", made, {mu: c[i] / 2}))
    return d


def rising() -> Traced:
    """A sum of exponentials that rises from its value at 0, over V, the sum of ones."""
    d = Traced("rising")
    w, t = d.weights("w", x), d.number("t", 0)
    f = total(sp.exp(t * w[x]), x) / total(1, x)
    slope = d.summed("term by term", ge(w[x] * sp.exp(t * w[x]), 0), over=x)
    slope = d.derive("its slope", ge(sp.diff(f, t), 0), slope)
    d.qed(d.increasing("it rises", f, t, 0, slope, d.derive("from 0 on", ge(t, 0))))
    return d


def counted() -> Traced:
    """K n is what is counted in n steps of K, a number that the counted is no name of its own for."""
    d = Traced("counted")
    n = sp.Symbol("n", integer=True, nonnegative=True)
    K = sp.Symbol("K", integer=True, positive=True)
    W = sp.IndexedBase("W", real=True)
    start, step = d.recursion("K a step", eq(W[0], 0), eq(W[n + 1], W[n] + K))
    d.qed(d.inductive("K n in all", eq(W[n], K * n), n, [start], [step]))
    return d


def test_a_sequence_depends_on_the_numbers_in_its_equations(folder: Path) -> None:
    """One sequence for all of them would grow by 1 and by 2 at once, and Coq would prove everything."""
    text = exported(counted())[0]
    assert "Variable v_W : Z -> Z -> R." in text
    assert ask(folder, "counted.v", text).whole
    zero = "pose proof (recursion_v_W_1 1 ltac:(lia) 0 ltac:(lia))%Z; pose proof (recursion_v_W_1 2 ltac:(lia) 0 ltac:(lia))%Z"
    absurd = f"Lemma absurd : 0 = 1.\nProof. {zero}; lra. Qed.\nEnd Derivation."
    assert ask(folder, "absurd.v", text.replace("End Derivation.", absurd)).error
    of_none = text.replace("Z -> Z -> R", "Z -> R").replace("v_W v_K", "v_W")
    said = ask(folder, "for_all.v", of_none.replace("End Derivation.", absurd))
    assert not said.error, said


def test_small_proofs_are_accepted_whole(folder: Path) -> None:
    """Ten of claims, with suppositions of one token, a sum that rises, and one that is forged, but true."""
    made = [*map(derivation, SMALL), one_at_a_time(), rising(), forged(le(total(p[x], x) / 2, 1))]
    texts = []
    for d in made:
        text, steps = exported(d)
        assert steps and text.count("Print Assumptions") == text.count("\nTheorem conclusion_")
        texts.append(text)
    assert "(P_0 : (v_c (v_i)%Z) = (2 * v_mu))" in texts[len(SMALL)] and "(/ (IZR (v_V)%Z))" in texts[len(SMALL) + 1]
    answer = ask(folder, "small.v", together(texts))
    assert answer.error == "" and answer.admitted == () and answer.whole and answer.axioms


def test_an_enumeration_has_no_derivation() -> None:
    found = next(p for proofs in listed().values() for p in proofs if isinstance(p, Proof) and p.bind is None)
    with pytest.raises(NotExported, match="enumeration"):
        traced(found)


def test_the_record_is_read_in_words() -> None:
    entries = coq_record()["derivations"]
    said = [sentence({"coq": {"coq": "8.16.1", **e}}) for e in entries]
    words = ("accepts the whole derivation", "rules alone show")
    assert all(sum(word in text for word in words) == 1 for text in said)
    have_theorems = {theorem["claim"] for theorem in coq_record()["theorems"]}
    whole = next(e["claim"] for e in entries if e.get("whole") and e["claim"] not in have_theorems)
    (claim,) = find([whole])
    assert "accepts the whole" in sentence_of(claim)
    (claim,) = find(["sd.acceptance"])
    assert (
        sentence_of(claim) == f"Coq {coq_record()['coq']} accepts a theorem about the algorithm itself, sd_acceptance"
    )
    assert all(e["whole"] for e in entries if e.get("admitted") == [])
