"""An audit that goes on: with the models that it began with, and with settings that may change between."""

from __future__ import annotations

import pytest

from simspec.audit.endpoint.journal import Journal
from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.records import EndpointError
from simspec.audit.endpoint.rounding import Rounding
from simspec.audit.endpoint.unchanged import Unchanged, is_same_row
from simspec.audit.endpoint.verdict import EndpointVerdict
from tests.audit.endpoint.net import Net
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

SMALL = Plan(tokens=60, texts=2, option_answers=0, tv_limit=0.9, context=0)


def deploy(engine) -> None:
    """Another model under the URL and the name of the first."""
    engine.target = Net(1)
    engine.draft = Net(1, noise=0.25)


@pytest.mark.parametrize("side", ["the reference", "the engine"])
def test_another_model_is_not_gone_on_with(side, tmp_path) -> None:
    """Whichever side it is on; before the first run has measured rounding, and after."""
    path = tmp_path / "journal"
    with served() as (url, engine), served() as (other, _):
        reference = "self" if side == "the reference" else other
        whole = audit_url(url, reference, SMALL, journal=path)
        assert whole.verdict is EndpointVerdict.SAME
        lines = path.read_bytes().splitlines(keepends=True)
        deploy(engine)
        for length in (len(lines), 3):
            path.write_bytes(b"".join(lines[:length]))
            with pytest.raises(
                EndpointError, match=f"{side} scores a text otherwise than at the beginning in .*journal"
            ):
                audit_url(url, reference, SMALL._replace(tokens=200), journal=path)
        path.write_bytes(lines[0] + lines[2])
        with pytest.raises(EndpointError, match="does not say how its models scored texts"):
            audit_url(url, reference, SMALL, journal=path)


def test_a_model_that_changes_meanwhile_is_refused() -> None:
    """Between the first sampled round and the last."""
    with served() as (url, engine), served() as (other, _):

        def progress(stage: str, number: int, total: int) -> None:
            if stage == "sampled tokens":
                deploy(engine)

        for reference in ("self", other):
            engine.target, engine.draft = Net(0), Net(0, noise=0.25)
            with pytest.raises(EndpointError, match="expected one model for the whole run"):
                audit_url(url, reference, SMALL, progress=progress)


def test_what_a_server_keeps_of_earlier_texts_is_no_other_model() -> None:
    """A text that is scored within a longer request has another row the second time; alone, from nothing, it has not."""
    with served() as (url, engine):
        completions = engine.completions
        scored = []

        def with_cache(body):
            status, record = completions(body)
            if status == 200 and (entries := record["choices"][0].get("prompt_logprobs")) and len(body["prompt"]) <= 4:
                scored.append(body["prompt"])
                for entry in entries[-1].values():
                    entry["logprob"] -= 0.15 * (scored.count(body["prompt"]) > 1)
            return status, record

        engine.completions = with_cache
        report = audit_url(url, "self", SMALL)
    assert report.verdict is EndpointVerdict.SAME, report.words()


def test_rounding_of_a_score_is_no_change_of_the_model() -> None:
    """Near -0.25, where a rounded number would jump, and with the second token ahead by a little."""
    before = ((3, -0.2499), (5, -1.75))
    assert is_same_row(before, ((3, -0.2501), (5, -1.75)), 0.1) and is_same_row(before, ((5, -0.24), (3, -0.26)), 0.1)
    assert not is_same_row(before, ((3, -0.45), (5, -1.0)), 0.1)
    assert not is_same_row(before, ((7, -0.25), (5, -1.75)), 0.1)


class Scoring:
    """A model with one row, whatever it is asked."""

    url = "http://127.0.0.1:1"

    def __init__(self) -> None:
        self.logprob = -1.0

    def score(self, prompt, tokens, top, is_alone=False):
        assert is_alone
        return [((3, self.logprob), (5, -3.0))]


@pytest.mark.parametrize(
    ("measured", "moved", "is_refused"),
    [(0.0, 0.09, False), (0.0, 0.111, True), (0.283, 0.111, False), (0.1, 0.21, True), (5.0, 1.1, True)],
)
def test_a_model_may_move_by_what_the_measured_rounding_explains(measured, moved, is_refused) -> None:
    """By 0.1 nats in any case, by twice what was measured, and by 1 nat at most."""
    model = Scoring()
    journal = Journal(None, {})
    unchanged = Unchanged(model, model, [(1, 2)], 2, journal)
    journal.add_fact("rounding on 4 greedy texts", Rounding((0.0, -measured), measured))
    model.logprob -= moved
    if is_refused:
        with pytest.raises(EndpointError, match="by more than rounding"):
            unchanged.check()
    else:
        unchanged.check()


def test_an_audit_goes_on_with_more_tokens_as_its_report_advises(tmp_path) -> None:
    """The report is that of one run with these settings; fewer tokens are taken from the journal too."""
    path = tmp_path / "journal"
    more = SMALL._replace(tokens=300, tv_limit=0.3)
    with served() as (url, _):
        report = audit_url(url, "self", SMALL._replace(tv_limit=0.2), journal=path)
        assert report.verdict is EndpointVerdict.UNDECIDED and "--tokens" in report.words()
        resumed = audit_url(url, "self", more, journal=path)
        assert resumed.verdict is EndpointVerdict.SAME
        assert resumed.plain() == audit_url(url, "self", more).plain()
        size = path.stat().st_size
        assert audit_url(url, "self", SMALL, journal=path).plain() == audit_url(url, "self", SMALL).plain()
        assert path.stat().st_size == size


def test_an_audit_goes_on_with_more_answers_under_options(tmp_path) -> None:
    """A round that held fewer answers is filled up; stop strings stay those that were asked for."""
    path = tmp_path / "journal"
    more = SMALL._replace(option_answers=3, max_tokens=6)
    with served() as (url, _):
        first = audit_url(url, "self", more._replace(option_answers=1), journal=path)
        resumed = audit_url(url, "self", more._replace(tokens=100), journal=path)
        again = audit_url(url, "self", more._replace(tokens=100), journal=path)
        whole = audit_url(url, "self", more)
    assert resumed.plain() == again.plain()
    tokens = [[option.wealth.tokens for option in report.options] for report in (first, resumed, whole)]
    assert tokens[1] == tokens[2] and tokens[0][0] < tokens[1][0]
    assert first.options[-1].stops == resumed.options[-1].stops


def test_another_error_is_another_audit(tmp_path) -> None:
    """A false alarm has at most the probability that was chosen before anything was seen."""
    path = tmp_path / "journal"
    with served() as (url, _):
        audit_url(url, "self", SMALL, journal=path)
        with pytest.raises(EndpointError, match=r"is of another audit: --error is 0.01 there and 0.05 here; expected"):
            audit_url(url, "self", SMALL._replace(error=0.05), journal=path)
        with pytest.raises(EndpointError, match="--in-flight is 4 there and 2 here"):
            audit_url(url, "self", SMALL._replace(in_flight=2), journal=path)


@pytest.mark.parametrize("line", ["[1]", '{"a": 1}', '{"simspec": "audit of an endpoint", "audit": 3}'])
def test_a_file_that_is_no_journal_is_refused(line, tmp_path) -> None:
    path = tmp_path / "journal"
    path.write_text(line + "\n")
    with served() as (url, _), pytest.raises(EndpointError, match="is no journal of an audit"):
        audit_url(url, "self", SMALL, journal=path)


def test_a_damaged_round_is_refused(tmp_path) -> None:
    path = tmp_path / "journal"
    with served() as (url, _):
        audit_url(url, "self", SMALL, journal=path)
        with path.open("a") as file:
            file.write('{"stage": "sampled"}\n')
        with pytest.raises(EndpointError, match="is no journal of an audit"):
            audit_url(url, "self", SMALL, journal=path)


def test_where_time_was_short_more_time_is_advised() -> None:
    plan = SMALL._replace(tokens=100_000, tv_limit=0.1)
    with served() as (url, _):
        report = audit_url(url, "self", plan, time_limit=0.001)
        assert report.verdict is EndpointVerdict.UNDECIDED
        assert "--within" in report.words() and "--tokens" not in report.words()
        report = audit_url(url, "self", plan._replace(tokens=20), time_limit=0.001)
        assert f"--tokens {report.needed // 100 + 1}00 --within" in report.words()
