"""Keys of servers: what cannot be one is refused by the name of its variable, and no server gets one printed or stored."""

from __future__ import annotations

import json

import pytest

from simspec import cli
from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.keys import KEY_VARIABLE, Key
from simspec.audit.endpoint.records import EndpointError
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

SECRET = 'sk-a/key+that"nobody-may-see'
SMALL = ["--reference", "self", "--tokens", "40", "--texts", "1", "--option-answers", "0", "--tv-limit", "0.9"]


def no_secret(text: str) -> bool:
    """Whether neither the key nor the beginning of it stands in a text."""
    return "sk-a" not in text and "nobody-may-see" not in text


@pytest.mark.parametrize("around", ["{}\n", " {}", "\t{}\r\n"])
def test_white_space_around_a_key_is_no_part_of_it(around, monkeypatch, capsys) -> None:
    monkeypatch.setenv(KEY_VARIABLE, around.format(SECRET))
    with served(key=SECRET) as (url, engine):
        assert cli.main(["audit", url, *SMALL]) == 0
    assert engine.keys == {f"Bearer {SECRET}"}
    assert no_secret(capsys.readouterr().err)


@pytest.mark.parametrize("value", ["sk-a\nb", "sk-a\x1bb", "sk-aé", "sk-a\u2028b", "sk-a\udcffb"])
def test_what_no_header_holds_is_refused_by_the_name_of_its_variable(value, monkeypatch, capsys) -> None:
    monkeypatch.setenv(KEY_VARIABLE, value)
    with served() as (url, engine):
        assert cli.main(["audit", url, *SMALL]) == 2
    captured = capsys.readouterr().err
    assert f"{KEY_VARIABLE}: it holds characters" in captured and "printable ASCII" in captured
    assert no_secret(captured) and engine.requests == 0


BODIES = {
    "a refusal": (400, {"error": f"bad header Authorization: Bearer {SECRET}"}),
    "a refusal that is cut off within the key": (500, "x" * 190 + SECRET),
    "no JSON": (200, f"<p>{SECRET}</p>"),
    "no JSON that is cut off within the key": (200, "x" * 50 + SECRET),
    "escaped slashes": (400, json.dumps({"error": SECRET}).replace("/", "\\/")),
    "a field of another kind": (200, {"tokens": SECRET}),
    "a redirect": (307, {}),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_server_that_says_the_key_is_quoted_without_it(name, monkeypatch, capsys) -> None:
    status, body = BODIES[name]

    def says_the_key(path, *answer):
        return (status, body, {"Location": f"http://127.0.0.2:9/{SECRET}"}) if path == "/tokenize" else answer

    monkeypatch.setenv(KEY_VARIABLE, SECRET)
    with served(key=SECRET, mangle=says_the_key) as (url, _):
        assert cli.main(["audit", url, *SMALL]) == 2
    captured = capsys.readouterr()
    assert f"${KEY_VARIABLE}" in captured.err or "cut off" in name
    assert no_secret(captured.err + captured.out)


def test_a_key_in_an_answer_or_in_the_name_of_a_model_is_not_stored(monkeypatch, capsys, tmp_path) -> None:
    def says_the_key(path, status, record, headers):
        if path == "/v1/completions":
            record["choices"] = [{**choice, "text": SECRET, "finish_reason": SECRET} for choice in record["choices"]]
        return status, record, headers

    files = [tmp_path / name for name in ("journal", "report.json", "report.xml")]
    monkeypatch.setenv(KEY_VARIABLE, SECRET)
    words = [word for pair in zip(["--resume", "--json", "--junit"], map(str, files), strict=True) for word in pair]
    with served(key=SECRET, name=f"a-{SECRET}", mangle=says_the_key) as (url, _):
        cli.main(["audit", url, *SMALL, *words])
    captured = capsys.readouterr()
    assert no_secret(captured.out + captured.err + "".join(path.read_text(encoding="utf-8") for path in files))
    assert f"${KEY_VARIABLE}" in files[0].read_text(encoding="utf-8")


def test_a_placeholder_for_a_key_is_masked_in_messages_and_changes_no_name(monkeypatch) -> None:
    """A server without keys is often given EMPTY, or a single letter: models and tokens keep their names."""
    monkeypatch.setenv(KEY_VARIABLE, "small")
    assert Key(KEY_VARIABLE).masked_record({"small": ["small"]}) == {"small": ["small"]}

    def refuses(path, *answer):
        return (400, "small", {}) if path == "/x" else answer

    with served(mangle=refuses) as (url, _), Exchange(url) as exchange:
        assert exchange.get("/v1/models")["data"][0]["id"] == "small"
        with pytest.raises(EndpointError, match=rf"status 400: \${KEY_VARIABLE};"):
            exchange.post("/x", {})
