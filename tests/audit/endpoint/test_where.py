"""Where a difference sits: regions by hand, false alarms of the regions, and faults whose place is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simspec.audit.endpoint.bets import Wealth
from simspec.audit.endpoint.categories import Judged
from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan, sampled_questions
from simspec.audit.endpoint.records import Answer, Question
from simspec.audit.endpoint.verdict import EndpointVerdict
from simspec.audit.endpoint.where import BestRequest, Where, WonToken, regions_of, step_places
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

TOKEN = Judged((0.5, 0.25, 0.25), 0, 7, (7, 8), 5, 2, -1, 0, False, False)
ROW = ((7, -1.0),)


def located(rng: np.random.Generator, replaced: float) -> list[str]:
    """Parts that are named after 300 tokens in turn of three regions; in the second, some tokens are the most likely one.

    A region of all tokens is never named.
    """
    wealth = Wealth()
    where = Where()
    for place in range(300):
        category = int(rng.choice(3, p=[0.5, 0.25, 0.25]))
        if place % 3 == 1 and rng.random() < replaced:
            category = 0
        token = TOKEN._replace(category=category)
        before = wealth.logs[0].copy()
        wealth.add([token])
        where.add_round([WonToken(token, wealth.logs[0] - before, (f"region {place % 3}", "all tokens"))])
    return [region.region for region in where.located()]


def test_a_part_is_named_where_it_differs_and_seldom_where_none_does() -> None:
    """No region differs: any is named in at most 5 % of the runs; 7 or more of 40 have probability below 0.005."""
    rng = np.random.default_rng(0)
    assert sum(bool(located(rng, 0.0)) for _ in range(40)) < 7
    assert sum(located(rng, 0.8) == ["region 1"] for _ in range(10)) >= 8


def test_the_place_in_a_step_follows_from_the_drafts_that_were_accepted_before() -> None:
    answer = Answer((7,) * 6, alternatives=(ROW, (), (), ROW, ROW, ()))
    assert step_places(answer) == [1, 1, 2, 3, 1, 1]
    regions = regions_of(Plan(), 3, Question((1,), 0, 8), answer, [TOKEN] * 6, marks_drafts=True)
    assert "token 3 of a step" in regions[3] and "token 4 of an answer" in regions[3]
    assert "batches of different prompts" in regions[0] and "the last 5 tokens before max_tokens" in regions[3]
    assert not any(
        "of a step" in name for name in regions_of(Plan(), 3, Question((1,), 0, 8), answer, [TOKEN], False)[0]
    )


def test_long_prompts_stand_beside_short_ones_in_both_orders() -> None:
    plan = Plan(context=40)
    prompts = [(1, 2, 3), (4, 5)]
    first, second = (sampled_questions(plan, prompts, number, True) for number in (3, 11))
    assert [len(question.prompt) for question in first] == [40, 2, 3, 2]
    assert [len(question.prompt) for question in second] == [3, 40]
    assert "long contexts" in regions_of(plan, 3, first[0], Answer((7,)), [TOKEN], False)[0]
    assert "long contexts" not in regions_of(plan, 3, first[1], Answer((7,)), [TOKEN], False)[0]
    without = [sampled_questions(plan._replace(context=0), prompts, number, True) for number in range(16)]
    assert max(len(question.prompt) for questions in without for question in questions) == 3


def test_the_best_request_ends_where_the_bet_won_most() -> None:
    best = BestRequest()
    question = Question((1,), 0, 12)
    best.offer(question, [np.array([math.log(2)])] * 3 + [np.array([-1.0])] * 9)
    assert best.question == question._replace(max_tokens=3)
    best.offer(question._replace(seed=1), [np.array([0.1])] * 12)
    assert best.question.seed == 0
    best.offer(
        question._replace(seed=2), [np.array([1.0])] * 12
    )  # what `max_tokens` cuts may matter: nothing is left out
    assert best.question == question._replace(seed=2)


@pytest.mark.parametrize(
    ("fault", "regions"),
    [
        ("argmax bonus", ["token 4 of an answer"]),
        ("one coin", ["batches with equal prompts", "short answers to one prompt", "several answers to one request"]),
        ("long context lost", ["long contexts"]),
    ],
)
def test_the_report_says_where_a_fault_sits(fault, regions) -> None:
    """Three drafts a step, so that the bonus token is the fourth of a short answer.

    One coin ties answers of a batch: to equal prompts, short ones, or several to one request, whichever are written together.
    """
    with served() as (reference, _), served(fault) as (url, _):
        report = audit_url(url, reference, Plan(tokens=3000, option_answers=0))
    assert report.verdict is EndpointVerdict.DIFFERS
    if fault == "long context lost":
        assert "after prompts of 192 to 192 tokens" in report.words()
    else:
        assert any(f"sampled, where: {region}: e-value" in report.words() for region in regions), report.words()
    recorded = report.plain()["sampled"]
    assert {*regions} & {entry["region"] for entry in recorded["where"]}
    assert len(recorded["mean_shifts"]) == report.plan.top + 1 and sum(recorded["mean_shifts"]) == pytest.approx(0)
