"""The audit as a whole: greedy texts and rounding, the journal, the command, the fixture."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from simspec import cli
from simspec.audit.endpoint import auditing
from simspec.audit.endpoint import plan as planning
from simspec.audit.endpoint.books import metrics_mistakes, mistakes
from simspec.audit.endpoint.greedy import Divergence, Greedy, judged_greedy
from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.records import Answer, EndpointError, OutOfTimeError, Question, Usage
from simspec.audit.endpoint.verdict import EndpointVerdict
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

SMALL = Plan(tokens=60, texts=2, option_answers=0, tv_limit=0.9)
pytest_plugins = ["pytester"]


def test_rounding_is_numerics() -> None:
    """Logits that depend on the shape of a block by 0.05: greedy texts differ from the argmax, and rounding explains it."""
    with served(rounding=0.05) as (url, _), served(rounding=0.05, seed=0) as (reference, _):
        report = audit_url(url, reference, SMALL._replace(texts=16))
    assert report.verdict is EndpointVerdict.NUMERICS, report.words()
    assert report.greedy.divergences and not report.greedy.faults
    assert 0.05 < report.greedy.explained < 1
    assert report.greedy.rate > 0 and "rounding, measured on" in report.words()


def test_more_divergences_than_rounding_predicts_are_not_said_to_be_explained() -> None:
    """Six, where 0.34 are predicted, as beside a reference with the same weights and other kernels."""
    with served() as (url, _):
        report = audit_url(url, "self", SMALL)
    many = Greedy(256, (Divergence(0, 0, 3, 0.1),) * 6, (), 0.5, 0.34 / 256, 64)
    few = many._replace(divergences=many.divergences[:1])
    for greedy, is_explained in ((many, False), (few, True)):
        words = replace(report, verdict=EndpointVerdict.NUMERICS, greedy=greedy).words()
        assert ("differ where rounding explains it" in words) is is_explained
        assert ("the probability is 2e-06: rounding does not explain how often" in words) is not is_explained
        assert ("but more often than it predicts" in words.splitlines()[0]) is not is_explained
    assert many.plain()["chance_of_as_many"] < 1e-5 < few.plain()["chance_of_as_many"]


def test_another_model_is_a_fault() -> None:
    with served(seed=1) as (url, _), served() as (reference, _):
        report = audit_url(url, reference, SMALL)
    assert report.verdict is EndpointVerdict.DIFFERS and report.greedy.faults
    words = shlex.split(report.request)
    place = min(fault.place for fault in report.greedy.faults)
    assert json.loads(words[-1])["max_tokens"] == place + 1 and json.loads(words[-1])["temperature"] == 0


def test_a_margin_is_numerics_up_to_twice_what_was_measured() -> None:
    row = ((3, -0.5), (5, -0.6))
    assert judged_greedy([([5], [row])], [0.06]).faults == ()
    assert len(judged_greedy([([5], [row])], [0.04]).faults) == 1
    assert len(judged_greedy([([9], [row])], []).faults) == 1


def test_few_tokens_do_not_decide() -> None:
    with served() as (url, _):
        report = audit_url(url, "self", SMALL._replace(tv_limit=0.1))
    assert report.verdict is EndpointVerdict.UNDECIDED and report.exit_status == 3
    needed = report.needed
    assert 500 < needed < 10_000 and "--tokens" in report.words()


def test_an_audit_that_is_cut_off_judges_what_was_asked() -> None:
    """No time at all: one round of each kind, and no verdict that needs more of them."""
    plan = Plan(tokens=100_000, texts=40, tv_limit=0.2)
    with served() as (url, _):
        report = audit_url(url, "self", plan, time_limit=1e-3)
        assert report.verdict is EndpointVerdict.UNDECIDED
        assert 0 < report.sampled.wealth.tokens < plan.tokens and 0 < len(report.greedy.questions) < plan.texts
        assert report.options == () and "the time limit of 0.001 s ended" in report.words()
        with pytest.raises(EndpointError, match="--within: 0; expected"):
            audit_url(url, "self", plan, time_limit=0)
        assert "time limit" not in audit_url(url, "self", SMALL, time_limit=600).words()


def test_the_time_that_is_advised_is_that_which_the_audit_took() -> None:
    """An audit of 1 s whose first rounds took 30 s: ten times the tokens take ten times as long, not 10 s."""
    with served() as (url, _):
        report = audit_url(url, "self", SMALL._replace(tv_limit=0.1, tokens=100_000), time_limit=1e-3)
    assert report.seconds > report.time_limit
    slow = replace(report, time_limit=1.0, seconds=30.0)
    advised = int(re.search(r"--within (\d+)", slow.words())[1])
    assert advised >= 30 * slow.needed / slow.sampled.wealth.tokens


def test_the_engines_own_url_as_the_reference_is_said_to_see_no_wrong_model() -> None:
    """Under any of the names of this machine; another model of the same server is another reference."""
    note = "the reference is the engine's own score of each text: a wrong model is not seen"
    with served() as (url, _), served() as (other, _):
        for reference in ("self", url, url.replace("127.0.0.1", "localhost") + "/"):
            assert note in audit_url(url, reference, SMALL).words()
        assert note not in audit_url(url, other, SMALL).words()


def busy_after(path: Path, rounds: int) -> Callable[..., tuple[int, object, dict[str, str]]]:
    """What a server sends that asks for ten minutes once so many sampled rounds stand in a journal."""

    def mangle(path_of_url, status, record, headers):
        is_late = path.exists() and path.read_text(encoding="utf-8").count('"stage": "sampled"') >= rounds
        return (429, {}, {"Retry-After": "600"}) if is_late else (status, record, headers)

    return mangle


@pytest.mark.parametrize(
    ("model", "rounds", "verdict"), [(0, 4, EndpointVerdict.UNDECIDED), (1, 1, EndpointVerdict.DIFFERS)]
)
def test_a_server_that_asks_for_more_time_than_there_is_is_judged_by_its_answers_so_far(
    tmp_path, model, rounds, verdict
) -> None:
    """A difference that they show is one, of another model in one round; that they show none makes nothing the same."""
    path = tmp_path / "journal"
    plan = Plan(tokens=100_000, texts=1, option_answers=0, tv_limit=0.99)
    with served(seed=model, mangle=busy_after(path, rounds)) as (url, _), served() as (reference, _):
        report = audit_url(url, reference, plan, journal=path, time_limit=500.0, patience=1e4)
    assert report.verdict is verdict, report.words()
    assert report.sampled.wealth.tokens > 0 and not report.greedy.tokens
    assert (
        "whether the reference has changed meanwhile" in report.words() and "the time limit of 500 s" in report.words()
    )
    if verdict is EndpointVerdict.UNDECIDED:
        assert "and other tests were not made" in report.words() and "--tokens" not in report.words()


def test_a_server_that_asks_for_more_time_before_it_has_sampled_has_no_verdict(tmp_path) -> None:
    """Busy from the first round on, which is of greedy texts."""
    path = tmp_path / "journal"
    with served(mangle=busy_after(path, 0)) as (url, _), pytest.raises(OutOfTimeError, match="left of --within 500"):
        audit_url(url, "self", SMALL, journal=path, time_limit=500.0, patience=1e4)
    assert '"stage"' not in path.read_text(encoding="utf-8")


def test_a_journal_is_gone_on_with(tmp_path) -> None:
    """Cut in the middle of its last line, as by a kill: the report is the same, and less is asked."""
    path = tmp_path / "journal.jsonl"
    with served() as (url, engine):
        whole = audit_url(url, "self", SMALL, journal=path)
        content = path.read_bytes()
        lines = content.splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:-2]) + lines[-2][:20])
        before = engine.requests
        again = audit_url(url, "self", SMALL, journal=path)
        asked = engine.requests - before
        assert again.plain() == whole.plain()
        assert path.read_bytes() == content
        before = engine.requests
        audit_url(url, "self", SMALL, journal=path)
        assert engine.requests - before < asked
        with pytest.raises(EndpointError, match="is of another audit"):
            audit_url(url, "self", SMALL._replace(seed=1), journal=path)
    path.write_text("hello\n")
    with served() as (url, _), pytest.raises(EndpointError, match="no journal"):
        audit_url(url, "self", SMALL, journal=path)


def _hears_interrupts() -> None:
    """In a process that is started: a shell has its jobs in the background ignore Ctrl-C, and whatever these start too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_kill_loses_nothing_that_was_written(tmp_path) -> None:
    """Five kills at different moments, of an audit that is far from its end: each journal can be gone on with."""
    path = tmp_path / "journal.jsonl"
    with served() as (url, _):
        words = [sys.executable, "-m", "simspec", "audit", url, "--reference", "self", "--tokens", "500000"]
        words += ["--option-answers", "0", "--resume", str(path)]
        sizes = []
        for number in range(5):
            size = path.stat().st_size if path.exists() else 0
            pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
            with subprocess.Popen(words, preexec_fn=_hears_interrupts, **pipes) as process:
                end = time.monotonic() + 600  # a busy machine takes a minute to start a process
                while time.monotonic() < end and (
                    not path.exists() or path.stat().st_size < size + 5000 + number * 777
                ):
                    time.sleep(0.01)
                process.send_signal(signal.SIGKILL if number % 2 else signal.SIGINT)
                try:
                    errors = process.communicate(timeout=600)[1]
                finally:
                    process.kill()
            assert process.returncode == (-signal.SIGKILL if number % 2 else 130)
            if not number % 2:
                interrupted = (
                    f"simspec: interrupted; rounds so far are stored in {path}: the same command goes on from there"
                )
                *progress_lines, last = errors.splitlines()
                assert last == interrupted and all("sampled tokens: " in line for line in progress_lines), errors
            sizes.append(path.stat().st_size)
        assert sizes == sorted(sizes) and sizes[-1] > sizes[0]
        whole_lines = path.read_bytes().rpartition(b"\n")[0].splitlines()
        assert all(json.loads(line) for line in whole_lines)


def test_an_option_of_weight_0_is_never_asked_for(monkeypatch) -> None:
    for module in (planning, auditing):
        monkeypatch.setattr(module, "WEIGHTS", (0, 0, 1, 0, 0))
    with served() as (url, _):
        report = audit_url(url, "self", SMALL._replace(option_answers=1, books=False))
    assert [dict(option.options) for option in report.options] == [{"top_k": 3.0}, {}]


BOOKS = {
    "usage: emitted tokens": Answer((5,), "a", "length", usage=Usage(1, 2)),
    "usage: prompt tokens": Answer((5,), "a", "length", usage=Usage(2, 1)),
    "accepted drafts": Answer((5,), "a", "length", usage=Usage(1, 1, 1, 2)),
    "max_tokens": Answer((5, 5, 5), "a", "length", usage=Usage(1, 3)),
    "stop": Answer((5,), "a.b", "stop", usage=Usage(1, 1)),
    "log-probabilities missing": Answer((5,), "a", "length", usage=Usage(1, 1)),
    "log-probabilities": Answer((5,), "a", "length", (0.0,), ((),), Usage(1, 1)),
}


@pytest.mark.parametrize("kind", BOOKS)
def test_each_mistake_of_the_books(kind) -> None:
    row = ((5, -1.0), (6, -2.0))
    question = Question((1,), 0, 1, top=2, stop=(".",))
    right = Answer((5,), "a", "length", (-1.0,), (row,), Usage(1, 1, 3, 0))
    assert mistakes(question, [right], [[row]]) == []
    assert kind in [mistake.kind for mistake in mistakes(question, [BOOKS[kind]], [[row] * 3])]


def test_an_answer_that_ends_for_its_length_has_all_its_tokens() -> None:
    answer = Answer((5,), "a", "length", usage=Usage(1, 1))
    assert [wrong.kind for wrong in mistakes(Question((1,), 0, 2), [answer], [])] == ["max_tokens"]
    assert mistakes(Question((1,), 0, 2), [answer._replace(finish="stop")], []) == []


def test_a_token_beyond_the_row_has_a_bound_only() -> None:
    row = ((5, -1.0), (6, -2.0))
    question = Question((1,), 0, 1, top=2)
    for stated, number in ((-7.0, 0), (-1.0, 1)):
        answer = Answer((9,), "a", "length", (stated,), (row,), Usage(1, 1))
        assert len(mistakes(question, [answer], [[row]])) == number


def test_metrics_that_grow_by_more_are_others_use() -> None:
    assert metrics_mistakes({"emitted": 5.0}, {"emitted": 9.0}, {"emitted": 3}) == []
    assert len(metrics_mistakes({"emitted": 5.0}, {"emitted": 9.0}, {"emitted": 5})) == 1


def run(*words: str) -> int:
    return cli.main(["audit", *words, "--option-answers", "0", "--texts", "1", "--tv-limit", "0.9"])


def test_the_command_writes_its_reports(tmp_path, capsys) -> None:
    json_path = tmp_path / "audit.json"
    junit_path = tmp_path / "audit.xml"
    with served() as (url, _):
        words = [url, "--reference", "self", "--tokens", "40", "--json", str(json_path), "--junit", str(junit_path)]
        assert run(*words) == 0
    assert capsys.readouterr().out.startswith("same law within TV")
    record = json.loads(json_path.read_text())
    assert record["verdict"] == "same law" and record["sampled"]["tokens"] >= 40 and record["plan"]["error"] == 0.01
    assert ElementTree.parse(junit_path).getroot()[0].get("failures") == "0"


def test_the_command_says_what_differs(capsys) -> None:
    with served("shared seed") as (url, _), served() as (reference, _):
        assert run(url, "--reference", reference, "--junit", "-") == 1
    root = ElementTree.fromstring(capsys.readouterr().out)
    assert root[0].get("failures") == "1" and "shared with an earlier answer" in "".join(root.itertext())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["http://127.0.0.1:1"], "--reference: missing"),
        (["http://127.0.0.1:1", "--reference", "self", "--top", "0"], "--top: 0"),
        (["http://127.0.0.1:1", "--reference", "self", "--tv-limit", "2"], "--tv-limit: 2.0"),
        (["http://127.0.0.1:1", "--reference", "self", "--within", "0.2"], "--within: 0.2"),
        (["http://127.0.0.1:1", "--reference", "self", "--timeout", "0"], "--timeout: 0.0"),
        (["http://127.0.0.1:1", "--reference", "self"], "is it up"),
        (["http://127.0.0.1:1", "--reference", "self", "--prompts", "none.txt"], "--prompts: 'none.txt': No such file"),
        (["http://127.0.0.1:1", "--reference", "self", "--calls", "500"], "--calls: is of functions"),
        (["http://127.0.0.1:1", "--reference", "self", "--gamma=2"], "--gamma: is of functions"),
        (["http://127.0.0.1:1", "--reference", "self", "--voc", "4"], "--vocab: is of functions"),
        (["http://127.0.0.1:1", "--reference", "self", "--no-e"], "--no-edges: is of functions"),
        (["http://me:key@127.0.0.1:1", "--reference", "self"], "not repeated here"),
        (["simspec.audit.reference:speculative", "--tokens", "5"], "--tokens: given without the URL of an engine"),
        (
            ["simspec.audit.reference:speculative", "--server-d"],
            "--server-defaults: given without the URL of an engine",
        ),
    ],
)
def test_bad_usage_is_status_2(words, message, capsys) -> None:
    assert cli.main(["audit", *words]) == 2
    printed = capsys.readouterr().err
    assert message in printed and "expected" in printed and "me:key" not in printed


def test_a_report_that_cannot_be_written_is_seen_before_anything_is_asked(tmp_path, capsys) -> None:
    path = tmp_path / "none" / "audit.json"
    with served() as (url, server):
        assert run(url, "--reference", "self", "--json", str(path)) == 2
        assert not server.requests
    assert str(path) in capsys.readouterr().err


def test_prompts_of_ones_own(tmp_path, capsys) -> None:
    path = tmp_path / "prompts.txt"
    path.write_text("one\n\ntwo words\n")
    with served() as (url, _):
        assert run(url, "--reference", "self", "--tokens", "20", "--prompts", str(path)) == 0
        path.write_text("one\n")
        assert run(url, "--reference", "self", "--prompts", str(path)) == 2
    assert "two at least" in capsys.readouterr().err


def test_the_fixture(pytester) -> None:
    """Paths may be strings; the letters of a string are no prompts."""
    pytester.makepyfile("""
        def test_engine(assert_engine_lossless):
            from tests.audit.endpoint.served import served
            import pytest
            small = dict(tokens=60, texts=1, option_answers=0, tv_limit=0.9)
            with served() as (reference, _):
                with served("zero log-probabilities") as (url, _):
                    assert_engine_lossless(url, reference, **small)
                with served("shared seed") as (url, _), pytest.raises(pytest.fail.Exception, match="differs"):
                    assert_engine_lossless(url, reference, **small)

        def test_paths(assert_engine_lossless, tmp_path):
            from simspec.audit.endpoint.records import EndpointError
            from tests.audit.endpoint.served import served
            import pytest
            small = dict(tokens=20, texts=1, option_answers=0, tv_limit=0.9)
            journal = tmp_path / "journal"
            prompts = tmp_path / "prompts.txt"
            prompts.write_text("one two\\nthree four five\\n")
            with served() as (url, _):
                assert_engine_lossless(url, "self", journal=str(journal), prompts=str(prompts), **small)
                assert journal.exists()
                for wrong, words in (("none.txt", "No such file"), ([], "one at least"), ([1], "expected texts")):
                    with pytest.raises(EndpointError, match=words):
                        assert_engine_lossless(url, "self", prompts=wrong, **small)
    """)
    pytester.syspathinsert(Path(__file__).parents[3])
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)


def test_the_fixture_has_the_settings_of_the_command(pytester) -> None:
    """Each option of engines, but for those that write reports and name the two sides."""
    pytester.makepyfile("""
        import pytest
        from simspec.audit.plugin import _engine_settings

        def test_names(assert_engine_lossless, tmp_path):
            from tests.audit.endpoint.served import served
            small = dict(tokens=20, texts=1, option_answers=0, tv_limit=0.9, within=60, timeout=30, patience=5, seed=1)
            with served() as (url, _):
                report = assert_engine_lossless(url, "self", resume=tmp_path / "journal", no_books=True, **small)
                assert (tmp_path / "journal").exists() and report.plan.pure and report.plan.seed == 1
                small["option_answers"] = 8
                report = assert_engine_lossless(url, "self", server_defaults=True, **small)
                assert not report.plan.pure and not report.options
            for wrong, words in (
                (dict(serverdefaults=True), "serverdefaults: unknown, the nearest is server_defaults; expected one of books"),
                (dict(server_defaults=True, pure=True), "pure: given together with server_defaults; expected one of them"),
                (dict(no_books="yes"), "no_books: 'yes'; expected True or False"),
            ):
                with pytest.raises(TypeError, match=words):
                    assert_engine_lossless("http://127.0.0.1:9", "self", **wrong)

        def test_all_options():
            import argparse
            from simspec.cli.endpoint import ENGINES
            from simspec.cli.audit import add_arguments
            parser = argparse.ArgumentParser()
            add_arguments(parser)
            (group,) = (group for group in parser._action_groups if group.title == ENGINES)
            names = {action.dest for action in group._group_actions} - {"reference"}
            for name in names | {"within", "seed", "error", "tv_limit"}:
                _engine_settings({name: True})
    """)
    pytester.syspathinsert(Path(__file__).parents[3])
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)


def test_progress_names_every_stage_that_asks() -> None:
    """No stage is silent for long: between two calls at most one round is asked, with what its scoring and the pages need."""
    marks: list[tuple[str, int, int, int]] = []
    plan = Plan(tokens=60, texts=4, option_answers=2, tv_limit=0.9, context=0, max_tokens=6, in_flight=2)
    with served() as (url, engine):
        audit_url(url, "self", plan, progress=lambda *words: marks.append((*words, engine.requests)))
        end = engine.requests
    assert list(dict.fromkeys(stage for stage, *_ in marks)) == [
        "greedy texts",
        "texts scored anew for rounding",
        "sampled tokens",
        "answers with options",
        "answers asked again with a stop string",
        "answers with stop strings",
        "answers repeated with their seeds",
        "looks at the metrics page",
    ]
    assert all(0 <= number <= total for _, number, total, _ in marks)
    requests = [mark[-1] for mark in marks] + [end]
    assert max(later - before for before, later in pairwise(requests)) <= 14
