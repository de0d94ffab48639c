"""Stop strings: the same request again with a string from the middle of its answer, which must end there and not before.

What is not here: whether the answer goes on beyond the string (`books`, which sees it in any response).
"""

from __future__ import annotations

from collections.abc import Sequence

from simspec.audit.endpoint.books import Mistake
from simspec.audit.endpoint.journal import Reply
from simspec.audit.endpoint.records import Question

__all__ = ["early_ends", "stop_string", "with_stop_strings"]

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
