"""OpenAI-compatible `/v1/completions`, with vLLM's fields: token ids as the prompt and in the answer, `prompt_logprobs`.

Written to vLLM's documented API and tested against exchanges made from it; not run against the engine.  A server of another
make that has the same fields is spoken to in the same way.  One without `prompt_logprobs` scores a text by OpenAI's `echo`, and
one without either prefix by prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simspec.audit.endpoint.exchange import Exchange
from simspec.audit.endpoint.parallel import in_parallel
from simspec.audit.endpoint.protocols.fields import count, curl, field, items, number, tokens
from simspec.audit.endpoint.protocols.metrics import counters
from simspec.audit.endpoint.records import (
    OPTION_NAMES,
    Answer,
    EndpointError,
    Engine,
    Question,
    TopRow,
    UnansweredError,
    Usage,
    always_drafts,
    top_row,
)
from simspec.html.escaping import escaped

__all__ = ["PROCESSED", "Completions", "answers_of", "body_of", "echo_rows", "prompt_rows"]

PATH = "/v1/completions"
PURE = {"top_p": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0}
PROCESSED = frozenset({"temperature", "top_k", "top_p", "min_p"})
"""Options under which a server with processed log-probabilities states the law after a given text.

Penalties are not among them: they count what the server has emitted itself, and a given text is a prompt.
"""
TRUNCATED = -9000.0
"""vLLM states -9999 for what an option has cut off, since JSON knows no infinity."""
PROMPT_LOGPROBS = "prompt_logprobs"
ECHO = "echo"
PREFIXES = "prefix by prefix"
"""How a server scores a text."""
TOGETHER = 4
"""Prefixes of a text that are asked for at a time, as a batch: another shape than one prefix alone, which measures rounding."""
EXTENDED = {"top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0}
"""Options beyond OpenAI's, which vLLM, SGLang and llama.cpp take."""


def body_of(question: Question, model: str) -> dict[str, Any]:
    """The JSON of a question.

    >>> body = body_of(Question((1,), 7, 2, top=3), "m")
    >>> body["max_tokens"], body["logprobs"], body["return_token_ids"]
    (2, 3, True)
    """
    body: dict[str, Any] = {
        "model": model,
        "prompt": [*question.prompt],
        "max_tokens": question.max_tokens,
        "seed": question.seed,
        "return_token_ids": True,
        "return_tokens_as_token_ids": True,
    }
    if question.pure:
        body |= {"temperature": question.temperature, **PURE, **EXTENDED, **dict(question.options)}
        body["top_k"] = int(body["top_k"])
    elif question.temperature == 0:
        body["temperature"] = 0.0
    if question.top:
        body["logprobs"] = question.top
    if question.copies > 1:
        body["n"] = question.copies
    if question.stop:
        body["stop"] = [*question.stop]
    return body


def answers_of(record: object, top: int) -> list[Answer]:
    """The answers in a response, in their order."""
    usage_record = record.get("usage") if isinstance(record, Mapping) else None
    details = usage_record.get("completion_tokens_details") if isinstance(usage_record, Mapping) else None
    accepted = count(details, "accepted_prediction_tokens")
    rejected = count(details, "rejected_prediction_tokens")
    usage = Usage(
        count(usage_record, "prompt_tokens"),
        count(usage_record, "completion_tokens"),
        None if accepted is None or rejected is None else accepted + rejected,
        accepted,
    )
    choices = _choices(record)
    ordered = sorted(choices, key=lambda choice: count(choice, "index") or 0)
    return [_answer(choice, top, usage) for choice in ordered]


def _choices(record: object) -> list[Any]:
    """The choices of a response, one at least."""
    choices = items(record, "choices", "answer")
    if not choices:
        raise EndpointError("answer: no choices; expected one at least")
    return choices


def _answer(choice: object, top: int, usage: Usage) -> Answer:
    """The answer of a choice."""
    logprobs = choice.get("logprobs") if isinstance(choice, Mapping) else None
    reason = choice.get("finish_reason") if isinstance(choice, Mapping) else None
    stated: tuple[float | None, ...] = ()
    rows: tuple[TopRow, ...] = ()
    if top and isinstance(logprobs, Mapping):
        stated = tuple(
            None if value is None else number(value, "token_logprobs")
            for value in items(logprobs, "token_logprobs", "logprobs")
        )
        rows = tuple(_row(pairs) for pairs in items(logprobs, "top_logprobs", "logprobs"))
    return Answer(
        _ids(choice, logprobs),
        field(choice, "text", str, "choice"),
        _finish(choice, reason),
        stated,
        rows,
        usage,
    )


def _finish(choice: object, reason: object) -> str:
    """Why a text ended: vLLM names the stop string that ended it, and none where a token did; others do not tell.

    >>> [_finish(choice, "stop") for choice in ({"stop_reason": "a"}, {"stop_reason": None}, {})]
    ['stop', 'end', 'stop or end']
    """
    if reason != "stop" or not isinstance(choice, Mapping):
        return str(reason)
    if "stop_reason" not in choice:
        return "stop or end"
    return "stop" if isinstance(choice["stop_reason"], str) else "end"


def _ids(choice: object, logprobs: object) -> tuple[int, ...]:
    """Token ids of a choice: its `token_ids`, or names of the form token_id:N."""
    ids = choice.get("token_ids") if isinstance(choice, Mapping) else None
    if isinstance(ids, list):
        return tokens(ids, "token_ids")
    names = logprobs.get("tokens") if isinstance(logprobs, Mapping) else None
    if isinstance(names, list):
        return tuple(_id(name) for name in names)
    raise EndpointError(
        "answer: no token ids; expected token_ids (vLLM from 0.10.2 on), or names of the form token_id:N: texts of tokens do "
        "not say which tokens they are"
    )


def _id(name: object) -> int:
    """The id in a name of the form token_id:N."""
    head, _, digits = str(name).partition(":")
    if head != "token_id" or not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        raise EndpointError(
            f"answer: a token named {escaped(name, 40)}; expected token_id:N, which return_tokens_as_token_ids asks for"
        )
    return int(digits)


def _row(pairs: object) -> TopRow:
    if not isinstance(pairs, Mapping):
        return ()
    row = [(_id(name), number(value, "top_logprobs")) for name, value in pairs.items()]
    return top_row(row, len(row))


def prompt_rows(record: object, length: int, top: int) -> list[TopRow]:
    """The most likely tokens at the last `length` places of a prompt, from `prompt_logprobs`.

    >>> entry = {"5": {"logprob": -0.5, "rank": 1}, "6": {"logprob": -1.5, "rank": 2}}
    >>> prompt_rows({"choices": [{"prompt_logprobs": [None, entry]}]}, 1, 2)
    [((5, -0.5), (6, -1.5))]
    """
    entries = items(_choices(record)[0], "prompt_logprobs", "answer")
    if len(entries) <= length:
        raise EndpointError(f"prompt_logprobs: {len(entries)} entries; expected more than {length}")
    return [_prompt_row(entry, top) for entry in entries[len(entries) - length :]]


def echo_rows(record: object, text: Sequence[int], length: int, top: int) -> list[TopRow]:
    """The most likely tokens at the last `length` places of a text, from an answer that repeats it with its log-probabilities.

    Empty where the answer does not begin with the text, token by token, or states no alternatives there.

    >>> logprobs = {"tokens": ["token_id:1", "token_id:5"], "top_logprobs": [None, {"token_id:5": -0.5, "token_id:6": -1.5}]}
    >>> echo_rows({"choices": [{"logprobs": logprobs}]}, (1, 5), 1, 2)
    [((5, -0.5), (6, -1.5))]
    >>> echo_rows({"choices": [{"logprobs": logprobs}]}, (1, 6), 1, 2)
    []
    """
    choice = _choices(record)[0]
    logprobs = choice.get("logprobs") if isinstance(choice, Mapping) else None
    names = logprobs.get("tokens") if isinstance(logprobs, Mapping) else None
    entries = logprobs.get("top_logprobs") if isinstance(logprobs, Mapping) else None
    if not isinstance(names, list) or not isinstance(entries, list):
        return []
    scored = entries[len(text) - length : len(text)]
    is_repeated = names[: len(text)] == [f"token_id:{token}" for token in text]
    if not is_repeated or len(scored) < length or not all(isinstance(pairs, Mapping) for pairs in scored):
        return []
    return [top_row(_row(pairs), top) for pairs in scored]


def _prompt_row(entry: object, top: int) -> TopRow:
    if not isinstance(entry, Mapping):
        raise EndpointError(f"prompt_logprobs: {escaped(repr(entry), 60)}; expected log-probabilities by token id")
    pairs = []
    for name, fields in entry.items():
        if not (name.isascii() and name.isdigit() and len(name) < 10):
            raise EndpointError(f"prompt_logprobs: a token named {escaped(name, 40)}; expected its id")
        pairs.append(
            (int(name), number(fields.get("logprob") if isinstance(fields, Mapping) else None, "prompt_logprobs"))
        )
    return top_row(pairs, top)


class Completions:
    """A server with OpenAI's completions and vLLM's further fields."""

    allows_copies = True
    penalises_prompt = False
    marks_drafts = False
    takes_ids = True
    is_local = False
    takes = OPTION_NAMES

    def __init__(
        self,
        exchange: Exchange,
        model: str,
        name: str = "OpenAI-compatible",
        processes: frozenset[str] = frozenset(),
    ) -> None:
        self.processes = processes
        self._says_text: bool | None = None
        self._scores_by: str | None = None
        self.exchange = exchange
        self.model = model
        self.name = name
        self.url = exchange.url

    def tokens_of(self, text: str) -> tuple[int, ...]:
        """Token ids of a text."""
        body = {"model": self.model, "prompt": text, "content": text, "add_special_tokens": False}
        record = self.exchange.post("/tokenize", body)
        return tokens(items(record, "tokens", "/tokenize"), "/tokenize")

    def text_of(self, tokens: Sequence[int]) -> str | None:
        """The text of token ids, from vLLM; None where the server does not say it."""
        body = {"model": self.model, "tokens": [*tokens]}
        if self._says_text is None:
            self._says_text = self.exchange.has("/detokenize", body)
        if not self._says_text:
            return None
        return field(self.exchange.post("/detokenize", body), "prompt", str, "/detokenize")

    def answers(self, question: Question) -> list[Answer]:
        """Answers to a question."""
        return answers_of(self.exchange.post(PATH, body_of(question, self.model)), question.top)

    def score(self, prompt: Sequence[int], tokens: Sequence[int], top: int, is_alone: bool = False) -> list[TopRow]:
        """The most likely tokens at each place: of the whole text in one request, or prefix by prefix, as one token."""
        text = (*prompt, *tokens)
        if self._scores_by is None and not is_alone:
            self._scores_by = self._way_to_score(text, top)
        if is_alone or self._scores_by == PREFIXES:
            prefixes = [text[: len(prompt) + place] for place in range(len(tokens))]
            return in_parallel(lambda prefix: self._next_row(prefix, top), prefixes, 1 if is_alone else TOGETHER)
        if self._scores_by == PROMPT_LOGPROBS:
            return prompt_rows(
                self.exchange.post(PATH, self._scoring_body(PROMPT_LOGPROBS, text, top)), len(tokens), top
            )
        rows = echo_rows(self.exchange.post(PATH, self._scoring_body(ECHO, text, top)), text, len(tokens), top)
        if not rows:
            raise EndpointError(
                f"{self.url}: an answer that does not repeat its prompt; expected echo to do so, as before"
            )
        return rows

    def _scoring_body(self, way: str, text: tuple[int, ...], top: int) -> dict[str, Any]:
        """The JSON that asks for the score of a text; one token is generated, since some servers refuse to generate none."""
        if way == PROMPT_LOGPROBS:
            return body_of(Question(text, 0, 1), self.model) | {"prompt_logprobs": top}
        return body_of(Question(text, 0, 1, top=top), self.model) | {"echo": True}

    def _way_to_score(self, text: tuple[int, ...], top: int) -> str:
        """The first way to score a text that the server knows: it refuses or passes over a field that it does not know."""
        for way in (PROMPT_LOGPROBS, ECHO):
            try:
                record = self.exchange.post(PATH, self._scoring_body(way, text, top))
                choice = _choices(record)[0]
                if way == PROMPT_LOGPROBS and isinstance(choice, Mapping) and choice.get("prompt_logprobs") is not None:
                    return way
                if way == ECHO and echo_rows(record, text, 1, top):
                    return way
            except UnansweredError:
                raise
            except EndpointError:
                continue
        return PREFIXES

    def _next_row(self, prefix: tuple[int, ...], top: int) -> TopRow:
        """The most likely next tokens, from a request of one token."""
        (answer, *_) = self.answers(Question(prefix, 0, 1, top=top))
        if not answer.alternatives:
            raise EndpointError(
                f"{self.url}: an answer without log-probabilities; expected {top}, as logprobs asks for"
            )
        return top_row(answer.alternatives[0][:top], top)

    def processed(
        self, prompt: Sequence[int], tokens: Sequence[int], top: int, options: Mapping[str, float]
    ) -> list[TopRow]:
        """The law under options, of a server whose `logprobs_mode` is processed_logprobs: from a request of one token each."""
        rows = []
        for place in range(len(tokens)):
            prefix = (*prompt, *tokens[:place])
            (answer, *_) = self.answers(Question(prefix, 0, 1, top=top, options=tuple(options.items())))
            if not answer.alternatives:
                raise EndpointError(f"{self.url}: an answer without log-probabilities; expected {top}")
            kept = [pair for pair in answer.alternatives[0] if pair[1] > TRUNCATED]
            rows.append(top_row(kept, len(kept))[:top])
        return rows

    def without_drafts(self, prompt: tuple[int, ...]) -> Engine:
        """Not possible: always an EndpointError."""
        raise always_drafts(self)

    def counters(self) -> dict[str, float]:
        """Counters of /metrics."""
        return counters(self.exchange.text("/metrics"))

    def curl(self, question: Question) -> str:
        """The question as a command to paste."""
        body = body_of(question, self.model)
        return curl(self.url + PATH, body, self.exchange.has_key, self.exchange.key_variable)
