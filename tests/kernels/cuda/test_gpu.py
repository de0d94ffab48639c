"""The CUDA backends equal the reference, built for the host and, where there is one, on a device: the same tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simspec import kernels
from simspec.kernels.affinity import cuda_affinity as affinity
from simspec.kernels.affinity import reference as plain
from simspec.kernels.cuda import launch
from simspec.kernels.tv import cuda_tv as gpu
from simspec.kernels.tv import reference
from tests.kernels.cases import BROKEN, EXTREME, FLOATS, INF, broken, logits

BLOCK = 32  # threads a block in most tests: starting host threads takes the time


def check_pair(cp: Any, a: np.ndarray, b: np.ndarray, threads: int = BLOCK) -> None:
    x, y = cp.asarray(a), cp.asarray(b)
    tv, expected = cp.asnumpy(gpu.tv_from_logits(x, y, threads)), reference.tv_from_logits(a, b)
    assert tv.shape == expected.shape and tv.dtype == np.float64
    np.testing.assert_allclose(tv, expected, rtol=0, atol=gpu.tv_bound(a.shape[-1], a.dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_half_the_tokens_masked(cp, dtype):
    a = cp.asarray(np.zeros(600, dtype))
    b = cp.asarray(np.where(np.arange(600) < 300, 0, -INF).astype(dtype))
    assert abs(float(gpu.tv_from_logits(a, b)) - 0.5) < 1e-15


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("vocab", [1, 2, 31, 255, 256, 257, 1000, 5000, 32_000])
def test_every_length_equals_the_reference(cp, vocab, dtype):
    a, b = logits(2, vocab, dtype, masked=0.1), logits(2, vocab, dtype, seed=1)
    check_pair(cp, a, b)
    check_pair(cp, b, a)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", EXTREME)
def test_extreme_rows_equal_the_reference(cp, case, dtype):
    a, b = EXTREME[case](900, dtype)
    check_pair(cp, a, b)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    vocab=st.integers(1, 2000),
    scale=st.floats(0.01, 40),
    offset=st.floats(-1000, 1000),
    masked=st.floats(0, 1),
    dtype=st.sampled_from(FLOATS),
)
def test_random_rows_equal_the_reference(cp, seed, vocab, scale, offset, masked, dtype):
    a = logits(1, vocab, dtype, seed, scale, offset, masked)
    b = logits(1, vocab, dtype, seed + 1, scale, -offset, 0.5)
    check_pair(cp, a, b, threads=4)


def test_the_bounds_are_not_loose(cp):
    """A float32 error in the logits of one part in a thousand would be seen."""
    z = logits(2, 5000)
    off = z + np.float32(1e-3) * (np.arange(5000) % 2).astype(np.float32)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        got = cp.asnumpy(gpu.tv_from_logits(cp.asarray(off), cp.asarray(logits(2, 5000, seed=1))))
        expected = reference.tv_from_logits(z, logits(2, 5000, seed=1))
        np.testing.assert_allclose(got, expected, rtol=0, atol=gpu.tv_bound(5000, np.float32))
    assert gpu.tv_bound(128_256, np.float32) < 2.5e-6


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("bad", BROKEN)
def test_a_row_without_a_softmax_is_nan_and_no_other(cp, bad, dtype):
    a, b = logits(3, 700, dtype), logits(3, 700, dtype, seed=1)
    for at in (0, 350, 699):
        without = broken(a, 1, at, bad)
        x, y = cp.asarray(without), cp.asarray(b)
        for got in (gpu.tv_from_logits(x, y, 8), gpu.tv_from_logits(y, x, 8)):
            assert np.isnan(cp.asnumpy(got)).tolist() == [False, True, False]


@pytest.mark.parametrize("dtype", FLOATS)
def test_neither_the_block_nor_the_batch_changes_a_bit(cp, dtype):
    a, b = (cp.asarray(logits(5, 3000, dtype, seed=seed)) for seed in (0, 1))
    expected = cp.asnumpy(gpu.tv_from_logits(a, b, 64))
    for threads in (1, 3, 32, 256):
        np.testing.assert_array_equal(cp.asnumpy(gpu.tv_from_logits(a, b, threads)), expected)
    np.testing.assert_array_equal(cp.asnumpy(gpu.tv_from_logits(a[3], b[3], 64)), expected[3])


def test_layouts_and_leading_axes(cp):
    a, b = (cp.asarray(logits(6, 900, seed=seed)) for seed in (0, 1))
    x, y = a[::2, ::2], b[::2, ::2]
    whole, even = gpu.tv_from_logits(a, b, 8), gpu.tv_from_logits(*map(cp.ascontiguousarray, (x, y)), 8)
    cases = [(x, y, even), (a.reshape(2, 3, 900), b.reshape(2, 3, 900), whole.reshape(2, 3)), (a.T.copy().T, b, whole)]
    for left, right, wanted in cases:
        np.testing.assert_array_equal(cp.asnumpy(gpu.tv_from_logits(left, right, 8)), cp.asnumpy(wanted))


def test_device_arrays_are_dispatched_to_the_twin(cp):
    a, b = logits(2, 500), logits(2, 500, seed=1)
    x, y = cp.asarray(a), cp.asarray(b)
    np.testing.assert_array_equal(cp.asnumpy(kernels.tv_from_logits(x, y)), cp.asnumpy(gpu.tv_from_logits(x, y)))
    wide = kernels.tv_from_logits(x, y[0].astype(np.float64))
    assert isinstance(wide, cp.ndarray)
    np.testing.assert_allclose(cp.asnumpy(wide), reference.tv_from_logits(a, b[0]), atol=1e-13)
    halves = x.astype(np.float16)
    got, expected = kernels.tv_from_logits(halves, y), reference.tv_from_logits(cp.asnumpy(halves), b)
    np.testing.assert_allclose(cp.asnumpy(got), expected, atol=1e-5)
    with pytest.raises(ValueError, match="b: not on a device; expected to find it where a is"):
        kernels.tv_from_logits(x, b)
    with pytest.raises(ValueError, match="a: not on a device; expected to find it where b is"):
        kernels.tv_from_logits(a, y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: gpu.tv_from_logits(x, x, 0.5), "threads: 0.5; expected"),
        (lambda x: gpu.tv_from_logits(x, x, 2048), "threads: 2048; expected from 1 to 1024"),
        (lambda x: gpu.tv_from_logits(x, x, -1), "threads: -1; expected"),
        (lambda x: gpu.tv_from_logits(x, x, 0), "threads: 0; expected"),
        (lambda x: gpu.tv_from_logits(x.astype(np.int32), x), "a: dtype int32; expected float32 or float64 or float16"),
        (lambda x: gpu.tv_from_logits(x.astype(np.float16), x), r"b: float32 \(2, 3\); expected .* a, float16"),
        (lambda x: gpu.tv_from_logits(np.zeros((2, 3)), x), "a: a ndarray; expected a CuPy array"),
        (lambda x: gpu.tv_from_logits(x, x[:1]), r"b: float32 \(1, 3\); expected the type and shape of a, float32"),
        (lambda x: gpu.tv_from_logits(x, x.astype(np.float64)), "b: float64"),
        (lambda x: launch.launch("tv", "tv_f32", 2**31, 1), "rows: 2147483648 blocks"),
    ],
)
def test_bad_input_is_named(cp, call, message):
    with pytest.raises(ValueError, match=message):
        call(cp.asarray(np.zeros((2, 3), np.float32)))


def factors(vocab, rank, seed=0):
    rng = np.random.default_rng([seed, vocab, rank])
    return rng.standard_normal((vocab, rank)), rng.uniform(-1, 1, rank), rng.random(vocab)


def check_affinity(
    cp: Any, v: np.ndarray, U: np.ndarray, lam: np.ndarray, diag: np.ndarray, temperature: float
) -> None:
    got = cp.asnumpy(affinity.affinity_apply(*(cp.asarray(x) for x in (v, U, lam, diag)), temperature, 8))
    expected = plain.affinity_apply(v, U, lam, diag, temperature)
    largest = np.abs((U * lam) @ U.T + np.diag(np.where(diag == -INF, 0, diag))).max() / temperature
    mass = np.abs(v).sum(axis=-1, keepdims=True)
    bound = mass * 2.0**-53 * (8 * (U.shape[1] + 6) * (largest + 8) + len(U))
    assert got.shape == v.shape and (np.abs(got - expected) <= bound).all()


@pytest.mark.parametrize("vocab", [1, 5, 300])
@pytest.mark.parametrize("rank", [0, 1, 9])
@pytest.mark.parametrize("temperature", [0.05, 1.0, 50.0])
def test_affinity_equals_the_reference(cp, vocab, rank, temperature):
    U, lam, diag = factors(vocab, rank)
    rng = np.random.default_rng(vocab)
    v = rng.standard_normal((2, 3, vocab)) * (rng.random(vocab) < 0.1)
    v[0, 1] = 0
    check_affinity(cp, v, U, lam, diag, temperature)


def test_affinity_extremes(cp):
    U, lam, diag = factors(200, 2)
    diag[3] = -INF  # token 3 never keeps its own mass
    v = np.zeros(200)
    check_affinity(cp, v, U, lam, diag, 1.0)
    check_affinity(cp, np.zeros((0, 200)), U, lam, diag, 1.0)
    v[3] = 1
    check_affinity(cp, v, U, lam, diag, 1.0)
    r = affinity.affinity_apply(*(cp.asarray(x) for x in (v, U, lam, diag)), 1.0)
    assert float(r[3]) == 0 and float(r.sum()) == pytest.approx(1, abs=1e-14)
    np.testing.assert_array_equal(
        cp.asnumpy(kernels.affinity_apply(*(cp.asarray(x) for x in (v, U, lam, diag)), 1.0)), cp.asnumpy(r)
    )
    with pytest.raises(ValueError, match="U: not on a device"):
        kernels.affinity_apply(cp.asarray(v), U, lam, diag, 1.0)


def test_affinity_blocks_change_no_bit(cp):
    U, lam, diag = factors(500, 3)
    v = np.random.default_rng(1).random((2, 500)) * (np.arange(500) % 50 == 0)
    given = [cp.asarray(x) for x in (v, U, lam, diag)]
    expected = cp.asnumpy(affinity.affinity_apply(*given, 0.5, 1))
    for threads in (32, 64):
        np.testing.assert_array_equal(cp.asnumpy(affinity.affinity_apply(*given, 0.5, threads)), expected)
    np.testing.assert_array_equal(cp.asnumpy(affinity.affinity_apply(given[0][1], *given[1:], 0.5, 8)), expected[1])


def test_affinities_of_float32_arrays_are_computed_in_float64(cp):
    U, lam, diag = (x.astype(np.float32) for x in factors(300, 3))
    v = (np.random.default_rng(1).random((2, 300)) * (np.arange(300) % 50 == 0)).astype(np.float32)
    given = [cp.asarray(x) for x in (v, U, lam, diag)]
    expected = kernels.affinity_apply(*(x.astype(np.float64) for x in given), 0.5)
    got = kernels.affinity_apply(*given, 0.5)
    assert isinstance(got, cp.ndarray) and got.dtype == np.float32 and expected.dtype == np.float64
    np.testing.assert_array_equal(cp.asnumpy(got), cp.asnumpy(expected).astype(np.float32))
    np.testing.assert_allclose(cp.asnumpy(expected), plain.affinity_apply(v, U, lam, diag, 0.5), rtol=0, atol=1e-13)
