"""Number arrays of a ``.safetensors`` file of anyone's making; banks, which have checksums, are `simspec.logits.bank`'s."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import check_memory, physical_memory
from simspec.files import existing, parse_json
from simspec.logits.bank.header import LONGEST, Entry, parse_header
from simspec.logits.npz import SHARE

__all__ = ["is_bank", "read_safetensors", "tensor_places"]

_EXPECTED = "a .safetensors file"


def _header(path: Path, name: str) -> tuple[bytes, int]:
    """Text of the header, and the byte after it."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, LONGEST):
            raise ValueError(f"{name}: {str(path)!r} has {size} bytes and no header that fits; expected {_EXPECTED}")
        return file.read(length), 8 + length


def is_bank(path: str | Path, name: str = "FILE") -> bool:
    """Whether a ``.safetensors`` file is a bank, or was one: it says so in its header, or its header cannot be read.

    >>> from simspec.logits.bank import open_bank
    >>> is_bank(open_bank("stories").file.path)
    True
    """
    try:
        parsed = parse_json(_header(existing(path, name, _EXPECTED), name)[0])
    except ValueError:
        return True
    metadata = parsed.get("__metadata__") if isinstance(parsed, dict) else None
    return not isinstance(parsed, dict) or (
        isinstance(metadata, dict) and bool({"checksums", "simspec_bank"} & set(metadata))
    )


def read_safetensors(path: str | Path, name: str = "FILE", map_from: int | None = None) -> dict[str, NDArray[Any]]:
    """The tensors of a ``.safetensors`` file, of types that NumPy has.

    A file of at least `map_from` bytes stays where it is, and what is used of it is read as it is used (`numpy.memmap`).

    Raises ValueError for a damaged file, a type that NumPy lacks, and tensors that take more than a quarter of the memory.

    >>> import tempfile
    >>> header = b'{"p": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     body = np.array([0.5, 0.5], np.float32).tobytes()
    ...     _ = Path(f"{folder}/a.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + body)
    ...     read_safetensors(f"{folder}/a.safetensors")["p"].tolist()
    [0.5, 0.5]
    """
    path = existing(path, name, _EXPECTED)
    places = tensor_places(path, name)
    size = path.stat().st_size
    if map_from is not None and size >= map_from:
        return {
            # an empty tensor cannot be mapped
            key: np.memmap(path, e.dtype, "r", at, tuple(e.shape)) if e.end > e.start else np.empty(e.shape, e.dtype)
            for key, (e, at) in places.items()
        }
    check_memory(name, str(path), size, physical_memory() // SHARE)
    data = path.read_bytes()
    return {
        key: np.frombuffer(data, e.dtype, (e.end - e.start) // e.dtype.itemsize, at).reshape(e.shape)
        for key, (e, at) in places.items()
    }


def tensor_places(path: Path, name: str = "FILE") -> dict[str, tuple[Entry, int]]:
    """What the header says of each tensor, and the byte of the file at which it begins.

    Raises ValueError for a damaged file, and for a type that NumPy lacks.
    """
    text, start = _header(path, name)
    try:
        parsed = parse_json(text)
        if not isinstance(parsed, dict):
            raise ValueError("has a header that is no table")
        tensors = {key: value for key, value in parsed.items() if key != "__metadata__"}
        blank = {"__metadata__": {"checksums": "", "header_checksum": ""}}
        _, entries = parse_header(json.dumps(tensors | blank).encode())
        stored_size = path.stat().st_size - start
        announced = max((entry.end for entry in entries.values()), default=0)
        if announced != stored_size:
            raise ValueError(f"announces {announced} bytes of tensors and holds {stored_size}")
    except ValueError as error:
        cure = "; save bfloat16 as float32: tensor.float()" if "BF16" in str(error) else ""
        raise ValueError(f"{name}: {str(path)!r} {error}{cure}") from None
    return {key: (entry, start + entry.start) for key, entry in entries.items()}
