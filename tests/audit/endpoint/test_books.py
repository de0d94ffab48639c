"""Counts of the responses, of the metrics page and of the log of one run, each beside the others."""

from __future__ import annotations

import pytest

from simspec import cli
from simspec.audit.endpoint.books import metrics_mistakes, page_mistakes
from simspec.audit.endpoint.log_books import LogFile, reconciled
from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.records import EndpointError, Usage
from simspec.audit.endpoint.verdict import EndpointVerdict
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

SMALL = Plan(tokens=80, texts=2, option_answers=0, tv_limit=0.9, context=0)
LINE = "slot print_timing: id 0 | task 3 | draft acceptance = {:.5f} ( {} accepted / {} generated), mean len = {:.2f}\n"
VLLM = "INFO 10:00:00 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: {:.2f}, Accepted: {} tokens, "
VLLM += "Drafted: {} tokens\n"


def line(accepted: int, drafted: int, steps: int) -> str:
    return LINE.format(accepted / drafted, accepted, drafted, 1 + accepted / steps)


def test_a_run_whose_counts_agree(tmp_path) -> None:
    """llama.cpp's API, whose responses state drafts; the log has a line of another request before, and a
    line for each of several answers to one request."""
    path = tmp_path / "server.log"
    path.write_text("started\n" + line(5, 9, 3))
    with served(style="llamacpp", log=path) as (url, engine):
        report = audit_url(url, "self", SMALL._replace(tokens=120), log=path)
        assert engine.accepted > 10
    assert report.verdict is EndpointVerdict.SAME and report.books.mistakes == () and report.notes[:-1] == ()


@pytest.mark.parametrize(("fault", "kind"), [("wrong log", "log"), ("wrong metrics", "metrics")])
def test_counts_that_disagree_are_found(fault, kind, tmp_path) -> None:
    path = tmp_path / "server.log"
    path.touch()
    with served(fault, style="llamacpp", log=path) as (url, _):
        report = audit_url(url, "self", SMALL, log=path)
    assert report.verdict is EndpointVerdict.BOOKS, report.words()
    assert [found for found, _, _ in report.books.mistakes] == [kind]
    assert "accepted" in report.words()


def test_lines_of_requests_by_hand() -> None:
    """Three steps: six drafted, two accepted, five emitted at least; the last step may be cut off."""
    text = line(2, 6, 3)
    assert reconciled(text, [Usage(1, 5, 6, 2), Usage(1, 3, 0, 0), Usage(1, 3)], {}) == ((), ())
    assert len(reconciled(text, [Usage(1, 5, 6, 2)] * 2, {}).mistakes) == 1
    assert "3 steps with 2 accepted" in reconciled(text, [Usage(1, 3, 6, 2)], {}).mistakes[0].words
    contradiction = text.replace("mean len = 1.67", "mean len = 9.00")
    assert "contradicts itself" in reconciled(contradiction, [], {}).mistakes[0].words
    assert "nothing to compare" in reconciled("hello", [Usage(1, 5, 6, 2)], {}).notes[0]


def test_sums_of_intervals_may_lag_behind_the_counters_but_not_exceed_them() -> None:
    """vLLM's lines: the first interval may have begun before the audit, and is not counted."""
    text = VLLM.format(2.0, 50, 100) + VLLM.format(2.0, 10, 20)
    assert reconciled(text, [], {"drafted": 20.0, "accepted": 10.0}) == ((), ())
    assert [wrong.words for wrong in reconciled(text, [], {"drafted": 19.0, "accepted": 10.0}).mistakes] == [
        "drafted: 20 in it, and 19 more on the metrics page"
    ]


def test_the_log_is_read_from_where_it_stood(tmp_path) -> None:
    path = tmp_path / "server.log"
    path.write_text(line(1, 4, 2))
    waits = []
    log = LogFile(path, sleep=waits.append)
    with path.open("a") as file:
        file.write(line(2, 6, 3))
    assert log.reconciled([Usage(1, 5, 6, 2)], {}) == ((), ()) and waits == []
    assert len(log.reconciled([Usage(1, 5, 4, 1)], {}).mistakes) == 1 and sum(waits) == pytest.approx(3)
    path.write_text("")
    with pytest.raises(EndpointError, match="became shorter"):
        log.reconciled([], {})


def test_counters_that_contradict_each_other() -> None:
    before = {"drafted": 5.0, "accepted": 5.0}
    assert metrics_mistakes(before, {"drafted": 9.0, "accepted": 9.0}, {}) == []
    assert len(metrics_mistakes(before, {"drafted": 9.0, "accepted": 10.0}, {})) == 1


def test_others_that_use_the_server_are_no_mistake_of_its_counters() -> None:
    assert page_mistakes([]) == []
    same = ({"accepted": 2.0}, {"accepted": 2})
    assert page_mistakes([same] * 3) == []
    assert page_mistakes([({"accepted": growth}, {"accepted": 2}) for growth in (4.0, 5.0, 4.0)]) == []
    assert page_mistakes([({"accepted": 4.0}, {"accepted": None})] * 3) == []
    assert len(page_mistakes([({"accepted": 4.0}, {"accepted": 2})] * 3)) == 1


def test_a_log_that_is_none_is_refused(tmp_path, capsys) -> None:
    with served() as (url, _):
        assert cli.main(["audit", url, "--reference", "self", "--log", str(tmp_path)]) == 2
    assert "--log:" in (printed := capsys.readouterr().err) and "expected the log of the engine" in printed
    assert cli.main(["audit", "simspec.audit.reference:speculative", "--log", "x"]) == 2
    assert "without the URL of an engine" in capsys.readouterr().err
