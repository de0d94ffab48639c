"""Sparsified and quantised laws on the device: the tokens of the reference, and its counts except within rounding of a tie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simspec.kernels import gpu, lattice
from simspec.kernels import lattice_reference as reference
from simspec.kernels.cuda.reference import first_order
from simspec.methods.rdk import first_order as method

FLOATS = [np.float32, np.float64]


def laws(rows, vocab, dtype, seed=0, scale=3.0):
    z = np.random.default_rng([seed, rows, vocab]).standard_normal((rows, vocab)) * scale
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)).astype(dtype)


def near_a_tie(kept: np.ndarray, resolution: int, error: float) -> bool:
    """Whether an error of that size, relative to each scaled mass, may change a decision of the rounding."""
    scaled = resolution * (kept / kept.sum())
    slack = error * scaled.max()
    rounded = np.floor(scaled) + (2 * (scaled - np.floor(scaled)) >= 1)
    if (np.abs(scaled - np.floor(scaled) - 0.5) <= slack).any():
        return True
    errors, excess = np.sort(rounded - scaled), int(rounded.sum()) - resolution
    if excess == 0:
        return False
    edge = len(errors) - excess if excess > 0 else -excess  # the first of those that change, or the first that do not
    if not 0 < edge < len(errors):
        return False
    gap = errors[edge] - errors[edge - 1]
    return 0 < gap <= 2 * slack  # equal errors are equal on both sides: the lower token changes


def check(cp: Any, q: np.ndarray, k: int, resolution: int, threads: int = 8) -> int:
    """Compare with the reference; the number of rows within rounding of a tie that differ."""
    got = gpu.quantise_top(cp.asarray(q), k, resolution, threads)
    tokens, counts = cp.asnumpy(got.tokens), cp.asnumpy(got.counts)
    expected = reference.quantise_top(q, k, resolution)
    np.testing.assert_array_equal(tokens, expected.tokens)
    assert tokens.dtype == np.int32 and counts.dtype == np.int64
    assert (counts.sum(axis=-1) == resolution).all() and (counts >= 0).all()
    differing = np.flatnonzero((counts != expected.counts).any(axis=-1))
    for row in differing:
        kept = q[row, tokens[row]].astype(np.float64)
        assert near_a_tie(kept, resolution, lattice.error_bound(q.shape[-1], q.dtype)), (q[row], k, resolution)
        assert np.abs(counts[row] - expected.counts[row]).max() <= 2
    return len(differing)


def test_ties_are_told_from_faults():
    assert near_a_tie(np.array([0.5, 0.5]), 3, 1e-9)  # 1.5 each
    assert near_a_tie(np.array([0.25, 0.25 + 1e-10, 0.5]), 5, 1e-9)  # 1.25, 1.25 and 2.5
    assert not near_a_tie(np.array([0.3, 0.7]), 4, 1e-9)
    assert not near_a_tie(np.array([0.2, 0.2, 0.6]), 2, 1e-9)  # equal errors: the lower token


@pytest.mark.parametrize("dtype", FLOATS)
def test_by_hand(cp, dtype):
    q = cp.asarray(np.array([[0.25, 0.5, 0.25], [0.125, 0.125, 0.75]], dtype))
    got = gpu.quantise_top(q, 2, 4, 3)
    assert (got.tokens.tolist(), got.counts.tolist()) == ([[0, 1], [0, 2]], [[1, 3], [1, 3]])
    got = gpu.quantise_top(cp.asarray(np.array([0.5, 0.25, 0.25], dtype)), 3, 2, 3)  # (1, 1, 1) is one too many
    assert got.counts.tolist() == [1, 0, 1]
    got = gpu.quantise_top(cp.asarray(np.full(5, 0.2, dtype)), 5, 3, 3)  # 0.6 each: two are rounded down again
    assert got.counts.tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("vocab", [1, 2, 255, 256, 257, 1000, 5000])
def test_every_length_equals_the_reference(cp, vocab, dtype):
    q = laws(3, vocab, dtype)
    sizes = {1, (vocab + 1) // 2, min(vocab, 300), vocab}
    differing = [check(cp, q, k, resolution, 16) for k in sizes for resolution in (1, 100, 2**20)]
    assert dtype == np.float32 or sum(differing) == 0


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "row",
    [
        np.full(600, 1 / 600),
        np.where(np.arange(600) == 599, 1.0, 0.0),
        np.where(np.arange(600) % 2, 0.0, 1 / 300),
        np.repeat([0.5, 0.25, 0.125, 0.125], 150),
        np.where(np.arange(600) < 4, np.where(np.arange(600) % 2, 0.0, -0.0), 1.0),
        np.arange(600) * 1e-40,
        2.0 ** -np.arange(600.0),
        np.full(600, 1e30),
    ],
    ids=["uniform", "one token", "half zero", "ties", "minus zero", "tiny", "falling", "huge"],
)
def test_extreme_rows_equal_the_reference(cp, row, dtype):
    q = row.astype(dtype)[None]
    for k in (1, 2, 300, 598, 599, 600):
        if reference.top_mask(q, k)[q > 0].any():
            check(cp, q, k, 100, 5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=50)
@given(
    seed=st.integers(0, 2**32 - 1),
    vocab=st.integers(1, 700),
    scale=st.floats(0.01, 20),
    share=st.floats(0, 1),
    resolution=st.integers(1, 5000),
    dtype=st.sampled_from(FLOATS),
)
def test_random_rows_equal_the_reference(cp, seed, vocab, scale, share, resolution, dtype):
    check(cp, laws(1, vocab, dtype, seed, scale), max(1, round(share * vocab)), resolution, 4)


def test_neither_the_block_nor_the_batch_changes_an_integer(cp):
    q = cp.asarray(laws(4, 2000, np.float32))
    expected = [cp.asnumpy(x) for x in gpu.quantise_top(q, 300, 100, 64)]
    for threads in (1, 3, 32, 256):
        for got, wanted in zip(gpu.quantise_top(q, 300, 100, threads), expected, strict=True):
            np.testing.assert_array_equal(cp.asnumpy(got), wanted)
    for got, wanted in zip(gpu.quantise_top(q[2], 300, 100, 8), expected, strict=True):
        np.testing.assert_array_equal(cp.asnumpy(got), wanted[2])
    assert [x.shape for x in gpu.quantise_top(q.reshape(2, 2, 2000)[:, :0], 5, 7)] == [(2, 0, 5)] * 2


@pytest.mark.parametrize(
    ("row", "k", "resolution", "message"),
    [
        ([0.5, 0.5], 0, 4, "k = 0: expected an integer from 1 to 2"),
        ([0.5, 0.5], 3, 4, "k = 3"),
        ([0.5, 0.5], 1, 0, "resolution = 0"),
        ([0.5, 0.5], 1, 2**44, "resolution = 17592186044416"),
        ([0.5, -0.5], 1, 4, "row 1 has a mass that is negative, infinite or NaN"),
        ([0.5, np.nan], 1, 4, "row 1 has a mass"),
        ([0.5, np.inf], 1, 4, "row 1 has a mass"),
        ([0.0, 0.0], 1, 4, "row 1 has kept tokens of mass 0.0"),
        ([1.5e308, 1.5e308], 2, 4, "row 1 has kept tokens of mass inf"),
    ],
)
def test_bad_input_is_named(cp, row, k, resolution, message):
    with pytest.raises(ValueError, match=message):
        gpu.quantise_top(cp.asarray(np.array([[0.5, 0.5], row])), k, resolution, 2)


@pytest.mark.parametrize("vocab", [1, 7, 300])
@pytest.mark.parametrize("rank", [0, 1, 5])
def test_first_order_rows_equal_the_reference_and_the_method(cp, vocab, rank):
    rng = np.random.default_rng([vocab, rank])
    U, lam, diag = rng.standard_normal((vocab, rank)), rng.uniform(-1, 1, rank), rng.random(vocab)
    v = laws(4, vocab, np.float64).reshape(2, 2, vocab)
    device = [cp.asarray(x) for x in (v, U, lam, diag)]
    got = cp.asnumpy(gpu.first_order(*device, 2.0, 8))
    largest = rank * np.abs(U).max(initial=0) ** 2 * np.abs(lam).max(initial=0) + diag.max()
    bound = 2.0**-51 * ((vocab + rank + 20) * largest / 2.0 + 1) / vocab
    np.testing.assert_allclose(got, first_order(v, U, lam, diag, 2.0), rtol=0, atol=bound)
    np.testing.assert_allclose(got, method(U, lam, diag, 2.0)(v), rtol=0, atol=bound)
    np.testing.assert_array_equal(cp.asnumpy(gpu.first_order(*device, 2.0, 1)), got)
    assert gpu.first_order(device[0][:0], *device[1:], 2.0).shape == (0, 2, vocab)
