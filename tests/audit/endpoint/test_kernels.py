"""A reference on this machine computes with other kernels than the engine: that is no fault of the engine, and hides none.

The reference of these tests is a second server, whose log-probabilities are moved by a fixed amount at each prefix and token.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from simspec.audit.endpoint.auditing import audit_endpoint
from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.protocols.discovery import engine_of
from simspec.audit.endpoint.records import EndpointError, Engine
from simspec.audit.endpoint.verdict import EndpointReport, EndpointVerdict
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

SMALL = Plan(tokens=60, texts=8, option_answers=0, tv_limit=0.9, context=0)
QUESTION = "are the reference's weights and kernels the engine's?"


class OtherKernels:
    """An engine on this machine whose log-probabilities differ from those of a model by at most `largest` nats."""

    is_local = True

    def __init__(self, model: Engine, largest: float) -> None:
        self._model = model
        self._largest = largest

    def __getattr__(self, name: str):
        return getattr(self._model, name)

    def score(self, prompt, tokens, top, is_alone=False):
        rows = self._model.score(prompt, tokens, top, is_alone)
        moved_rows = []
        for place, row in enumerate(rows):
            prefix = (*prompt, *tokens[:place])
            moved = [(token, min(logprob + self._shift(prefix, token), 0.0)) for token, logprob in row]
            moved_rows.append(tuple(sorted(moved, key=lambda pair: -pair[1])))
        return moved_rows

    def _shift(self, prefix, token) -> float:
        return random.Random(repr((prefix, token))).uniform(-self._largest, self._largest)


class Scoreless:
    """An engine that does not score texts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __getattr__(self, name: str):
        return getattr(self._engine, name)

    def score(self, prompt, tokens, top, is_alone=False):
        raise EndpointError("it does not score texts")


@contextmanager
def engines(largest: float, fault: str = "", seed: int = 0) -> Iterator[tuple[Engine, Engine]]:
    """An engine, and the reference of other kernels."""
    with (
        served(fault, seed=seed) as (url, _),
        served() as (model_url, _),
        Exchange(url) as exchange,
        Exchange(model_url) as model_exchange,
    ):
        yield engine_of(exchange), OtherKernels(engine_of(model_exchange), largest)


def audited(largest: float, plan: Plan = SMALL, **of_engine) -> EndpointReport:
    with engines(largest, **of_engine) as (engine, reference):
        return audit_endpoint(engine, reference, plan)


@pytest.mark.parametrize("texts", [4, 8])
def test_other_kernels_are_no_fault_of_the_engine(texts) -> None:
    """The engine rounds nothing in two shapes, and margins of up to 0.2 nats turn all the same."""
    report = audited(0.1, SMALL._replace(texts=texts))
    assert report.verdict is EndpointVerdict.NUMERICS, report.words()
    assert report.greedy.divergences and 0.1 < report.greedy.explained < 0.8
    assert QUESTION in report.words() and not report.faults and report.exit_status == 0
    assert "measured between the two on" in report.words()
    assert not report.books.mistakes


def test_where_the_engine_does_not_score_nothing_is_decided_of_greedy_texts() -> None:
    with engines(0.1) as (engine, reference):
        report = audit_endpoint(Scoreless(engine), reference, SMALL)
    assert report.verdict is EndpointVerdict.UNDECIDED and report.exit_status == 3, report.words()
    assert QUESTION in report.words().splitlines()[0] and "--reference self" in report.words()
    assert report.greedy.faults and not report.faults and "more tokens" not in report.words()
    assert not report.books.mistakes and "were not judged: how much its kernels" in report.words()
    assert report.request.startswith("curl -s http://127.0.0.1")


def test_another_model_differs_by_its_sampled_tokens() -> None:
    report = audited(0.1, SMALL._replace(tokens=2000), seed=1)
    assert report.verdict is EndpointVerdict.DIFFERS, report.words()
    assert any(line.startswith("sampled tokens") for line in report.faults)


def test_greedy_drafts_told_as_softmax_differ() -> None:
    report = audited(0.1, SMALL._replace(tokens=2000), fault="greedy drafts")
    assert report.verdict is EndpointVerdict.DIFFERS, report.words()
