"""What is settled is tried less: a proof, or a counterexample on record that was drawn and checked again; nothing else is."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspec.claims import registry
from simspec.claims.claim import Claim, at_most
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.explore import EFFORTS, effort_notice
from simspec.claims.deciding.recorded import counterexamples, expected
from simspec.claims.deciding.search import Trials, check_exact, still_refuting, try_claim
from simspec.claims.deciding.verify import verify
from simspec.claims.draw import SearchDraw
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


# --- many tokens ------------------------------------------------------------------------------------------------------


def few_in_common(p: Any, q: Any) -> int:
    return int(((p > 0) & (q > 0)).sum())


TWELVE = replace(TRUE, name="t.twelve", lhs=few_in_common, rhs=lambda: 12)  # no pair of few tokens refutes it
FIXED = replace(TRUE, name="t.fixed", instances=lambda draw: {"p": draw.law(3), "q": draw.law(3)})


def test_the_search_draws_many_tokens_where_nothing_was_refuted() -> None:
    """“p and q share at most 12 tokens” is false, and only pairs of many tokens say so."""
    found = check_exact(TWELVE, QUICK, 0)
    assert decide(TWELVE, found) == "refuted" and found.counterexample is not None and found.choices is not None
    assert few_in_common(**found.counterexample) == 13  # made as small as can be
    again = TWELVE.draw(SearchDraw(found.choices))
    assert all((again[name] == found.counterexample[name]).all() for name in ("p", "q"))
    assert decide(TWELVE, check_exact(TWELVE, QUICK._replace(wide=0), 0)) == "holds"  # negative control


def test_what_is_settled_draws_few_tokens_and_what_fixes_them_is_as_before() -> None:
    assert FEWER.wide == 0 < QUICK.wide and EFFORTS["deep"].when_settled().wide > 0
    narrow, wide = (check_exact(FIXED, QUICK._replace(wide=n), 0).exact for n in (0, QUICK.wide))
    assert narrow is not None and wide is not None and narrow.data is None
    assert re.fullmatch("up to 3 tokens, denominators up to (1[6-9]|2[0-4])", wide.data or "")
    draws = [SearchDraw(rng=np.random.default_rng(n), wide=True) for n in range(50)]
    assert max(draw.vocab(2, matrix=True) for draw in draws) < 10 and not any(draw.is_wide for draw in draws)


def test_a_verdict_that_rests_on_trials_says_how_far_they_went() -> None:
    exact = check_exact(TRUE, QUICK, 0).exact
    assert exact is not None and exact.data is not None
    tokens, denominator = map(int, re.findall("[0-9]+", exact.data))
    assert 10 < tokens <= SearchDraw.WIDEST and 40 < denominator <= SearchDraw.WIDEST * SearchDraw.WIDE_GRAIN
    settled = check_exact(TRUE, FEWER, 0).exact
    assert settled is not None and settled.data is None  # its verdict rests on a proof


def test_a_wide_draw_is_told_by_its_choices_alone() -> None:
    for seed in range(20):
        draw = SearchDraw(rng=np.random.default_rng(seed), wide=True)
        drawn = pairs(draw), draw.number(0, 1)
        again = SearchDraw(draw.recorded)
        replayed = pairs(again), again.number(0, 1)
        assert (drawn[0]["p"] == replayed[0]["p"]).all() and drawn[1] == replayed[1]
        assert again.recorded == draw.recorded
