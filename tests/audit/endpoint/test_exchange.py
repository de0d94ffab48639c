"""What goes wrong between the audit and a server: each ends in an error with its cause and its cure, never in a verdict."""

from __future__ import annotations

import json
import re
import shlex
import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from xml.etree import ElementTree

import pytest

from simspec import cli
from simspec.audit.endpoint.exchange import Exchange, Patience, checked_url, told_pause
from simspec.audit.endpoint.keys import KEY_VARIABLE
from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from simspec.audit.endpoint.protocols.discovery import engine_of
from simspec.audit.endpoint.records import EndpointError, Question
from simspec.html.escaping import escaped
from tests.audit.endpoint.net import Net
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

SMALL = Plan(tokens=40, texts=1, option_answers=0)
KEY = "sk-a-key-that-nobody-may-see"


def refusal(url: str, reference: str = "self", **settings) -> str:
    with pytest.raises(EndpointError) as caught:
        audit_url(url, reference, SMALL, **settings)
    message = str(caught.value)
    assert "expected" in message
    assert all(character.isprintable() for character in message)
    return message


@pytest.mark.parametrize(
    "url",
    ["ftp://host", "http://", "host:80", "http://host:99999", "http://host?key=1", "http://u:secret@host", "http://[x"],
)
def test_urls_that_are_none_are_refused(url) -> None:
    with pytest.raises(EndpointError, match="URL") as caught:
        checked_url(url)
    assert "secret" not in str(caught.value)


def test_nobody_is_there() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    assert "is it up" in refusal(url)


def test_a_server_that_says_nothing_in_time() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert "--timeout" in refusal(f"http://127.0.0.1:{silent.getsockname()[1]}", seconds=0.2)


def test_a_key_is_asked_for_sent_and_never_shown(monkeypatch, tmp_path) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    with served(key=KEY) as (url, _):
        assert f"{KEY_VARIABLE}: it is not set" in refusal(url)
        monkeypatch.setenv(KEY_VARIABLE, KEY + "x")
        message = refusal(url)
        assert "refused" in message and KEY not in message
        monkeypatch.setenv(KEY_VARIABLE, KEY)
        report = audit_url(url, "self", SMALL, journal=tmp_path / "journal")
    assert KEY not in report.words() + json.dumps(report.plain()) + report.junit()
    assert KEY not in (tmp_path / "journal").read_text()


def test_a_command_to_paste_names_the_variable_of_the_key(monkeypatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with served(key=KEY) as (url, _), Exchange(url) as exchange:
        command = engine_of(exchange).curl(Question((1,), 0, 1))
        assert f"${KEY_VARIABLE}" in command and KEY not in command + repr(exchange)


def test_the_reference_does_not_get_the_engine_key(monkeypatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with served(key=KEY) as (url, engine), served() as (reference_url, reference):
        audit_url(url, reference_url, SMALL)
    assert engine.keys == {f"Bearer {KEY}"} and reference.keys == {""}


def test_redirects_stay_on_the_host() -> None:
    def elsewhere(path, status, record, headers):
        return 307, {}, {"Location": f"{other_url}{path}"}

    with served() as (other_url, other), served(mangle=elsewhere) as (url, _):
        message = refusal(url)
    assert "redirects to another server" in message and other.requests == 0


def test_a_redirect_on_the_host_is_followed() -> None:
    def moved(path, status, record, headers):
        return (status, record, headers) if path.endswith("moved") else (307, {}, {"Location": f"{path}/moved"})

    with served(mangle=moved) as (url, engine):
        with Exchange(url) as exchange:
            assert exchange.get("/health") is None  # the path that it leads to is none of the server's
        assert engine.requests == 2


def test_redirects_in_a_circle_end() -> None:
    with served(mangle=lambda path, *rest: (307, {}, {"Location": path})) as (url, _):
        assert "more than 3 redirects" in refusal(url)


def test_a_server_that_drips_is_given_up() -> None:
    """Each piece comes in time and the answer does not: the limit is that of the request."""
    with served(pause=0.05) as (url, _):
        begin = time.monotonic()
        assert "--timeout" in refusal(url, seconds=0.2)
    assert time.monotonic() - begin < 30


def test_an_audit_with_a_time_limit_waits_no_longer_for_a_busy_server() -> None:
    with served(is_busy=10**6) as (url, _):
        begin = time.monotonic()
        assert "busy (status 503)" in refusal(url, time_limit=0.2)
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_waited_for(status) -> None:
    pauses = []
    with served(is_busy=3, busy_status=status) as (url, _), Exchange(url, sleep=pauses.append) as exchange:
        assert exchange.get("/health") == {"status": "ok"}
    assert pauses == [0.01] * 3


def test_a_server_that_stays_busy_is_given_up() -> None:
    with (
        served(is_busy=10**6) as (url, _),
        Exchange(url, patience=Patience(0.05), sleep=lambda seconds: None) as exchange,
        pytest.raises(EndpointError, match=r"busy \(status 503\).*--in-flight 1"),
    ):
        exchange.get("/health")


def test_a_server_that_asks_to_wait_is_waited_for_as_told_and_it_is_said(capsys) -> None:
    words = ["--reference", "self", "--tokens", "40", "--texts", "1", "--option-answers", "0", "--tv-limit", "0.9"]
    with served(is_busy=2, busy_status=429, retry_after="1") as (url, _):
        begin = time.monotonic()
        assert cli.main(["audit", url, *words]) == 0
    assert time.monotonic() - begin >= 2
    captured = capsys.readouterr()
    assert captured.out.startswith("same law")
    assert captured.err.splitlines()[0] == f"simspec: {url}: busy (status 429); it asks to wait 1 s"


def test_a_server_that_asks_to_wait_longer_than_there_is_time_has_no_verdict(capsys, tmp_path) -> None:
    """Nothing is waited for in vain; the rounds that were asked for are named where they are stored."""
    words = ["--reference", "self", "--tokens", "40", "--texts", "1", "--option-answers", "0", "--tv-limit", "0.9"]
    with served(is_busy=10**6, busy_status=429, retry_after="60") as (url, engine):
        assert cli.main(["audit", url, *words, "--within", "20"]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert re.fullmatch(
            rf"simspec: error: no verdict: {url}/v1/models: busy \(status 429\) for 0 s; it asks to wait 60 s, and [\d.]+ s are "
            r"left of --within 20; expected an answer: raise it, .*--in-flight 1\)\n",
            captured.err,
        )
        assert cli.main(["audit", url, *words, "--patience", "30"]) == 2
        assert "30 s are left of --patience 30" in capsys.readouterr().err
        assert cli.main(["audit", url, *words, "--patience", "nan"]) == 2
        assert "--patience: nan; expected" in capsys.readouterr().err
        engine.is_busy = 0
        path = tmp_path / "journal"

        def busy_once_a_round_is_stored(path_of_url, status, record, headers):
            is_late = path.exists() and len(path.read_bytes().splitlines()) > 2
            return (429, {}, {"Retry-After": "600"}) if is_late else (status, record, headers)

        engine.mangle = busy_once_a_round_is_stored
        assert cli.main(["audit", url, *words, "--resume", str(path)]) == 2
        assert f"rounds so far are stored in {path}: the same command goes on" in capsys.readouterr().err
        engine.mangle = None
        assert cli.main(["audit", url, *words, "--resume", str(path)]) == 0


def test_a_server_may_name_a_date_to_wait_for() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert told_pause(date) == pytest.approx(30, abs=5)


ANSWERS = {
    "a page in place of JSON": (lambda record: b"<html>hello</html>", "no JSON"),
    "cut JSON": (lambda record: json.dumps(record).encode()[:-5], "no JSON"),
    "deep JSON": (lambda record: b"[" * 100_000, "no JSON"),
    "no choices": (lambda record: {**record, "choices": []}, "no choices"),
    "a list": (lambda record: [1], "choices"),
    "no ids": (lambda record: changed(record, token_ids=None, logprobs=None), "no token ids"),
    "ids that are none": (lambda record: changed(record, token_ids=[1.5]), "expected ids"),
    "an end that is not sent": (
        lambda record: changed(record, finish_reason="stop", token_ids=record["choices"][0]["token_ids"][:-1]),
        "the token that ends a text",
    ),
    "no log-probabilities at all": (
        lambda record: changed(record, prompt_logprobs=None, logprobs=None),
        "without log-probabilities",
    ),
    "fewer than k": (
        lambda record: changed(record, prompt_logprobs=[None] + [{"1": {"logprob": -1.0}}] * 99),
        "expected 5: take a smaller --top",
    ),
    "a log-probability above 0": (
        lambda record: changed(record, prompt_logprobs=[None] + [{str(t): {"logprob": 0.5} for t in range(5)}] * 99),
        "at most 0",
    ),
    "NaN": (
        lambda record: changed(
            record, prompt_logprobs=[None] + [{str(t): {"logprob": float("nan")} for t in range(5)}] * 99
        ),
        "log-probability",
    ),
}


def changed(record, **fields):
    """A completion whose choices have other fields."""
    return {**record, "choices": [{**choice, **fields} for choice in record["choices"]]}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_of_another_form_are_no_verdict(name) -> None:
    change, words = ANSWERS[name]

    def mangle(path, status, record, headers):
        is_probe = isinstance(record, dict) and record.get("usage", {}).get("prompt_tokens") == 1
        return status, change(record) if path == "/v1/completions" and not is_probe else record, headers

    with served(mangle=mangle) as (url, _):
        assert words in refusal(url)


def test_chat_only_is_said() -> None:
    def chat_only(path, status, record, headers):
        return (404, {}, {}) if path == "/v1/completions" else (status, record, headers)

    with served(mangle=chat_only) as (url, _):
        assert "not only chat" in refusal(url)


def test_another_tokenizer_is_refused() -> None:
    def other_ids(path, status, record, headers):
        return status, {"tokens": [1, 2]} if path == "/tokenize" else record, headers

    with served() as (url, _), served(mangle=other_ids) as (reference, _):
        assert "its tokenizer is another" in refusal(url, reference)


def test_a_model_that_changes_meanwhile_is_no_verdict() -> None:
    with served() as (url, engine):

        def deploy(path, status, record, headers):
            if engine.requests > 12 and engine.target.seed == 0:
                engine.target = Net(1)
            return status, record, headers

        engine.mangle = deploy
        assert "one model for the whole run" in refusal(url)


def test_a_server_that_dies_is_no_verdict() -> None:
    with served() as (url, engine):

        def die(path, status, record, headers):
            if engine.requests > 12:
                raise ConnectionAbortedError
            return status, record, headers

        engine.mangle = die
        assert "is it up" in refusal(url)


def test_a_model_that_is_not_there() -> None:
    with served() as (url, _):
        assert "--model: large is not at" in refusal(url, model="large")


HOSTILE = [
    "\x1b]0;title\x07",
    "\x1b[2J",
    "</script><script>alert(1)</script>",
    "\u202eevil",
    "[bold red]x[/]",
    "\r\nSet: 1",
    "a'; rm -rf ~",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_inert(name) -> None:
    """In words, in XML and in the command to paste; in errors `refusal` checks it."""
    from xml.etree import ElementTree

    with served(name=name) as (url, _):
        report = audit_url(url, "self", SMALL)
        with Exchange(url) as exchange:
            command = engine_of(exchange).curl(Question((1,), 0, 1))
    for text in (report.words(), command):
        assert all(character.isprintable() or character == "\n" for character in text)
    assert "<script>" not in report.junit() and "\x1b" not in report.junit()
    assert ElementTree.fromstring(report.junit()).tag == "testsuites"
    assert json.loads(shlex.split(command)[-1])["model"] == name


def test_escapes_leave_nothing_live() -> None:
    """Every character of the first two planes, alone: what is shown is printable, and says what it was."""
    shown = [escaped(chr(number)) for number in range(0x20000) if not 0xD800 <= number < 0xE000]
    assert all(text.isprintable() for text in shown)
    assert len({*shown}) == len(shown)


def test_tgi_is_known_by_its_router_and_is_no_reference() -> None:
    """It names the model itself as its owner; `/info` names the router; texts are tokenized there, and not scored."""

    def as_tgi(path, status, record, headers):
        records = {
            "/v1/models": {"data": [{"id": "m", "owned_by": "m"}]},
            "/info": {"model_id": "m", "router": "text-generation-router", "version": "3.3"},
            "/tokenize": [{"id": 5, "text": "a", "start": 0, "stop": 1}],
        }
        return (200, records[path], headers) if path in records else (status, record, headers)

    with served(mangle=as_tgi) as (url, _), Exchange(url) as exchange:
        engine = engine_of(exchange)
        assert (engine.name, engine.model, engine.tokens_of("a")) == ("TGI", "m", (5,))
        assert '"inputs": "a"' in engine.curl(Question((5,), 0, 1)).replace('\\"', '"')
        with pytest.raises(EndpointError, match="cannot be the reference; expected another one: --reference PATH"):
            engine.score((5,), (5,), 2)

    def other_router(path, status, record, headers):
        return as_tgi(path, status, record, headers) if path == "/v1/models" else (status, record, headers)

    with served(mangle=other_router) as (url, _), Exchange(url) as exchange:
        assert engine_of(exchange).name != "TGI"


def _after(requests: int, change):
    """What `mangle` does once so many requests were answered."""
    numbers = iter(range(10**6))
    return lambda path, *answer: change(path, *answer) if next(numbers) >= requests else answer


def _died(*answer):
    raise ConnectionAbortedError


WRONG = {
    "a key is wanted": ({"key": KEY}, "SIMSPEC_API_KEY"),
    "only chat": ({"mangle": lambda path, *a: (404, {}, {}) if path == "/v1/completions" else a}, "not only chat"),
    "it dies": ({"mangle": _after(12, _died)}, "is it up"),
    "cut JSON": ({"mangle": _after(8, lambda path, status, record, h: (200, b"{", h))}, "expected"),
    "a redirect": (
        {"mangle": lambda *a: (307, {}, {"Location": "http://127.0.0.2:9/"})},
        "redirects to another server",
    ),
    "errors": ({"mangle": _after(8, lambda *a: (500, {"error": "x"}, {}))}, "status 500"),
    "no log-probabilities": (
        {
            "mangle": lambda path, status, record, headers: (
                status,
                changed(record, prompt_logprobs=None, logprobs=None) if path == "/v1/completions" else record,
                headers,
            )
        },
        "without log-probabilities",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_goes_wrong_ends_the_command_with_status_2(name, monkeypatch, tmp_path, capsys) -> None:
    """A line with cause and cure on stderr, no verdict on stdout, and no report that says one."""
    settings, words = WRONG[name]
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    report = tmp_path / "report.json"
    junit = tmp_path / "report.xml"
    for path in (report, junit):
        path.write_text("same law: the report of an earlier audit")
    words_of_reports = ["--json", str(report), "--junit", str(junit)]
    with served(**settings) as (url, _):
        status = cli.main(
            ["audit", url, "--reference", "self", "--tokens", "40", "--option-answers", "0", *words_of_reports]
        )
    printed = capsys.readouterr()
    assert status == 2 and printed.out == ""
    assert words in printed.err and "expected" in printed.err
    assert json.loads(report.read_text())["verdict"] is None
    assert ElementTree.parse(junit).getroot()[0].get("errors") == "1"
