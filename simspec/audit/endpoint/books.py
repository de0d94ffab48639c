"""What an engine states of its own answers, beside what it sent: counts, log-probabilities, stop strings, metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simspec.audit.endpoint.records import Answer, Question, TopRow, Usage
from simspec.tools.lengths import Counts
from simspec.tools.lengths.records import checked

__all__ = [
    "Books",
    "Mistake",
    "metrics_mistakes",
    "mistakes",
    "page_mistakes",
    "summed",
    "sums_of",
]

LARGEST_DIFFERENCE = 0.1
"""Nats between a stated log-probability and the reference's that rounding and quantised caches may bring."""


class Mistake(NamedTuple):
    """A statement that does not hold: which, and its numbers."""

    kind: str
    words: str


class Books(NamedTuple):
    """Mistakes by kind: how often, and the first of each in words; and the shortest question whose response has one."""

    mistakes: tuple[tuple[str, int, str], ...] = ()
    question: Question | None = None

    def lines(self) -> list[str]:
        """A line for each kind."""
        return [f"{kind}: {number:,} times; first: {words}" for kind, number, words in self.mistakes]


def mistakes(
    question: Question,
    answers: Sequence[Answer],
    rows: Sequence[Sequence[TopRow]],
    rounding: float = 0.0,
) -> list[Mistake]:
    """Mistakes in a response.

    Parameters
    ----------
    question : Question
    answers : all answers of one response
    rows : the reference's most likely tokens at each token of each answer; empty where it was not asked
    rounding : float; the largest difference that was measured between two shapes

    >>> from simspec.audit.endpoint.records import Usage
    >>> answer = Answer((5, 6), "ab", "length", usage=Usage(1, 3))
    >>> [mistake.kind for mistake in mistakes(Question((1,), 0, 2), [answer], [])]
    ['usage: emitted tokens']
    """
    usage = answers[0].usage
    emitted = sum(len(answer.tokens) for answer in answers)
    wrong = []
    if len(answers) != question.copies:
        wrong.append(Mistake("number of answers", f"{len(answers)} of {question.copies}"))
    # llama.cpp counts a token that ends the text and is not sent; a stop string's tokens may be cut off as well
    stops = sum(answer.finish != "length" for answer in answers)
    if usage.completion is not None and not emitted <= usage.completion <= emitted + stops * (
        1 + len(question.stop) * 8
    ):
        wrong.append(Mistake("usage: emitted tokens", f"{usage.completion} are stated and {emitted} were sent"))
    if usage.prompt is not None and usage.prompt != len(question.prompt):
        wrong.append(Mistake("usage: prompt tokens", f"{usage.prompt} are stated and {len(question.prompt)} were sent"))
    wrong += _draft_mistakes(usage.drafted, usage.accepted, emitted)
    limit = max(LARGEST_DIFFERENCE, 2 * rounding)
    for number, answer in enumerate(answers):
        wrong += _text_mistakes(question, answer)
        if question.top and rows:
            wrong += _logprob_mistakes(answer, rows[number], limit)
    return wrong


def _draft_mistakes(drafted: int | None, accepted: int | None, emitted: int) -> list[Mistake]:
    """Counts of drafts that no run has, by the definitions of `simspec lengths`."""
    if drafted is None or accepted is None:
        return []
    if accepted > emitted:
        return [Mistake("accepted drafts", f"{accepted} are stated and {emitted} tokens were sent")]
    try:
        # every step emits one token that is no draft: as many steps as there are such tokens, at most
        checked(Counts(max(emitted - accepted, 1), accepted, drafted), "response")
    except ValueError as error:
        return [Mistake("accepted drafts", str(error))]
    return []


def _text_mistakes(question: Question, answer: Answer) -> list[Mistake]:
    """What an answer should have ended before."""
    wrong = []
    if len(answer.tokens) > question.max_tokens:
        wrong.append(
            Mistake("max_tokens", f"{len(answer.tokens)} tokens were sent and {question.max_tokens} asked for")
        )
    if answer.finish == "length" and len(answer.tokens) < question.max_tokens:
        wrong.append(
            Mistake(
                "max_tokens",
                f"{len(answer.tokens)} tokens were sent of {question.max_tokens}, and it ends for its length",
            )
        )
    if any(stop in answer.text for stop in question.stop):
        wrong.append(Mistake("stop", "the text holds a stop string"))
    return wrong


def _logprob_mistakes(answer: Answer, rows: Sequence[TopRow], limit: float) -> list[Mistake]:
    """Stated log-probabilities that are missing, or are not the reference's."""
    wrong = []
    if len(answer.logprobs) != len(answer.tokens):
        wrong.append(
            Mistake("log-probabilities missing", f"{len(answer.logprobs)} are stated for {len(answer.tokens)} tokens")
        )
    for token, stated, row in zip(answer.tokens, answer.logprobs, rows, strict=False):
        expected = dict(row).get(token, row[-1][1])
        # of a token outside of the row only an upper bound is known
        difference = 0.0 if stated is None else stated - expected
        if difference > limit or (token in dict(row) and difference < -limit):
            wrong.append(Mistake("log-probabilities", f"{stated:.3f} is stated and the reference has {expected:.3f}"))
    return wrong


def metrics_mistakes(
    before: Mapping[str, float], after: Mapping[str, float], sums: Mapping[str, int | None]
) -> list[Mistake]:
    """Counters of the metrics page whose change is not the sum over the responses, or that contradict each other.

    Others may use the server meanwhile: only a change that is too small is a mistake.

    >>> metrics_mistakes({"emitted": 5.0}, {"emitted": 7.0}, {"emitted": 3})[0].words
    'emitted: 2 more on the page, 3 in the responses'
    """
    wrong = []
    for name, value in sums.items():
        if value is None or name not in before or name not in after:
            continue
        change = after[name] - before[name]
        if change < value:
            wrong.append(Mistake("metrics", f"{name}: {change:g} more on the page, {value} in the responses"))
    changes = {name: after[name] - before[name] for name in after if name in before}
    if "drafted" in changes and changes.get("accepted", 0) > changes["drafted"]:
        wrong.append(
            Mistake(
                "metrics",
                f"{changes['accepted']:g} more accepted drafts on the page, of {changes['drafted']:g} drafted",
            )
        )
    return wrong


def sums_of(usages: Sequence[Usage], emitted: int) -> dict[str, int | None]:
    """What responses state in all, under the names of counters; None where none of them states it.

    >>> sums_of([Usage(1, 4, 6, 2), Usage(1, 3)], 7)
    {'emitted': 7, 'drafted': 6, 'accepted': 2}
    """
    sums: dict[str, int | None] = {"emitted": emitted}
    for name in ("drafted", "accepted"):
        stated = [value for usage in usages if (value := getattr(usage, name)) is not None]
        sums[name] = sum(stated) if stated else None
    return sums


def page_mistakes(probes: Sequence[tuple[Mapping[str, float], Mapping[str, int | None]]]) -> list[Mistake]:
    """Counters that grow by the same wrong number at each of some equal requests.

    Parameters
    ----------
    probes : of each request, by how much each counter grew, and what the response states

    Others that use the server would add another number each time.

    >>> page_mistakes([({"accepted": 4.0}, {"accepted": 2})] * 3)[0].words
    'accepted: 4 more on the page after each of 3 requests whose responses state 2'
    """
    wrong = []
    for name in probes[0][0] if probes else ():
        growths = {growth.get(name) for growth, _ in probes}
        stated = {sums.get(name) for _, sums in probes}
        if len(growths) != 1 or len(stated) != 1 or growths == stated or None in growths | stated:
            continue
        words = (
            f"{name}: {growths.pop():g} more on the page after each of {len(probes)} requests whose responses state "
        )
        wrong.append(Mistake("metrics", f"{words}{stated.pop()}"))
    return wrong


def summed(wrong: Sequence[Mistake]) -> Books:
    """Mistakes by kind, in the order in which each was first met."""
    counts = Counter(mistake.kind for mistake in wrong)
    first = {mistake.kind: mistake.words for mistake in reversed(wrong)}
    return Books(tuple((kind, number, first[kind]) for kind, number in counts.items()))
