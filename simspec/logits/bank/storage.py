"""How a bank is stored: rows rounded with their maximum at 0, what is kept of a context, and the file that holds both."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.laws import softmax, tv
from simspec.logits.bank.checked import write_checked

__all__ = [
    "STORAGE",
    "VERSION",
    "Contexts",
    "CutPart",
    "Part",
    "Rows",
    "check_out",
    "draft_tensor",
    "pack_tokens",
    "store_rows",
    "write_bank",
]

VERSION = "1"
"""Of the format; a bank of another version is refused."""
STORAGE = ("float16", "float32")
"""Types that logits can be kept in."""


class Contexts(NamedTuple):
    """What is kept of each context: arrays of equal length, one entry a context; the text itself is not kept."""

    last: NDArray[np.int32]
    """last token of the context (target vocabulary), -1 where it is not known"""
    following: NDArray[np.int32]
    """true next token (target vocabulary), -1 where it is not known"""
    position: NDArray[np.int32]
    """index of the last token in the model's input, from 0"""
    document: NDArray[np.int32]
    """document, equal for contexts of one document"""
    corpus: NDArray[np.str_]
    """name of the text file"""


class Rows(NamedTuple):
    """Logits as they are stored: shifted rows, the shifts, and the TV error of each row."""

    stored: NDArray[Any]
    shift: NDArray[np.float32]
    error: NDArray[np.float64]


class Part(NamedTuple):
    """Some contexts: the target's rows, the draft's where there is one, and what is kept of each context."""

    target: Rows
    draft: Rows | None
    contexts: Contexts


class CutPart(NamedTuple):
    """Contexts whose rows are cut (`simspec.logits.bank.cut`): their tensors by name, what is kept of each, the settings."""

    tensors: Mapping[str, NDArray[Any]]
    contexts: Contexts
    settings: Sequence[tuple[float, float]]


def store_rows(logits: NDArray[Any], dtype: Any = np.float16) -> Rows:
    r"""Shift each row so that its maximum is 0 and round it to `dtype`.

    The error of a row is :math:`TV(softmax(z), softmax(round(z - \max z)))`, against the logits as given.

    Parameters
    ----------
    logits : float array (n, V)
        raw logits, nats.
    dtype : float16 or float32

    Raises
    ------
    ValueError
        for a logit that is not finite, naming its row (the usual cause: half-precision overflow in the model).

    Examples
    --------
    >>> rows = store_rows(np.array([[1.0, 3.0]]))
    >>> rows.stored.tolist(), rows.shift.tolist(), rows.error.tolist()
    ([[-2.0, 0.0]], [3.0], [0.0])
    """
    logits = np.asarray(logits)
    if logits.ndim != 2 or logits.shape[-1] == 0:
        raise ValueError(f"logits: shape {logits.shape}; expected (contexts, vocabulary)")
    bad = ~np.isfinite(logits)
    if bad.any():
        row, token = np.argwhere(bad)[0].tolist()
        raise ValueError(f"logits: row {row} holds {logits[row, token]} at token {token}; expected finite numbers")
    shift = logits.max(axis=-1, keepdims=True)
    low = float(np.finfo(dtype).min)
    stored = np.maximum(logits - shift, low).astype(dtype)
    error = np.empty(len(logits))
    for i in range(len(logits)):
        error[i] = tv(softmax(logits[i].astype(np.float64)), softmax(stored[i].astype(np.float64)))
    return Rows(stored, shift[:, 0].astype(np.float32), error)


def check_out(out: str | os.PathLike[str]) -> None:
    """Refuse a place that no bank can be written to, before anything is computed.

    Raises
    ------
    ValueError
        for a folder, or a path in a folder that does not exist or may not be written to.

    Examples
    --------
    >>> check_out("nowhere/own.safetensors")
    Traceback (most recent call last):
    ...
    ValueError: out: 'nowhere/own.safetensors' lies in no existing folder; expected a path in one that exists
    """
    path = Path.cwd() / out
    if not path.parent.is_dir():
        raise ValueError(f"out: {str(out)!r} lies in no existing folder; expected a path in one that exists")
    if path.is_dir():
        raise ValueError(f"out: {str(out)!r} is a folder; expected the path of a file")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise ValueError(f"out: {str(out)!r} lies in a folder without permission to write; choose another")


def pack_tokens(tokens: list[bytes], name: str) -> dict[str, NDArray[Any]]:
    """Byte strings as two tensors, ``name_bytes`` and ``name_lengths``.

    >>> {key: value.tolist() for key, value in pack_tokens([b"a", b"bc"], "vocab").items()}
    {'vocab_bytes': [97, 98, 99], 'vocab_lengths': [1, 2]}
    """
    lengths = np.array([len(token) for token in tokens])
    kind = np.uint8 if lengths.max(initial=0) < 256 else np.uint32
    return {f"{name}_bytes": np.frombuffer(b"".join(tokens), np.uint8), f"{name}_lengths": lengths.astype(kind)}


def draft_tensor(number: int) -> str:
    """Name of the tensor with the rows of a draft; the first is number 0.

    >>> draft_tensor(0), draft_tensor(1)
    ('draft', 'draft_2')
    """
    return "draft" if number == 0 else f"draft_{number + 1}"


def write_bank(
    path: str | os.PathLike[str],
    *,
    name: str,
    evaluation: Part,
    tokens: list[bytes],
    draft_vocab: tuple[list[bytes], NDArray[np.int32]] | None = None,
    draft_first: NDArray[np.int32] | None = None,
    tuning: Part | None = None,
    statistics: Mapping[str, NDArray[Any]] | None = None,
    provenance: Mapping[str, Any],
    drafts: Sequence[str] = (),
    further: Sequence[Rows] = (),
    cut: CutPart | None = None,
) -> None:
    """Write a bank, all or nothing (see :func:`simspec.logits.bank.checked.write_checked`).

    `draft_vocab` are the draft's tokens and the target token of each, where it has a vocabulary of its own;
    `draft_first` the target token with which the text of each begins, -1 for none.  `further` are the evaluation rows of more
    drafts over the target's vocabulary; `drafts` are then the names of all, the first included.
    """
    parts = {"": evaluation} | ({"tuning_": tuning} if tuning else {})
    indexes = {prefix: section.contexts for prefix, section in parts.items()}
    if cut is not None:
        indexes["cut_"] = cut.contexts
    corpora = sorted({corpus for index in indexes.values() for corpus in index.corpus.tolist()})
    tensors: dict[str, NDArray[Any]] = {} if cut is None else dict(cut.tensors)
    errors: dict[str, dict[str, float]] = {}
    rows_of: dict[str, Rows | None] = {}
    for prefix, section in parts.items():
        rows_of |= {f"{prefix}target": section.target, f"{prefix}draft": section.draft}
    rows_of |= {draft_tensor(number): rows for number, rows in enumerate(further, 1)}
    for name_of_rows, rows in rows_of.items():
        if rows is not None:
            tensors |= {name_of_rows: rows.stored, f"{name_of_rows}_shift": rows.shift}
            mean = float(rows.error.mean()) if rows.error.size else 0.0
            errors[name_of_rows] = {"max": float(rows.error.max(initial=0)), "mean": mean}
    for prefix, index in indexes.items():
        for field in ("last", "following", "position", "document"):
            tensors[prefix + field] = np.asarray(getattr(index, field), dtype=np.int32)
        places = [corpora.index(corpus) for corpus in index.corpus.tolist()]
        tensors[f"{prefix}corpus"] = np.array(places, dtype=np.int32)
    tensors |= pack_tokens(tokens, "vocab") | dict(statistics or {})
    if draft_vocab is not None:
        spelled, table = draft_vocab
        tensors |= pack_tokens(spelled, "draft_vocab") | {"draft_to_target": table.astype(np.int32)}
    if draft_first is not None:
        tensors["draft_first"] = draft_first.astype(np.int32)
    metadata = {
        "simspec_bank": VERSION,
        "name": name,
        "temperature": "1",
        "corpora": json.dumps(corpora),
        "storage_tv": json.dumps(errors),
        "provenance": json.dumps(provenance, ensure_ascii=False),
    }
    if further:
        metadata["drafts"] = json.dumps(list(drafts))
    if cut is not None:
        metadata["cut_settings"] = json.dumps(cut.settings)
    write_checked(path, tensors, metadata)
