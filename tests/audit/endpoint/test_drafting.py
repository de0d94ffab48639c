"""Whether the judged answers were drafted: engines that draft for some requests only.

False alarm of each audit: 0.01, as `Plan.error` says; seeds are fixed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from xml.etree import ElementTree

import pytest

from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan, asks_logprobs, sampled_questions
from simspec.audit.endpoint.verdict import EndpointVerdict
from tests.audit.endpoint.served import served
from tests.audit.endpoint.speculating import GAMMA
from tests.requirements import require

require("httpx")

PLAN = Plan(tokens=400, texts=2, option_answers=0, tv_limit=0.3, context=0)


@contextmanager
def drafting(is_drafted: Callable[[dict], bool], fault: str = "", **settings) -> Iterator[str]:
    """An engine that drafts for some requests only, by their bodies."""
    with served(fault, gathering=0.0, **settings) as (url, engine):
        engine.gamma = lambda body: GAMMA if is_drafted(body) else 0
        yield url


def is_unlogged(body: dict) -> bool:
    """As vLLM did up to about 0.13."""
    penalties = (body.get("presence_penalty"), body.get("frequency_penalty"), body.get("min_p"))
    return body.get("logprobs") is None and not any(penalties)


def is_greedy(body: dict) -> bool:
    return body.get("temperature") == 0


def is_never(body: dict) -> bool:
    return False


def test_requests_with_log_probabilities_take_turns_with_others() -> None:
    """Each kind of round has both, and half of all rounds have none."""
    rounds = [sampled_questions(PLAN, [(1,), (2,)], number, True) for number in range(16)]
    tops = [{question.top for question in questions} for questions in rounds]
    assert tops == [{PLAN.top if asks_logprobs(number) else 0} for number in range(16)]
    assert all(tops[number] != tops[number + 8] for number in range(8))
    assert all({question.top for question in sampled_questions(PLAN, [(1,)], n, True, True)} == {0} for n in range(16))


@pytest.mark.parametrize("fault", ["argmax bonus", "relaxed acceptance"])
def test_a_fault_of_an_engine_that_drafts_unlogged_requests_only_is_found(fault) -> None:
    plan = PLAN._replace(tokens=2000, texts=1)
    with drafting(is_unlogged, fault) as url, served(gathering=0.0) as (reference, _):
        report = audit_url(url, reference, plan)
    assert report.verdict is EndpointVerdict.DIFFERS, report.words()


def test_an_engine_that_drafts_unlogged_requests_only_is_judged_by_these(tmp_path) -> None:
    """Once four rounds with log-probabilities were not drafted, none is asked for any more; a resumed audit does the same."""
    path = tmp_path / "journal"
    with drafting(is_unlogged) as url:
        report = audit_url(url, "self", PLAN._replace(option_answers=2), journal=path)
        again = audit_url(url, "self", PLAN._replace(option_answers=2), journal=path)
    assert report.verdict is EndpointVerdict.SAME, report.words()
    assert again.plain() == report.plain()
    records = [json.loads(line) for line in path.read_text().splitlines()]
    asked = [record["replies"][0][0][4] for record in records if record.get("stage") == "sampled"]
    assert [top > 0 for top in asked] == [number < 7 and number % 2 == 0 for number in range(len(asked))]
    assert "note: requests with log-probabilities are not drafted on this engine" in report.words()
    penalties = "presence_penalty 2, frequency_penalty 1"
    assert f"not drafted on this engine, and judged so: answers with min_p 0.2; {penalties}" in report.words()
    assert report.plain()["drafting"] == {
        "sampled": "drafted",
        "without_log_probabilities_only": True,
        "undrafted": ["min_p 0.2", penalties],
    }


@pytest.mark.parametrize(("is_drafted", "style"), [(is_greedy, "vllm"), (is_greedy, "llamacpp"), (is_never, "vllm")])
def test_what_was_not_drafted_does_not_show_speculation(is_drafted, style) -> None:
    """Greedy texts only are drafted, or none at all, by an engine whose page has the counter only where it speculates."""
    with drafting(is_drafted, "relaxed acceptance", style=style) as url, served(gathering=0.0) as (reference, _):
        report = audit_url(url, reference if style == "vllm" else "self", PLAN)
    assert report.verdict is EndpointVerdict.UNDECIDED and report.exit_status == 3, report.words()
    assert "and none of them was drafted" in report.words() and "the judged requests were not drafted" in report.words()
    assert "--tokens" not in report.words() and report.plain()["drafting"]["sampled"] == "not drafted"
    assert ElementTree.fromstring(report.junit())[0].get("failures") == "1"


def test_a_difference_is_one_whether_drafted_or_not() -> None:
    with drafting(is_never, seed=1) as url, served(gathering=0.0) as (reference, _):
        assert audit_url(url, reference, PLAN).verdict is EndpointVerdict.DIFFERS


def test_an_engine_without_speculation_is_judged() -> None:
    """llama.cpp's page has the counter in any case: the report says that nothing was drafted."""
    with drafting(is_never, style="llamacpp") as url:
        report = audit_url(url, "self", PLAN._replace(tokens=150, tv_limit=0.5))
    assert report.verdict is EndpointVerdict.SAME, report.words()
    assert "note: nothing was drafted during the audit: speculation is off" in report.words()


def test_where_drafts_are_not_counted_the_report_says_so() -> None:
    def hidden(path, status, record, headers):
        return (404, {}, {}) if path == "/metrics" else (status, record, headers)

    with served(mangle=hidden, gathering=0.0) as (url, _):
        report = audit_url(url, "self", PLAN._replace(tokens=150, tv_limit=0.5))
    assert report.verdict is EndpointVerdict.SAME, report.words()
    assert "note: whether the judged requests were drafted is not known" in report.words()
    assert report.plain()["drafting"]["sampled"] == "not known"
    with served(gathering=0.0) as (url, _):
        assert "drafted" not in audit_url(url, "self", PLAN).words()


def test_few_drafts_are_named() -> None:
    """One request in thirteen is drafted."""
    with drafting(lambda body: body.get("seed", 0) % 13 == 0) as url:
        report = audit_url(url, "self", PLAN)
    assert report.verdict is EndpointVerdict.SAME and "tokens were drafted for the" in report.words()
