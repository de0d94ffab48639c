"""Number arrays of ``.npz``, ``.npy`` and ``.safetensors`` files, of which some rows are in memory at a time.

Rows are read from the file when they are asked for, not mapped: a file that is cut while it is open gives an error here, where
a mapped one would end the process.  What an archive packs cannot be read in parts, and is read as a whole.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from simspec.files import existing
from simspec.logits.npz import named_damage, read_npz
from simspec.logits.plain import read_safetensors, tensor_places

__all__ = ["OnDisk", "arrays_on_disk"]

SMALL = 1 << 22
"""Bytes below which an array is read as a whole."""
EXPECTED = "an .npz, .npy or .safetensors file of number arrays"
_LOCAL_HEADER = 30
"""Bytes of the header before each member of an archive; lengths of its name and its extra field are its last two numbers."""


class OnDisk:
    """An array in a file, in C order from a byte on; `array[first:last]` reads rows of its first axis.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a")
    ...     _ = path.write_bytes(np.arange(6.0).tobytes())
    ...     OnDisk(path, 0, np.dtype(float), (3, 2))[1:2].tolist()
    [[2.0, 3.0]]
    """

    def __init__(self, path: Path, start: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        self.path = path
        self.start = start
        self.dtype = dtype
        self.shape = shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the whole array."""
        return math.prod(self.shape) * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        first, last, step = rows.indices(self.shape[0])
        if step != 1:
            raise ValueError(f"rows: {rows}; expected rows that follow each other")
        width = math.prod(self.shape[1:])
        count = max(0, last - first)
        with self.path.open("rb") as file:
            file.seek(self.start + first * width * self.dtype.itemsize)
            flat = np.fromfile(file, self.dtype, count * width)
        if len(flat) < count * width:
            raise ValueError(f"{str(self.path)!r} was cut while it was read; expected the whole file")
        return flat.reshape(count, *self.shape[1:])

    def flattened(self) -> OnDisk:
        """The same with all axes but the last as one."""
        return OnDisk(self.path, self.start, self.dtype, (math.prod(self.shape[:-1]), self.shape[-1]))


def arrays_on_disk(path: str | Path, name: str = "FILE") -> Mapping[str, OnDisk | NDArray[Any]]:
    """Arrays of a file by name; the large ones stay on the disk.

    Parameters
    ----------
    path : ``.npz``, ``.safetensors``, or ``.npy`` with one array, which is called by the file's name
    name : what the file is called in an error

    Raises
    ------
    ValueError
        for a file that is missing, damaged, or holds other than numbers; for a packed archive whose arrays take more than a
        quarter of the memory.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/a.npz", p=np.full((2, 3), 0.5))
    ...     arrays_on_disk(f"{folder}/a.npz")["p"].shape
    (2, 3)
    """
    path = existing(path, name, EXPECTED)
    if path.suffix == ".safetensors":
        places = tensor_places(path, name)
        is_small = sum(place.end - place.start for place, _ in places.values()) < SMALL
        if is_small:
            return read_safetensors(path, name)
        return {key: OnDisk(path, at, place.dtype, place.shape) for key, (place, at) in places.items()}
    if path.suffix == ".npy":
        with named_damage(path, name), path.open("rb") as file:
            return {path.stem: _of_npy(path, file, 0, path.stat().st_size)}
    return _of_npz(path, name)


def _of_npz(path: Path, name: str) -> Mapping[str, OnDisk | NDArray[Any]]:
    """Arrays of an archive: on the disk where it holds them as they are, else read as a whole."""
    with named_damage(path, name), zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        is_plain = all(m.compress_type == zipfile.ZIP_STORED and not m.flag_bits & 1 for m in members)
    if not is_plain or sum(m.file_size for m in members) < SMALL:
        return read_npz(path, name)
    arrays: dict[str, OnDisk | NDArray[Any]] = {}
    with named_damage(path, name), zipfile.ZipFile(path) as archive, path.open("rb") as file:
        for member in members:
            with archive.open(member) as stream:
                while stream.read(1 << 20):  # to the end, where the checksum is compared
                    pass
            file.seek(member.header_offset)
            header = file.read(_LOCAL_HEADER)
            after = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
            start = member.header_offset + _LOCAL_HEADER + after
            arrays[member.filename.removesuffix(".npy")] = _of_npy(path, file, start, start + member.file_size)
    return arrays


def _of_npy(path: Path, file: Any, start: int, end: int) -> OnDisk | NDArray[Any]:
    """The array of an ``.npy`` file, or of such a member of an archive, between two bytes."""
    file.seek(start)
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"has format {version}, not 1.0 or 2.0")
    shape, fortran, dtype = (npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0)(file)
    if dtype.kind not in "biufcUS" or not dtype.itemsize or any(size < 0 for size in shape):
        raise ValueError(f"holds {dtype} of shape {shape}, not numbers or text")
    array = OnDisk(path, file.tell(), dtype, shape or (1,))
    if array.nbytes != end - file.tell():
        raise ValueError(f"announces {array.nbytes} bytes of {dtype} and holds {end - file.tell()}")
    if fortran and len(shape) > 1:
        raise ValueError("has its axes in Fortran's order; save np.ascontiguousarray of it")
    return array[0 : array.shape[0]].reshape(shape) if array.nbytes < SMALL else array
