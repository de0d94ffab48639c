"""Headers and files that no writer of ours would write, with checksums that match all the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from simspec.logits.bank.checked import _BLANK, CheckedFile, _digest, write_checked

__all__ = ["reseal", "rewrite"]


def reseal(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the header of a file in place, and seal it again; what `change` returns, if anything, is the new header."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    changed = change(header)
    header = header if changed is None else changed
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    metadata = header.get("__metadata__") if isinstance(header, dict) else None
    seal = metadata.get("header_checksum") if isinstance(metadata, dict) else None
    if isinstance(seal, str) and seal.isalnum() and seal.isascii():
        text = text.replace(seal.encode(), _BLANK.encode(), 1)
        text = text.replace(_BLANK.encode(), _digest(len(text).to_bytes(8, "little") + text).encode(), 1)
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])


def rewrite(path: Path, tensors: dict[str, np.ndarray | None], metadata: dict[str, str | None] | None = None) -> None:
    """Write a bank again with other tensors and metadata, checksums included; None takes one out."""
    file = CheckedFile(path)
    held: dict[str, Any] = {name: file.read(name) for name in file.names} | tensors
    texts: dict[str, Any] = file.metadata | (metadata or {})
    write_checked(
        path,
        {name: tensor for name, tensor in held.items() if tensor is not None},
        {key: text for key, text in texts.items() if text is not None and key not in ("checksums", "header_checksum")},
    )
