"""Banks from logits that someone else recorded: an array, a vocabulary and the prompts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.files import read_json
from simspec.logits.bank import Bank, open_bank
from simspec.logits.bank.storage import Contexts, Part, check_out, store_rows, write_bank
from simspec.logits.capture.align import token_bytes
from simspec.logits.capture.models import file_digest
from simspec.logits.npz import read_npz

__all__ = ["capture_recorded", "check_logits", "read_vocab"]


def capture_recorded(
    logits: str | Path,
    vocab: str | Path,
    records: str | Path,
    out: str | Path,
    *,
    name: str | None = None,
    about: Any = None,
) -> Bank:
    """Write a bank of recorded logits: one context, and one document, a prompt; no draft, no true next token.

    Parameters
    ----------
    logits : path
        ``.npz`` with an array ``logits`` (contexts, V), raw, by token id.
    vocab : path
        ``.json``, token string to id.
    records : path
        ``.json``, a list with one record a context, with ``token_ids``.
    out : path
    about : mapping, optional
        more for the provenance: licence, note, date, command.

    Raises
    ------
    ValueError
        for files that are missing, malformed or do not fit each other.
    """
    paths = {"logits": Path(logits), "vocab": Path(vocab), "records": Path(records)}
    check_out(out)
    arrays = read_npz(paths["logits"], "logits")
    if "logits" not in arrays:
        raise ValueError(f"logits: {str(logits)!r} holds {', '.join(arrays) or 'nothing'}; expected an array 'logits'")
    z = check_logits(arrays["logits"], "logits")
    tokens = read_vocab(vocab)
    contexts = _prompts(records, len(tokens))
    if z.shape != (len(contexts), len(tokens)):
        raise ValueError(f"logits: shape {z.shape}; expected {len(contexts)} prompts x {len(tokens)} token ids from 0")
    count = len(contexts)
    index = Contexts(
        last=np.array([ids[-1] for ids in contexts], dtype=np.int32),
        following=np.full(count, -1, dtype=np.int32),
        position=np.array([len(ids) - 1 for ids in contexts], dtype=np.int32),
        document=np.arange(count, dtype=np.int32),
        corpus=np.full(count, paths["records"].name),
    )
    files = [{"file": path.name, "sha256": file_digest(path)} for path in paths.values()]
    title = paths["logits"].resolve().parent.name
    write_bank(
        out,
        name=name or Path(out).name.removesuffix(".safetensors"),
        evaluation=Part(store_rows(z), None, index),
        tokens=token_bytes(tokens),
        provenance={"models": {"target": {"name": title}}, "texts": files, **(about or {})},
    )
    return open_bank(Path(out))


def read_vocab(path: str | Path, name: str = "vocab") -> list[str]:
    """Token strings by id, from a ``.json`` file that maps each string to its id, as tokenizers write it.

    Raises
    ------
    ValueError
        for a file that is missing or malformed, or ids that are not 0, 1, 2, ...

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "vocab.json").write_text('{"b": 1, "a": 0}')
    ...     read_vocab(Path(folder, "vocab.json"))
    ['a', 'b']
    """
    expected = "a JSON object: each token string to its id, 0, 1, 2, ..."
    strings = read_json(path, name, expected)
    if not isinstance(strings, dict) or not strings or not all(type(i) is int for i in strings.values()):
        raise ValueError(f"{name}: {str(path)!r} holds another thing; expected {expected}")
    ids = sorted(strings.values())
    wrong = next((n for n, i in enumerate(ids) if n != i), None)
    if wrong is not None:
        raise ValueError(f"{name}: {str(path)!r} has id {ids[wrong]} in place of {wrong}; expected {expected}")
    return sorted(strings, key=strings.__getitem__)


def check_logits(z: NDArray[Any], name: str) -> NDArray[Any]:
    """Logits of contexts x vocabulary in floating point.

    Raises
    ------
    ValueError
        for another number of axes, an empty one, or other than real numbers.

    Examples
    --------
    >>> check_logits(np.array([[1, 2]]), "logits").tolist()
    [[1.0, 2.0]]
    """
    if z.ndim != 2 or 0 in z.shape or z.dtype.kind not in "iuf":
        raise ValueError(f"{name}: {z.dtype} of shape {z.shape}; expected real numbers (contexts, vocabulary)")
    return z if z.dtype.kind == "f" else z.astype(np.float64)


def _prompts(path: str | Path, vocab: int) -> list[list[int]]:
    expected = f"a JSON list with one record a context, with 'token_ids' below {vocab}"
    records = read_json(path, "records", expected)
    if not isinstance(records, list) or not records:
        raise ValueError(f"records: {str(path)!r} holds no list of records; expected {expected}")
    contexts = []
    for number, record in enumerate(records):
        ids = record.get("token_ids") if isinstance(record, dict) else None
        if not isinstance(ids, list) or not ids or not all(type(i) is int and 0 <= i < vocab for i in ids):
            raise ValueError(f"records: {str(path)!r}, record {number} has no such token_ids; expected {expected}")
        contexts.append(ids)
    return contexts
