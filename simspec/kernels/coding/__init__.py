"""A range coder for bit sequences of which only the number of ones is known: close to one code for each, all equally long.

Before each bit n positions and k ones are left, so it is a one with probability exactly k/n, and the probabilities
multiply to 1/C(n, k).  The coder narrows an interval by these shares (Martin 1979; arithmetic coding in integers with
carries, as in Schindler's range coder).  Several segments, each with its own length and number of ones, share an interval.

Numbers: the interval is [low, low + width) in units of 2^-(56 + 8 bytes written), with 2^48 < width <= 2^56 before each
bit, so nothing overflows 63 bits.  A one gets floor(width / n) k of the width: at least the share (k/n)(1 - n 2^-48); a zero
gets the rest, at least its share.  A sequence of total length at most 2^22 with K ones therefore ends with an interval at
most K n 2^-48 log2(e) < 0.1 bits shorter than exact arithmetic gives.  Shares of 0 and 1 are skipped and cost nothing.

The same source runs as plain Python for short sequences and compiled for long ones; Numba is loaded for the latter only.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import whole_number
from simspec.kernels.choose import which
from simspec.kernels.compiled import compiled

__all__ = ["LONGEST", "decode", "encode"]

LONGEST = 2**22
"""Most positions of all segments together."""
SMALL = 1024
"""Below so many positions plain Python is faster than loading the compiled coder."""
_TOP = 56
_LOW = 48
_BYTE = 8


def encode(flags: NDArray[np.uint8], lengths: NDArray[np.int64], ones: NDArray[np.int64], bits: int) -> bytes:
    """Code `flags`, cut into segments of `lengths` that hold `ones` ones each, as `bits` bits and zeros to a full byte.

    Parameters
    ----------
    flags : uint8 array (sum(lengths),) of 0 and 1
    lengths, ones : int64 arrays (S,)
    bits : int
        the size of the code; ceil(log2(product of the binomials)) + 1 always suffice.

    Raises
    ------
    ValueError
        when the sequence is longer than `LONGEST`, does not hold the ones stated, or does not fit the bits.

    Examples
    --------
    >>> encode(np.array([0, 1], dtype=np.uint8), np.array([2]), np.array([1]), bits=1).hex()
    '80'
    """
    lengths, ones = _check(lengths, ones)
    flags = _flags(flags)
    bits = whole_number("bits", bits, 0, 2 * LONGEST - 1)
    if flags.size != lengths.sum() or [int(s.sum()) for s in np.split(flags, np.cumsum(lengths)[:-1])] != ones.tolist():
        raise ValueError(f"flags: {flags.size} with {int(flags.sum())} ones; expected {ones} ones in {lengths}")
    out = np.zeros((bits + 7) // 8 + 16, dtype=np.uint8)
    bits_written = _run("encode", flags, lengths, ones, bits, out)
    if bits_written < 0:
        raise ValueError(f"bits: {bits}; expected ceil(log2(number of sequences)) + 1")
    return out[: (bits + 7) // 8].tobytes()


def decode(code: bytes, lengths: NDArray[np.int64], ones: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The sequence whose interval holds `code`; any code decodes to some sequence, so altered bits are not seen here.

    >>> decode(bytes.fromhex("80"), np.array([2]), np.array([1])).tolist()
    [0, 1]
    """
    lengths, ones = _check(lengths, ones)
    if not isinstance(code, bytes | bytearray | memoryview):
        raise ValueError(f"code: {type(code).__name__}; expected bytes")
    flags = np.zeros(int(lengths.sum()), dtype=np.uint8)
    _run("decode", np.frombuffer(bytes(code) + bytes(8), dtype=np.uint8), lengths, ones, flags)
    return flags


def _check(lengths: ArrayLike, ones: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lengths and ones of the segments as int64; each length is looked at first, as a sum of large ones may wrap."""
    sizes = np.asarray(lengths)
    one_counts = np.asarray(ones)
    for name, x in (("lengths", sizes), ("ones", one_counts)):
        if x.ndim != 1 or (x.size and x.dtype.kind not in "iu") or x.shape != sizes.shape:
            raise ValueError(f"{name}: {x.dtype} array of shape {x.shape}; expected an integer for each segment")
    if (one_counts < 0).any() or (one_counts > sizes).any():
        raise ValueError(f"ones: {one_counts}; expected between 0 and the length of each segment, {sizes}")
    if (sizes > LONGEST).any() or int(sizes.sum()) > LONGEST:
        raise ValueError(f"lengths: {sizes}; expected at most {LONGEST} positions in all")
    return sizes.astype(np.int64), one_counts.astype(np.int64)


def _flags(flags: ArrayLike) -> NDArray[np.uint8]:
    x = np.asarray(flags)
    if x.ndim != 1 or x.dtype.kind not in "iub" or not ((x == 0) | (x == 1)).all():
        raise ValueError(f"flags: {x.dtype} array of shape {x.shape}; expected a row of 0 and 1")
    return np.ascontiguousarray(x, dtype=np.uint8)


def _run(name: str, *arguments: Any) -> Any:
    size = max(a.size for a in arguments if isinstance(a, np.ndarray))
    loops = _compiled() if which(size, SMALL) == "numba" else LOOPS
    return loops[name](*arguments)


@cache
def _compiled() -> dict[str, Any]:
    return {name: compiled(loop, nogil=True) for name, loop in LOOPS.items()}


def _encode(flags: Any, lengths: Any, ones: Any, bits: int, out: Any) -> int:
    """Write the code to `out` (16 bytes longer than the code); bytes written, or -1 when the bits are too few."""
    low = 0
    width = 1 << 56
    end = 0
    start = 0
    for s in range(len(lengths)):
        n = int(lengths[s])
        k = int(ones[s])
        for i in range(start, start + n):
            if 0 < k < n:
                share = (width // n) * k
                if flags[i]:
                    width = share
                else:
                    low += share
                    width -= share
                while width <= 1 << 48:
                    if end >= len(out) - 8:
                        return -1
                    out[end] = (low >> 48) & 255
                    carry = low >> 56
                    at = end
                    while carry:  # adds one to the number written so far
                        at -= 1
                        carry = 1 if out[at] == 255 else 0
                        out[at] = (int(out[at]) + 1) & 255
                    end += 1
                    low = (low & ((1 << 48) - 1)) << 8
                    width <<= 8
            n -= 1
            k -= int(flags[i])
        start += int(lengths[s])
    # the smallest number in the interval that ends after `bits` bits
    spare = end * 8 + 56 - bits
    if spare > 0:
        if spare > 60:
            return -1
        last = ((low + (1 << spare) - 1) >> spare) << spare
        if last >= low + width:
            return -1
        low = last
    carry = low >> 56
    at = end
    while carry:
        at -= 1
        carry = 1 if out[at] == 255 else 0
        out[at] = (int(out[at]) + 1) & 255
    for i in range(7):
        out[end + i] = (low >> (48 - 8 * i)) & 255
    return end + 7


def _decode(code: Any, lengths: Any, ones: Any, flags: Any) -> int:
    """Write the sequence to `flags`; bytes read (past the end of `code` zeros are read)."""
    # offset: how far the code lies above the interval's lower end
    offset = 0
    width = 1 << 56
    end = 7
    start = 0
    for i in range(7):
        offset = (offset << 8) | int(code[i])
    for s in range(len(lengths)):
        n = int(lengths[s])
        k = int(ones[s])
        for i in range(start, start + n):
            if k == n:
                flags[i] = 1
            elif k > 0:
                share = (width // n) * k
                if offset < share:
                    flags[i] = 1
                    width = share
                else:
                    offset -= share
                    width -= share
                while width <= 1 << 48:
                    offset = (offset << 8) | (int(code[end]) if end < len(code) else 0)
                    width <<= 8
                    end += 1
            n -= 1
            k -= int(flags[i])
        start += int(lengths[s])
    return end


LOOPS: dict[str, Any] = {"encode": _encode, "decode": _decode}
