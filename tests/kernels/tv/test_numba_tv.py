"""The Numba backends equal the reference: on random and extreme input, whatever the layout, the batch and the threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import types
from numba.core.caching import FunctionCache

from simspec import kernels
from simspec.kernels.compiled import kernel
from simspec.kernels.tv import exponentials, numba_tv, reference
from tests.kernels.cases import BROKEN, EXTREME, FLOATS, INF, broken, logits

UNIT = {np.float32: 2.0**-24, np.float64: 2.0**-53}


def check_tv(a, b):
    got, expected = numba_tv.tv_from_logits(a, b), reference.tv_from_logits(a, b)
    assert got.shape == expected.shape and got.dtype == np.float64
    error = np.abs(got - expected).max(initial=0)
    assert error <= numba_tv.tv_bound(a.shape[-1], a.dtype)
    assert error < (1e-6 if a.dtype == np.float32 else 1e-13)


@pytest.mark.parametrize("dtype", FLOATS)
def test_half_the_tokens_masked(dtype):
    a = np.zeros(6000, dtype)
    b = np.where(np.arange(6000) < 3000, 0, -INF).astype(dtype)
    assert abs(numba_tv.tv_from_logits(a, b) - 0.5) <= numba_tv.tv_bound(6000, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("vocab", [1, 2, 255, 1024, 1025, 2047, 2048, 2049, 3072, 3073, 5000, 32_000, 128_256])
def test_every_length_equals_the_reference(vocab, dtype):
    a, b = logits(3, vocab, dtype, masked=0.1), logits(3, vocab, dtype, seed=1)
    check_tv(a, b)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("vocab", [700, 1024, 1025, 3072, 3073])
def test_masked_tokens_at_the_end_change_no_bit(vocab, dtype):
    """Of a last chunk half may be passed over, or be full of nothing."""
    a, b = logits(3, vocab, dtype, masked=0.1), logits(3, vocab, dtype, seed=1)
    longer = (np.pad(x, ((0, 0), (0, 1700)), constant_values=-INF) for x in (a, b))
    np.testing.assert_array_equal(numba_tv.tv_from_logits(*longer), numba_tv.tv_from_logits(a, b))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", EXTREME)
def test_extreme_rows_equal_the_reference(case, dtype):
    a, b = EXTREME[case](3000, dtype)
    check_tv(a, b)


@given(
    seed=st.integers(0, 2**32 - 1),
    vocab=st.integers(1, 4000),
    scale=st.floats(0.01, 40),
    offset=st.floats(-1000, 1000),
    masked=st.floats(0, 1),
    dtype=st.sampled_from(FLOATS),
)
def test_random_rows_equal_the_reference(seed, vocab, scale, offset, masked, dtype):
    a = logits(2, vocab, dtype, seed, scale, offset, masked)
    b = logits(2, vocab, dtype, seed + 1, scale, -offset, 0.5)
    check_tv(a, b)
    tv = numba_tv.tv_from_logits(a, b)
    np.testing.assert_array_equal(tv, numba_tv.tv_from_logits(b, a))
    assert (tv >= 0).all() and (tv <= 1 + numba_tv.tv_bound(vocab, dtype)).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("at", [0, 1500, 2999])
@pytest.mark.parametrize("bad", BROKEN)
def test_a_row_without_a_softmax_is_nan_and_no_other(bad, at, dtype):
    a, b = logits(3, 3000, dtype), logits(3, 3000, dtype, seed=1)
    without = broken(a, 1, at, bad)
    for got in (numba_tv.tv_from_logits(without, b), numba_tv.tv_from_logits(b, without)):
        assert np.isnan(got).tolist() == [False, True, False]


TOP = {np.float32: 2.0**-35, np.float64: 2.0**-23}
"""What the exponential of the largest logit is."""
LEAST = {np.float32: -92, np.float64: -1000}
"""Exponent of 2 below which half a unit more is nothing."""


def exponentials_of(x, m):
    """The compiled exponentials of a multiple of four numbers, as shares of the largest, in long double."""
    kind, dtype = {np.float32: types.float32, np.float64: types.float64}[x.dtype.type], x.dtype.type
    exp = exponentials._EXP[kind]
    four = x.reshape(-1, 4)
    return np.array([exp(*row, dtype(m)) for row in four]).astype(np.longdouble).ravel() / TOP[dtype]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("m", [0, 3.7, -1e4])
def test_exponentials(dtype, m):
    """Within their bound down to where they end, exactly 1 at the top, 0 from there on, NaN whatever its payload."""
    least = LEAST[dtype] * np.log(2)
    x = (np.concatenate([np.linspace(least + 1, 0, 3001), np.linspace(-1, 0, 999)]) + m).astype(dtype)
    t = x.astype(np.longdouble) - dtype(m)
    bound = UNIT[dtype] * (2.4 * np.abs(t) + 4)
    assert (np.abs(exponentials_of(x, m) / np.exp(t) - 1) <= bound).all()
    ends = dtype(m) + np.array([0, -INF, 2 * least, least - 1], dtype)
    assert exponentials_of(ends, m).tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize(("dtype", "bits"), [(np.float32, np.uint32), (np.float64, np.uint64)])
def test_a_nan_stays_one_whatever_its_bits(dtype, bits):
    """Payloads in the low bits too, which end in the exponent where a power is added to it instead of multiplied with."""
    quiet = np.array([np.nan], dtype).view(bits)[0]
    payloads = quiet | np.array([0, 1, 5, 0x1FF], bits)
    for sign in (0, 1):
        nans = (payloads | bits(sign) << bits(8 * np.dtype(bits).itemsize - 1)).view(dtype)
        assert np.isnan(exponentials_of(nans, 0)).all()
        a = logits(4, 5000, dtype)
        a[np.arange(4), [0, 2047, 2048, 4999]] = nans
        assert np.isnan(numba_tv.tv_from_logits(a, logits(4, 5000, dtype, seed=1))).all()


def test_layouts_and_broadcasting():
    a, b = logits(6, 4000), logits(6, 4000, seed=1)
    expected = numba_tv.tv_from_logits(np.ascontiguousarray(a[::2, ::2]), np.ascontiguousarray(b[::2, ::2]))
    np.testing.assert_array_equal(kernels.tv_from_logits(a[::2, ::2], b[::2, ::2]), expected)
    columns = np.asfortranarray(a)
    np.testing.assert_array_equal(kernels.tv_from_logits(columns, b), numba_tv.tv_from_logits(a, b))
    one = kernels.tv_from_logits(a.reshape(2, 3, 4000), b[0])
    np.testing.assert_array_equal(one.ravel(), numba_tv.tv_from_logits(a, np.tile(b[0], (6, 1))))
    mixed = kernels.tv_from_logits(a, b.astype(np.float64))
    np.testing.assert_allclose(mixed, reference.tv_from_logits(a, b), atol=1e-13)


def test_read_only_input_compiles_nothing_new():
    a = logits(2, 4000)
    numba_tv.tv_from_logits(a, a)
    a.flags.writeable = False
    numba_tv.tv_from_logits(a, a)
    assert len([kinds for kinds in numba_tv.tv.signatures if kinds[0].dtype == types.float32]) == 1


@pytest.mark.parametrize("dtype", FLOATS)
def test_neither_threads_nor_the_batch_change_a_bit(dtype):
    a, b = logits(37, 5000, dtype), logits(37, 5000, dtype, seed=1)
    tv = numba_tv.tv_from_logits(a, b, threads=1)
    for threads in (2, 3, 8):
        np.testing.assert_array_equal(numba_tv.tv_from_logits(a, b, threads=threads), tv)
    for i in (0, 17, 36):
        assert numba_tv.tv_from_logits(a[i], b[i]) == tv[i]


def test_concurrent_callers():
    a, b = logits(64, 5000), logits(64, 5000, seed=1)
    expected = numba_tv.tv_from_logits(a, b)
    with ThreadPoolExecutor(4) as pool:
        for got in pool.map(lambda _: numba_tv.tv_from_logits(a, b), range(12)):
            np.testing.assert_array_equal(got, expected)


def test_kernels_compile_where_no_cache_can_be_written(monkeypatch):
    monkeypatch.setattr(FunctionCache._impl_class, "_locator_classes", [])

    def double(x):
        for i in range(len(x)):
            x[i] *= 2

    x = np.ones(3)
    kernel(double)(x)
    assert x.tolist() == [2, 2, 2]
