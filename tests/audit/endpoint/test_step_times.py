"""Times of steps of an engine: by hand from its answers, at batch sizes, and what is refused."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.records import EndpointError
from simspec.audit.endpoint.step_times import endpoint_steps, request_time
from simspec.cli import main
from tests.requirements import require


def timings(tokens: int, ms: float, drafted: int = 0, accepted: int = 0) -> dict[str, object]:
    return {"timings": {"predicted_n": tokens, "predicted_ms": ms, "draft_n": drafted, "draft_n_accepted": accepted}}


def test_steps_by_hand() -> None:
    """40 tokens, of which the first is the prompt's and 12 are accepted drafts: 27 steps."""
    assert request_time(timings(40, 540.0, 78, 12)) == (27, 20.0, 78 / 27)
    assert request_time(timings(11, 50.0)) == (10, 5.0, 0)
    assert request_time({"timings": {"predicted_n": 11, "predicted_ms": 50}}) == (10, 5.0, 0)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({}, "states no times of its request"),
        (
            {"usage": {"completion_tokens": 3}},
            "expected llama.cpp's server, or the times of another engine as a CSV file",
        ),
        ([], "states no times"),
        (timings(5, 50.0, 6, 4), "5 tokens in 50 ms, 4 of 6 drafts accepted; expected at least two tokens"),
        (timings(11, 50.0, 3, 4), "4 of 3 drafts accepted"),
        (timings(11, -1.0), "tokens in -1 ms"),
        (timings(11, float("nan")), "tokens in nan ms"),
        ({"timings": {"predicted_n": 11, "predicted_ms": "\x1b[31m"}}, "predicted_ms is .*; expected a int or float"),
    ],
)
def test_answers_without_times_are_refused(record, message) -> None:
    with pytest.raises(EndpointError, match=message):
        request_time(record)


class Server(ThreadingHTTPServer):
    """Answers as llama.cpp does, with steps that take longer the more requests there are at once."""

    drafts = 0
    slots = 0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.running = 0
        self.together = threading.Barrier(1)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Server)
        self._answer({"total_slots": self.server.slots} if self.server.slots else {})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, Server)
        size = self.server.together.parties
        self.server.together.wait(10)  # a batch is answered once all of it is there
        drafts = self.server.drafts
        answer = timings(31 + 10 * bool(drafts), 30 * (10.0 + size * drafts), 30 * drafts, 10 * bool(drafts))
        self._answer(answer)

    def _answer(self, answer: dict[str, object]) -> None:
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        return


@contextmanager
def serving(drafts: int) -> Iterator[Server]:
    server = Server()
    server.drafts = drafts
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("drafts", [0, 4])
def test_batches_of_a_server(batch, drafts) -> None:
    """Requests of a batch are there at once, or the server would wait in vain; the batch that warms up does not count."""
    require("httpx")
    with serving(drafts) as server, Exchange(server.url) as exchange:
        server.together = threading.Barrier(batch)
        rows = endpoint_steps(exchange, [batch], repetitions=2)
    assert rows == [(batch, 1 + drafts, 10.0 + batch * drafts, None)] * 2


def test_every_batch_is_counted_once() -> None:
    """The batches that warm up are batches too: the last number is the total."""
    require("httpx")
    counted = []
    with serving(0) as server, Exchange(server.url) as exchange:
        endpoint_steps(exchange, [1, 1], repetitions=2, progress=lambda *numbers: counted.append(numbers))
    assert counted == [(number, 6) for number in range(1, 7)]


@pytest.mark.parametrize(("limit", "repetitions"), [(20.0, 1), (35.0, 2), (1000.0, 6)])
def test_the_time_limit_ends_after_whole_rounds(limit, repetitions) -> None:
    """The clock advances by 10 s between two looks, once a round."""
    require("httpx")
    seconds = iter(range(0, 1000, 10))
    with serving(0) as server, Exchange(server.url) as exchange:
        rows = endpoint_steps(exchange, [1, 1], time_limit=limit, clock=lambda: float(next(seconds)))
    assert len(rows) == 2 * repetitions


def test_a_limit_that_leaves_no_round_is_refused() -> None:
    require("httpx")
    seconds = iter(range(0, 1000, 10))
    error = pytest.raises(EndpointError, match="two are needed; expected a larger --within, or fewer and smaller")
    with serving(0) as server, Exchange(server.url) as exchange, error:
        endpoint_steps(exchange, [1], time_limit=15.0, clock=lambda: float(next(seconds)))


def test_a_batch_that_the_server_would_split_is_refused() -> None:
    """Four slots decode sixteen requests in four turns, and each request states the time of its own turn only."""
    require("httpx")
    with serving(0) as server, Exchange(server.url) as exchange:
        server.slots = 4
        with pytest.raises(
            EndpointError, match=r"16 requests at once, and .* decodes 4; expected at most 4.*--parallel 16"
        ):
            endpoint_steps(exchange, [1, 16])


def test_the_command(tmp_path, capsys) -> None:
    """Steps of 10 ms alone and of 14 with four drafts, of which all laws accept seven in ten: 2.7731 / 1.4."""
    require("httpx")
    laws = tmp_path / "laws.npz"
    np.savez(laws, p=np.tile([0.7, 0.3, 0.0], (6, 1)), q=np.tile([0.7, 0.0, 0.3], (6, 1)))
    steps = tmp_path / "steps.csv"
    start = ["advise", str(laws), "--rule", "sd", "--top-p", "1", "--gamma", "4"]
    with serving(0) as alone, serving(4) as drafting:
        words = [*start, "--endpoint", drafting.url, "--endpoint-alone", alone.url, "--batches", "1"]
        assert main([*words, "--save-steps", str(steps)]) == 0
    out = capsys.readouterr().out
    assert "With sd: draft 4 tokens at batch 1." in out and "1.98 times the target's speed" in out
    assert steps.read_text().splitlines()[-1] == "1,5,14,"
    assert (
        "SGLang does not implement sd" in out
        and "sd with 4 draft tokens runs in transformers, vLLM and llama.cpp" in out
    )
    assert main([*start, "--steps", str(steps), "--cost", "0"]) == 0
    assert "With sd: draft 4 tokens at batch 1." in capsys.readouterr().out
    for wrong, message in (
        (words[:-4], "--endpoint: expected --endpoint URL, --endpoint-alone URL and --batches"),
        ([*words, "--cost", "0.1"], "--endpoint: it measures the time of steps"),
        ([*start, "--within", "5"], "--within: 5; expected seconds, more than 0, with --endpoint URL"),
        ([*words, "--within", "nan"], "--within: nan; expected seconds"),
        (["advise", "http://127.0.0.1:1", "--batches", "1"], "is the URL of a server"),
        (["advise", str(laws), "--endpoint", "ftp://x", "--endpoint-alone", "ftp://x", "--batches", "1"], "URL: "),
    ):
        assert main(wrong) == 2
        assert message in capsys.readouterr().err
