"""Reading text files as lists of documents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from simspec.files import existing, parse_json

__all__ = ["Document", "join_short", "read_documents"]

FIELDS = ("prompt", "question", "text", "sentence", "code", "answer", "completion")
_HEADING = re.compile(r"^ ?= (?!=).*(?<!=) = *$")


class Document(NamedTuple):
    """A text and the name of the file it comes from."""

    corpus: str
    text: str


def read_documents(path: str | Path, min_chars: int = 400) -> list[Document]:
    """Documents of a text file, in file order.

    - ``.jsonl``: one record a line; its fields prompt, question, text, sentence, code, answer, completion (those it
      has) joined by line breaks.
    - ``.json``: a list of strings, or of such records.
    - any other: articles between headings `` = Title = `` (WikiText) where there are two or more; else paragraphs
      between blank lines where there are two or more; else lines.

    Records shorter than `min_chars` characters are joined with those that follow, up to that length.

    Raises
    ------
    ValueError
        naming the file, and the line where there is one, when it is missing, empty or not of its format.
    """
    path = existing(path, "text", "a .txt, .jsonl or .json file")
    corpus = f"{path.resolve().parent.name}/{path.name}"
    try:
        content = path.read_text(encoding="utf-8")
        if path.suffix == ".jsonl":
            lines = content.split("\n")
            records = [_record(path, n, parse_json(line)) for n, line in enumerate(lines, 1) if line.strip()]
        elif path.suffix == ".json":
            listed = parse_json(content)
            if not isinstance(listed, list):
                raise _NoText(f"text: {path.name} holds a {type(listed).__name__}; expected a list")
            records = [_record(path, n, record) for n, record in enumerate(listed, 1)]
        else:
            records = _split(content)
    except _NoText:
        raise
    except ValueError as error:
        raise ValueError(f"text: {path.name} cannot be read: {error}; expected UTF-8 {path.suffix or 'text'}") from None
    documents = [Document(corpus, text) for text in join_short(records, min_chars)]
    if not documents:
        raise ValueError(f"text: {path.name} holds no text; expected at least one document")
    return documents


class _NoText(ValueError):
    """A record or a list of another kind, already told with the name of the file."""


def _record(path: Path, number: int, record: Any) -> str:
    if isinstance(record, str):
        return record
    parts = (
        [record[field] for field in FIELDS if isinstance(record.get(field), str)] if isinstance(record, dict) else []
    )
    if not parts:
        raise _NoText(
            f"text: {path.name}, record {number} has no text; expected a string or one of {', '.join(FIELDS)}"
        )
    return "\n".join(parts)


def _split(content: str) -> list[str]:
    lines = content.split("\n")
    starts = [i for i, line in enumerate(lines) if _HEADING.match(line)]
    if len(starts) > 1:
        pairs = zip(starts, [*starts[1:], len(lines)], strict=True)
        return ["\n".join(lines[start:end]) for start, end in pairs]
    paragraphs = re.split(r"\n\s*\n", content)
    return paragraphs if len(paragraphs) > 1 else lines


def join_short(records: Iterable[str], min_chars: int) -> list[str]:
    r"""Join records, stripped, by line breaks until each text has `min_chars` characters; a short rest ends the last.

    >>> join_short(["ab", "c", "", "defg", "h"], 4)
    ['ab\nc', 'defg\nh']
    """
    texts: list[str] = []
    pending = ""
    for record in filter(None, (record.strip() for record in records)):
        pending = f"{pending}\n{record}" if pending else record
        if len(pending) >= min_chars:
            texts.append(pending)
            pending = ""
    if pending:
        texts[-1:] = [f"{texts[-1]}\n{pending}"] if texts else [pending]
    return texts
