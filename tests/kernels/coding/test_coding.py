"""The range coder: codes by hand, against a coder on big integers without carries, and every short sequence."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.kernels import coding


def interval(flags: list[int], lengths: list[int], ones: list[int]) -> tuple[int, int, int]:
    """Lower end, width and scale (as a power of two) of a sequence: the stated rule on integers of any size."""
    low, width, scale, at = 0, 2**56, 56, iter(flags)
    for n, k in zip(lengths, ones, strict=True):
        for left in range(n, 0, -1):
            one = next(at)
            if 0 < k < left:
                share = width // left * k
                low, width = (low, share) if one else (low + share, width - share)
            while width <= 2**48:
                low, width, scale = low * 256, width * 256, scale + 8
            k -= one
    return low, width, scale


def shortest(flags: list[int], lengths: list[int], ones: list[int], bits: int) -> bytes:
    """The smallest number of `bits` bits in the interval."""
    low, width, scale = interval(flags, lengths, ones)
    unit = 2 ** max(scale - bits, 0)
    number = -(-low // unit) * unit
    assert number < low + width
    number = number * 2**bits // 2**scale
    return (number << -bits % 8).to_bytes((bits + 7) // 8, "big")


def enough(lengths, ones) -> int:
    return (math.prod(math.comb(n, k) for n, k in zip(lengths, ones, strict=True)) - 1).bit_length() + 1


def code(flags, lengths, ones, bits) -> bytes:
    return coding.encode(np.array(flags, dtype=np.uint8), np.array(lengths), np.array(ones), bits)


def test_by_hand() -> None:
    """A one takes the lower share: of two places with one one, 10 is [0, 1/2) and 01 is [1/2, 1)."""
    assert code([1, 0], [2], [1], 1) == b"\x00" and code([0, 1], [2], [1], 1) == b"\x80"
    # four places, one one: 0010 lies in [1/2, 3/4), 0001 in [3/4, 1)
    assert code([0, 0, 1, 0], [4], [1], 2) == b"\x80" and code([0, 0, 0, 1], [4], [1], 2) == b"\xc0"
    # two segments share the interval: 01 then 01 is [3/4, 1)
    assert code([0, 1, 0, 1], [2, 2], [1, 1], 2) == b"\xc0"
    assert code([1, 1, 1], [3], [3], 0) == b"" and code([], [0], [0], 1) == b"\x00"  # nothing to tell


@pytest.mark.parametrize("n", range(9))
def test_every_short_sequence_has_its_own_code(n) -> None:
    for k in range(n + 1):
        sequences = [f for f in itertools.product([0, 1], repeat=n) if sum(f) == k]
        codes = {code(f, [n], [k], enough([n], [k])) for f in sequences}
        assert len(codes) == math.comb(n, k)
        for f in sequences:
            back = coding.decode(code(f, [n], [k], enough([n], [k])), np.array([n]), np.array([k]))
            assert tuple(back.tolist()) == f


@st.composite
def sequences(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """One or two segments, most of them sparse or dense, of up to thousands of places."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    lengths = [draw(st.integers(0, 3000)) for _ in range(draw(st.integers(1, 2)))]
    flags: list[int] = []
    ones = []
    for n in lengths:
        part = (rng.random(n) < draw(st.sampled_from([0, 0.01, 0.3, 0.5, 0.97, 1]))).astype(int).tolist()
        flags, ones = flags + part, [*ones, sum(part)]
    return flags, lengths, ones


@given(sequences())
def test_codes_are_those_of_big_integers_and_come_back(sequence) -> None:
    flags, lengths, ones = sequence
    bits = enough(lengths, ones)
    written = code(flags, lengths, ones, bits)
    assert written == shortest(flags, lengths, ones, bits)
    assert coding.decode(written, np.array(lengths), np.array(ones)).tolist() == flags


@given(sequences())
def test_compiled_and_plain_write_the_same(sequence) -> None:
    flags, lengths, ones = (np.array(x, dtype=t) for x, t in zip(sequence, (np.uint8, np.int64, np.int64), strict=True))
    bits = enough(sequence[1], sequence[2])
    results = []
    for loops in (coding.LOOPS, coding._compiled()):
        out, back = np.zeros((bits + 7) // 8 + 16, dtype=np.uint8), np.zeros_like(flags)
        size = loops["encode"](flags, lengths, ones, bits, out)
        loops["decode"](out, lengths, ones, back)
        results.append((size, out.tobytes(), back.tobytes()))
    assert results[0] == results[1]
    assert results[0][2] == flags.tobytes()


def carries(flags: list[int], n: int, k: int) -> list[int]:
    """For each carry out of the 56 bits still held, how many bytes of ones it runs through."""
    low, width, written, found = 0, 2**56, 0, []
    for left, one in zip(range(n, 0, -1), flags, strict=True):
        if 0 < k < left:
            share = width // left * k
            low, width = (low, share) if one else (low + share, width - share)
        while width <= 2**48:
            if low >> 56:
                found.append(next(i for i in itertools.count() if written >> 8 * i & 255 != 255))
            written = written << 8
            written += low >> 48  # with the carry
            low, width = (low & 2**48 - 1) << 8, width << 8
        k -= one
    return found


def test_carries_run_through_bytes_of_ones() -> None:
    rng, runs = np.random.default_rng(3), []
    for _ in range(40):
        flags = (rng.random(4000) < 0.5).astype(int).tolist()
        lengths, ones = [4000], [sum(flags)]
        runs += carries(flags, 4000, ones[0])
        assert code(flags, lengths, ones, enough(lengths, ones)) == shortest(
            flags, lengths, ones, enough(lengths, ones)
        )
    assert len(runs) > 100 and max(runs) > 0  # the case does come up


def test_exact_arithmetic_is_missed_by_less_than_stated() -> None:
    rng = np.random.default_rng(1)
    for n, k in ((128_256, 1000), (100_000, 50_000), (200_000, 3)):
        flags = np.zeros(n, dtype=np.uint8)
        flags[rng.choice(n, k, replace=False)] = 1
        _low, width, scale = interval(flags.tolist(), [n], [k])
        loss = scale - math.log2(width) - math.log2(math.comb(n, k))
        assert loss <= k * n * 2.0**-48 * math.log2(math.e) + 1e-9 * math.log2(n) + n * 1e-13


def test_too_few_bits_are_refused() -> None:
    flags = (np.arange(64) % 2).tolist()
    least = (math.comb(64, 32) - 1).bit_length()
    assert code(flags, [64], [32], least + 1)
    for bits in (0, 1, 8, least - 8):
        with pytest.raises(ValueError, match=f"bits: {bits}; expected"):
            code(flags, [64], [32], bits)


def test_too_few_bits_are_refused_by_the_compiled_coder_too() -> None:
    flags = (np.arange(2048) % 2).tolist()
    least = (math.comb(2048, 1024) - 1).bit_length()
    for bits in (*range(least - 150, least - 20), 0, 500):  # a multiple of 2^20 units is not there by luck
        with pytest.raises(ValueError, match=f"bits: {bits}; expected"):
            code(flags, [2048], [1024], bits)
    assert coding.decode(code(flags, [2048], [1024], least + 1), np.array([2048]), np.array([1024])).tolist() == flags


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: code([1, 1], [2], [1], 2), "flags: 2 with 2 ones; expected .1. ones in .2."),
        (lambda: code([1, 0, 0], [2], [1], 2), "flags: 3 with 1 ones"),
        (lambda: code([1, 0], [2], [3], 2), "ones: .3.; expected between 0 and the length"),
        (lambda: coding.decode(b"", np.array([2]), np.array([-1])), "ones: .-1.; expected"),
        (
            lambda: coding.decode(b"", np.array([2**22 + 1]), np.array([1])),
            "lengths: .4194305.; expected at most 4194304",
        ),
    ],
)
def test_bad_input_is_named(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_short_sequences_need_no_numba() -> None:
    program = (
        "import sys, numpy as np; from simspec.kernels import coding;"
        "coding.encode(np.array([0, 1], dtype=np.uint8), np.array([2]), np.array([1]), 1);"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
