"""llama.cpp's real server with SmolLM2: plain, with a draft model, with n-grams, and with its default settings.

False alarm of each audit: 0.01; the server's seeds are fixed.
"""

from __future__ import annotations

import pytest

from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.protocols.discovery import engine_of
from simspec.audit.endpoint.verdict import EndpointVerdict
from tests.audit.endpoint.llama_server import cut, llama
from tests.requirements import require, smollm2

require("llama")

PLAN = Plan(tokens=160, texts=2, option_answers=0, max_tokens=8, tv_limit=0.4)
"""So few tokens that the law is known roughly: what is wrong here shows soon, and each token costs the reference a request."""


@pytest.fixture(scope="module")
def reference():
    with llama(smollm2()) as url:
        yield url


@pytest.fixture(scope="module")
def draft(tmp_path_factory):
    return cut(smollm2(), tmp_path_factory.mktemp("draft") / "draft.gguf", blocks=20)


def test_the_plain_server_passes_with_right_books(reference) -> None:
    report = audit_url(reference, "self", PLAN, seconds=600)
    assert report.verdict in (EndpointVerdict.SAME, EndpointVerdict.NUMERICS), report.words()
    assert report.books.mistakes == ()


def test_a_draft_model_keeps_the_law_and_states_wrong_log_probabilities(reference, draft) -> None:
    """The server states log-probability 0 and no alternatives for accepted drafts: books only."""
    with llama(smollm2(), "draft", draft) as url:
        report = audit_url(url, reference, PLAN, seconds=600)
    assert report.verdict is EndpointVerdict.BOOKS, report.words()
    assert [kind for kind, _, _ in report.books.mistakes] == ["log-probabilities"]
    assert not report.greedy.faults


def test_ngram_drafts_keep_the_law(reference) -> None:
    """Prompts that repeat themselves, so that n-grams are met again."""
    prompts = ["one two three four one two three four one two three", "a b c d e f g a b c d e f g a b c d"]
    with llama(smollm2(), "ngram") as url:
        report = audit_url(url, reference, PLAN._replace(max_tokens=16), prompts=prompts, seconds=600)
        with Exchange(url) as exchange:
            assert engine_of(exchange).counters()["drafted"] > 0
    assert report.verdict not in (EndpointVerdict.DIFFERS, EndpointVerdict.UNDECIDED), report.words()


def test_default_settings_are_caught(reference) -> None:
    """Temperature 0.8, top-k 40, top-p 0.95 and min-p 0.05 against the model's own law."""
    report = audit_url(reference, "self", PLAN._replace(pure=False, tokens=1000), seconds=600)
    assert report.verdict is EndpointVerdict.DIFFERS, report.words()
    assert report.exit_status == 1 and report.request.startswith("curl -s http://127.0.0.1")


def test_options_are_judged_by_the_law_that_the_server_states(reference, draft) -> None:
    """Its law is ours for each option; its penalties count the last 64 tokens only, ours count all."""
    plan = PLAN._replace(tokens=40, option_answers=1, max_tokens=6, context=0)
    with llama(smollm2(), "draft", draft) as url:
        report = audit_url(url, reference, plan, seconds=600)
    assert [option.law for option in report.options if option.options] == ["the reference's own"] * 5
    assert report.options[-1].stops and "stop" not in [kind for kind, _, _ in report.books.mistakes]
    assert not any(option.reading.different for option in report.options)
    assert not any(line.startswith("with ") for line in report.faults), report.words()

    common = "It is the end of the day, and he was in a house, to be with it, as I am, on the way. "
    prompts = [common * 2 + f"{word} " * 70 + "Once upon a time" for word in ("north", "seven")]
    report = audit_url(reference, "self", plan, prompts=prompts, seconds=600)
    assert report.verdict is not EndpointVerdict.DIFFERS, report.words()
    assert "with presence_penalty 2, frequency_penalty 1: the reference's law" in report.words()
    assert [option.reading.is_another for option in report.options] == [False] * 4 + [True, False]
