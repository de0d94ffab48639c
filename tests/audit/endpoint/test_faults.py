"""The in-process engine: it decodes losslessly, and the audit finds each of its faults and passes it without one.

False alarm of each audit: 0.01, as `Plan.error` says; seeds are fixed.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.protocols.completions import Completions
from simspec.audit.endpoint.verdict import EndpointReport, EndpointVerdict
from tests.audit.endpoint import page
from tests.audit.endpoint.net import VOCAB, Cache, Net, softmax
from tests.audit.endpoint.served import served
from tests.audit.endpoint.speculating import FAULTS, Sampling, begin, decode
from tests.requirements import require

require("httpx")

BOOKS = {
    "stop at the end of a step",
    "wrong usage",
    "zero log-probabilities",
    "stop ignored",
    "stop early",
    "lost at the end",
}


@pytest.fixture(scope="module")
def reference():
    with served() as (url, _):
        yield url


def test_the_engine_without_a_fault_has_the_target_law() -> None:
    """χ² of the first two tokens of 1,500 texts; a correct engine is beyond the limit with probability 0.001."""
    target, draft = Net(0), Net(0, noise=0.25)
    counts = Counter()
    accepted = drafted = 0
    for seed in range(1500):
        running = begin(Sampling([1, 2, 3], seed=seed, max_tokens=2))
        decode(target, draft, [running])
        counts[tuple(running.tokens)] += 1
        accepted += running.accepted
        drafted += running.drafted
    assert 0.2 < accepted / drafted < 0.9
    expected = np.zeros((VOCAB, VOCAB))
    for first in range(VOCAB):
        rows = softmax(target.rows([1, 2, 3, first], Cache(), 0))
        expected[first] = rows[2][first] * rows[3] * 1500
    is_counted = expected > 5
    observed = np.zeros_like(expected)
    for text, number in counts.items():
        observed[text] = number
    statistic = float(((observed - expected) ** 2 / expected)[is_counted].sum())
    cells = int(is_counted.sum())
    assert cells > 20 and statistic < cells + 3.1 * np.sqrt(2 * cells) + 4


def test_cached_rows_are_those_of_the_whole_text() -> None:
    net = Net(0)
    cache = Cache()
    parts = np.concatenate([net.rows([1, 2], cache, 0), net.rows([3, 4], cache, 2)])
    assert np.allclose(parts, net.rows([1, 2, 3, 4], Cache(), 0))


def audited(fault: str, reference: str, **settings) -> EndpointReport:
    with served(fault) as (url, _):
        return audit_url(url, reference, Plan(**settings))


def test_a_lossless_engine_passes(reference) -> None:
    report = audited("", reference)
    assert report.verdict is EndpointVerdict.SAME and report.exit_status == 0
    assert report.words().startswith("same law within TV 0.0")
    assert "would have needed about" in report.words() and "curl" not in report.words()


TWINS = {
    "llama.cpp's API": {"style": "llamacpp"},
    "rounding that the reference does not have": {"rounding": 0.02},
    "in company": {"in_flight": 8},
    "drafts that end where max_tokens does": {"clips": True},
}
"""Without a fault, where one might be seen: another API, logits that depend on the shape of a block, ragged batches of eight."""


@pytest.mark.parametrize("name", TWINS)
def test_lossless_twins_pass(name, reference) -> None:
    """With as many tokens as the faults have, and all options and books."""
    settings = dict(TWINS[name])
    plan = Plan(tokens=3000, in_flight=settings.pop("in_flight", 4))
    with served(**settings) as (url, _):
        report = audit_url(url, reference, plan)
    assert report.verdict in (EndpointVerdict.SAME, EndpointVerdict.NUMERICS), report.words()
    assert report.exit_status == 0 and not report.books.mistakes


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found(fault, reference) -> None:
    """Answers under options, with stop strings among them, are asked for where only these show the fault."""
    report = page.audited(fault, reference)
    expected = EndpointVerdict.BOOKS if fault in BOOKS else EndpointVerdict.DIFFERS
    assert report.verdict is expected, report.words()
    assert report.exit_status == 1
    assert report.request.startswith("curl -s http://127.0.0.1")


def test_the_page_has_each_fault_with_a_verdict_against_it() -> None:
    """Its numbers are those of audits, which take some minutes: here only that no fault is left out or passed."""
    lines = [line.split(" | ") for line in page.PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][
        1:
    ]
    assert {line[0].removeprefix("| "): line[1] for line in lines} == FAULTS
    for line in lines:
        assert line[2] == ("books only" if line[0].removeprefix("| ") in BOOKS else "differs")


def test_answers_to_one_request_that_share_their_seed_need_a_request_for_several(reference, monkeypatch) -> None:
    """The report names the requests for several answers; where none are asked for, the engine has the law in every answer."""
    plan = Plan(tokens=1000, texts=1, option_answers=0, tv_limit=0.2, books=False)
    report = audited("copies share a seed", reference, **plan._asdict())
    assert report.verdict is EndpointVerdict.DIFFERS
    assert "sampled, where: several answers to one request" in report.words()
    assert '"n": 3' in report.request
    monkeypatch.setattr(Completions, "allows_copies", False)
    report = audited("copies share a seed", reference, **plan._asdict())
    assert report.verdict is EndpointVerdict.SAME, report.words()
