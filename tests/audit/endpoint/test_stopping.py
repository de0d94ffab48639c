"""Stop strings: how answers with them end, and the law of their tokens.

False alarm of each audit: 0.01, as `Plan.error` says; seeds are fixed.
"""

from __future__ import annotations

import pytest

from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.protocols.completions import Completions
from simspec.audit.endpoint.records import Answer, Question, Usage
from simspec.audit.endpoint.stopping import stopped
from simspec.audit.endpoint.verdict import EndpointVerdict
from tests.audit.endpoint.served import served
from tests.audit.endpoint.speculating import words
from tests.requirements import require

require("httpx")

PLAN = Plan(tokens=200, texts=1, option_answers=8, tv_limit=0.5, context=0)
QUESTION = Question((1,), 0, 9, stop=("5 w",))


@pytest.fixture(autouse=True)
def no_options(monkeypatch):
    """Answers with stop strings only, which stand beside the options."""
    monkeypatch.setattr(Completions, "takes", frozenset())


def audited(fault: str = "", **settings):
    with served(fault, gathering=0.0) as (url, _), served(gathering=0.0) as (reference, _):
        return audit_url(url, reference, PLAN._replace(**settings))


def test_a_lossless_engine_passes_with_stop_strings() -> None:
    report = audited(option_answers=16)
    assert report.verdict is EndpointVerdict.SAME, report.words()
    (option,) = report.options
    assert len(option.stops) == 2 and " w" in option.stops[1] and option.wealth.tokens > 200
    assert report.plain()["options"][0]["stop"] == [*option.stops] and not report.books.mistakes


def test_tokens_after_a_stop_string_are_a_mistake_of_the_books() -> None:
    """And of nothing else: the law is right up to the string, and without the test with stop strings nothing is seen."""
    report = audited("stop at the end of a step")
    assert report.verdict is EndpointVerdict.BOOKS, report.words()
    assert [kind for kind, _, _ in report.books.mistakes] == ["stop"]
    assert "completes the stop string" in report.words() and '"stop": [' in report.request
    assert audited("stop at the end of a step", option_answers=0).verdict is EndpointVerdict.SAME


def test_the_law_under_stop_strings_is_judged() -> None:
    """With the draft known, since drafts that are not verified move mass to and fro."""
    plan = PLAN._replace(books=False, option_answers=24)
    with (
        served("unverified under stop strings", gathering=0.0) as (url, _),
        served(gathering=0.0) as (reference, _),
        served(noise=0.25, gathering=0.0) as (draft, _),
    ):
        report = audit_url(url, reference, plan, draft=draft)
        assert report.verdict is EndpointVerdict.DIFFERS, report.words()
        assert [line.partition(":")[0] for line in report.faults] == ["with stop strings"]
        assert '"stop": [' in report.request
        assert audit_url(url, reference, plan._replace(option_answers=0), draft=draft).verdict is EndpointVerdict.SAME
        assert audit_url(reference, reference, plan, draft=draft).verdict is EndpointVerdict.SAME


def answer(tokens: tuple[int, ...], text: str, finish: str = "stop", completion: int | None = None) -> Answer:
    return Answer(tokens, text, finish, usage=Usage(1, completion))


@pytest.mark.parametrize(
    ("given", "length", "mistakes", "is_cut"),
    [
        (answer((3, 5, 7), " w3 w"), 3, 0, False),
        (answer((3, 5, 7), "w3 w"), 3, 0, False),  # a tokenizer that drops the first space
        (answer((3, 5, 7, 8), " w3 w"), 3, 1, False),
        (answer((3, 5, 7), " w3"), 3, 1, False),  # the tail of the text is lost
        (answer((3, 5, 7), " w3 w8"), 3, 1, False),
        (answer((3, 4), " w3 w4"), 2, 1, False),  # it ends for a string that is not there
        (answer((3, 4), " w3 w4", "end"), 2, 0, False),
        (answer((3, 4), " w3 w4", "stop or end"), 2, 0, False),
        (answer((3, 4), " w3 w4", "length"), 2, 0, False),
        (answer((3, 5), " w3 w", completion=3), 2, 0, True),
        (answer((3, 5), " w3 w"), 2, 0, True),
        (answer((3,), " w3 w", "stop or end"), 1, 0, True),
        (answer((), "", "end"), 0, 0, False),
    ],
)
def test_where_an_answer_ends(given, length, mistakes, is_cut) -> None:
    end = stopped(QUESTION, given, words)
    assert (end.length, len(end.mistakes), end.is_cut) == (length, mistakes, is_cut)


def test_an_engine_that_does_not_send_the_tokens_of_the_string_is_not_judged() -> None:
    """What is left has another law: that of texts that go on."""

    def cut(path, status, record, headers):
        for choice in record.get("choices", []) if isinstance(record, dict) else []:
            if choice["finish_reason"] == "stop":
                for values in (choice["token_ids"], *filter(None, (choice["logprobs"] or {}).values())):
                    values.pop()
        return status, record, headers

    with served(mangle=cut, gathering=0.0) as (url, _), served(gathering=0.0) as (reference, _):
        report = audit_url(url, reference, PLAN._replace(books=False))
    assert report.verdict is EndpointVerdict.SAME and report.options == ()
    assert "does not send the tokens of a stop string" in report.words()
