"""Rounds of an audit on disk: a line of JSON each, written before the next is asked for, so that a kill loses one round.

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


def digest(facts: Mapping[str, Any]) -> str:
    """A hash of what an audit rests on: two audits with one hash ask the same questions of the same models.

    >>> digest({"seed": 0}) == digest({"seed": 0}), digest({"seed": 0}) == digest({"seed": 1})
    (True, False)
    """
    text = json.dumps(facts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Journal:
    """Rounds by stage and number; in memory only where there is no path.

    Parameters
    ----------
    path : Path or None
    identity : str; hash of what the audit rests on

    Raises
    ------
    EndpointError
        where the file is that of another audit.
    """

    def __init__(self, path: Path | None, identity: str) -> None:
        """Read the rounds of a file, or begin it."""
        self.path = path
        self.rounds: dict[tuple[str, int], tuple[Reply, ...]] = {}
        if path is None:
            return
        if "\0" in str(path):
            raise EndpointError(f"--resume: {str(path)!r}; expected the path of a file")
        records = _lines(path)
        if not records:
            _append(path, {"simspec": "audit of an endpoint", "identity": identity})
        elif records[0].get("identity") != identity:
            raise EndpointError(
                f"--resume: {str(path)!r} is of another audit (models, prompts or settings); expected its own: take another file"
            )
        for record in records[1:]:
            self.rounds[record["stage"], record["number"]] = tuple(_reply(fields) for fields in record["replies"])

    def __contains__(self, key: tuple[str, int]) -> bool:
        return key in self.rounds

    def add(self, stage: str, number: int, replies: Sequence[Reply]) -> None:
        """Keep a round."""
        self.rounds[stage, number] = tuple(replies)
        if self.path is not None:
            _append(self.path, {"stage": stage, "number": number, "replies": replies})


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
        raise EndpointError(
            f"--resume: {str(path)!r} is no journal of an audit; expected one, or a path that is free"
        ) from None


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
