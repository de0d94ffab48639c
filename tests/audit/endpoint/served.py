"""An engine in this process, over a real socket: vLLM's completions, llama.cpp's own API, or TGI's, decoded by `speculating`.

with served(fault="stale row") as url: ...
"""

from __future__ import annotations

import json
import queue
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from tests.audit.endpoint.net import VOCAB, Cache, Net, softmax
from tests.audit.endpoint.speculating import (
    FAULTS,
    GAMMA,
    UNDER_OPTIONS,
    UNDER_STOPS,
    WRONG_COUNTS,
    Running,
    Sampling,
    begin,
    decode,
    processed,
    words,
)

GATHERING = 0.004
"""Seconds for which a batch waits for company."""
LARGEST_BATCH = 8
SPECIAL = 1
"""The token that TGI puts before every text."""


@dataclass
class Served:
    """What a server is to do.

    Attributes
    ----------
    fault : a name of `FAULTS` or `WRONG_COUNTS`, or ""
    style : "vllm", "llamacpp" or "tgi": which API the server speaks
    key : the key that it wants, "" for none
    name : of the model
    knows_copies, knows_n_max : llama.cpp's API only; builds that do not know a field pass over it
    log : file to which a line is written for each request that drafted, as llama.cpp does
    mangle : called with path and JSON before an answer is sent; what it returns is sent instead
    """

    fault: str = ""
    style: str = "vllm"
    key: str = ""
    name: str = "small"
    seed: int = 0
    rounding: float = 0.0
    noise: float = 0.0  # 0.25: the model that drafts for the others
    mangle: Any = None
    knows_copies: bool = True
    knows_n_max: bool = False
    knows_post_sampling: bool = True
    scoring: str = "prompt_logprobs"  # vLLM's API: or "echo", or "" for neither, which is passed over, or "refused"
    states_processed: bool = False  # vLLM's API: log-probabilities are those under the options
    narrow_top_p: bool = False
    gathering: float = GATHERING
    clips: bool = False  # drafts end where max_tokens does
    log: Path | None = None
    is_busy: int = 0  # answers of `busy_status` before the first other one
    busy_status: int = 503
    retry_after: str = "0.01"  # the header of those answers
    pause: float = 0.0  # seconds between the pieces of an answer, of 16 bytes each
    emitted: int = 0
    drafted: int = 0
    accepted: int = 0
    keys: set[str] = field(default_factory=set)
    requests: int = 0
    jobs: queue.Queue = field(default_factory=queue.Queue)

    def __post_init__(self) -> None:
        assert not self.fault or self.fault in FAULTS | WRONG_COUNTS | UNDER_STOPS | UNDER_OPTIONS
        self.target = Net(self.seed, noise=self.noise, rounding=self.rounding)
        self.draft = Net(self.seed, noise=0.25)

    def work(self) -> None:
        """Take requests that are there together as a batch, until None comes."""
        while (job := self.jobs.get()) is not None:
            batch = [job]
            end = time.monotonic() + self.gathering
            while len(batch) < LARGEST_BATCH and (wait := end - time.monotonic()) > 0:
                try:
                    further = self.jobs.get(timeout=wait)
                except queue.Empty:
                    break
                if further is None:
                    self.jobs.put(None)
                    break
                batch.append(further)
            decode(self.target, self.draft, [running for group, _ in batch for running in group])
            for _, done in batch:
                done.set()

    def run(self, samplings: list[Sampling]) -> list[Running]:
        """Texts of one request, written together with those of others."""
        group = [begin(sampling) for sampling in samplings]
        done = threading.Event()
        self.jobs.put((group, done))
        done.wait()
        for running in group:
            self.emitted += len(running.tokens)
            self.drafted += running.drafted
            self.accepted += running.accepted
            if self.log is not None and running.drafted:
                self.write_line(running)
        return group

    def write_line(self, running: Running) -> None:
        """llama.cpp's line of a request that drafted."""
        accepted = running.accepted + (running.sampling.fault == "wrong log")
        with self.log.open("a") as file:
            file.write(
                f"slot print_timing: id 0 | task {self.requests} | draft acceptance = {accepted / running.drafted:.5f} "
                f"({accepted:5d} accepted / {running.drafted:5d} generated), mean len = {1 + accepted / running.steps:5.2f}\n"
            )

    def score(self, tokens: list[int]) -> np.ndarray:
        """Log-probabilities after each token."""
        return np.log(softmax(self.target.rows(tokens, Cache(), 0)))

    def processed_laws(self, running: Running) -> list[np.ndarray]:
        """The law under a request's options at each token of its answer."""
        laws = []
        for place in range(len(running.tokens)):
            emitted = running.tokens[:place]
            logits = self.target.rows(running.sampling.prompt + emitted, Cache(), 0)[-1]
            laws.append(processed(logits, emitted, running.sampling))
        return laws

    def sampling(self, body: dict[str, Any], copy: int = 0) -> Sampling:
        """What the body of a request wants."""
        stop = body.get("stop") or ()
        fault = body.get("fault", self.fault)
        return Sampling(
            prompt=[*body["prompt"]],
            seed=int(body.get("seed", 0)) + (0 if fault == "copies share a seed" else copy),
            max_tokens=body.get("max_tokens", body.get("n_predict", 16)),
            temperature=body.get("temperature", 0.8 if self.style == "llamacpp" else 1.0),
            top_k=max(body.get("top_k", 0), 0),
            top_p=body.get("top_p", 1.0),
            min_p=body.get("min_p", 0.05 if self.style == "llamacpp" else 0.0),
            presence_penalty=body.get("presence_penalty", 0.0),
            frequency_penalty=body.get("frequency_penalty", 0.0),
            stop=(stop,) if isinstance(stop, str) else tuple(stop),
            top=body.get("logprobs") or body.get("n_probs") or 0,
            fault=fault,
            gamma=self.gamma(body),
            clips=self.clips,
            narrow_top_p=self.narrow_top_p,
            penalises_prompt=self.style == "llamacpp",
        )

    def gamma(self, body: dict[str, Any]) -> int:
        """Drafts of a step: llama.cpp drafts none for a single token, and none where a field says so that it knows."""
        is_off = body.get("n_predict") == 1 or (self.knows_n_max and body.get("speculative.n_max") == 0)
        return 0 if self.style == "llamacpp" and is_off else GAMMA

    def completions(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """vLLM's `/v1/completions`."""
        if self.scoring == "refused" and {"prompt_logprobs", "echo"} & set(body):
            return 400, {"error": "extra fields not permitted"}
        group = self.run([self.sampling(body, copy) for copy in range(body.get("n", 1))])
        for running in group:
            if self.states_processed and running.sampling.top:
                _state_processed(running, self.processed_laws(running))
        choices = [_choice(index, running) for index, running in enumerate(group)]
        emitted = sum(len(running.tokens) for running in group)
        if group[0].sampling.fault == "wrong usage":
            emitted += sum(running.accepted for running in group)
        if self.scoring == "echo" and body.get("echo"):
            _put_before(choices[0], body["prompt"], self.score(body["prompt"]), body.get("logprobs", 0))
        if self.scoring == "prompt_logprobs" and (top := body.get("prompt_logprobs")) is not None:
            rows = self.score(body["prompt"])
            entries: list[Any] = [None]
            for row, token in zip(rows[:-1], body["prompt"][1:], strict=True):
                listed = {*np.argsort(-row, kind="stable")[:top].tolist(), token}
                entries.append({str(t): {"logprob": float(row[t]), "decoded_token": f" w{t}"} for t in listed})
            choices[0]["prompt_logprobs"] = entries
        usage = {"prompt_tokens": len(body["prompt"]), "completion_tokens": emitted}
        record = {"id": "cmpl-1", "object": "text_completion", "model": self.name, "choices": choices, "usage": usage}
        return 200, record

    def completion(self, body: dict[str, Any]) -> dict[str, Any] | list[dict[str, Any]]:
        """llama.cpp's `/completion`: a list where several answers are wanted."""
        copies = body.get("n", 1) if self.knows_copies else 1
        group = self.run([self.sampling(body, copy) for copy in range(copies)])
        records = [self._record(body, running) for running in group]
        return records if copies > 1 else records[0]

    def _record(self, body: dict[str, Any], running: Running) -> dict[str, Any]:
        """One answer of llama.cpp."""
        predicted = len(running.tokens) + (running.accepted if running.sampling.fault == "wrong usage" else 0)
        record = {
            "content": written(running),
            "tokens": running.tokens,
            "stop_type": "limit" if running.finish == "length" else "word",
            "tokens_predicted": predicted,
            "tokens_evaluated": len(body["prompt"]),
            "timings": {"draft_n": running.drafted, "draft_n_accepted": running.accepted},
        }
        if running.sampling.top:
            record["completion_probabilities"] = [
                {"id": token, "logprob": logprob, "top_logprobs": [{"id": t, "logprob": v} for t, v in best.items()]}
                for token, logprob, best in zip(running.tokens, running.logprobs, running.alternatives, strict=True)
            ]
        if running.sampling.top and self.knows_post_sampling and body.get("post_sampling_probs"):
            record["completion_probabilities"] = [
                {
                    "id": token,
                    "prob": float(law[token]),
                    "top_probs": [{"id": int(t), "prob": float(law[t])} for t in _best(law, running.sampling.top)],
                }
                for token, law in zip(running.tokens, self.processed_laws(running), strict=True)
            ]
        return record

    def generate(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """TGI's `/generate`: a text behind a special token, and no option at the value that does nothing."""
        parameters = body["parameters"]
        is_neutral = (
            parameters.get("top_k", 1) < 1
            or not 0 < parameters.get("top_p", 0.5) < 1
            or not parameters.get("temperature", 1.0) > 0
        )
        if is_neutral or (parameters["do_sample"] is False and "seed" in parameters):
            return 422, {"error": "Input validation error", "error_type": "validation"}
        options = {name: parameters[name] for name in ("top_k", "top_p", "seed", "stop") if name in parameters}
        fields = {
            "prompt": [SPECIAL, *word_ids(body["inputs"])],
            "max_tokens": parameters["max_new_tokens"],
            "temperature": parameters.get("temperature", 1.0) if parameters["do_sample"] else 0.0,
            "logprobs": parameters.get("top_n_tokens", 0),
            **options,
        }
        (running,) = self.run([self.sampling(fields)])
        text = written(running)
        stops = [stop for stop in running.sampling.stop if words(running.tokens)[len(text) :].startswith(stop)]
        details: dict[str, Any] = {
            "finish_reason": {"length": "length", "stop": "stop_sequence"}[running.finish],
            "generated_tokens": len(running.tokens),
            "prefill": [],
            "seed": parameters.get("seed"),
            "tokens": [
                {"id": token, "text": words([token]), "logprob": logprob, "special": False}
                for token, logprob in zip(running.tokens, running.logprobs, strict=True)
            ],
        }
        if running.sampling.top:
            details["top_tokens"] = [
                [
                    {"id": token, "text": words([token]), "logprob": value, "special": False}
                    for token, value in best.items()
                ]
                for best in running.alternatives
            ]
        # its text ends with the stop string
        return 200, {"generated_text": text + "".join(stops[:1]), "details": details}

    def answer(self, path: str, body: dict[str, Any] | None) -> tuple[int, Any]:
        """Status and JSON, or text, of a request."""
        if path == "/health":
            return 200, {"status": "ok"}
        if path == "/v1/models":
            owner = self.name if self.style == "tgi" else self.style
            return 200, {"object": "list", "data": [{"id": self.name, "owned_by": owner}]}
        if self.style == "tgi":
            return self.answer_of_tgi(path, body)
        if path == "/metrics":
            engine, emitted = (
                ("llamacpp", "tokens_predicted") if self.style == "llamacpp" else ("vllm", "generation_tokens")
            )
            accepted = self.accepted + (self.accepted if self.fault == "wrong metrics" else 0)
            lines = [f"{engine}:{emitted}_total {self.emitted}"]
            lines += [f"{engine}:spec_decode_num_draft_tokens_total {self.drafted}"]
            lines += [f"{engine}:spec_decode_num_accepted_tokens_total {accepted}"]
            return 200, "# TYPE x counter\n" + "\n".join(lines) + "\n"
        if path == "/tokenize" and body is not None:
            return 200, {"tokens": word_ids(body.get("content", body.get("prompt", "")))}
        if path == "/detokenize" and body is not None:
            return 200, {"content" if self.style == "llamacpp" else "prompt": words(body["tokens"])}
        if path == "/v1/completions" and self.style == "vllm" and body is not None:
            return self.completions(body)
        if path == "/completion" and self.style == "llamacpp" and body is not None:
            return 200, self.completion(body)
        return 404, {"error": {"message": "not found"}}

    def answer_of_tgi(self, path: str, body: dict[str, Any] | None) -> tuple[int, Any]:
        """Status and JSON, or text, of a request to TGI."""
        if path == "/info":
            return 200, {"model_id": self.name, "router": "text-generation-router", "version": "3.3"}
        if path == "/metrics":
            return 200, f"tgi_request_generated_tokens_sum {self.emitted}\n"
        if path == "/tokenize" and body is not None:
            ids = [SPECIAL, *word_ids(body["inputs"])]
            return 200, [{"id": token, "text": "", "start": 0, "stop": 0} for token in ids]
        if path == "/generate" and body is not None:
            return self.generate(body)
        return 404, {"error": "not found"}


def word_ids(text: str) -> list[int]:
    """Token ids of a text, one a word."""
    return [zlib.crc32(word.encode()) % VOCAB for word in text.split()]


def written(running: Running) -> str:
    """The text of an answer: what stands before a stop string that ended it."""
    text = words(running.tokens)
    ends = [text.find(stop) for stop in running.sampling.stop if stop in text] if running.finish == "stop" else []
    return text[: min(ends)] if ends else text


def _best(law: np.ndarray, top: int) -> list[int]:
    """The most likely tokens, those without mass left out."""
    return [token for token in np.argsort(-law, kind="stable")[:top].tolist() if law[token] > 0]


def _state_processed(running: Running, laws: list[np.ndarray]) -> None:
    """Log-probabilities under the options, as vLLM states them with processed_logprobs; -9999 is what they leave out."""
    logs = [np.where(law > 0, np.log(np.maximum(law, 1e-300)), -9999.0) for law in laws]
    running.logprobs = [float(row[token]) for row, token in zip(logs, running.tokens, strict=True)]
    best = [np.argsort(-row, kind="stable")[: running.sampling.top].tolist() for row in logs]
    running.alternatives = [
        {token: float(row[token]) for token in tokens} for row, tokens in zip(logs, best, strict=True)
    ]


def _choice(index: int, running: Running) -> dict[str, Any]:
    """A choice of a completion."""
    choice: dict[str, Any] = {
        "index": index,
        "text": written(running),
        "token_ids": running.tokens,
        "finish_reason": running.finish,
        "stop_reason": next((stop for stop in running.sampling.stop if running.finish == "stop"), None),
        "logprobs": None,
    }
    if running.sampling.top:
        choice["logprobs"] = {
            "tokens": [f"token_id:{token}" for token in running.tokens],
            "token_logprobs": running.logprobs,
            "top_logprobs": [{f"token_id:{t}": v for t, v in best.items()} for best in running.alternatives],
        }
    return choice


def _put_before(choice: dict[str, Any], prompt: list[int], rows: np.ndarray, top: int) -> None:
    """The prompt before an answer, as `echo` asks for; besides the most likely tokens the prompt's own is listed."""
    choice["text"] = words(prompt) + choice["text"]
    logprobs = choice["logprobs"]
    alternatives: list[Any] = [None]
    for row, token in zip(rows[:-1], prompt[1:], strict=True):
        listed = {*np.argsort(-row, kind="stable")[:top].tolist(), token}
        alternatives.append({f"token_id:{t}": float(row[t]) for t in sorted(listed)})
    own = [None, *(float(row[token]) for row, token in zip(rows[:-1], prompt[1:], strict=True))]
    logprobs["tokens"] = [f"token_id:{token}" for token in prompt] + logprobs["tokens"]
    logprobs["token_logprobs"] = own + logprobs["token_logprobs"]
    logprobs["top_logprobs"] = alternatives + logprobs["top_logprobs"]


def _handler(engine: Served) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # else the body waits until the client has acknowledged the headers: 40 ms a request
        disable_nagle_algorithm = True

        def log_message(self, *words: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self.respond(None)

        def do_POST(self) -> None:
            self.respond(json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0)))))

        def respond(self, body: dict[str, Any] | None) -> None:
            engine.requests += 1
            key = self.headers.get("Authorization", "")
            engine.keys.add(key)
            headers = {}
            if engine.key and key != f"Bearer {engine.key}":
                status, record = 401, {"error": "no key"}
            elif engine.is_busy:
                engine.is_busy -= 1
                status, record = engine.busy_status, {"error": "busy"}
                headers["Retry-After"] = engine.retry_after
            else:
                status, record = engine.answer(self.path, body)
            if engine.mangle is not None:
                status, record, headers = engine.mangle(self.path, status, record, headers)
            content = record if isinstance(record, bytes) else None
            if content is None:
                content = (record if isinstance(record, str) else json.dumps(record)).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            for start in range(0, len(content), 16 if engine.pause else max(len(content), 1)):
                self.wfile.write(content[start : start + 16] if engine.pause else content)
                time.sleep(engine.pause)

    return Handler


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


@contextmanager
def served(fault: str = "", **settings: Any) -> Iterator[tuple[str, Served]]:
    """URL of a server that runs meanwhile, and the server's state."""
    engine = Served(fault, **settings)
    server = _Quiet(("127.0.0.1", 0), _handler(engine))
    threads = [threading.Thread(target=engine.work), threading.Thread(target=server.serve_forever, args=(0.02,))]
    for thread in threads:
        thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", engine
    finally:
        server.shutdown()
        server.server_close()
        engine.jobs.put(None)
        for thread in threads:
            thread.join()
