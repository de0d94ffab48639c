"""llama.cpp's server by its own API: `/completion`, `/tokenize`, `/metrics`, `/v1/models`.

With drafts on, the server states log-probability 0 and no alternatives for accepted tokens, so a text is scored prefix by
prefix, by requests of one token, which never draft.  The token that ends a text is among `tokens`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.protocols.fields import count, curl, field, items, number, tokens
from simspec.audit.endpoint.protocols.metrics import counters
from simspec.audit.endpoint.records import (
    OPTION_NAMES,
    Answer,
    EndpointError,
    Engine,
    Question,
    TopRow,
    Usage,
    summed_usage,
    top_row,
)

__all__ = ["Llama", "TokenByToken", "answer_of", "body_of", "processed_row"]

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
WITHOUT_DRAFTS = {"speculative.n_max": 0, "speculative.n_min": 0}
"""What switches drafts off for a request; later builds pass over it without a word."""
PROBED = 24
"""Tokens of the request that shows whether drafts are off."""
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
    if question.copies > 1:
        body["n"] = question.copies
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
        {"limit": "length", "eos": "end"}.get(str(stop_type), "stop"),
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


def processed_row(entry: object) -> TopRow:
    """The tokens that options leave, from the entry of a token with `post_sampling_probs`.

    >>> processed_row({"id": 5, "prob": 1.0, "top_probs": [{"id": 5, "prob": 1.0}, {"id": 7, "prob": 0.0}]})
    ((5, 0.0),)
    """
    place = "llama.cpp's answer"
    pairs = []
    for pair in items(entry, "top_probs", place):
        mass = field(pair, "prob", (int, float), place)
        if not 0 <= mass <= 1 + 1e-3:
            raise EndpointError(f"{place}: a probability of {mass!r}; expected a number from 0 to 1")
        if mass > 0:
            pairs.append((tokens([field(pair, "id", int, place)], place)[0], math.log(mass)))
    return top_row(pairs, len(dict(pairs)))


class Llama:
    """A llama.cpp server."""

    name = "llama.cpp"
    allows_copies = True
    penalises_prompt = True
    marks_drafts = True
    takes_ids = True
    is_local = False
    takes = OPTION_NAMES
    processes = OPTION_NAMES

    def __init__(self, exchange: Exchange, model: str, further_fields: Mapping[str, Any] | None = None) -> None:
        self.exchange = exchange
        self.model = model
        self.url = exchange.url
        self.further_fields = dict(further_fields or {})

    def tokens_of(self, text: str) -> tuple[int, ...]:
        """Token ids of a text."""
        record = self.exchange.post("/tokenize", {"content": text, "add_special": False})
        return tokens(items(record, "tokens", "/tokenize"), "/tokenize")

    def text_of(self, tokens: Sequence[int]) -> str | None:
        """The text of token ids."""
        return field(self.exchange.post("/detokenize", {"tokens": [*tokens]}), "content", str, "/detokenize")

    def answers(self, question: Question) -> list[Answer]:
        """Answers to a question, as many as it wants copies; builds that know no `n` are asked for each."""
        record = self.exchange.post("/completion", self._body(question))
        if not isinstance(record, list):
            copies = [question._replace(copies=1, seed=question.seed + place) for place in range(1, question.copies)]
            record = [record, *(self.exchange.post("/completion", self._body(copy)) for copy in copies)]
        if not record:
            raise EndpointError(f"{self.url}: a list of no answers; expected {question.copies}")
        answers = [answer_of(entry, question.top) for entry in record]
        usage = summed_usage([answer.usage for answer in answers])
        return [answer._replace(usage=usage) for answer in answers]

    def _body(self, question: Question) -> dict[str, Any]:
        return body_of(question) | self.further_fields

    def without_drafts(self, prompt: tuple[int, ...]) -> Engine:
        """The server with a field that switches drafts off, or token by token, where it passes over that field."""
        quiet = Llama(self.exchange, self.model, WITHOUT_DRAFTS)
        quiet.name = "llama.cpp with speculative.n_max = 0,"
        (answer,) = quiet.answers(Question(prompt, 0, PROBED, temperature=0.0))
        return quiet if not answer.usage.drafted else TokenByToken(self.exchange, self.model)

    def score(self, prompt: Sequence[int], tokens: Sequence[int], top: int, is_alone: bool = False) -> list[TopRow]:
        """The most likely tokens at each place, from a request of one token for each prefix."""
        rows = []
        for place in range(len(tokens)):
            question = Question((*prompt, *tokens[:place]), 0, 1, top=top)
            body = self._body(question) | {"cache_prompt": not is_alone}
            answer = answer_of(self.exchange.post("/completion", body), top)
            if not answer.alternatives:
                raise EndpointError(f"{self.url}: an answer without log-probabilities; expected n_probs to bring {top}")
            rows.append(top_row(answer.alternatives[0], top))
        return rows

    def processed(
        self, prompt: Sequence[int], tokens: Sequence[int], top: int, options: Mapping[str, float]
    ) -> list[TopRow]:
        """The law under options, by `post_sampling_probs`; builds that do not know this field state the law without options."""
        rows = []
        for place in range(len(tokens)):
            question = Question((*prompt, *tokens[:place]), 0, 1, top=top, options=tuple(options.items()))
            record = self.exchange.post("/completion", self._body(question) | {"post_sampling_probs": True})
            entries = items(record, "completion_probabilities", "llama.cpp's answer")
            if not entries or "top_probs" not in entries[0]:
                return []
            rows.append(processed_row(entries[0]))
        return rows

    def counters(self) -> dict[str, float]:
        """Counters of /metrics, which the server has when it is started with --metrics."""
        return counters(self.exchange.text("/metrics"))

    def curl(self, question: Question) -> str:
        """The question as a command to paste."""
        return curl(
            self.url + "/completion",
            body_of(question) | self.further_fields,
            self.exchange.has_key,
            self.exchange.key_variable,
        )


class TokenByToken(Llama):
    """The same server, asked for one token at a time: with nothing to come after it, a token is never drafted."""

    name = "llama.cpp, token by token,"

    def answers(self, question: Question) -> list[Answer]:
        """A text of requests of one token each, with seeds from the question's on."""
        parts: list[Answer] = []
        emitted: tuple[int, ...] = ()
        while len(emitted) < question.max_tokens:
            step = question._replace(
                prompt=(*question.prompt, *emitted), seed=question.seed + len(emitted), max_tokens=1
            )
            (answer,) = super().answers(step)
            parts.append(answer)
            emitted += answer.tokens
            if answer.finish != "length" or not answer.tokens:
                break
        return [
            Answer(
                tokens=emitted,
                text="".join(answer.text for answer in parts),
                finish=parts[-1].finish,
                logprobs=tuple(logprob for answer in parts for logprob in answer.logprobs),
                alternatives=tuple(row for answer in parts for row in answer.alternatives),
                usage=Usage(len(question.prompt), len(emitted), 0, 0),
            )
        ]
