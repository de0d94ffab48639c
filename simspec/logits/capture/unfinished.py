"""What an interrupted capture has done, kept beside its bank until that is written: the next run goes on from there.

Stored logits are kept a few seconds' work at a time, the sums of the statistics as a whole now and then; every file appears
whole or not at all and has checksums.  One that cannot be read counts as absent: what it held is made again.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.logits.bank.checked import CheckedFile, write_checked
from simspec.logits.bank.storage import Rows
from simspec.logits.capture.windows import Window

__all__ = ["ENDING", "Unfinished", "key_of"]

ENDING = ".unfinished"
"""What the name of the folder ends in; before it stands the name of the bank."""
EVERY = 5.0
"""Seconds of work after which stored logits are written."""
SHARE = 20
"""How many times as long as the last writing of the sums took one works on before they are written again."""

Tensors = Mapping[str, NDArray[Any]]


def key_of(facts: Mapping[str, Any], parts: Mapping[str, list[Window]]) -> str:
    """What tells captures apart: facts of the models and the machine, and the windows of each part.

    >>> key_of({"batch": 8}, {}) == key_of({"batch": 8}, {}) != key_of({"batch": 4}, {})
    True
    """
    digest = blake2b(json.dumps([facts, {name: len(some) for name, some in parts.items()}]).encode(), digest_size=16)
    for window in (window for some in parts.values() for window in some):
        digest.update(json.dumps([window.corpus, window.document]).encode())
        readings = [numbers for reading in window.readings for numbers in reading]
        for numbers in [*window[2:7], *readings]:
            digest.update(np.array([len(numbers), *numbers], dtype="<i8").tobytes())
    return digest.hexdigest()


class Unfinished:
    """The folder beside a bank that is being captured; there from the first thing kept to the end.

    Raises
    ------
    ValueError
        where the folder holds what another capture has left.
    """

    def __init__(self, out: str | Path, key: str) -> None:
        self.folder = Path(out).with_name(f"{Path(out).name}{ENDING}")
        self._key, self._due = key, time.monotonic() + EVERY
        if self.folder.is_dir():
            for path in self.folder.glob("*.safetensors"):
                if (opened := _opened(path)) is not None and opened.metadata.get("capture") != key:
                    raise ValueError(
                        f"out: {str(self.folder)!r} holds an unfinished capture of other models, texts, options or versions; "
                        "expected its arguments, which go on with it, or another --out, or that folder removed"
                    )

    def due(self) -> bool:
        """Whether it is time to keep what was done since the last time."""
        return time.monotonic() >= self._due

    def rows(self, part_name: str) -> tuple[int, list[list[Rows]]]:
        """How many windows of a part are there, and in order each file's stored logits of the target and the draft."""
        windows_done = 0
        stored_rows = []
        while (file := self._whole(f"{part_name}-{windows_done:08d}")) is not None:
            roles = sorted({name.partition("_")[0] for name in file.names}, reverse=True)  # the target, the draft
            stored_rows.append([Rows(*(file.read(f"{role}_{field}") for field in Rows._fields)) for role in roles])
            windows_done += int(file.metadata["windows"])
        return windows_done, stored_rows

    def keep_rows(self, part_name: str, first: int, last: int, rows: list[Rows]) -> None:
        """Keep the stored logits, of each model, of windows `first` to `last` - 1 of a part."""
        tensors = {f"{role}_{field}": getattr(some, field) for role, some in zip(("target", "draft"), rows, strict=False)
                   for field in Rows._fields}  # fmt: skip
        self._write(f"{part_name}-{first:08d}", tensors, windows=last - first)

    def sums(self) -> tuple[int, Tensors]:
        """How many batches the statistics' sums are of, and the sums; 0 and none where there are none."""
        file = self._whole("statistics")
        return (
            (0, {}) if file is None else (int(file.metadata["batches"]), {name: file.read(name) for name in file.names})
        )

    def keep_sums(self, batches: int, sums: Tensors) -> None:
        """Keep the sums after so many batches, in place of the ones before."""
        self._write("statistics", sums, batches=batches)

    def tensors(self, name: str) -> Tensors | None:
        """Tensors that were kept under a name of their own; None where they are not there or cannot be read."""
        file = self._whole(name)
        return None if file is None else {tensor: file.read(tensor) for tensor in file.names}

    def keep_tensors(self, name: str, tensors: Tensors) -> None:
        """Keep tensors under a name of their own."""
        self._write(name, tensors)

    def remove(self) -> None:
        """The bank is written: nothing is unfinished any more."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _whole(self, name: str) -> CheckedFile | None:
        """A file whose every block is as it was written; None for what is not there or cannot be read."""
        file = _opened(self.folder / f"{name}.safetensors")
        try:
            if file is not None:
                file.verify()
        except (ValueError, OSError):
            return None
        return file

    def _write(self, name: str, tensors: Tensors, **facts: int) -> None:
        start = time.monotonic()
        self.folder.mkdir(exist_ok=True)
        metadata = {"capture": self._key, **{fact: str(value) for fact, value in facts.items()}}
        write_checked(self.folder / f"{name}.safetensors", tensors, metadata)
        now = time.monotonic()
        self._due = now + max(EVERY, SHARE * (now - start))


def _opened(path: Path) -> CheckedFile | None:
    try:
        return CheckedFile(path) if path.is_file() else None
    except (ValueError, OSError):
        return None
