"""Words of a command that cannot be heeded are refused, with what to write instead; nothing is passed over in silence."""

from __future__ import annotations

import numpy as np
import pytest

from simspec import cli
from simspec.audit.endpoint.exchange import Exchange, checked_url
from simspec.audit.endpoint.log_books import reconciled
from simspec.audit.endpoint.records import EndpointError
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

SELF = ["--reference", "self"]
SMALL = [*SELF, "--tokens", "400", "--texts", "2", "--option-answers", "0", "--tv-limit", "0.9"]
NOBODY = "http://127.0.0.1:9"
REFUSED = {
    "a folder to resume from": ([NOBODY, *SELF, "--resume", "{folder}"], "--resume: '{folder}' is a folder"),
    "no folder to resume in": ([NOBODY, *SELF, "--resume", "{folder}/a/b"], "the folder does not exist"),
    "a log without books": ([NOBODY, *SELF, "--log", "x", "--no-books"], "--log: given with --no-books"),
    "options of a server's defaults": (
        [NOBODY, *SELF, "--server-defaults", "--option-answers", "4"],
        "--option-answers: 4 with --server-defaults",
    ),
    "processed log-probabilities of a server's defaults": (
        [NOBODY, *SELF, "--server-defaults", "--processed-logprobs"],
        "--processed-logprobs: given with --server-defaults",
    ),
    "an engine without a scheme": (["127.0.0.1:8000", *SELF], "SAMPLER: write http://127.0.0.1:8000"),
    "a reference without a scheme": (
        ["{url}", "--reference", "localhost:8001"],
        "off: write http://localhost:8001",
    ),
    "a reference of another name": (["{url}", "--reference", "sefl"], "a .gguf file, self or off"),
    "the path of an API": (["http://127.0.0.1:9/v1/completions", *SELF], "of an API: write http://127.0.0.1:9"),
    "two reports that are printed": ([NOBODY, *SELF, "--json", "-", "--junit", "-"], "--json -, --junit -: both"),
    "two reports of a function": (["rrs:2", "--json", "-", "--markdown", "-"], "--json -, --markdown -: both"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_heeded_is_refused(name, tmp_path, capsys) -> None:
    words, message = REFUSED[name]
    with served() as (url, _):
        assert cli.main(["audit", *(word.format(folder=tmp_path, url=url) for word in words)]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and "expected" in captured.err
    assert message.format(folder=tmp_path) in captured.err


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
def test_a_scheme_in_capitals_is_one(path) -> None:
    assert checked_url(f"HTTP://127.0.0.1:9{path}") == "http://127.0.0.1:9"
    with served() as (url, _):
        assert cli.main(["audit", url.replace("http", "HTTP"), *SMALL]) == 0


def test_a_missing_tokenizer_is_not_taken_for_chat() -> None:
    def without_tokenizer(path, *answer):
        return (404, {}, {}) if path == "/tokenize" else answer

    with (
        served(mangle=without_tokenizer) as (url, _),
        Exchange(url) as exchange,
        pytest.raises(EndpointError, match="the token ids of a text: a gateway"),
    ):
        exchange.post("/tokenize", {})


@pytest.mark.parametrize(
    "reason",
    [
        "the request exceeds the available context size (512 tokens), try increasing it",
        "This model's maximum context length is 2048 tokens.",
        "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000",
    ],
)
def test_a_prompt_that_does_not_fit_has_its_cure(reason) -> None:
    with (
        served(mangle=lambda *answer: (400, {"error": {"message": reason}}, {})) as (url, _),
        Exchange(url) as exchange,
        pytest.raises(EndpointError, match="lower --context"),
    ):
        exchange.post("/completion", {})


@pytest.mark.parametrize("failing", [(502, {"error": "bad gateway"}, {}), (200, b"{", {})])
def test_after_a_fault_of_the_server_the_same_command_goes_on(failing, tmp_path, capsys) -> None:
    numbers = iter(range(10**6))
    path = tmp_path / "journal"

    def fails_once(path_of_url, *answer):
        return failing if path_of_url == "/v1/completions" and next(numbers) == 60 else answer

    with served(mangle=fails_once) as (url, _):
        assert cli.main(["audit", url, *SMALL, "--resume", str(path)]) == 2
        assert f"rounds so far are stored in {path}: the same command goes on from there" in capsys.readouterr().err
        assert cli.main(["audit", url, *SMALL, "--resume", str(path)]) == 0


def test_a_log_that_did_not_grow_is_said() -> None:
    (note,) = reconciled("\n", [], {}).notes
    assert "nothing was added to it" in note


def test_an_array_that_is_not_there_is_named(tmp_path, capsys) -> None:
    there = tmp_path / "a.npy"
    np.save(there, np.zeros((2, 3)))
    assert cli.main(["numerics", str(there), str(tmp_path / "nope.npy")]) == 2
    message = capsys.readouterr().err
    assert "nope.npy': No such file or directory; expected a .npy file" in message and "Errno" not in message
