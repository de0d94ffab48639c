"""Options on both sides: the reference's own law under them, beside the one that its log-probabilities give.

False alarm of each audit: 0.01, as `Plan.error` says; seeds are fixed.
"""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from simspec.audit.endpoint import auditing, plan
from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import OPTIONS, WEIGHTS, Plan
from simspec.audit.endpoint.protocols.completions import PROCESSED
from simspec.audit.endpoint.protocols.discovery import engine_of
from simspec.audit.endpoint.records import EndpointError
from simspec.audit.endpoint.verdict import EndpointVerdict
from tests.audit.endpoint.served import GATHERING, served
from tests.requirements import require

require("httpx")

PLAN = Plan(tokens=200, texts=1, option_answers=6, max_tokens=12, tv_limit=0.5, context=0, books=False)
TOP_P = next(place for place, pairs in enumerate(OPTIONS) if dict(pairs) == {"top_p": 0.6})
LLAMA = {"style": "llamacpp", "gathering": 0.0}
VLLM = {"states_processed": True, "gathering": 0.0}


@pytest.fixture
def ask_only(monkeypatch):
    """Leaves out all options but those at some places of `OPTIONS`; what is asked under these stays as it is."""

    def leave_out_others(*places: int) -> None:
        weights = tuple(weight if place in places else 0 for place, weight in enumerate(WEIGHTS))
        for module in (auditing, plan):
            monkeypatch.setattr(module, "WEIGHTS", weights)

    return leave_out_others


def audited(engine: dict, reference: dict, told: bool = False, **settings):
    """An engine beside another one."""
    with served(**engine) as (url, _), served(**reference) as (other, _):
        return audit_url(url, other, PLAN._replace(**settings), processed_logprobs=told)


@pytest.mark.parametrize(("servers", "told"), [(LLAMA, False), (VLLM, True)], ids=["llama.cpp", "vLLM"])
def test_the_reference_states_the_law_under_options(servers, told) -> None:
    """Its rows are those of the engine's own processors, and a lossless engine passes by them."""
    with served(**servers) as (url, engine), Exchange(url) as exchange:
        reference = engine_of(exchange)
        if told:
            reference.processes = PROCESSED
        for pairs in OPTIONS:
            if not set(dict(pairs)) <= reference.processes:
                continue
            rows = reference.processed((3, 5), (7, 3, 3), 20, dict(pairs))
            for place, row in enumerate(rows):
                body = {"prompt": [3, 5, *(7, 3, 3)[:place]], "max_tokens": 1, "n_predict": 1, **dict(pairs)}
                running = engine.run([engine.sampling({"temperature": 1.0, "min_p": 0.0, **body})])[0]
                (law,) = engine.processed_laws(running)
                kept = np.flatnonzero(law)
                expected = sorted(((int(t), float(np.log(law[t]))) for t in kept), key=lambda pair: -pair[1])[:20]
                assert [token for token, _ in row] == [token for token, _ in expected]
                assert np.allclose([value for _, value in row], [value for _, value in expected])
    report = audited(servers, servers, told)
    assert report.verdict is EndpointVerdict.SAME, report.words()
    by_reference = [option.law for option in report.options if option.options]
    number = 5 if servers is LLAMA else 4  # vLLM's penalties count what it has emitted itself
    assert by_reference.count("the reference's own") == number
    assert not any(option.reading.different for option in report.options)
    assert "another way" not in report.words()


@pytest.mark.parametrize(("servers", "told"), [(LLAMA, False), (VLLM, True)], ids=["llama.cpp", "vLLM"])
def test_a_reference_that_reads_an_option_another_way_is_believed_and_named(servers, told, ask_only) -> None:
    """Top-p without the token that reaches it, on both sides, on one side, and on both where the reference's law is not known."""
    narrow = {**servers, "narrow_top_p": True}
    report = audited(narrow, narrow, told)
    assert report.verdict is EndpointVerdict.SAME, report.words()
    reading = report.options[TOP_P].reading
    assert reading.is_another and reading.different > reading.places / 2
    assert "with top_p 0.6: the reference's law" in report.words() and "another way" in report.words()
    assert report.plain()["options"][TOP_P]["law"] == "the reference's own"
    assert not any(option.reading.different for place, option in enumerate(report.options) if place != TOP_P)

    ask_only(TOP_P)
    report = audited(narrow, servers, told, option_answers=12)
    assert report.verdict is EndpointVerdict.DIFFERS and any("with top_p 0.6" in line for line in report.faults)
    assert "another way" not in report.words()
    report = audited(servers, narrow, told, option_answers=12)
    assert report.verdict is EndpointVerdict.DIFFERS and "another way" in report.words()

    unknown = {"knows_post_sampling": False} if servers is LLAMA else {"states_processed": False}
    report = audited(narrow, {**narrow, **unknown}, option_answers=12)
    assert report.verdict is EndpointVerdict.DIFFERS
    assert report.options[0].law == "computed from the reference's log-probabilities"


def test_rounding_that_moves_tokens_across_the_cut_is_no_difference(ask_only) -> None:
    """The batch moves the third and the fourth token; one token more than top-k is still found beside the same rounding."""
    ask_only(1, 2, 3)  # those that cut
    rounded = {**VLLM, "rounding": 0.04, "gathering": GATHERING}
    report = audited(rounded, rounded, told=True, option_answers=24, texts=4)
    assert report.verdict in (EndpointVerdict.SAME, EndpointVerdict.NUMERICS), report.words()
    cutting = [option for option in report.options if {"top_k", "top_p", "min_p"} & set(dict(option.options))]
    assert len(cutting) == 3 and all(0 < option.left_out < option.wealth.tokens for option in cutting)
    report = audited({**rounded, "fault": "one token more"}, rounded, told=True, option_answers=24, texts=4)
    assert report.verdict is EndpointVerdict.DIFFERS, report.words()
    assert [line.split(":")[0] for line in report.faults] == ["with top_k 3"]


@pytest.mark.parametrize(
    ("fault", "options"),
    [("bonus unprocessed", (0, 1, 2, 3)), ("late penalties", (4,)), ("min-p on drafts only", (1,))],
    ids=["bonus unprocessed", "late penalties", "min-p on drafts only"],
)
def test_a_fault_under_options_is_found_by_the_law_of_the_reference(fault, options, ask_only) -> None:
    """Under options that show it."""
    ask_only(*options)
    report = audited({**LLAMA, "fault": fault}, LLAMA, option_answers=24)
    assert report.verdict is EndpointVerdict.DIFFERS, report.words()
    assert any(line.startswith("with ") for line in report.faults)
    assert all(option.law == "the reference's own" for option in report.options if option.options)


def test_only_a_server_of_completions_is_told_what_its_log_probabilities_are() -> None:
    with (
        served(**LLAMA) as (url, _),
        pytest.raises(EndpointError, match="--processed-logprobs: the reference is llama"),
    ):
        audit_url(url, "self", PLAN, processed_logprobs=True)


def test_a_journal_keeps_the_law_under_options(tmp_path) -> None:
    small = PLAN._replace(tokens=40, option_answers=2)
    path = tmp_path / "journal"
    with served(**LLAMA) as (url, engine):
        whole = audit_url(url, "self", small, journal=path)
        before = engine.requests
        again = audit_url(url, "self", small, journal=path)
        assert again.plain() == whole.plain() and engine.requests - before < before / 2
        assert whole.options[0].reading.places > 0


def test_an_option_that_the_engine_refuses_is_not_judged_and_said_so(monkeypatch) -> None:
    """As vLLM does with min-p where it speculates; its words are escaped, and an option that is refused later is an error."""
    refusal = "The min_p and logit_bias sampling parameters are not yet supported\x1b[31m with speculative decoding."
    after = 0

    def answer(path, body):
        nonlocal after
        if path == "/v1/completions" and body.get("min_p", 0) > 1e-5:
            after -= 1
            if after < 0:
                return 400, {"error": {"message": refusal}}
        return original(path, body)

    with served(gathering=0.0) as (url, engine), served(gathering=0.0) as (reference, _):
        original = engine.answer
        monkeypatch.setattr(engine, "answer", answer)
        report = audit_url(url, reference, PLAN)
        assert report.verdict is EndpointVerdict.SAME, report.words()
        assert [dict(option.options) for option in report.options] == [
            dict(pairs) for pairs in (*OPTIONS[:1], *OPTIONS[2:], ())
        ]
        (line,) = [line for line in report.words().splitlines() if "min_p 0.2" in line]
        assert (
            line.startswith("note: with min_p 0.2: not judged, because it is refused: http://") and "status 400" in line
        )
        assert "not yet supported" in line and "\x1b" not in report.words()
        (recorded,) = report.plain()["refused_options"]
        assert recorded["options"] == {"min_p": 0.2} and "not yet supported" in recorded["error"]
        suite = ElementTree.fromstring(report.junit())[0]
        assert suite.get("failures") == "0" and suite.get("skipped") == "1"
        (skipped,) = suite.iter("skipped")
        assert "min_p 0.2: not judged" in skipped.get("message")
        after = 4
        with pytest.raises(EndpointError, match="status 400"):
            audit_url(url, reference, PLAN)


def test_a_vllm_that_does_not_state_the_law_under_options_is_not_believed() -> None:
    """Said to be started with processed log-probabilities, and it was not: no lossless engine differs for that."""
    with served(gathering=0.0) as (url, engine), served(gathering=0.0) as (reference, _):
        with pytest.raises(
            EndpointError, match="--processed-logprobs: .* is it started with --logprobs-mode processed_"
        ):
            audit_url(url, reference, PLAN, processed_logprobs=True)
        assert engine.emitted <= 1, "nothing is asked before, but which API it speaks"
        plan = PLAN._replace(option_answers=0)
        assert audit_url(url, reference, plan, processed_logprobs=True).verdict is EndpointVerdict.SAME


@pytest.mark.parametrize("books", [False, True])
def test_stop_strings_that_the_engine_refuses_are_not_judged_and_said_so(monkeypatch, books) -> None:
    """All else is judged; a server that refuses them later, after it took some, is an error."""
    taken = 0

    def answer(path, body):
        nonlocal taken
        if path == "/v1/completions" and body.get("stop"):
            taken -= 1
            if taken < 0:
                return 400, {"error": {"message": "stop is not supported\x1b[31m"}}
        return original(path, body)

    with served(gathering=0.0) as (url, engine), served(gathering=0.0) as (reference, _):
        original = engine.answer
        monkeypatch.setattr(engine, "answer", answer)
        plan_with_books = PLAN._replace(books=books)
        report = audit_url(url, reference, plan_with_books)
        assert report.verdict is EndpointVerdict.SAME, report.words()
        assert [dict(option.options) for option in report.options] == [dict(pairs) for pairs in OPTIONS]
        (line,) = [line for line in report.words().splitlines() if "stop is not" in line]
        assert line.startswith("note: with stop strings: not judged, because it is refused: http://")
        (recorded,) = report.plain()["refused_options"]
        assert recorded["options"] == {} and recorded["stop"] and "status 400" in recorded["error"]
        (skipped,) = ElementTree.fromstring(report.junit())[0].iter("skipped")
        assert "stop strings: not judged" in skipped.get("message")
        taken = 8
        with pytest.raises(EndpointError, match="status 400"):
            audit_url(url, reference, plan_with_books)
