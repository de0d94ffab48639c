"""Rounds of an audit on disk: a line of JSON each, written before the next is asked for, so that a kill loses one round.

The first line says what the audit rests on.  Others hold facts that were measured once, such as how its models score some texts.
No key and no header of a request is in it.  A line that a kill cut short is dropped when the file is read again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from simspec.audit.endpoint.records import Answer, EndpointError, Question, TopRow, Usage
from simspec.html.escaping import escaped

__all__ = ["Journal", "Reply", "digest"]


class Reply(NamedTuple):
    """A question and its answers.

    Attributes
    ----------
    question : Question
    answers : of one response
    rows : the reference's most likely tokens at each token of each answer
    draft_rows : the draft's; empty where none is given
    processed_rows : the most likely tokens under the question's options, as the reference states them; empty where it does not
    """

    question: Question
    answers: tuple[Answer, ...]
    rows: tuple[tuple[TopRow, ...], ...]
    draft_rows: tuple[tuple[TopRow, ...], ...] = ()
    processed_rows: tuple[tuple[TopRow, ...], ...] = ()


def digest(value: object) -> str:
    """A hash of a value that JSON can hold, for what is too long to be shown.

    >>> digest([[1, 2]]) == digest([(1, 2)]), digest([[1, 2]]) == digest([[1, 3]])
    (True, False)
    """
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


class Journal:
    """Rounds by stage and number, and facts by name; in memory only where there is no path.

    Parameters
    ----------
    path : Path, str or None
    audit : what the audit rests on, by name: another audit asks other questions, or asks them of others

    Attributes
    ----------
    rounds : replies by stage and number
    drafted : by how much the engine's counter of drafted tokens grew in a round; None where it has none
    facts : values that JSON can hold
    was_resumed : bool; whether there were rounds in the file

    Raises
    ------
    EndpointError
        where the file is that of another audit, or none of an audit.

    >>> journal = Journal(None, {"engine": "http://127.0.0.1:8000"})
    >>> journal.add_fact("stop strings", ["a"])
    >>> journal.facts, ("sampled", 0) in journal
    ({'stop strings': ['a']}, False)
    """

    def __init__(self, path: Path | str | None, audit: Mapping[str, Any]) -> None:
        """Read the rounds of a file, or begin it."""
        self.path = None if path is None else Path(path)
        self.rounds: dict[tuple[str, int], tuple[Reply, ...]] = {}
        self.drafted: dict[tuple[str, int], float | None] = {}
        self.facts: dict[str, Any] = {}
        self.was_resumed = False
        if self.path is None:
            return
        if "\0" in str(self.path):
            raise EndpointError(f"--resume: {str(self.path)!r}; expected the path of a file")
        records = _lines(self.path)
        if not records:
            _append(self.path, {"simspec": "audit of an endpoint", "audit": audit})
            return
        try:
            difference = _difference(records[0]["audit"], json.loads(json.dumps(audit)))
            for record in records[1:] if not difference else ():
                self._read(record)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise _no_journal(self.path) from None
        if difference:
            raise EndpointError(
                f"--resume: {str(self.path)!r} is of another audit: {difference}; expected its own: take another file"
            )
        self.was_resumed = bool(self.rounds)

    def _read(self, record: Mapping[str, Any]) -> None:
        """Take in a line: a fact, or a round, which replaces a shorter one of the same number."""
        if "fact" in record:
            self.facts[record["fact"]] = record["value"]
            return
        key = (record["stage"], record["number"])
        self.rounds[key] = tuple(_reply(fields) for fields in record["replies"])
        self.drafted[key] = record["drafted"]

    def __contains__(self, key: tuple[str, int]) -> bool:
        return key in self.rounds

    def add(self, stage: str, number: int, replies: Sequence[Reply], drafted: float | None = None) -> None:
        """Keep a round."""
        self.rounds[stage, number] = tuple(replies)
        self.drafted[stage, number] = drafted
        if self.path is not None:
            _append(self.path, {"stage": stage, "number": number, "drafted": drafted, "replies": replies})

    def add_fact(self, name: str, value: Any) -> None:
        """Keep a value, as it is after it was written and read."""
        self.facts[name] = json.loads(json.dumps(value))
        if self.path is not None:
            _append(self.path, {"fact": name, "value": value})


def _difference(stored: Mapping[str, Any], audit: Mapping[str, Any]) -> str:
    """The first thing in which two audits differ, in words; "" where they agree.

    >>> _difference({"engine": "a", "--seed": 0}, {"engine": "a", "--seed": 1})
    '--seed is 0 there and 1 here'
    """
    for name in dict.fromkeys((*audit, *stored)):
        if stored.get(name) != audit.get(name):
            return f"{escaped(name)} is {escaped(stored.get(name))} there and {escaped(audit.get(name))} here"
    return ""


def _no_journal(path: Path) -> EndpointError:
    return EndpointError(f"--resume: {str(path)!r} is no journal of an audit; expected one, or a path that is free")


def _append(path: Path, record: Mapping[str, Any]) -> None:
    """Add a line, and wait until it is on disk."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _lines(path: Path) -> list[dict[str, Any]]:
    """Records of a file; what stands after its last whole line is cut off."""
    if not path.exists():
        return []
    content = path.read_bytes()
    whole_lines, _, cut_line = content.rpartition(b"\n")
    if cut_line:
        with path.open("r+b") as file:
            file.truncate(len(content) - len(cut_line))
    try:
        return [json.loads(line) for line in whole_lines.split(b"\n") if line]
    except ValueError:
        raise _no_journal(path) from None


def _reply(fields: Sequence[Any]) -> Reply:
    """A reply as it was before it was written: JSON knows no tuples."""
    question, answers, rows, draft_rows, processed_rows = fields
    return Reply(
        Question(*question)._replace(
            prompt=tuple(question[0]), stop=tuple(question[6]), options=tuple(map(tuple, question[7]))
        ),
        tuple(_answer(*answer) for answer in answers),
        tuple(tuple(_row(row) for row in text) for text in rows),
        tuple(tuple(_row(row) for row in text) for text in draft_rows),
        tuple(tuple(_row(row) for row in text) for text in processed_rows),
    )


def _answer(
    tokens: Sequence[int],
    text: str,
    finish: str,
    logprobs: Sequence[float | None],
    alternatives: Sequence[Any],
    usage: Sequence[int | None],
) -> Answer:
    return Answer(tuple(tokens), text, finish, tuple(logprobs), tuple(map(_row, alternatives)), Usage(*usage))


def _row(pairs: Sequence[Sequence[Any]]) -> TopRow:
    return tuple((int(token), float(logprob)) for token, logprob in pairs)
