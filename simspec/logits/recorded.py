"""Banks from logits that someone else recorded: an array, a vocabulary and the prompts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from simspec.logits.align import token_bytes
from simspec.logits.bank import Bank, open_bank
from simspec.logits.models import file_digest
from simspec.logits.storage import Contexts, store_rows, write_bank

__all__ = ["capture_recorded"]


def capture_recorded(
    logits: str | Path,
    vocab: str | Path,
    prompts: str | Path,
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
    prompts : path
        ``.json``, a list with one record a context, with ``token_ids``.
    out : path
    about : mapping, optional
        more for the provenance: licence, note, date, command.

    Raises
    ------
    ValueError
        for files that are missing, malformed or do not fit each other.
    """
    paths = {"logits": Path(logits), "vocab": Path(vocab), "prompts": Path(prompts)}
    for key, path in paths.items():
        if not path.is_file():
            raise ValueError(f"{key}: no file {str(path)!r}")
    try:
        with np.load(paths["logits"]) as arrays:
            z = arrays["logits"]
        strings = json.loads(paths["vocab"].read_text(encoding="utf-8"))
        contexts = [record["token_ids"] for record in json.loads(paths["prompts"].read_text(encoding="utf-8"))]
        tokens = [token for token, _ in sorted(strings.items(), key=lambda item: item[1])]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"logits: recordings cannot be read: {type(error).__name__}: {error}") from None
    if z.shape != (len(contexts), len(tokens)) or sorted(strings.values()) != list(range(len(tokens))):
        raise ValueError(f"logits: shape {z.shape}; expected {len(contexts)} prompts x {len(tokens)} token ids from 0")
    count = len(contexts)
    index = Contexts(
        last=np.array([ids[-1] for ids in contexts], dtype=np.int32),
        following=np.full(count, -1, dtype=np.int32),
        position=np.array([len(ids) - 1 for ids in contexts], dtype=np.int32),
        document=np.arange(count, dtype=np.int32),
        corpus=np.full(count, paths["prompts"].name),
    )
    files = [{"file": path.name, "sha256": file_digest(path)} for path in paths.values()]
    title = paths["logits"].resolve().parent.name
    write_bank(
        out,
        name=name or Path(out).name.removesuffix(".safetensors"),
        target=store_rows(z),
        contexts=index,
        tokens=token_bytes(tokens),
        provenance={"models": {"target": {"name": title}}, "texts": files, **(about or {})},
    )
    return open_bank(Path(out))
