"""Ways in which a server with OpenAI's completions scores a text: all state one law, and each serves as the reference."""

from __future__ import annotations

import pytest

from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.protocols.discovery import engine_of
from simspec.audit.endpoint.records import EndpointError
from simspec.audit.endpoint.verdict import EndpointVerdict
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

PROMPT = (3, 5, 7)
TOKENS = (11, 2, 3, 5)
WAYS = ("prompt_logprobs", "echo", "", "refused")


def rows_of(scoring: str, is_alone: bool = False) -> list[list[tuple[int, float]]]:
    """A text's rows, rounded to what the ways of computing them have in common."""
    with served(scoring=scoring) as (url, _), Exchange(url) as exchange:
        rows = engine_of(exchange).score(PROMPT, TOKENS, 5, is_alone)
    return [[(token, round(logprob, 9)) for token, logprob in row] for row in rows]


@pytest.mark.parametrize("scoring", WAYS)
def test_every_way_states_one_law(scoring) -> None:
    assert rows_of(scoring) == rows_of("prompt_logprobs") == rows_of(scoring, is_alone=True)


@pytest.mark.parametrize("scoring", WAYS[1:])
def test_every_way_serves_as_the_reference(scoring) -> None:
    plan = Plan(tokens=400, texts=2, option_answers=0, tv_limit=0.9)
    with served() as (url, _), served(scoring=scoring) as (reference, scorer):
        report = audit_url(url, reference, plan)
        assert report.verdict is EndpointVerdict.SAME, report.words()
        assert report.greedy.measured > 0
        if scoring == "echo":  # a request for each text, not for each token of it
            assert scorer.requests < 200
    with served(seed=1) as (url, _), served(scoring=scoring) as (reference, _):
        assert audit_url(url, reference, plan).verdict is EndpointVerdict.DIFFERS


def test_an_echo_that_is_heard_once_is_expected_again() -> None:
    with served(scoring="echo") as (url, engine), Exchange(url) as exchange:
        scorer = engine_of(exchange)
        scorer.score(PROMPT, TOKENS, 5)
        engine.scoring = ""
        with pytest.raises(EndpointError, match="expected echo to do so"):
            scorer.score(PROMPT, TOKENS, 5)
