"""An audit that is given the draft: faults of the verification need fewer tokens, and nothing else changes."""

from __future__ import annotations

import pytest

from simspec import cli
from simspec.audit.endpoint.keys import DRAFT_KEY_VARIABLE, KEY_VARIABLE
from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.records import EndpointError
from simspec.audit.endpoint.verdict import EndpointVerdict
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

SAMPLED = Plan(tokens=3000, texts=0, option_answers=0, books=False, tv_limit=0.2)


@pytest.fixture(scope="module")
def urls():
    """Of the reference, and of the draft."""
    with served() as (reference, _), served(noise=0.25) as (draft, _):
        yield reference, draft


@pytest.mark.parametrize("fault", ["relaxed acceptance", "residual of the target"])
def test_a_fault_of_the_verification_needs_fewer_tokens(fault, urls) -> None:
    """The same tokens in the same order: half of them at most, and the fault is called by its name."""
    reference, draft = urls
    tokens = []
    for known in (None, draft):
        with served(fault) as (url, _):
            report = audit_url(url, reference, SAMPLED, draft=known)
        tokens.append(report.sampled.wealth.tokens)
    assert report.verdict is EndpointVerdict.DIFFERS
    assert tokens[1] <= tokens[0] / 2
    assert report.sampled.wealth.best[1].family in ("relaxed", "recovery", "drafted")


def test_an_engine_without_a_fault_passes(urls) -> None:
    reference, draft = urls
    with served() as (url, _):
        report = audit_url(url, reference, SAMPLED, draft=draft)
    assert report.verdict is EndpointVerdict.SAME, report.words()


def test_a_journal_keeps_what_the_draft_said(urls, tmp_path) -> None:
    reference, draft = urls
    small = SAMPLED._replace(tokens=100)
    path = tmp_path / "journal"
    with served() as (url, engine):
        whole = audit_url(url, reference, small, journal=path, draft=draft)
        before = engine.requests
        again = audit_url(url, reference, small, journal=path, draft=draft)
        assert again.plain() == whole.plain() and engine.requests - before < before
        with pytest.raises(EndpointError, match="is of another audit"):
            audit_url(url, reference, small, journal=path)


def test_a_draft_that_does_not_exist_is_no_verdict(urls, tmp_path) -> None:
    require("torch")
    with pytest.raises(EndpointError, match=r"--draft: .*does not exist; expected a URL"):
        audit_url(urls[0], "self", SAMPLED, draft=str(tmp_path / "nothing"))


def test_a_draft_with_another_tokenizer_or_without_an_engine_is_no_verdict(urls, capsys) -> None:
    reference, draft = urls

    def other_ids(path, status, record, headers):
        return status, {"tokens": [1, 2]} if path == "/tokenize" else record, headers

    with (
        served(mangle=other_ids) as (other, _),
        pytest.raises(EndpointError, match="--draft: its tokenizer is another"),
    ):
        audit_url(reference, "self", SAMPLED, draft=other)
    assert cli.main(["audit", "simspec.audit.reference:speculative", "--draft", draft]) == 2
    assert "--draft: given without the URL of an engine" in capsys.readouterr().err


def test_the_draft_gets_its_own_key_and_no_other(urls, monkeypatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "of-the-engine")
    monkeypatch.setenv(DRAFT_KEY_VARIABLE, "of-the-draft")
    with served(key="of-the-engine") as (url, engine), served(key="of-the-draft", noise=0.25) as (draft, drafter):
        audit_url(url, "self", SAMPLED._replace(tokens=20), draft=draft)
    assert engine.keys == {"Bearer of-the-engine"} and drafter.keys == {"Bearer of-the-draft"}
