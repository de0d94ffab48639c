"""Stop strings: a text ends at the first of them, and what stands before has the law that it has without them.

The same request is asked again with a string from the middle of its answer, which must end there and not before.  New requests
are asked with strings that are common in the answers so far, one within a word and one across the space between two words: their
tokens up to the string are judged by the reference, and their text and their last token by the text of all that was sent.

What is not here: whether the text holds the string (`books`, which sees it in any response); the bets (`bets`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from simspec.audit.endpoint.books import Mistake
from simspec.audit.endpoint.journal import Reply
from simspec.audit.endpoint.records import Answer, Question

__all__ = ["Stopped", "common_stops", "early_ends", "stop_string", "stopped", "with_stop_strings"]

LETTERS = 3
"""Length of a stop string."""


def stop_string(text: str) -> str:
    """A string from the middle of a text, without spaces around it; empty where there is none.

    >>> stop_string("one two three")
    'two'
    """
    middle = len(text) // 2 - 2
    return text[max(middle, 0) : max(middle, 0) + LETTERS + 1].strip()[:LETTERS]


def with_stop_strings(replies: Sequence[Reply]) -> list[Reply]:
    """Replies whose question may be asked again with a stop string: its own, which stands in the question that is returned."""
    again = []
    for reply in replies:
        stop = stop_string(reply.answers[0].text)
        if stop and len(reply.answers) == 1:
            # llama.cpp states no log-probabilities of the tokens that hold the string: none are asked for
            again.append(reply._replace(question=reply.question._replace(stop=(stop,), top=0)))
    return again


def early_ends(unstopped: Sequence[Reply], stopped: Sequence[Reply]) -> list[tuple[Question, Mistake]]:
    """Answers that end before their stop string, though the same request without it goes on to it, and their questions.

    Parameters
    ----------
    unstopped : replies as `with_stop_strings` returns them: the answer without the stop string, the question with it
    stopped : replies to these questions

    A text that takes another way than the whole one, as where seeds do not repeat, says nothing.

    >>> from simspec.audit.endpoint.records import Answer
    >>> question = Question((1,), 0, 9, stop=("two",))
    >>> unstopped = Reply(question, (Answer((5, 6, 7), "one two three", "length"),), ())
    >>> [len(early_ends([unstopped], [Reply(question, (Answer((5,), text, "stop"),), ())])) for text in ("one ", "o", "x")]
    [0, 1, 0]
    """
    wrong = []
    for before, after in zip(unstopped, stopped, strict=True):
        text = before.answers[0].text
        expected = text[: text.index(after.question.stop[0])].rstrip()
        answer_text = after.answers[0].text.rstrip()
        is_early = expected.startswith(answer_text) and len(answer_text) < len(expected)
        if is_early and after.answers[0].finish != "length":
            words = (
                f"the text ends after {len(answer_text)} characters, and its stop string stands after {len(expected)}"
            )
            wrong.append((after.question, Mistake("stop", words)))
    return wrong


class Stopped(NamedTuple):
    """An answer to a request with a stop string.

    Attributes
    ----------
    length : int; tokens up to the one that completes the stop string, all of them where none does
    mistakes : what is wrong with the text or with the number of tokens
    is_cut : bool; whether the tokens that complete the string were not sent, so that the law of those that were is another
    """

    length: int
    mistakes: tuple[Mistake, ...] = ()
    is_cut: bool = False


def common_stops(texts: Sequence[str]) -> list[str]:
    """Strings that often stand first in the middle of a text: two characters within a word, and three with a space between.

    >>> common_stops(["ab cd ef gh", "xb cd ef zz"])
    ['cd', 'd e']
    """
    within: Counter[str] = Counter()
    across: Counter[str] = Counter()
    for text in texts:
        for length, counts in ((2, within), (3, across)):
            windows = {text[place : place + length] for place in range(len(text) - length + 1)}
            for window in windows:
                is_across = length == 3 and window[1].isspace()
                if is_across != (length == 3) or any(char.isspace() for char in window[:: 2 if length == 3 else 1]):
                    continue
                if len(text) / 4 <= text.index(window) <= len(text) * 3 / 4:
                    counts[window] += 1
    return [min(counts, key=lambda stop: (-counts[stop], stop)) for counts in (within, across) if counts]


def stopped(question: Question, answer: Answer, text_of: Callable[[Sequence[int]], str]) -> Stopped:
    """Where an answer should have ended, beside where it did.

    Parameters
    ----------
    question : with one stop string
    answer : to it
    text_of : the text of token ids

    >>> words = {5: " one", 6: " two", 7: " three"}
    >>> text_of = lambda tokens: "".join(words[token] for token in tokens)
    >>> question = Question((1,), 0, 9, stop=("tw",))
    >>> stopped(question, Answer((5, 6), " one ", "stop"), text_of)
    Stopped(length=2, mistakes=(), is_cut=False)
    >>> [mistake.words for mistake in stopped(question, Answer((5, 6, 7), " one ", "stop"), text_of).mistakes]
    ['3 tokens were sent, and the token 2 completes the stop string']
    """
    (stop,) = question.stop
    length = len(answer.tokens)
    text = text_of(answer.tokens) if length else ""
    if stop not in text:
        # a text that was cut by letters beside tokens that were cut as wholes
        rest = text[len(answer.text) :] if text.startswith(answer.text) else ""
        is_longer = len(answer.text) > len(text) and answer.text.startswith(text)
        counted = answer.usage.completion
        is_cut = is_longer or (bool(rest) and stop.startswith(rest)) or (counted is not None and counted > length)
        if answer.finish in ("length", "end"):
            return Stopped(length)
        if is_cut or answer.finish != "stop":
            return Stopped(length, (), is_cut)
        return Stopped(length, (Mistake("stop", "the text ends for a stop string, and the tokens hold none"),))
    while length > 1 and stop in text_of(answer.tokens[: length - 1]):
        length -= 1
    wrong = []
    if length < len(answer.tokens):
        words = f"{len(answer.tokens)} tokens were sent, and the token {length} completes the stop string"
        wrong.append(Mistake("stop", words))
    expected = text[: text.index(stop)]
    # tokenizers differ in the space before the first word
    if answer.finish != "length" and answer.text.lstrip() != expected.lstrip():
        words = f"the text has {len(answer.text)} characters, and the stop string stands after {len(expected)}"
        wrong.append(Mistake("stop", words))
    return Stopped(length, tuple(wrong))
