r"""The bits of a quantised law: its subset of the vocabulary and its lattice point written down and read back.

Two codes for the same content.  `encode` numbers all possibilities with big integers, so that a message has exactly
the paper's length, ``payload_bits``.  `range_encode` narrows an interval bit by bit with exact shares (`kernels.coding`):
one bit longer, faster, and likewise of a length that the receiver can compute, so that neither needs a header.
K-SQS tells the receiver k once and for all; C-SQS (`adaptive`) puts k - 1 in front, in :math:`\lceil \log_2 V \rceil` bits.

Order.  A subset is numbered by halves: by how many of its tokens lie in the lower half of the vocabulary (fewer first),
then by the number of the part there, then of the part above.  Vandermonde's :math:`\binom{V}{k} = \sum_j \binom{a}{j}
\binom{V-a}{k-j}` makes the numbers 0 to C(V, k) - 1, each used once.  Terms follow from one another by one small factor
and divisor, and shrink with the halves, which is what makes V = 128,256 and k = 1,000 a matter of milliseconds.  A lattice
point is a subset by stars and bars: of ℓ + k - 1 places k - 1 are bars, the counts are the runs between them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simspec.checks import check_memory, whole_number
from simspec.kernels import coding
from simspec.laws import Array
from simspec.methods.sqs.payload import check_resolution, lattice_bits, payload_bits, subset_bits
from simspec.methods.sqs.ranking import check_rank, number_of, places_of

__all__ = [
    "Message",
    "decode",
    "encode",
    "lattice_rank",
    "lattice_unrank",
    "range_decode",
    "range_encode",
    "subset_rank",
    "subset_unrank",
]


class Message(NamedTuple):
    """Bits that are sent: the first `length` bits of `data`, highest first; zeros fill the last byte."""

    data: bytes
    length: int


# ---- enumerative ----


def encode(counts: Array, mask: Array, adaptive: bool = False) -> Message:
    r"""Message of exactly ``payload_bits(V, k, l, adaptive)`` bits: [k - 1,] number of the subset, of the lattice point.

    Parameters
    ----------
    counts : whole numbers (V,), not negative, of `quantise`, 0 outside the mask; their sum is ℓ >= 1
    mask : bool array (V,); the k >= 1 kept tokens
    adaptive : bool; write k (C-SQS); without it the receiver must know k (K-SQS)

    Raises ValueError for counts or a mask that are not as said.

    >>> encode(np.array([2, 1, 0]), np.array([True, False, True]))
    Traceback (most recent call last):
    ...
    ValueError: counts: 1 for token 1, which is not in the mask; expected 0
    >>> encode(np.array([2, 0, 1]), np.array([True, False, True]))  # subset 1 of 3, lattice point 1 of 4
    Message(data=b'P', length=4)
    """
    inside, mask = _content(counts, mask)
    vocab = len(mask)
    k = len(inside)
    resolution = int(inside.sum())
    number = k - 1 if adaptive else 0
    number = number << subset_bits(vocab, k) | subset_rank(mask)
    number = number << lattice_bits(k, resolution) | lattice_rank(inside)
    return _pack(number, payload_bits(vocab, k, resolution, adaptive))


def decode(message: Message, vocab: int, resolution: int, k: int | None = None) -> tuple[Array, Array]:
    """Counts (V,) int64 and mask (V,) of a message of `encode`.

    Parameters
    ----------
    message : Message
    vocab, resolution : int
    k : int, optional
        number of kept tokens (K-SQS); None reads it from the message (C-SQS, written with ``adaptive=True``).

    Raises ValueError for a message that is too short or too long, or whose numbers no subset or lattice point has.
    Other altered bits are another valid message.

    >>> decode(Message(b"P", 4), vocab=3, resolution=3, k=2)
    (array([2, 0, 1]), array([ True, False,  True]))
    """
    k, number = _open(message, vocab, resolution, k, 0)
    size = lattice_bits(k, resolution)
    mask = subset_unrank(number >> size, vocab, k)
    counts = np.zeros(vocab, dtype=np.int64)
    counts[mask] = lattice_unrank(number & (1 << size) - 1, k, resolution)
    return counts, mask


def subset_rank(mask: Array) -> int:
    r"""Number of a subset among all of its size, 0 to :math:`\binom{V}{k} - 1`.

    >>> [subset_rank(np.array(m)) for m in ([False, True], [True, False])]
    [0, 1]
    """
    mask = np.asarray(mask)
    if mask.dtype != bool or mask.ndim != 1 or not mask.size:
        raise ValueError(f"mask: shape {mask.shape}, dtype {mask.dtype}; expected booleans (V,)")
    return number_of("mask", mask)


def subset_unrank(rank: int, vocab: int, k: int) -> Array:
    """The subset of `k` tokens with a given number, as a mask (V,).

    Raises ValueError for a number that no subset has.

    >>> subset_unrank(1, vocab=2, k=1).tolist()
    [True, False]
    """
    vocab = whole_number("vocab", vocab, 1, None, "a number of tokens >= 1")
    k = whole_number("k", k, 0, vocab, f"a number of tokens between 0 and V = {vocab}")
    rank = check_rank("vocab", rank, vocab, k, f"the number of a subset, 0 to C({vocab}, {k}) - 1")
    return places_of(rank, vocab, k)


def lattice_rank(counts: Array) -> int:
    r"""Number of a lattice point (k,) among all over its k tokens with its sum, 0 to :math:`\binom{\ell+k-1}{k-1} - 1`.

    >>> [lattice_rank(np.array(b)) for b in ([0, 2], [1, 1], [2, 0])]
    [2, 1, 0]
    """
    return number_of("counts", _bars(_counts(counts)))


def lattice_unrank(rank: int, k: int, resolution: int) -> Array:
    """The counts (k,) of the lattice point with a given number.

    Raises ValueError for a number that no lattice point has.

    >>> lattice_unrank(0, k=2, resolution=2).tolist()
    [2, 0]
    """
    k = whole_number("k", k, 1, None, "a number of tokens >= 1")
    resolution = check_resolution(resolution)
    places = resolution + k - 1
    expected = "the number of a lattice point, 0 to their number - 1"
    return _runs(places_of(check_rank("resolution", rank, places, k - 1, expected), places, k - 1))


# ---- range coder ----


def range_encode(counts: Array, mask: Array, adaptive: bool = False) -> Message:
    """Message of exactly ``payload_bits(V, k, l, adaptive) + 1`` bits, by a range coder.

    Parameters and errors as in `encode`, and V + ℓ + k at most 2^22.  Subset and lattice point share one interval, which
    needs at most ceil(log2 of the number of pairs) + 1 bits; the rest, if any, is zeros, so that the length tells nothing
    and needs no header.

    >>> message = range_encode(np.array([2, 0, 1]), np.array([True, False, True]))
    >>> message.length, range_decode(message, vocab=3, resolution=3, k=2)[0].tolist()
    (5, [2, 0, 1])
    """
    inside, mask = _content(counts, mask)
    vocab = len(mask)
    k = len(inside)
    resolution = int(inside.sum())
    flags = np.concatenate([mask, _bars(inside)])
    lengths = [vocab, resolution + k - 1]
    ones = [k, k - 1]
    bits = payload_bits(vocab, k, resolution) + 1
    code = coding.encode(flags.astype(np.uint8), np.array(lengths), np.array(ones), bits)
    number = int.from_bytes(code, "big") >> -bits % 8
    return _pack(number | (k - 1 if adaptive else 0) << bits, payload_bits(vocab, k, resolution, adaptive) + 1)


def range_decode(message: Message, vocab: int, resolution: int, k: int | None = None) -> tuple[Array, Array]:
    """Counts (V,) int64 and mask (V,) of a message of `range_encode`.

    Parameters and errors as in `decode`: a message that `range_encode` would not write is refused.

    >>> range_decode(Message(bytes([0b01010000]), 4), vocab=3, resolution=3, k=2)
    Traceback (most recent call last):
    ...
    ValueError: message: 4 bits; expected 5 for V = 3, k = 2, resolution 3
    """
    k, number = _open(message, vocab, resolution, k, 1)
    bits = payload_bits(vocab, k, resolution) + 1
    code = (number << -bits % 8).to_bytes((bits + 7) // 8, "big")
    lengths = np.array([vocab, resolution + k - 1])
    ones = np.array([k, k - 1])
    flags = coding.decode(code, lengths, ones)
    if coding.encode(flags, lengths, ones, bits) != code:
        raise ValueError("message: not one that the encoder writes; expected unaltered bits")
    mask = flags[:vocab].astype(bool)
    counts = np.zeros(vocab, dtype=np.int64)
    counts[mask] = _runs(flags[vocab:].astype(bool))
    return counts, mask


# ---- pieces ----


def _bars(counts: Array) -> Array:
    """Stars and bars (l + k - 1,): the places of the bars between the counts (k,)."""
    places = np.zeros(int(counts.sum()) + len(counts) - 1, dtype=bool)
    places[np.cumsum(counts[:-1]) + np.arange(len(counts) - 1)] = True
    return places


def _runs(bars: Array) -> Array:
    """Counts between the bars: the inverse of `_bars`."""
    edges = np.concatenate([[-1], np.flatnonzero(bars), [len(bars)]])
    return np.diff(edges) - 1


def _counts(counts: Array) -> Array:
    """Counts as int64, whatever holds them (floats and fractions that are whole numbers, too)."""
    entries = np.asarray(counts)
    if entries.ndim != 1 or not entries.size:
        raise ValueError(f"counts: shape {entries.shape}; expected one whole number for each token")
    if entries.dtype.kind not in "iufO":
        raise ValueError(f"counts: dtype {entries.dtype}; expected whole numbers >= 0")
    inside = np.asarray(abs(entries) < 2**53, dtype=bool)  # NaN is not
    integers = np.where(inside, entries, -1).astype(np.int64)
    bad = (integers != entries) | (integers < 0)
    if bad.any():
        raise ValueError(f"counts: {entries[bad][0]}; expected whole numbers >= 0")
    if not integers.any():
        raise ValueError("counts: sum 0; expected the resolution, at least 1")
    total = int(integers.sum(dtype=np.float64))
    check_memory("counts", total, total)  # a place for each of the stars
    return integers


def _content(counts: Array, mask: Array) -> tuple[Array, Array]:
    """Counts of the kept tokens (k,), and the mask, checked."""
    integers = _counts(counts)
    mask = np.asarray(mask)
    if mask.dtype != bool or mask.shape != integers.shape:
        raise ValueError(f"mask: shape {mask.shape}, dtype {mask.dtype}; expected booleans {integers.shape}")
    outside = np.flatnonzero(~mask & (integers != 0))
    if outside.size:
        raise ValueError(f"counts: {integers[outside[0]]} for token {outside[0]}, which is not in the mask; expected 0")
    return integers[mask], mask


def _pack(number: int, length: int) -> Message:
    size = (length + 7) // 8
    return Message((number << size * 8 - length).to_bytes(size, "big"), length)


def _open(message: Message, vocab: int, resolution: int, k: int | None, extra: int) -> tuple[int, int]:
    """k and the number that follows it; `extra` bits are expected beyond the payload's."""
    vocab = whole_number("vocab", vocab, 1, None, "a number of tokens >= 1")
    resolution = check_resolution(resolution)
    header = 0
    data, length = message
    if length < 0 or len(data) != (length + 7) // 8:
        raise ValueError(f"message: {len(data)} bytes for {length} bits; expected {(max(length, 0) + 7) // 8}")
    number = int.from_bytes(data, "big")
    if number & (1 << -length % 8) - 1:
        raise ValueError("message: ones after its last bit; expected zeros to the end of the byte")
    number >>= -length % 8
    if k is None:
        header = (vocab - 1).bit_length()
        if length < header:
            raise ValueError(f"message: {length} bits; expected the {header} of the number of tokens, and more")
        k = (number >> length - header) + 1
        if k > vocab:
            raise ValueError(f"message: says that {k} tokens were kept; expected at most V = {vocab}")
        number &= (1 << length - header) - 1
    expected = payload_bits(vocab, k, resolution) + header + extra
    if length != expected:
        raise ValueError(
            f"message: {length} bits; expected {expected} for V = {vocab}, k = {k}, resolution {resolution}"
        )
    return k, number
