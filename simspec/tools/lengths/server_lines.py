"""Lines of a server's log that hold a message: among other lines, coloured, or wrapped in JSON by a container's log driver.

A log is text that strangers wrote: a prompt may quote the message.  So the message counts only where a log writes it, after a
prefix without quotation marks, and nothing of a line is passed on but its numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Message", "RepeatedLines", "messages"]

COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PREFIX = re.compile(r"""(?:[^'"`]{0,400}?(?:[]|:>)-]|\b(?:I|W|D|INFO|DEBUG|TRACE)|[0-9]\S{0,40})\s+|\s*)\Z""", re.ASCII)
"""What stands before a message: nothing, or something that ends in a bracket, bar, colon, level or time."""
TIME = re.compile(r"\d\d:\d\d:\d\d|\d+\.\d\d\.\d{3}\.\d{3}", re.ASCII)
WRAPPED = ("log", "message", "msg", "MESSAGE")
"""Where log drivers and JSON loggers put the line."""


class Message(NamedTuple):
    """A message, from its mark to the end of the line.

    Attributes
    ----------
    number : int; of the line, from 1
    prefix : str; what stands before the mark
    text : str
    """

    number: int
    prefix: str
    text: str

    @property
    def place(self) -> str:
        """The line, for messages."""
        return f"line {self.number}"


class RepeatedLines:
    """Counts lines that stand in a log twice, word for word with their time: a log that was put together from others has them."""

    def __init__(self) -> None:
        self.lines: set[str] = set()
        self.number = 0

    def is_repeated(self, message: Message) -> bool:
        """Whether the line was there before; lines without a time may be equal by chance and never count as repeated."""
        if not TIME.search(message.prefix):
            return False
        line = message.prefix + message.text
        if line in self.lines:
            self.number += 1
            return True
        self.lines.add(line)
        return False

    def notes(self) -> list[str]:
        """What there is to say of them."""
        note = f"lines repeated word for word, with their time, are counted once: {self.number:,} left out"
        return [note] if self.number else []


def messages(text: str, *marks: str) -> Iterator[Message]:
    """Messages that begin with a mark, in the order of their lines.

    >>> list(messages("INFO 10:00:00 [a.py:1] mark: 1\\nprompt: 'mark: 2'", "mark:"))
    [Message(number=1, prefix='INFO 10:00:00 [a.py:1] ', text='mark: 1')]
    """
    for number, line in enumerate(text.split("\n"), 1):
        if not any(mark in line for mark in marks):
            continue
        for message_line in _unwrapped(line).split("\n"):
            plain = COLOUR.sub("", message_line)
            starts = [start for start in map(plain.find, marks) if start >= 0]
            if starts and PREFIX.match(plain[: min(starts)]):
                yield Message(number, plain[: min(starts)], plain[min(starts) :].strip())


def _unwrapped(line: str) -> str:
    """The line inside a JSON object of a log driver, or the line itself."""
    if not line.lstrip().startswith("{"):
        return line
    try:
        wrapper = json.loads(line)
    except (ValueError, RecursionError):
        return line
    texts = [wrapper[name] for name in WRAPPED if isinstance(wrapper.get(name), str)]
    return texts[0] if texts else line
