"""Number arrays from ``.npz`` files of anyone's making: sizes are looked at before memory is taken, damage is named.

`numpy.load` believes what a file announces: a few bytes can ask for terabytes.  Here the sizes in the archive and in
each array's header must agree, and together stay below a limit, before anything is unpacked.
"""

from __future__ import annotations

import io
import json
import lzma
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from simspec.checks import check_memory, physical_memory
from simspec.files import existing, parse_json, write_file

__all__ = ["SHARE", "facts_in", "named_damage", "packed", "read_npz", "write_npz"]

SHARE = 4
"""The arrays of a file may take up one part in `SHARE` of the machine's memory: what is computed of them needs the rest."""
_CHUNK = 1 << 20
_LOCAL_HEADER = 30
"""Bytes of the header before the name of a member, whose last four are the lengths of the name and of what follows it."""
_NAME_LENGTH = 26
"""Place of the first of these lengths."""
_EXPECTED = "an .npz file of number arrays, as np.savez writes it"
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, tokenize.TokenError, NotImplementedError, RuntimeError,
    EOFError, OSError, ValueError, TypeError, KeyError, IndexError, AttributeError, SyntaxError, OverflowError, MemoryError,
)  # fmt: skip
"""What the readers of archives and headers raise on damaged bytes."""


def read_npz(
    path: str | Path,
    name: str = "FILE",
    limit: int | None = None,
    map_from: int | None = None,
    is_dense: bool = False,
) -> dict[str, NDArray[Any]]:
    """The arrays of an ``.npz`` file, as `numpy.savez` and `numpy.savez_compressed` write it.

    Parameters
    ----------
    path : path
    name : str
        what the file is called in an error: the argument that named it.
    limit : int, optional
        bytes that all arrays together may take; by default a quarter of the machine's memory.
    map_from : int, optional
        bytes from which an array that is not compressed stays in the file, as a `numpy.memmap` that reads what is used of it,
        and takes nothing of `limit`; by default none does.
    is_dense : bool
        whether arrays may be packed by LZMA, as `packed` does for files that ship; of anybody's files they may not, for such an
        array can ask for memory that no header shows.

    Raises
    ------
    ValueError
        for a file that is missing, a folder, encrypted, damaged, of another compression or with other than numbers;
        for arrays that would take more than `limit`, before they are unpacked.
    OSError
        for a file that may not be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/a.npz", p=[0.5, 0.5])
    ...     read_npz(f"{folder}/a.npz")["p"].tolist()
    [0.5, 0.5]
    """
    path = existing(path, name, _EXPECTED)
    byte_limit = physical_memory() // SHARE if limit is None else limit
    with path.open("rb") as file, ExitStack() as stack:
        with named_damage(path, name):
            archive = stack.enter_context(zipfile.ZipFile(file))
            members = _members(archive, is_dense)
        is_mapped = [
            map_from is not None and m.file_size >= map_from and m.compress_type == zipfile.ZIP_STORED for m in members
        ]
        in_memory = sum(m.file_size for m, is_in_file in zip(members, is_mapped, strict=True) if not is_in_file)
        check_memory(name, str(path), in_memory, byte_limit)
        with named_damage(path, name):
            return {
                m.filename.removesuffix(".npy"): _mapped(archive, m, path) if is_in_file else _array(archive, m)
                for m, is_in_file in zip(members, is_mapped, strict=True)
            }


def write_npz(path: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any], is_dense: bool = False) -> None:
    """Write arrays and what is to be known of them as a compressed ``.npz`` file: all of it, or nothing.

    Parameters
    ----------
    path : Path
    arrays : by name; none is called "facts"
    facts : what JSON can hold
    is_dense : packed by LZMA, which `read_npz` reads where it is told to

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_npz(Path(folder, "a.npz"), {"p": np.array([0.5, 0.5])}, {"seed": 7})
    ...     facts_in(read_npz(Path(folder, "a.npz")))
    {'seed': 7}
    """
    all_arrays = {**arrays, "facts": np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)}
    write_file(path, packed(all_arrays, is_dense))


def packed(arrays: Mapping[str, NDArray[Any]], is_dense: bool = False) -> bytes:
    """The bytes of an ``.npz`` file of arrays, deflated or, a sixth to a third smaller for counts and tokens, by LZMA.

    >>> counts = {"counts": np.arange(1000) // 7}
    >>> len(packed(counts, is_dense=True)) < len(packed(counts))
    True
    """
    content = io.BytesIO()
    method = zipfile.ZIP_LZMA if is_dense else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            npy.write_array(member, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue(), method)
    return content.getvalue()


def facts_in(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """What `write_npz` wrote of the arrays of a file.

    >>> facts_in({"facts": np.frombuffer(b'{"seed": 7}', dtype=np.uint8)})
    {'seed': 7}
    """
    facts: dict[str, Any] = parse_json(arrays["facts"].tobytes().decode())
    return facts


@contextmanager
def named_damage(path: Path, name: str) -> Iterator[None]:
    """Damage that is met within is an error with the name of the file.

    >>> with named_damage(Path("a.npz"), "FILE"):
    ...     raise EOFError
    Traceback (most recent call last):
    ...
    ValueError: FILE: 'a.npz' cannot be read: EOFError; expected an .npz file of number arrays, as np.savez writes it
    """
    try:
        yield
    except _DAMAGE as error:
        reason = str(error).splitlines()[0] if str(error).strip() else type(error).__name__
        raise ValueError(f"{name}: {str(path)!r} cannot be read: {reason[:160]}; expected {_EXPECTED}") from None


def _members(archive: zipfile.ZipFile, is_dense: bool) -> list[zipfile.ZipInfo]:
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, *((zipfile.ZIP_LZMA,) if is_dense else ()))
    members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
    for member in members:
        if member.flag_bits & 1:
            raise ValueError(f"{member.filename!r} is encrypted")
        if member.compress_type not in methods:
            raise ValueError(f"{member.filename!r} is packed by method {member.compress_type}, not stored or deflated")
    return members


def _header(file: IO[bytes], member: zipfile.ZipInfo) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Shape, whether columns stand together, type and bytes of an array, of which the header is read.

    The header announces as many bytes as the archive does.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # headers that Python 2 wrote
        version = npy.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"{member.filename!r} has format {version}, not 1.0 or 2.0")
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, fortran, dtype = read(file)
    if dtype.kind not in "biufcUS" or not dtype.itemsize:
        raise ValueError(f"{member.filename!r} holds {dtype}, not numbers or text")
    if any(size < 0 for size in shape) or len(shape) > 32:
        raise ValueError(f"{member.filename!r} has the shape {shape}")
    size = math.prod(shape) * dtype.itemsize
    stored_size = member.file_size - file.tell()
    if size != stored_size:
        raise ValueError(f"{member.filename!r} announces {size} bytes of {dtype} and holds {stored_size}")
    return shape, fortran, dtype, size


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """One array."""
    with archive.open(member) as file:
        shape, fortran, dtype, size = _header(file, member)
        flat = np.empty(size, dtype=np.uint8)
        for start in range(0, size, _CHUNK):
            piece = file.read(min(_CHUNK, size - start))
            flat[start : start + len(piece)] = np.frombuffer(piece, np.uint8)
            if len(piece) < min(_CHUNK, size - start):
                raise ValueError(f"{member.filename!r} ends after {start + len(piece)} of {size} bytes")
        if file.read(1):  # the reader compares the checksum at the end
            raise ValueError(f"{member.filename!r} has bytes after its end")
    array = flat.view(dtype)
    return array.reshape(shape[::-1]).T if fortran else array.reshape(shape)


def _mapped(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> NDArray[Any]:
    """One array that is stored as it is, left in the file; all of it is read once, for its checksum."""
    with archive.open(member) as file:
        shape, fortran, dtype, _ = _header(file, member)
        header_size = file.tell()
        while file.read(_CHUNK):
            pass
    with path.open("rb") as archive_file:
        archive_file.seek(member.header_offset + _NAME_LENGTH)
        name_length, extra_length = struct.unpack("<HH", archive_file.read(4))
    start = member.header_offset + _LOCAL_HEADER + name_length + extra_length + header_size
    return np.memmap(path, dtype, "r", start, shape, "F" if fortran else "C")
