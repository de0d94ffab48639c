"""A derivation as one theorem on the names as they are defined: what Coq says that it takes is what is left to be given."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq import composing  # noqa: E402
from proofs_check.coq.bridge import HEAD, library, settled  # noqa: E402
from proofs_check.coq.composed import Theorem, _arranged, _Item, theorem  # noqa: E402
from proofs_check.coq.composing import named  # noqa: E402
from proofs_check.coq.export import script  # noqa: E402
from proofs_check.coq.section import Bridge  # noqa: E402
from proofs_check.coq.session import Session  # noqa: E402
from proofs_check.coq.terms import NotExported  # noqa: E402
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.rules.derivation import Fact  # noqa: E402
from proofs_check.rules.terms import eq, ge, gt, le, total, x  # noqa: E402
from simspec.claims.deciding import in_coq  # noqa: E402
from simspec.claims.deciding.in_coq import adds_up, coq_record  # noqa: E402
from simspec.claims.deciding.proved import as_written, record  # noqa: E402
from tests.proofs_check.coq.test_again import ASKED, share  # noqa: E402

FEW = 3
"""Tests that share what is asked of Coq."""
RULE = "the residual, as a law"
BOUND = "no token has more than half"


@pytest.fixture(scope="module")
def folder(compiled_once) -> Path:
    return compiled_once("defined", library)


def begun(sign: int = 1) -> tuple[Traced, tuple[Any, Any, Any], Any, Fact]:
    """Two laws, and r, the residual of the one that comes first; with `sign` -1 of the other."""
    d = Traced("residual")
    p, q, r = (d.law(name)[0] for name in "pqr")
    excess = sp.Max(0, sign * (p[x] - q[x]))
    return d, (p, q, r), excess, d.domain(RULE, eq(r[x] * total(excess, x), excess))


def residual(bound: bool = False) -> Traced:
    """What is accepted and what is drawn from the residual are the target: min(p, q) + r Σ (p - q)₊ = p.

    With `bound` it is concluded besides that r is at most a half, which it is given.
    """
    d, (p, q, r), excess, is_residual = begun()
    kept = d.derive("what is emitted", eq(sp.Min(p[x], q[x]) + r[x] * total(excess, x), p[x]), is_residual)
    if bound:
        d.qed(kept, d.domain(BOUND, le(r[x], sp.Rational(1, 2))))
    else:
        d.qed(kept)
    return d


def made(folder: Path, d: Traced, name: str, is_computed: bool = True):
    with Session(folder, HEAD) as coq:
        bridge, _ = settled(d, coq, lambda definition: is_computed)
    text = script(d)
    return theorem(folder, name, text, bridge), text, bridge


def test_nothing_is_left_of_what_a_definition_meets(folder) -> None:
    """The residual is defined; what is left are laws and their ranges."""
    composed, text, bridge = made(folder, residual(), "residual_whole")
    assert [str(c.symbol) for c in bridge.definitions] == ["r[x]"]
    assert named(text.facts, composed, bridge.unproved_names) == {}
    assert "Definition v_r (v_x : Z) : R := (over" in composed.text
    assert composed.text.count("Theorem theorem_0 : ") == 1 and "Variable v_r" not in composed.text


def test_what_no_definition_meets_stays_a_premise(folder) -> None:
    """r as it is defined, of which the bound stays given; and r that is something else in the claim: the rule is given, too."""
    composed, text, bridge = made(folder, residual(bound=True), "residual_bound")
    assert [str(c.symbol) for c in bridge.definitions] == ["r[x]"]
    assert named(text.facts, composed, bridge.unproved_names) == {"givens": [BOUND]}
    composed, text, bridge = made(folder, residual(bound=True), "residual_free", is_computed=False)
    assert bridge.definitions == []
    assert named(text.facts, composed, ()) == {"givens": [RULE, BOUND]}


def test_a_sequence_is_a_recursion(folder) -> None:
    """A threshold that falls by what is kept, which the threshold itself decides: both are defined, and nothing is left given."""
    n = sp.Symbol("n", integer=True, nonnegative=True)
    d = Traced("threshold")
    q, _ = d.law("q")
    beta, keep = (sp.IndexedBase(name, real=True) for name in ("beta", "keep"))
    kept = total(keep[n, x] * q[x], x)
    first, following = d.recursion("the threshold", eq(beta[0], 1), eq(beta[n + 1], beta[n] - kept))
    mark = keep[n, x]
    zero_or_one = d.domain("kept or not", eq(mark * (1 - mark), 0))
    d.instantiate("at the second place", zero_or_one, {n: 1})  # the derivation speaks of more places than one
    d.domain("from the threshold on", ge(mark * (q[x] - beta[n]), 0), gt((1 - mark) * (beta[n] - q[x]) + mark, 0))
    second = d.instantiate("the second", following, {n: 0})
    d.qed(d.derive("from one", eq(beta[1], 1 - total(keep[0, x] * q[x], x)), first, second))
    composed, text, bridge = made(folder, d, "threshold")
    assert [str(c.symbol) for c in bridge.definitions] == ["keep[n, x]"]
    assert named(text.facts, composed, bridge.unproved_names) == {}
    assert "Definition v_beta (place_0 : Z) : R := member (1)" in composed.text
    assert "let v_keep := fun (v_n : Z) (v_x : Z) => " in composed.text and "Variable v_beta" not in composed.text


def test_names_stand_after_what_they_are_made_of() -> None:
    lines = ["Definition c := b.", "Lemma l : c = a.", "Lemma k : True.", "Definition b := a.", "Definition a := 1."]
    ordered = [lines[4], lines[3], lines[0], lines[1], lines[2]]
    assert _arranged([*map(_Item.of, lines)]) == ordered
    with pytest.raises(NotExported, match="a, b: made of one another"):
        _arranged([*map(_Item.of, ["Definition a := b.", "Definition b := a."])])


def test_rules_of_sequences_and_declared_signs_are_named_too(folder) -> None:
    """By hand: a given, the two rules of a sequence, and a sign that the bridge left; a premise of no given is refused."""
    facts = script(residual()).facts
    premise = next(facts.hypothesis(p) for p in facts.order if p.name == RULE)
    text = "Hypothesis R_v_a : 0 <= v_a.\nHypothesis R_v_b : False.\nHypothesis lie : False.\n"
    premises = ("v_V", premise, "recursion_v_E_0", "recursion_v_E_1", "R_v_c", "R_v_a")
    taken = named(facts, Theorem(text, premises), {"R_v_c"})
    assert taken == {"givens": [RULE], "sequences": ["recursion_v_E_0", "recursion_v_E_1"], "signs": ["R_v_c"]}
    for planted in ("H_99", "lie", "R_v_b"):
        with pytest.raises(NotExported, match=f"{planted}: a premise that is none of what is given"):
            named(facts, Theorem(text, (planted,)), ())


@pytest.mark.parametrize(
    "line", ["Module Classical_Prop. Axiom classic : False. End Classical_Prop.", "Unset Guard Checking."]
)
def test_an_axiom_by_the_name_of_an_allowed_one_is_refused(folder, line) -> None:
    """Coq's report names axioms as short as it can: a module of the script's own could have one with Coq's name."""
    text = script(residual())
    told = text._replace(text=text.text.replace("\nLemma ", f"\n{line}\nLemma ", 1))
    with Session(folder, HEAD) as coq:
        bridge, _ = settled(residual(), coq, lambda definition: True)
    with pytest.raises(NotExported, match="a script has definitions, hypotheses and lemmas alone"):
        theorem(folder, "residual_axiom", told, bridge)


def test_other_libraries_than_those_read_make_the_record_silent(monkeypatch) -> None:
    assert in_coq.composed_on_record()
    in_coq.composed_on_record.cache_clear()
    monkeypatch.setattr(in_coq, "library_hash", lambda name: "0" * 24)
    try:
        assert in_coq.composed_on_record() == {}
    finally:
        in_coq.composed_on_record.cache_clear()


def test_a_definition_of_another_name_is_no_theorem(folder) -> None:
    """The section of another derivation, where r is something else: Coq finds that what is given of r is not met there."""
    d, (_, _, r), excess, is_residual = begun(sign=-1)
    d.qed(d.derive("turned", eq(excess, r[x] * total(excess, x)), is_residual))
    with Session(folder, HEAD) as coq:
        other, _ = settled(d, coq, lambda definition: True)
    assert isinstance(other, Bridge)
    with pytest.raises(NotExported, match="residual_other_defined.v: File"):
        theorem(folder, "residual_other", script(residual()), other)


def test_a_step_that_is_admitted_makes_no_theorem(folder) -> None:
    text = script(residual())
    told = text._replace(text=text.text.replace("solve [", "fail; solve ["))
    with Session(folder, HEAD) as coq:
        bridge, _ = settled(residual(), coq, lambda definition: True)
    with pytest.raises(NotExported, match="rests on .*admitted"):
        theorem(folder, "residual_told", told, bridge)


def test_the_record_is_about_the_proofs_as_they_stand() -> None:
    entries = as_written(composing.RECORD.name)["derivations"]
    hashes = {
        (claim, e["file"], e.get("place", -1)): e["hash"]
        for claim, of_claim in record()["proofs"].items()
        for e in of_claim
        if e["kind"] != "counterexample"
    }
    old = [e["claim"] for e in entries if hashes.get((e["claim"], e["file"], e["place"])) != e["proof"]]
    assert not old, f"python -m proofs_check.coq.composing {' '.join(old)}"
    whole = {(e["file"], e["place"]) for e in coq_record()["derivations"] if e.get("whole") and adds_up(e)}
    assert {(e["file"], e["place"]) for e in entries} <= whole
    assert as_written(composing.RECORD.name)["coq"] == coq_record()["coq"]


def test_an_answer_on_record_is_what_coq_says_now(folder) -> None:
    """Of two derivations, the shortest of those with a given left and without."""
    entries = [e for e in as_written(composing.RECORD.name)["derivations"] if "text" in e]
    steps = {(e["file"], e["place"]): e["steps"] for e in coq_record()["derivations"] if "steps" in e}
    for has_givens in (False, True):
        of_kind = [e for e in entries if bool(e.get("givens")) == has_givens]
        known = min(of_kind, key=lambda e: (steps[e["file"], e["place"]], e["claim"]))
        again = [
            e for e in composing.asked([known["claim"]], 1, again=True, folder=folder) if e["place"] == known["place"]
        ]
        assert [e for e in again if e["file"] == known["file"]] == [known]


@pytest.mark.parametrize("place", range(FEW))
def test_some_of_the_share_that_is_read_again_are_theorems(folder, place) -> None:
    """Of the scripts that Coq reads again with this commit every eighth, spread over as many tests."""
    shared = {(e["file"], e["place"]) for e in share(os.environ.get(ASKED, ""))[::8]}
    entries = {(e["file"], e["place"]): e for e in as_written(composing.RECORD.name)["derivations"] if "text" in e}
    own = [entries[key] for key in sorted(shared & entries.keys())][place::FEW]
    for known in own:
        again = {(e["file"], e["place"]): e for e in composing.asked([known["claim"]], 1, again=True, folder=folder)}
        assert again[known["file"], known["place"]] == known
