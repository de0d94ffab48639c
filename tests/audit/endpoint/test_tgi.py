"""TGI from end to end: it takes texts and no token ids, so that long prompts are texts too."""

from __future__ import annotations

import pytest

from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.prompts import PROMPTS, long_prompts
from simspec.audit.endpoint.protocols.discovery import engine_of
from simspec.audit.endpoint.records import EndpointError, Question
from simspec.audit.endpoint.verdict import EndpointVerdict
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

PLAN = Plan(tokens=400, texts=8, option_answers=1, tv_limit=0.9)
"""With prompts of 192 tokens, in batches and before a greedy text."""


def test_tgi_passes_and_an_audit_of_it_is_gone_on_with(tmp_path) -> None:
    path = tmp_path / "journal"
    with served(style="tgi") as (url, engine), served() as (reference, _):
        whole = audit_url(url, reference, PLAN, journal=path)
        assert whole.verdict is EndpointVerdict.SAME, whole.words()
        assert [dict(option.options) for option in whole.options] == [
            {"temperature": 0.6},
            {"top_k": 3.0},
            {"top_p": 0.6},
            {},
        ]
        assert any(located.region == "long contexts" for located in whole.sampled.where.all_regions())
        before = engine.requests
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[: len(lines) // 2]))
        again = audit_url(url, reference, PLAN, journal=path)
        assert again.sampled.wealth.tokens == whole.sampled.wealth.tokens and again.verdict is whole.verdict
        assert engine.requests - before < before


@pytest.mark.parametrize("fault", ["long context lost", "argmax bonus"])
def test_faults_are_found_on_tgi_too(fault) -> None:
    """One of them shows only after long prompts."""
    with served(fault, style="tgi") as (url, _), served() as (reference, _):
        report = audit_url(url, reference, PLAN._replace(tokens=3000))
    assert report.exit_status == 1 and "/generate" in report.request, report.words()


def test_a_prompt_that_is_no_text_is_refused() -> None:
    with served(style="tgi") as (url, _), Exchange(url) as exchange:
        engine = engine_of(exchange)
        with pytest.raises(EndpointError, match="TGI takes texts"):
            engine.answers(Question((1, 2, 3), 0, 1))
        prompts = [engine.tokens_of(text) for text in PROMPTS]
        lengths = [len(tokens) for tokens in long_prompts(engine, PROMPTS, prompts, 50)]
        assert len(lengths) == len(PROMPTS) and min(lengths) >= 50 and max(lengths) < 70
        assert long_prompts(engine, PROMPTS, prompts, 0) == []


def test_a_tokenizer_without_further_tokens_ends_the_audit() -> None:
    def same_tokens(path, status, record, headers):
        return status, record[:2] if path == "/tokenize" else record, headers

    with (
        served(style="tgi", mangle=same_tokens) as (url, _),
        Exchange(url) as exchange,
        pytest.raises(EndpointError, match="--context 0 leaves long prompts out"),
    ):
        long_prompts(engine_of(exchange), ["a", "b"], [(1, 2), (1, 3)], 9)
