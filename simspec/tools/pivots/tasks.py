"""Tasks whose answers are checked exactly: sums, products and copies, asked after four examples of their own kind.

The examples make answers short and their form fixed, so that a small model is sometimes right and sometimes wrong, and what
is right hangs on single tokens.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

__all__ = ["EXAMPLES", "KINDS", "Task", "is_correct", "make_tasks"]

KINDS = ("sum", "sums", "product", "copy")
"""A sum, two sums one after the other, a product, and words in the same order."""
EXAMPLES = 4
"""Questions with answers before the question."""
WORDS = (
    "apple",
    "river",
    "stone",
    "cloud",
    "green",
    "seven",
    "chair",
    "music",
    "window",
    "paper",
    "silver",
    "garden",
    "letter",
    "mountain",
    "orange",
    "bridge",
)
_COPIED = 6


class Task(NamedTuple):
    """Messages of a chat that ends with a question, the kind of task, and the right answer."""

    messages: list[dict[str, str]]
    kind: str
    answer: str


def make_tasks(kind: str, count: int, seed: int, has_own_examples: bool = True) -> list[Task]:
    """Tasks of one kind, each with examples of its own or all with those of the first.

    >>> task = make_tasks("product", 1, seed=0)[0]
    >>> len(task.messages), task.messages[-1]["content"], task.answer
    (9, '5 times 2', '5 times 2 is 10.')
    """
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    tasks: list[Task] = []
    for _ in range(count):
        if has_own_examples or not tasks:
            examples = [_asked(kind, rng) for _ in range(EXAMPLES)]
        question, answer = _asked(kind, rng)
        messages = []
        for example, right in examples:
            messages.append({"role": "user", "content": example})
            messages.append({"role": "assistant", "content": right})
        messages.append({"role": "user", "content": question})
        tasks.append(Task(messages, kind, answer))
    return tasks


def _asked(kind: str, rng: np.random.Generator) -> tuple[str, str]:
    """A question and its answer."""
    if kind == "sum":
        a, b = rng.integers(2, 40, 2).tolist()
        return f"{a} + {b}", f"{a} + {b} = {a + b}"
    if kind == "sums":
        a, b, c = rng.integers(2, 9, 3).tolist()
        return f"Add {a} and {b}, then add {c}.", f"{a} + {b} = {a + b}. {a + b} + {c} = {a + b + c}."
    if kind == "product":
        a, b = rng.integers(2, 10, 2).tolist()
        return f"{a} times {b}", f"{a} times {b} is {a * b}."
    words = " ".join(rng.choice(WORDS, _COPIED, replace=False).tolist())
    return f"Copy: {words}", words


def is_correct(task: Task, text: str) -> bool:
    """Whether a text answers a task: its last number is the right one; of a copy, all words and nothing else.

    >>> task = Task([], "sum", "2 + 3 = 5")
    >>> is_correct(task, "That makes 5."), is_correct(task, "5 = 2 + 3"), is_correct(task, "")
    (True, False, False)
    >>> is_correct(Task([], "copy", "river stone"), " river stone\\n"), is_correct(Task([], "copy", "river stone"), "stone")
    (True, False)
    """
    if task.kind == "copy":
        return text.split() == task.answer.split()
    return _numbers(text)[-1:] == _numbers(task.answer)[-1:]


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)
