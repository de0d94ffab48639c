"""SGLang's `/generate`: token ids in and out, log-probabilities of the input and of the output.

Written to its documented API and tested against exchanges made from it; not run against the engine.
"""

from __future__ import annotations

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
    always_drafts,
    never_processes,
    summed_usage,
    top_row,
)

__all__ = ["SGLang", "answer_of", "body_of", "input_rows"]

PATH = "/generate"
PURE = {"top_k": -1, "top_p": 1.0, "min_p": 0.0, "presence_penalty": 0.0, "frequency_penalty": 0.0}


def body_of(question: Question) -> dict[str, Any]:
    """The JSON of a question.

    >>> body_of(Question((1,), 7, 2))["sampling_params"]["sampling_seed"]
    7
    """
    sampling: dict[str, Any] = {"max_new_tokens": question.max_tokens, "sampling_seed": question.seed}
    if question.pure:
        sampling |= {"temperature": question.temperature, **PURE, **dict(question.options)}
        sampling["top_k"] = int(sampling["top_k"])
    elif question.temperature == 0:
        sampling["temperature"] = 0.0
    if question.copies > 1:
        sampling["n"] = question.copies
    if question.stop:
        sampling["stop"] = [*question.stop]
    body: dict[str, Any] = {"input_ids": [*question.prompt], "sampling_params": sampling}
    if question.top:
        body |= {"return_logprob": True, "top_logprobs_num": question.top}
    return body


def answer_of(record: object, top: int) -> Answer:
    """The answer in a response.

    >>> answer_of({"text": "a", "output_ids": [3], "meta_info": {"finish_reason": {"type": "length"}}}, 0).finish
    'length'
    """
    facts = field(record, "meta_info", dict, "SGLang's answer")
    reason = facts.get("finish_reason")
    usage = Usage(
        count(facts, "prompt_tokens"),
        count(facts, "completion_tokens"),
        count(facts, "spec_draft_token_num"),
        count(facts, "spec_accept_token_num"),
    )
    stated = items(facts, "output_token_logprobs", "meta_info") if top else []
    rows = items(facts, "output_top_logprobs", "meta_info") if top else []
    return Answer(
        tokens(items(record, "output_ids", "SGLang's answer"), "output_ids"),
        field(record, "text", str, "SGLang's answer"),
        _finish(reason),
        tuple(pair[1] for pair in map(_pair, stated)),
        tuple(_row(row) for row in rows),
        usage,
    )


def _finish(reason: object) -> str:
    """Why a text ended: what matched is a string, or the id of the token that ends a text.

    >>> _finish({"type": "stop", "matched": 2}), _finish({"type": "stop", "matched": "a"}), _finish({"type": "length"})
    ('end', 'stop', 'length')
    """
    if not isinstance(reason, Mapping):
        return str(reason)
    if reason.get("type") == "stop" and not isinstance(reason.get("matched"), str):
        return "end" if isinstance(reason.get("matched"), int) else "stop or end"
    return str(reason.get("type"))


def _pair(entry: object) -> tuple[int, float]:
    """Token and log-probability of an entry [logprob, id, text]."""
    if not isinstance(entry, list) or len(entry) < 2:
        raise EndpointError("meta_info: a log-probability of another form; expected [logprob, token id, text]")
    return tokens([entry[1]], "meta_info")[0], number(entry[0], "meta_info")


def _row(entries: object) -> TopRow:
    pairs = [_pair(entry) for entry in entries] if isinstance(entries, list) else []
    return top_row(pairs, len(dict(pairs)))


def input_rows(record: object, length: int, top: int) -> list[TopRow]:
    """The most likely tokens at the last `length` places of the input, from `input_top_logprobs`."""
    facts = field(record, "meta_info", dict, "SGLang's answer")
    entries = items(facts, "input_top_logprobs", "meta_info")
    if len(entries) < length:
        raise EndpointError(f"input_top_logprobs: {len(entries)} entries; expected {length} at least")
    return [top_row([_pair(pair) for pair in entry or ()], top) for entry in entries[len(entries) - length :]]


class SGLang:
    """An SGLang server."""

    name = "SGLang"
    allows_copies = True
    penalises_prompt = False
    marks_drafts = False
    takes_ids = True
    is_local = False
    takes = OPTION_NAMES
    processes: frozenset[str] = frozenset()

    def __init__(self, exchange: Exchange, model: str) -> None:
        self.exchange = exchange
        self.model = model
        self.url = exchange.url

    def tokens_of(self, text: str) -> tuple[int, ...]:
        """Token ids of a text."""
        body = {"prompt": text, "add_special_tokens": False}
        return tokens(items(self.exchange.post("/tokenize", body), "tokens", "/tokenize"), "/tokenize")

    def text_of(self, tokens: Sequence[int]) -> str | None:
        """Not known."""
        return None

    def answers(self, question: Question) -> list[Answer]:
        """Answers to a question: a list where it wants several copies, and each states its own counts."""
        record = self.exchange.post(PATH, body_of(question))
        records = record if isinstance(record, list) and record else [record]
        answers = [answer_of(entry, question.top) for entry in records]
        usage = summed_usage([answer.usage for answer in answers])
        return [answer._replace(usage=usage) for answer in answers]

    def score(self, prompt: Sequence[int], tokens: Sequence[int], top: int, is_alone: bool = False) -> list[TopRow]:
        """The most likely tokens at each place: of the whole text in one request, or prefix by prefix, as one token."""
        if is_alone:
            return [self._next_row((*prompt, *tokens[:place]), top) for place in range(len(tokens))]
        body = body_of(Question((*prompt, *tokens), 0, 1, top=top)) | {"logprob_start_len": len(prompt) - 1}
        return input_rows(self.exchange.post(PATH, body), len(tokens), top)

    def _next_row(self, prefix: tuple[int, ...], top: int) -> TopRow:
        (answer,) = self.answers(Question(prefix, 0, 1, top=top))
        if not answer.alternatives:
            raise EndpointError(
                f"{self.url}: an answer without log-probabilities; expected {top}, as return_logprob asks"
            )
        return top_row(answer.alternatives[0], top)

    def processed(
        self, prompt: Sequence[int], tokens: Sequence[int], top: int, options: Mapping[str, float]
    ) -> list[TopRow]:
        """Not possible: always an EndpointError."""
        raise never_processes(self)

    def without_drafts(self, prompt: tuple[int, ...]) -> Engine:
        """Not possible: always an EndpointError."""
        raise always_drafts(self)

    def counters(self) -> dict[str, float]:
        """Counters of /metrics, which the server has when it is started with --enable-metrics."""
        return counters(self.exchange.text("/metrics"))

    def curl(self, question: Question) -> str:
        """The question as a command to paste."""
        return curl(self.url + PATH, body_of(question), self.exchange.has_key, self.exchange.key_variable)
