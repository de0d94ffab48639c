"""Questions to an engine and its answers, in the form that all protocols share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

__all__ = [
    "OPTION_NAMES",
    "Answer",
    "EndpointError",
    "Engine",
    "OutOfTimeError",
    "Question",
    "RefusedError",
    "TopRow",
    "UnansweredError",
    "Usage",
    "always_drafts",
    "never_processes",
    "summed_usage",
    "top_row",
]

TopRow: TypeAlias = tuple[tuple[int, float], ...]
"""The most likely next tokens with their log-probabilities, the most likely first."""


class EndpointError(ValueError):
    """An endpoint cannot be audited; the message says why, and what to do."""


class RefusedError(EndpointError):
    """A server that understands a request and does not take it: status 400 or 422."""


class UnansweredError(EndpointError):
    """A server that is there no more, fails, or does not answer in time; it may do so later."""


class OutOfTimeError(UnansweredError):
    """A busy server that asks to be waited for longer than the whole audit may still take."""


class Question(NamedTuple):
    """A request for a continuation.

    Attributes
    ----------
    prompt : token ids
    seed : int; of the server's random numbers
    max_tokens : int
    temperature : float
    top : int; log-probabilities wanted at each token, 0 for none
    copies : int; answers wanted to this one request
    stop : strings that end the text
    options : pairs of a name (`top_k`, `top_p`, `min_p`, `presence_penalty`, `frequency_penalty`) and its value; what is not
        named is switched off
    pure : bool; whether unnamed options are switched off; False leaves the server's defaults, temperature among them
    """

    prompt: tuple[int, ...]
    seed: int
    max_tokens: int
    temperature: float = 1.0
    top: int = 0
    copies: int = 1
    stop: tuple[str, ...] = ()
    options: tuple[tuple[str, float], ...] = ()
    pure: bool = True


class Usage(NamedTuple):
    """Counts that a response states; None for what it does not state."""

    prompt: int | None = None
    completion: int | None = None
    drafted: int | None = None
    accepted: int | None = None


class Answer(NamedTuple):
    """One continuation.

    Attributes
    ----------
    tokens : ids of the emitted tokens
    text : str
    finish : str; why it ended, "length" or "stop" in the engine's words; "end" for the token that ends a text, and "stop
        or end" where the engine does not tell which
    logprobs : the stated log-probability of each token, None where none is stated; empty where none was asked for
    alternatives : the stated most likely tokens at each place
    usage : Usage; of the whole response, which may hold several answers
    """

    tokens: tuple[int, ...]
    text: str = ""
    finish: str = ""
    logprobs: tuple[float | None, ...] = ()
    alternatives: tuple[TopRow, ...] = ()
    usage: Usage = Usage()


OPTION_NAMES = frozenset({"temperature", "top_k", "top_p", "min_p", "presence_penalty", "frequency_penalty"})
"""Options of a question."""


class Engine(Protocol):
    """What an audit needs from an engine; each protocol has such an adapter.

    `takes` are the options that it has: what it does not have is not judged.  `processes` are those under which it states the
    law itself, after the options.  `marks_drafts` says whether it states no alternatives at accepted drafts.  `takes_ids` says
    whether a prompt may be any token ids; else it is one that `tokens_of` has returned, with the special tokens that the engine
    puts before every text.  `is_local` says whether it is a model on this machine: its kernels are not those of a server.
    """

    name: str
    model: str
    url: str
    allows_copies: bool
    penalises_prompt: bool
    marks_drafts: bool
    takes_ids: bool
    is_local: bool
    takes: frozenset[str]
    processes: frozenset[str]

    def tokens_of(self, text: str) -> tuple[int, ...]:
        """Token ids of a text, special tokens not added."""
        ...

    def text_of(self, tokens: Sequence[int]) -> str | None:
        """The text of token ids; None where the engine does not say it."""
        ...

    def answers(self, question: Question) -> list[Answer]:
        """Answers to a question, as many as it wants copies."""
        ...

    def score(self, prompt: Sequence[int], tokens: Sequence[int], top: int, is_alone: bool = False) -> list[TopRow]:
        """The most likely tokens at each place of `tokens` after `prompt`; `is_alone` scores each prefix from nothing."""
        ...

    def processed(
        self, prompt: Sequence[int], tokens: Sequence[int], top: int, options: Mapping[str, float]
    ) -> list[TopRow]:
        """The most likely tokens under options of `processes` at each place of `tokens`, fewer than `top` where fewer are left.

        Empty where this build of the engine does not state them.
        """
        ...

    def without_drafts(self, prompt: tuple[int, ...]) -> Engine:
        """The same engine, which is asked not to draft; `prompt` is one on which it shows whether it obeys.

        Raises EndpointError for an engine whose API has no way to ask for that.
        """
        ...

    def counters(self) -> dict[str, float]:
        """Counters of the metrics page by name; empty where there is none."""
        ...

    def curl(self, question: Question) -> str:
        """The question as a command to paste."""
        ...


def summed_usage(usages: Sequence[Usage]) -> Usage:
    """Counts of a response with several answers, of which each states its own; the prompt is counted once.

    >>> summed_usage([Usage(3, 4, 6, 2), Usage(3, 4)])
    Usage(prompt=3, completion=8, drafted=6, accepted=2)
    """
    sums: dict[str, int | None] = {}
    for name in ("completion", "drafted", "accepted"):
        stated = [value for usage in usages if (value := getattr(usage, name)) is not None]
        sums[name] = sum(stated) if stated else None
    return Usage(usages[0].prompt, **sums)


def always_drafts(engine: Engine) -> EndpointError:
    """Why an engine cannot be its own reference without drafts, and the cure."""
    return EndpointError(
        f"--reference off: {engine.name} has no field in a request that switches drafts off; expected llama.cpp, or --reference "
        "self, whose scores of a given text need no drafts"
    )


def never_processes(engine: Engine) -> EndpointError:
    """Why an engine cannot say what the law under options is: only an engine whose `processes` names them is asked."""
    return EndpointError(
        f"{engine.url}: {engine.name} does not state log-probabilities under options; expected none asked"
    )


def top_row(pairs: Sequence[tuple[int, float]], top: int) -> TopRow:
    """Pairs of token and log-probability as a row: the most likely first, equal ones by id, at most `top`.

    Raises EndpointError for fewer than `top`, and for a log-probability above 0 or not a number.

    >>> top_row([(7, -2.0), (3, -0.5), (5, -2.0)], 2)
    ((3, -0.5), (5, -2.0))
    """
    row = tuple(sorted(dict(pairs).items(), key=lambda pair: (-pair[1], pair[0])))[:top]
    if len(row) < top:
        raise EndpointError(
            f"log-probabilities: {len(row)} alternatives at a token; expected {top}: take a smaller --top, or start the "
            "server with a larger limit (vLLM: --max-logprobs)"
        )
    # a sum of masses just above one is rounding, a log-probability of one half is not
    if not all(logprob <= 1e-3 for _, logprob in row):
        raise EndpointError(f"log-probabilities: {row[0][1]!r}; expected numbers of at most 0")
    return row
