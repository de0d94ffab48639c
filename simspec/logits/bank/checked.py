"""Safetensors files that notice damage: a checksum per MiB, verified when a row is read, and written all or nothing.

The files are ordinary safetensors (any reader opens them); two metadata entries are added: `checksums`, 64-bit
BLAKE2b digests of each MiB of the data, and `header_checksum`, a digest of the header itself.  They detect accidents
and careless edits, not forgers.  What is not here: what the tensors mean (`simspec.logits.bank`).
"""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import check_memory
from simspec.files import existing, write_file
from simspec.logits.bank.header import DTYPES, LONGEST, Entry, parse_header

__all__ = ["BLOCK", "CheckedFile", "write_checked"]

BLOCK = 1 << 20
"""Bytes that share a checksum."""

_NAMES = {dtype: name for name, dtype in DTYPES.items()}
_DIGEST = 8
_SEEKING = threading.Lock()
_BLANK = "0" * (2 * _DIGEST)
_MENDING = "get it again: capture or download it anew"
_SHIPPED = "it ships with simspec: reinstall simspec, or get the file again"
"""Said of files in the folder of the banks that ship, and of no other."""
_FOLDER = Path(__file__).resolve().parents[1] / "data"


def _digest(data: Any) -> str:
    return blake2b(data, digest_size=_DIGEST).hexdigest()


def _checksums(tensors: list[NDArray[Any]]) -> str:
    """Digests of each MiB of the tensors laid end to end, joined."""
    digests = []
    pending = b""
    for tensor in tensors:
        data = tensor.reshape(-1).view(np.uint8).data if tensor.size else memoryview(b"")
        start = BLOCK - len(pending) if pending else 0
        if len(data) < start:
            pending += bytes(data)
            continue
        if pending:
            digests.append(_digest(pending + bytes(data[:start])))
        full_end = start + (len(data) - start) // BLOCK * BLOCK
        digests += [_digest(data[at : at + BLOCK]) for at in range(start, full_end, BLOCK)]
        pending = bytes(data[full_end:])
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
    """A safetensors file whose blocks are verified the first time one of their rows is read.

    Rows are copied from the file when they are asked for, never mapped into memory: a file that is truncated or
    replaced while it is open gives an error here, where a mapped one would end the process.

    Raises
    ------
    ValueError
        naming the file, and the block where there is one, when the file is truncated, altered or not of this kind.
    OSError
        naming the file, where it cannot be read.

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
        """Open the file and verify its header and its size; a block of data is verified when it is first read."""
        self.path = existing(Path(path), "bank", "the path of a bank or the name of one that ships")
        # each of the two flags exists on some systems only
        self._handle = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
        weakref.finalize(self, os.close, self._handle)
        size = os.fstat(self._handle).st_size
        if size < 8:
            expected = "a .safetensors file that simspec capture wrote"
            raise ValueError(f"bank: {self.path.name} is truncated: {size} bytes, or no bank; expected {expected}")
        first = self._bytes(0, 8).tobytes()
        length = int.from_bytes(first, "little")
        if length > size - 8:
            if size > 8 and self._bytes(8, 1).tobytes() != b"{":
                expected = "a .safetensors file that simspec capture wrote"
                raise ValueError(f"bank: {self.path.name} is no bank; expected {expected}")
            raise self._error(f"is truncated or altered: it announces a header of {length} bytes and holds {size}")
        if length > LONGEST:
            raise self._error(f"announces a header of {length} bytes; expected at most {LONGEST}")
        self._start = 8 + length
        header = self._bytes(8, length).tobytes()
        try:
            self.metadata, self._entries = parse_header(header)
        except ValueError as error:
            raise self._error(str(error)) from None
        seal = self.metadata["header_checksum"].encode()
        # the digest was taken of the header with blanks in its own place
        if _digest(first + header.replace(seal, _BLANK.encode(), 1)).encode() != seal:
            raise self._error("has an altered header (its checksum does not match)")
        self._size = max((entry.end for entry in self._entries.values()), default=0)
        if size != self._start + self._size:
            kind = "is truncated" if size < self._start + self._size else "has bytes after its end"
            raise self._error(f"{kind}: {size} bytes where the header announces {self._start + self._size}")
        self._sums = bytes.fromhex(self.metadata["checksums"])
        blocks = -(-self._size // BLOCK)
        if len(self._sums) != blocks * _DIGEST:
            raise self._error(f"has {len(self._sums) // _DIGEST} checksums; expected one for each of {blocks} blocks")
        self._verified = np.zeros(blocks, dtype=bool)

    def __reduce__(self) -> tuple[Any, ...]:
        return CheckedFile, (self.path,)

    def _error(self, problem: str) -> ValueError:
        mending = _SHIPPED if self.path.resolve().parent == _FOLDER else _MENDING
        return ValueError(f"bank: {self.path.name} {problem}; {mending}")

    def _fill(self, buffer: NDArray[np.uint8], at: int) -> None:
        """Fill a buffer with the file's bytes from byte `at` on; a file that ends before that is an error."""
        filled = 0
        while filled < len(buffer):
            try:
                got = _read_into(self._handle, buffer.data[filled:], at + filled)
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(self.path)) from None
            if not got:
                raise self._error(f"is truncated: it ends before byte {at + len(buffer)} since it was opened")
            filled += got

    def _bytes(self, at: int, count: int) -> NDArray[np.uint8]:
        buffer = np.empty(count, dtype=np.uint8)
        self._fill(buffer, at)
        return buffer

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def names(self) -> list[str]:
        """Names of the tensors."""
        return list(self._entries)

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of a tensor, from the header alone."""
        return self._entry(name).shape

    def dtype(self, name: str) -> np.dtype[Any]:
        """Element type of a tensor, from the header alone."""
        return self._entry(name).dtype

    def _entry(self, name: str) -> Entry:
        if name not in self._entries:
            raise ValueError(f"name: {name!r}; {self.path.name} holds {', '.join(self._entries)}")
        return self._entries[name]

    def read(self, name: str, rows: Any = slice(None)) -> NDArray[Any]:
        """Copy of the rows (any NumPy index of the first axis) of a tensor, their blocks verified.

        Raises
        ------
        ValueError
            for an unknown name, a block whose checksum does not match, a file that was truncated since it was opened,
            or rows that do not fit in this machine's memory.
        """
        entry = self._entry(name)
        shape = entry.shape
        total = entry.end - entry.start
        if not shape or 0 in shape:
            tensor = np.empty(shape, dtype=entry.dtype)
            self._fill(tensor.reshape(-1).view(np.uint8), self._start + entry.start)
            self._verify(entry.start, np.array([0]), total)
            return tensor if not shape else np.array(tensor[rows])
        width = total // shape[0]
        try:
            picked = np.arange(shape[0])[rows]
        except (IndexError, TypeError) as error:
            raise ValueError(f"rows: {error}; expected rows 0..{shape[0] - 1} of {name!r}, or a slice") from None
        check_memory("rows", f"{picked.size} of {name!r}", picked.size * width)
        row_numbers = picked.reshape(-1)
        self._verify(entry.start, row_numbers, width)
        data = np.empty((*picked.shape, *shape[1:]), dtype=entry.dtype)
        flat = data.reshape(-1).view(np.uint8)
        first = self._start + entry.start
        breaks = (
            np.flatnonzero(row_numbers[1:] != row_numbers[:-1] + 1) + 1
        ).tolist()  # rows in sequence are read at once
        for low, high in zip([0, *breaks], [*breaks, len(row_numbers)], strict=True):
            if low < high:
                self._fill(flat[low * width : high * width], first + int(row_numbers[low]) * width)
        return data

    def verify(self) -> None:
        """Compare the checksums of all blocks.

        Raises
        ------
        ValueError
            for the first block that does not match.
        """
        if self._size:
            self._verify(0, np.array([0]), self._size)

    def _verify(self, start: int, rows: NDArray[Any], width: int) -> None:
        """Compare the checksums of the blocks that hold `rows` (of `width` bytes, from byte `start` of the data)."""
        if not width:
            return
        first = (start + rows * width) // BLOCK
        last = (start + (rows + 1) * width - 1) // BLOCK
        edges = np.zeros(len(self._verified) + 1, dtype=np.intp)  # where spans of blocks begin and end
        np.add.at(edges, first, 1)
        np.add.at(edges, last + 1, -1)
        touched = np.cumsum(edges[:-1]) > 0
        pending = np.flatnonzero(touched & ~self._verified).tolist()
        buffer = np.empty(BLOCK if pending else 0, dtype=np.uint8)
        for block in pending:
            data = buffer[: self._size - block * BLOCK]
            self._fill(data, self._start + block * BLOCK)
            digest = blake2b(data.data, digest_size=_DIGEST).digest()
            if digest != self._sums[block * _DIGEST : (block + 1) * _DIGEST]:
                raise self._error(f"is altered: block {block} of {len(self._verified)} (1 MiB each) fails its checksum")
            self._verified[block] = True


def _read_into(handle: int, buffer: memoryview, at: int) -> int:
    """Read bytes from place `at` of a file, without moving the place that other threads and processes read from."""
    if hasattr(os, "preadv"):
        return os.preadv(handle, [buffer], at)
    with _SEEKING:
        os.lseek(handle, at, os.SEEK_SET)
        data = os.read(handle, min(len(buffer), BLOCK))
    buffer[: len(data)] = data
    return len(data)
