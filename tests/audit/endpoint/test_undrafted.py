"""The engine as its own reference, with drafts switched off request by request; and several answers to one request."""

from __future__ import annotations

import pytest

from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.opening import OFF, audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.protocols.discovery import engine_of
from simspec.audit.endpoint.protocols.llama import WITHOUT_DRAFTS, Llama, TokenByToken
from simspec.audit.endpoint.records import EndpointError, Question
from simspec.audit.endpoint.verdict import EndpointVerdict
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

SMALL = Plan(tokens=80, texts=2, option_answers=0, tv_limit=0.9, context=0)
QUESTION = Question((3, 5, 7), 4, 12, temperature=0.0)


def test_a_field_switches_drafts_off_where_it_is_known() -> None:
    with served(style="llamacpp", knows_n_max=True) as (url, _), Exchange(url) as exchange:
        engine = engine_of(exchange)
        quiet = engine.without_drafts(QUESTION.prompt)
        assert type(quiet) is Llama and quiet.further_fields == WITHOUT_DRAFTS
        (drafted,), (undrafted,) = engine.answers(QUESTION), quiet.answers(QUESTION)
        assert drafted.usage.drafted > 0 and undrafted.usage.drafted == 0
        assert drafted.tokens == undrafted.tokens and undrafted.usage.completion == 12
        assert '"speculative.n_max": 0' in quiet.curl(QUESTION)


def test_a_server_that_passes_over_the_field_is_asked_token_by_token() -> None:
    with served(style="llamacpp") as (url, engine_state), Exchange(url) as exchange:
        engine = engine_of(exchange)
        quiet = engine.without_drafts(QUESTION.prompt)
        assert type(quiet) is TokenByToken
        before = engine_state.drafted
        (undrafted,) = quiet.answers(QUESTION._replace(top=2))
        assert engine_state.drafted == before and len(undrafted.alternatives) == 12
        assert undrafted.tokens == engine.answers(QUESTION)[0].tokens
        stop = QUESTION._replace(stop=("w",))
        assert len(quiet.answers(stop)[0].tokens) == 1  # the first token ends the text


@pytest.mark.parametrize("knows_n_max", [True, False])
def test_an_engine_beside_itself_without_drafts(knows_n_max) -> None:
    settings = {"style": "llamacpp", "knows_n_max": knows_n_max}
    with served(**settings) as (url, _):
        report = audit_url(url, OFF, SMALL)
        assert report.verdict is EndpointVerdict.SAME, report.words()
        assert ("n_max = 0" if knows_n_max else "token by token") in report.reference
        assert "a wrong model is not seen" in report.notes[-1]
    with served("argmax bonus", **settings) as (url, _):
        report = audit_url(url, OFF, SMALL._replace(tokens=3000))
        assert report.verdict is EndpointVerdict.DIFFERS, report.words()


def test_an_engine_without_such_a_field_is_refused() -> None:
    with served() as (url, _), pytest.raises(EndpointError, match="no field in a request .* expected llama.cpp, or"):
        audit_url(url, OFF, SMALL)


@pytest.mark.parametrize("knows_copies", [True, False])
def test_several_answers_to_one_request(knows_copies) -> None:
    """A build that does not know the field is asked for each, with the next seeds: as many answers, and right counts."""
    question = Question((3, 5, 7), 4, 8, copies=3)
    with served(style="llamacpp", knows_copies=knows_copies) as (url, engine_state), Exchange(url) as exchange:
        answers = engine_of(exchange).answers(question)
        assert len({answer.tokens for answer in answers}) == 3
        assert answers[0].usage.completion == 24 and answers[0].usage.drafted == engine_state.drafted
        report = audit_url(url, "self", SMALL)
        assert report.books.mistakes == () and report.verdict is EndpointVerdict.SAME
