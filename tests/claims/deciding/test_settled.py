"""What is settled is tried less: a proof, or a counterexample on record that was drawn and checked again; nothing else is."""

from dataclasses import replace
from typing import Any

import pytest

from simspec.claims import registry
from simspec.claims.claim import Claim, at_most
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.explore import EFFORTS, effort_notice
from simspec.claims.deciding.recorded import counterexamples, expected
from simspec.claims.deciding.search import Trials, check_exact, still_refuting, try_claim
from simspec.claims.deciding.verify import verify
from simspec.laws import overlap, tv

QUICK = EFFORTS["quick"]
FEWER = QUICK.when_settled()


def pairs(draw: Any) -> Any:
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


TRUE = Claim(
    "t.true", "bound", "", "", lhs=overlap, rhs=lambda p: p.sum(axis=-1), relation=at_most, instances=pairs,
    sources=("exact",),
)  # fmt: skip
FALSE = replace(TRUE, name="t.false", rhs=lambda p, q: tv(p, q))  # overlap <= TV fails at p = q


def tried(claim: Claim, effort: str = "quick", **known: Any) -> Trials:
    return try_claim(claim, effort, 0, Data(effort=effort), **known)


def counted(claim: Claim) -> tuple[Claim, list[int]]:
    """A claim that counts how often its left side is asked for."""
    asked: list[int] = []

    def lhs(p: Any, q: Any) -> Any:
        asked.append(1)
        return overlap(p, q)

    return replace(claim, lhs=lhs), asked


def test_a_proof_lessens_the_tries_and_nothing_else_does() -> None:
    full, less = tried(TRUE).exact, tried(TRUE, proved=True).exact
    assert full is not None and less is not None
    assert less.instances <= FEWER.random + FEWER.climb < full.instances <= QUICK.random + QUICK.climb


def test_the_first_tries_are_the_same() -> None:
    alone = EFFORTS["default"]._replace(climb=0)
    few, all_ = (check_exact(TRUE, e, 0).slacks for e in (alone.when_settled()._replace(climb=0), alone))
    assert few == all_[: len(few)] and 0 < len(few) < len(all_)


def test_deep_tries_all_alike() -> None:
    assert EFFORTS["deep"].when_settled() == EFFORTS["deep"] and effort_notice("deep") is None
    assert "25 exact trials instead of 120" in str(effort_notice("quick"))


def test_a_false_claim_with_a_proof_is_refuted_all_the_same() -> None:
    trials = tried(FALSE, proved=True)
    assert decide(FALSE, trials, [{"kind": "symbolic"}]) == "refuted" and trials.choices is not None


def test_a_counterexample_on_record_is_checked_again_and_not_looked_for() -> None:
    first = tried(FALSE)
    claim, asked = counted(FALSE)
    again = tried(claim, record={"t.false": first.choices})
    assert {k: v.tolist() for k, v in (again.counterexample or {}).items()} == {"p": [1], "q": [1]}
    assert again.choices == first.choices
    assert len(asked) <= FEWER.random + FEWER.climb + 2  # no step of making it small


@pytest.mark.parametrize("choices", [[1, 5, 0, 1, 0, 5], None])
def test_a_record_that_refutes_no_more_leads_to_the_whole_search(choices: list[int] | None) -> None:
    assert still_refuting(FALSE, {"t.false": choices}) is None
    trials = tried(FALSE, record={"t.false": choices})
    assert trials.exact is not None and trials.exact.instances > FEWER.random + FEWER.climb
    assert trials.choices == tried(FALSE).choices


def test_choices_that_break_an_assumption_are_no_counterexample() -> None:
    choices = tried(FALSE).choices
    assert still_refuting(FALSE, {"t.false": choices}) is not None
    assert still_refuting(replace(FALSE, assumes={"two tokens": lambda p: len(p) > 1}), {"t.false": choices}) is None


def test_a_listed_counterexample_on_record_is_itself() -> None:
    listed = replace(FALSE, against=(pairs_of(3), pairs_of(2)))
    trials = tried(listed, record={"t.false": None})
    assert trials.counterexample is listed.against[1] and trials.choices is None
    assert trials.exact is not None and trials.exact.instances <= FEWER.random + FEWER.climb + 2


def pairs_of(vocab: int) -> Any:
    from simspec.laws import exact

    return dict.fromkeys("pq", exact([1] + [0] * (vocab - 1)))


def test_every_counterexample_on_record_still_refutes() -> None:
    refuted = {name for name, verdict in expected()["verdicts"].items() if verdict == "refuted"}
    assert set(counterexamples()) <= refuted and len(counterexamples()) > 100
    assert [n for n in counterexamples() if not still_refuting(registry()[n], counterexamples())] == []


def test_the_record_says_what_a_counterexample_was_drawn_from() -> None:
    record = verify("sd.inverse-proportional", effort="quick", seed=3)["claims"][0]
    assert record["choices"] == counterexamples()["sd.inverse-proportional"]
    assert record["counterexample"]["p"] == ["1/2", "1/2"]  # as in a run of any seed or effort
