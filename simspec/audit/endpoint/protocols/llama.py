"""llama.cpp's server by its own API: `/completion`, `/tokenize`, `/metrics`, `/v1/models`.

With drafts on, the server states log-probability 0 and no alternatives for accepted tokens, so a text is scored prefix by
prefix, by requests of one token, which never draft.  The token that ends a text is among `tokens`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.protocols.fields import count, curl, field, items, number, tokens
from simspec.audit.endpoint.protocols.metrics import counters
from simspec.audit.endpoint.records import OPTION_NAMES, Answer, EndpointError, Question, TopRow, Usage, top_row

__all__ = ["Llama", "answer_of", "body_of"]

PURE = {
    "top_k": 0,
    "top_p": 1.0,
    "min_p": 0.0,
    "typical_p": 1.0,
    "repeat_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
    "dry_multiplier": 0.0,
    "xtc_probability": 0.0,
    "mirostat": 0,
}
"""Every processor off: the law of the model itself."""
PROCESSORS = ["penalties", "top_k", "top_p", "min_p", "temperature"]


def body_of(question: Question) -> dict[str, Any]:
    """The JSON of a question for `/completion`.

    >>> body_of(Question((1,), 7, 2, pure=False))["n_predict"]
    2
    """
    body: dict[str, Any] = {
        "prompt": [*question.prompt],
        "n_predict": question.max_tokens,
        "seed": question.seed,
        "return_tokens": True,
        "cache_prompt": True,
    }
    if question.pure:
        body |= {"temperature": question.temperature, **PURE, **dict(question.options), "samplers": PROCESSORS}
        body["top_k"] = int(body["top_k"])
    elif question.temperature == 0:
        body["temperature"] = 0.0
    if question.top:
        body["n_probs"] = question.top
    if question.stop:
        body["stop"] = [*question.stop]
    return body


def answer_of(record: object, top: int) -> Answer:
    """The answer in a response of `/completion`."""
    place = "llama.cpp's answer"
    probabilities = record.get("completion_probabilities", []) if isinstance(record, dict) else []
    timings = record.get("timings") if isinstance(record, dict) else None
    usage = Usage(
        count(record, "tokens_evaluated"),
        count(record, "tokens_predicted"),
        count(timings, "draft_n"),
        count(timings, "draft_n_accepted"),
    )
    entries = probabilities if top else []
    stop_type = record.get("stop_type") if isinstance(record, dict) else None
    return Answer(
        tokens(items(record, "tokens", place), place),
        field(record, "content", str, place),
        {"limit": "length"}.get(str(stop_type), "stop"),
        tuple(number(field(entry, "logprob", (int, float), place), place) for entry in entries),
        tuple(_row(entry) for entry in entries),
        usage,
    )


def _row(entry: object) -> TopRow:
    """The alternatives at a token, none where the server states none."""
    place = "llama.cpp's answer"
    pairs = [
        (tokens([field(pair, "id", int, place)], place)[0], number(pair.get("logprob"), place))
        for pair in items(entry, "top_logprobs", place)
    ]
    return top_row(pairs, len(dict(pairs)))


class Llama:
    """A llama.cpp server."""

    name = "llama.cpp"
    allows_copies = False
    penalises_prompt = True
    marks_drafts = True
    takes = OPTION_NAMES

    def __init__(self, exchange: Exchange, model: str) -> None:
        self.exchange = exchange
        self.model = model
        self.url = exchange.url

    def tokens_of(self, text: str) -> tuple[int, ...]:
        """Token ids of a text."""
        record = self.exchange.post("/tokenize", {"content": text, "add_special": False})
        return tokens(items(record, "tokens", "/tokenize"), "/tokenize")

    def answers(self, question: Question) -> list[Answer]:
        """The answer to a question."""
        return [answer_of(self.exchange.post("/completion", body_of(question)), question.top)]

    def score(self, prompt: Sequence[int], tokens: Sequence[int], top: int, is_alone: bool = False) -> list[TopRow]:
        """The most likely tokens at each place, from a request of one token for each prefix."""
        rows = []
        for place in range(len(tokens)):
            question = Question((*prompt, *tokens[:place]), 0, 1, top=top)
            body = body_of(question) | {"cache_prompt": not is_alone}
            answer = answer_of(self.exchange.post("/completion", body), top)
            if not answer.alternatives:
                raise EndpointError(f"{self.url}: an answer without log-probabilities; expected n_probs to bring {top}")
            rows.append(top_row(answer.alternatives[0], top))
        return rows

    def counters(self) -> dict[str, float]:
        """Counters of /metrics, which the server has when it is started with --metrics."""
        return counters(self.exchange.text("/metrics"))

    def curl(self, question: Question) -> str:
        """The question as a command to paste."""
        return curl(self.url + "/completion", body_of(question), self.exchange.has_key, self.exchange.key_variable)
