"""Text Generation Inference's `/generate`: a text in, token ids and their log-probabilities out.

Written to its documented API (version 3.3) and tested against exchanges made from it; not run against the engine.  It takes
prompts as texts only, and states no alternatives at the tokens of a given text, so that it cannot be a reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.protocols.fields import count, curl, field, items, number, tokens
from simspec.audit.endpoint.protocols.metrics import counters
from simspec.audit.endpoint.records import (
    Answer,
    EndpointError,
    Engine,
    Question,
    TopRow,
    Usage,
    always_drafts,
    never_processes,
    top_row,
)
from simspec.html.escaping import escaped

__all__ = ["TGI", "answer_of", "body_of"]

PATH = "/generate"
ROUTER = "text-generation-router"
"""What `/info` names as the router."""
NEUTRAL = {"top_k": 0.0, "top_p": 1.0, "frequency_penalty": 0.0}
"""Values at which an option does nothing; the server takes only others, or none."""
_FINISHES = {"eos_token": "end", "stop_sequence": "stop"}
"""Why a text ended, in the words of `records.Answer`."""


def body_of(question: Question, text: str) -> dict[str, Any]:
    """The JSON of a question whose prompt is a text.

    >>> body_of(Question((1,), 7, 2, top=3), "a")["parameters"]["top_n_tokens"]
    3
    """
    parameters: dict[str, Any] = {
        "max_new_tokens": question.max_tokens,
        "details": True,
        "return_full_text": False,
        "do_sample": question.temperature > 0,
    }
    if question.temperature > 0:
        parameters["seed"] = question.seed
    if question.pure:
        options = {name: value for name, value in question.options if value != NEUTRAL.get(name)}
        temperature = options.pop("temperature", question.temperature)
        if temperature > 0:
            parameters["temperature"] = temperature
        parameters |= options
    if "top_k" in parameters:
        parameters["top_k"] = int(parameters["top_k"])
    if question.top:
        parameters["top_n_tokens"] = question.top
    if question.stop:
        parameters["stop"] = [*question.stop]
    return {"inputs": text, "parameters": parameters}


def answer_of(record: object, top: int) -> Answer:
    """The answer in a response.

    >>> details = {"finish_reason": "length", "generated_tokens": 1, "tokens": [{"id": 3, "logprob": -0.5}]}
    >>> answer_of({"generated_text": "a", "details": details}, 0).tokens
    (3,)
    """
    details = field(record, "details", dict, "TGI's answer")
    emitted = items(details, "tokens", "details")
    rows = items(details, "top_tokens", "details") if top else []
    return Answer(
        tokens([field(token, "id", int, "tokens") for token in emitted], "tokens"),
        field(record, "generated_text", str, "TGI's answer"),
        _FINISHES.get(str(details.get("finish_reason")), str(details.get("finish_reason"))),
        tuple(_logprob(token) for token in emitted) if top else (),
        tuple(_row(row) for row in rows),
        Usage(completion=count(details, "generated_tokens")),
    )


def _logprob(token: object) -> float | None:
    """The log-probability that is stated of a token; None where it is null."""
    value = token.get("logprob") if isinstance(token, dict) else None
    return None if value is None else number(value, "tokens")


def _row(entries: object) -> TopRow:
    """The most likely tokens at a place."""
    if not isinstance(entries, list):
        raise EndpointError(f"top_tokens: {escaped(repr(entries), 60)}; expected lists of tokens")
    pairs = [(field(entry, "id", int, "top_tokens"), number(entry.get("logprob"), "top_tokens")) for entry in entries]
    return top_row(pairs, len(dict(pairs)))


class TGI:
    """A server of Text Generation Inference."""

    name = "TGI"
    allows_copies = False
    penalises_prompt = False
    marks_drafts = False
    takes_ids = False
    is_local = False
    takes = frozenset({"temperature", "top_k", "top_p"})
    processes: frozenset[str] = frozenset()

    def __init__(self, exchange: Exchange, model: str) -> None:
        self.exchange = exchange
        self.model = model
        self.url = exchange.url
        self.texts: dict[tuple[int, ...], str] = {}  # prompts as they were tokenized: the server takes no ids

    def tokens_of(self, text: str) -> tuple[int, ...]:
        """Token ids of a text, those that the tokenizer adds among them, as they are in a prompt."""
        entries = self.exchange.post("/tokenize", {"inputs": text})
        if not isinstance(entries, list):
            raise EndpointError(f"/tokenize: {escaped(repr(entries), 60)}; expected a list of tokens")
        ids = tokens([field(entry, "id", int, "/tokenize") for entry in entries], "/tokenize")
        self.texts[ids] = text
        return ids

    def text_of(self, tokens: Sequence[int]) -> str | None:
        """Not known."""
        return None

    def answers(self, question: Question) -> list[Answer]:
        """The answer to a question."""
        answer = answer_of(self.exchange.post(PATH, self._body(question)), question.top)
        if answer.finish == "stop":
            # unlike other engines it leaves the stop string at the end of the text
            stop = next((stop for stop in question.stop if answer.text.endswith(stop)), "")
            answer = answer._replace(text=answer.text.removesuffix(stop))
        return [answer]

    def score(self, prompt: Sequence[int], tokens: Sequence[int], top: int, is_alone: bool = False) -> list[TopRow]:
        """Not possible: always an EndpointError that says what to do."""
        raise EndpointError(
            f"{self.url}: TGI does not state the most likely tokens after a given text, so it cannot be the reference; expected "
            "another one: --reference PATH of the model, or the URL of an engine that does"
        )

    def processed(
        self, prompt: Sequence[int], tokens: Sequence[int], top: int, options: Mapping[str, float]
    ) -> list[TopRow]:
        """Not possible: always an EndpointError."""
        raise never_processes(self)

    def without_drafts(self, prompt: tuple[int, ...]) -> Engine:
        """Not possible: always an EndpointError."""
        raise always_drafts(self)

    def counters(self) -> dict[str, float]:
        """Counters of /metrics."""
        return counters(self.exchange.text("/metrics"))

    def curl(self, question: Question) -> str:
        """The question as a command to paste."""
        return curl(self.url + PATH, self._body(question), self.exchange.has_key, self.exchange.key_variable)

    def _body(self, question: Question) -> dict[str, Any]:
        text = self.texts.get(tuple(question.prompt))
        if text is None:
            raise EndpointError(
                f"{self.url}: TGI takes texts, and no text of these token ids is known; expected a tokenized one"
            )
        return body_of(question, text)
