"""Safetensors files that notice damage: a checksum per MiB, verified when a row is read, and written all or nothing.

The files are ordinary safetensors (any reader opens them); two metadata entries are added: `checksums`, 64-bit
BLAKE2b digests of each MiB of the data, and `header_checksum`, a digest of the header itself.  They detect accidents
and careless edits, not forgers.  What is not here: what the tensors mean (`simspec.logits.bank`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.files import write_file

__all__ = ["BLOCK", "CheckedFile", "write_checked"]

BLOCK = 1 << 20
"""Bytes that share a checksum."""

_DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(code)
    for name, code in {
        "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8",
        "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8",
    }.items()
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_DIGEST = 8
_BLANK = "0" * (2 * _DIGEST)
_MENDING = "get it again: capture or download it anew, or reinstall simspec if it is a bank that ships with it"


def _digest(data: Any) -> str:
    return blake2b(data, digest_size=_DIGEST).hexdigest()


def _checksums(tensors: list[NDArray[Any]]) -> str:
    """Digests of each MiB of the tensors laid end to end, joined."""
    digests, pending = [], b""
    for tensor in tensors:
        data = tensor.reshape(-1).view(np.uint8).data if tensor.size else memoryview(b"")
        start = BLOCK - len(pending) if pending else 0
        if len(data) < start:
            pending += bytes(data)
            continue
        if pending:
            digests.append(_digest(pending + bytes(data[:start])))
        whole = start + (len(data) - start) // BLOCK * BLOCK
        digests += [_digest(data[at : at + BLOCK]) for at in range(start, whole, BLOCK)]
        pending = bytes(data[whole:])
    return "".join([*digests, _digest(pending)] if pending else digests)


def write_checked(
    path: str | os.PathLike[str], tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> None:
    """Write tensors and text metadata to a safetensors file with checksums, or leave what was there before.

    The bytes go to a hidden file in the same folder, are flushed to the disk, and only then take the name `path`:
    whenever the process is stopped, `path` is the old file, the whole new one, or absent.

    Raises
    ------
    ValueError
        for a dtype that the format lacks.
    OSError
        where the folder is missing or cannot be written.
    """
    path = Path(path)
    ordered = dict(sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])))
    arrays: dict[str, NDArray[Any]] = {}
    entries: dict[str, Any] = {}
    end = 0
    for name, tensor in ordered.items():
        dtype = tensor.dtype.newbyteorder("<")
        if dtype not in _NAMES:
            raise ValueError(
                f"tensors: {name!r} has dtype {tensor.dtype}; expected one of {', '.join(map(str, _NAMES))}"
            )
        arrays[name] = np.ascontiguousarray(tensor, dtype)
        entries[name] = {
            "dtype": _NAMES[dtype],
            "shape": list(tensor.shape),
            "data_offsets": [end, end + tensor.nbytes],
        }
        end += tensor.nbytes
    added = {"checksums": _checksums(list(arrays.values())), "header_checksum": _BLANK}
    header = json.dumps({"__metadata__": {**metadata, **added}, **entries}, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    length = len(header).to_bytes(8, "little")
    seal = b'"header_checksum":"'
    header = header.replace(seal + _BLANK.encode(), seal + _digest(length + header).encode(), 1)

    bodies = (array.reshape(-1).view(np.uint8).data for array in arrays.values() if array.size)
    write_file(path, length + header, *bodies)


class CheckedFile:
    """A memory-mapped safetensors file whose blocks are verified the first time one of their rows is read.

    Raises
    ------
    ValueError
        naming the file, and the block where there is one, when the file is truncated, altered or not of this kind.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_checked(f"{folder}/a.safetensors", {"x": np.arange(6).reshape(3, 2)}, {"note": "hello"})
    ...     file = CheckedFile(f"{folder}/a.safetensors")
    ...     file.metadata["note"], file.read("x", 2).tolist()
    ('hello', [4, 5])
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise ValueError(
                f"bank: no file {str(self.path)!r}; expected the path of a bank or the name of one that ships"
            )
        size = self.path.stat().st_size
        if size < 8:
            raise self._error(f"is truncated: {size} bytes, shorter than any header")
        self._bytes = np.memmap(self.path, dtype=np.uint8, mode="r")
        length = int.from_bytes(self._bytes[:8].tobytes(), "little")
        if length > size - 8:
            raise self._error(f"is truncated or altered: it announces a header of {length} bytes and holds {size}")
        self._start = 8 + length
        header = self._header(self._bytes[:8].tobytes(), self._bytes[8 : self._start].tobytes())
        self.metadata: dict[str, str] = header.pop("__metadata__")
        self._entries = {
            name: (_DTYPES[entry["dtype"]], tuple(entry["shape"]), *entry["data_offsets"])
            for name, entry in header.items()
        }
        expected = self._start + max((entry[3] for entry in self._entries.values()), default=0)
        if size != expected:
            kind = "is truncated" if size < expected else "has bytes after its end"
            raise self._error(f"{kind}: {size} bytes where the header announces {expected}")
        self._sums = bytes.fromhex(self.metadata["checksums"])
        self._verified = np.zeros(-(-(size - self._start) // BLOCK), dtype=bool)

    def __reduce__(self) -> tuple[Any, ...]:
        return CheckedFile, (self.path,)

    def _error(self, what: str) -> ValueError:
        return ValueError(f"bank: {self.path.name} {what}; {_MENDING}")

    def _header(self, length: bytes, header: bytes) -> dict[str, Any]:
        try:
            parsed = json.loads(header)
            seal = parsed["__metadata__"]["header_checksum"]
        except (ValueError, KeyError, TypeError):
            raise self._error("has no readable header with checksums (altered, or not a simspec bank)") from None
        if _digest(length + header.replace(seal.encode(), _BLANK.encode(), 1)) != seal:
            raise self._error("has an altered header (its checksum does not match)")
        return parsed

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def names(self) -> list[str]:
        """Names of the tensors."""
        return list(self._entries)

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of a tensor, from the header alone."""
        return self._entry(name)[1]

    def dtype(self, name: str) -> np.dtype[Any]:
        """Element type of a tensor, from the header alone."""
        return self._entry(name)[0]

    def _entry(self, name: str) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
        if name not in self._entries:
            raise ValueError(f"name: {name!r}; {self.path.name} holds {', '.join(self._entries)}")
        return self._entries[name]

    def read(self, name: str, rows: Any = slice(None)) -> NDArray[Any]:
        """Copy of the rows (any NumPy index of the first axis) of a tensor, their blocks verified.

        Raises
        ------
        ValueError
            for an unknown name or a block whose checksum does not match.
        """
        dtype, shape, start, end = self._entry(name)
        whole = self._bytes[self._start + start : self._start + end].view(dtype).reshape(shape)
        if not shape or 0 in shape:
            self._verify(start, np.array([0]), end - start)
            return whole[...].copy()
        width = (end - start) // shape[0]
        picked = np.unique(np.arange(shape[0])[rows])
        self._verify(start, picked, width)
        return np.array(whole[rows])

    def verify(self) -> None:
        """Compare the checksums of all blocks.

        Raises
        ------
        ValueError
            for the first block that does not match.
        """
        total = max((end for _, _, _, end in map(self._entry, self._entries)), default=0)
        if total:
            self._verify(0, np.array([0]), total)

    def _verify(self, start: int, rows: NDArray[Any], width: int) -> None:
        """Compare the checksums of the blocks that hold `rows` (of `width` bytes, from byte `start` of the data)."""
        first, last = (start + rows * width) // BLOCK, (start + (rows + 1) * width - 1) // BLOCK
        touched = np.zeros_like(self._verified)
        for low, high in zip(first.tolist(), last.tolist(), strict=True):
            touched[low : high + 1] = True
        for block in np.flatnonzero(touched & ~self._verified).tolist():
            at = self._start + block * BLOCK
            found = blake2b(self._bytes[at : at + BLOCK].data, digest_size=_DIGEST).digest()
            if found != self._sums[block * _DIGEST : (block + 1) * _DIGEST]:
                raise self._error(f"is altered: block {block} of {len(self._verified)} (1 MiB each) fails its checksum")
            self._verified[block] = True
