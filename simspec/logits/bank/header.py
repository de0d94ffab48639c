"""The header of a safetensors file, read as what anyone may have written: every name, type and place is checked.

A header that passes describes tensors that fill the file's data from its first byte to its last, one after the other,
so that whatever reads them later needs no check of its own.  What is not here: the file (`simspec.logits.bank.checked`).
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from simspec.checks import short
from simspec.files import parse_json

__all__ = ["DTYPES", "LONGEST", "Entry", "parse_header"]

LONGEST = 100_000_000
"""Bytes of the longest header, as in the safetensors library."""

DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(code)
    for name, code in {
        "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8",
        "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8",
    }.items()
}  # fmt: skip
"""Element types by their name in a header; those that NumPy lacks (BF16, F8_E4M3) are refused."""

MOST_AXES = 32
_DIGEST = re.compile("[0-9a-f]*")


class Entry(NamedTuple):
    """One tensor: element type, shape, first byte and the byte after its last, counted from the end of the header."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    end: int


def parse_header(header: bytes) -> tuple[dict[str, str], dict[str, Entry]]:
    """Metadata and tensors of a header.

    Raises
    ------
    ValueError
        in words that follow the name of the file, for anything but a header with checksums.

    Examples
    --------
    >>> text = '{"__metadata__": {"checksums": "", "header_checksum": ""}, "x": %s}'
    >>> parse_header((text % '{"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}').encode())[1]["x"].shape
    (2,)
    >>> parse_header((text % '{"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}').encode())
    Traceback (most recent call last):
    ...
    ValueError: has a tensor 'x' of dtype 'BF16'; expected one of BOOL, U8, I8, U16, I16, U32, I32, U64, I64, F16, F32, F64
    """
    unreadable = "has no readable header with checksums (altered, or not a simspec bank)"
    try:
        parsed = parse_json(header)
    except ValueError:
        raise ValueError(unreadable) from None
    metadata = parsed.pop("__metadata__", None) if isinstance(parsed, dict) else None
    if not isinstance(metadata, dict) or not {"checksums", "header_checksum"} <= set(metadata):
        raise ValueError(unreadable)
    for key, value in metadata.items():
        if not isinstance(value, str):
            raise ValueError(f"has metadata whose {key!r} is a {type(value).__name__}; expected text")
    for key in ("checksums", "header_checksum"):
        if not _DIGEST.fullmatch(metadata[key]) or len(metadata[key]) % 16:
            raise ValueError(f"has metadata whose {key!r} are no digests; expected 16 hexadecimal digits each")
    entries = {name: _entry(name, entry) for name, entry in parsed.items()}
    end = 0
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].start, item[1].end)):
        if entry.start != end:
            raise ValueError(
                f"has a tensor {name!r} that begins at byte {entry.start} of the data; expected byte {end}: "
                "tensors lie one after the other"
            )
        end = entry.end
    return metadata, entries


def _entry(name: str, entry: object) -> Entry:
    """Type, shape and place of a tensor, from its entry in the header; raises ValueError where one is wrong."""
    fields = entry if isinstance(entry, dict) else {}
    dtype, shape, place = (fields.get(key) for key in ("dtype", "shape", "data_offsets"))
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ValueError(f"has a tensor {name!r} of dtype {short(dtype)}; expected one of {', '.join(DTYPES)}")
    if not _counts(shape) or len(shape) > MOST_AXES:
        raise ValueError(f"has a tensor {name!r} of shape {short(shape)}; expected up to {MOST_AXES} sizes, 0 or more")
    if not _counts(place) or len(place) != 2:
        raise ValueError(f"has a tensor {name!r} with the offsets {short(place)}; expected two, 0 or more")
    kind = DTYPES[dtype]
    size = math.prod(shape) * kind.itemsize
    if place[1] - place[0] != size:
        raise ValueError(
            f"has a tensor {name!r} of {place[1] - place[0]} bytes; expected {size} for shape {short(shape)} of {dtype}"
        )
    return Entry(kind, tuple(shape), place[0], place[1])


def _counts(value: object) -> TypeGuard[list[int]]:
    """Whether this is a list of sizes or places that fit a file: whole numbers below 2**62."""
    return isinstance(value, list) and all(type(n) is int and 0 <= n < 2**62 for n in value)
