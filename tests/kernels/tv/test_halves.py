"""Total variation straight from half precision: every bit pattern widens exactly, and the results are those of float32."""

import numpy as np
import pytest

from simspec import kernels
from simspec.kernels.tv import exponentials, numba_tv, reference
from tests.kernels.cases import BROKEN, EXTREME, broken, logits

PATTERNS = np.arange(2**16, dtype=np.uint16)


def widened(bits, value=exponentials._value):
    """What the kernel reads of some bit patterns."""

    @exponentials.njit
    def read(x, out):
        for j in range(len(x)):
            out[j] = value(x[j])

    out = np.empty(len(bits), dtype=np.float32)
    read(bits, out)
    return out


def truncated(x):
    """The upper halves of float32 numbers, which are bfloat16, and the numbers that they stand for."""
    bits = np.ascontiguousarray(x).view(np.uint32) & np.uint32(0xFFFF0000)
    return (bits >> 16).astype(np.uint16).view(np.int16), bits.view(np.float32)


@pytest.mark.parametrize("value", [exponentials._value, exponentials._widened], ids=["here", "on every processor"])
def test_every_pattern_of_float16_is_widened_exactly(value) -> None:
    found, expected = widened(PATTERNS, value), PATTERNS.view(np.float16).astype(np.float32)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(found[known].view(np.uint32), expected[known].view(np.uint32))


def test_every_pattern_of_bfloat16_is_widened_exactly() -> None:
    found = widened(PATTERNS.view(np.int16))
    np.testing.assert_array_equal(found.view(np.uint32), PATTERNS.astype(np.uint32) << 16)


@pytest.mark.parametrize("vocab", [1, 1023, 1025, 5000, 32_000])
def test_the_bits_are_those_of_float32_logits(vocab) -> None:
    a, b = (logits(3, vocab, np.float16, seed, masked=0.1) for seed in (0, 1))
    got = numba_tv.tv_from_logits(a, b)
    wide = numba_tv.tv_from_logits(a.astype(np.float32), b.astype(np.float32))
    np.testing.assert_array_equal(got, wide)
    assert np.abs(got - reference.tv_from_logits(a, b)).max() <= numba_tv.tv_bound(vocab, np.float16)
    (x, p), (y, q) = (truncated(logits(3, vocab, np.float32, seed)) for seed in (2, 3))
    np.testing.assert_array_equal(
        numba_tv.tv_rows(*(numba_tv.as_rows(z) for z in (x, y))), numba_tv.tv_from_logits(p, q)
    )


def test_the_bound_is_that_of_float32() -> None:
    assert numba_tv.tv_bound(128_256, np.float16) == numba_tv.tv_bound(128_256, np.float32)


@pytest.mark.parametrize("case", ["same row", "ties", "one token each, disjoint", "smallest normal", "no rows"])
def test_extreme_rows(case) -> None:
    a, b = EXTREME[case](3000, np.float16)
    wide = numba_tv.tv_from_logits(a.astype(np.float32), b.astype(np.float32))
    np.testing.assert_array_equal(numba_tv.tv_from_logits(a, b), wide)


EDGES = {
    "largest beside least": ([65504, 65504, -65504, 0], [65504, -65504, -65504, 0]),
    "subnormal": ([2**-24, -(2**-24), 0, 3 * 2**-20], [0, 2**-15, 2**-24, -0.0]),
    "ties of the largest": ([12, 12, 12, 11.9921875], [12, 12, -np.inf, -np.inf]),
    "nearly all masked": ([-np.inf, -np.inf, -np.inf, 1], [-np.inf, -65504, -np.inf, 1]),
    "neighbours far up": ([4096, 4100, 4104, 4096], [4104, 4100, 4096, 4092]),
}
"""Four logits of two rows, exact in float16."""


@pytest.mark.parametrize("case", EDGES)
@pytest.mark.parametrize("copies", [1, 1300])
def test_edges_of_float16_within_the_bound(case, copies) -> None:
    """Copied many times over, laws are the same but for the number of copies."""
    a, b = (np.tile(np.array(row, np.float16), copies)[None] for row in EDGES[case])
    assert np.array_equal(a[0, :4].astype(np.float64), EDGES[case][0])
    expected = reference.tv_from_logits(*EDGES[case])
    got = numba_tv.tv_from_logits(a, b)
    assert np.abs(got - expected).max() <= numba_tv.tv_bound(4 * copies, np.float16)
    assert numba_tv.tv_from_logits(a, a) == 0
    assert got == numba_tv.tv_from_logits(b, a)


@pytest.mark.parametrize("bad", BROKEN)
def test_a_row_without_a_softmax_is_nan_and_no_other(bad) -> None:
    a, b = logits(3, 3000, np.float16), logits(3, 3000, np.float16, seed=1)
    assert np.isnan(kernels.tv_from_logits(broken(a, 1, 1500, bad), b)).tolist() == [False, True, False]


def test_the_public_function_hands_halves_on_as_they_are(monkeypatch) -> None:
    """Strided, broadcast and small rows too; another type beside them is read as before."""
    seen = []
    true = numba_tv.tv
    monkeypatch.setattr(numba_tv, "tv", lambda a, *rest: seen.append(a.dtype) or true(a, *rest))
    a, b = logits(6, 4000, np.float16), logits(6, 4000, np.float16, seed=1)
    wide = a.astype(np.float32), b.astype(np.float32)
    expected = numba_tv.tv_from_logits(*wide)
    np.testing.assert_array_equal(kernels.tv_from_logits(a, b), expected)
    np.testing.assert_array_equal(kernels.tv_from_logits(a[::2], b[::2]), expected[::2])
    np.testing.assert_array_equal(kernels.tv_from_logits(a, b[0])[0], expected[0])
    assert set(seen) == {np.dtype(np.float32), np.dtype(np.uint16)}
    seen.clear()
    np.testing.assert_array_equal(kernels.tv_from_logits(a, wide[1]), expected)
    assert set(seen) == {np.dtype(np.float32)}
    small = kernels.tv_from_logits(a[0, :9], b[0, :9])
    assert small == reference.tv_from_logits(wide[0][0, :9], wide[1][0, :9])
    for wrong in (a[:, :0], np.float16(1)):
        with pytest.raises(ValueError, match="expected a last axis"):
            kernels.tv_from_logits(wrong, wrong)
