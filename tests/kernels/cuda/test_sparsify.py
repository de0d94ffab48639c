"""Sparsified and quantised laws on the device: the tokens of the reference, and its counts except within rounding of a tie."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simspec.kernels import lattice
from simspec.kernels.lattice import reference

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
    got = lattice.quantise_top(cp.asarray(q), k, resolution, threads)
    assert isinstance(got.tokens, cp.ndarray) and isinstance(got.counts, cp.ndarray)
    expected = reference.quantise_top(q, k, resolution)
    tokens, counts = cp.asnumpy(got.tokens), cp.asnumpy(got.counts)
    return sum(differs(q[i], tokens[i], counts[i], *(x[i] for x in expected), resolution) for i in range(len(q)))


def check_above(
    cp: Any, q: np.ndarray, threshold: Any, resolution: int, keep_top: bool = True, threads: int = 8
) -> int:
    """The same for `quantise_above`."""
    got = lattice.quantise_above(cp.asarray(q), threshold, resolution, keep_top, threads)
    assert all(isinstance(x, cp.ndarray) for x in got)
    edges = np.broadcast_to(threshold, len(q)).astype(np.float64)
    expected = reference.quantise_above(q, edges, resolution, keep_top)
    offsets, tokens, counts = (cp.asnumpy(x) for x in got)
    np.testing.assert_array_equal(offsets, expected.offsets)
    assert offsets.dtype == np.int64 and tokens.shape == counts.shape == expected.tokens.shape
    rows = [slice(*ends) for ends in itertools.pairwise(offsets)]
    return sum(
        differs(q[i], tokens[r], counts[r], expected.tokens[r], expected.counts[r], resolution)
        for i, r in enumerate(rows)
        if r.stop > r.start
    )


def differs(q: np.ndarray, tokens: Any, counts: Any, wanted: Any, expected: Any, resolution: int) -> bool:
    """Whether the counts of a row are not the reference's; they may be near a tie only."""
    np.testing.assert_array_equal(tokens, wanted)
    assert tokens.dtype == np.int32 and counts.dtype == np.int64
    assert counts.sum() == resolution and (counts >= 0).all()
    if (counts == expected).all():
        return False
    bound = lattice.error_bound(q.size, q.dtype)
    assert near_a_tie(q[tokens].astype(np.float64), resolution, bound), (q, len(tokens), resolution)
    assert np.abs(counts - expected).max() <= 2
    return True


def test_ties_are_told_from_faults():
    assert near_a_tie(np.array([0.5, 0.5]), 3, 1e-9)  # 1.5 each
    assert near_a_tie(np.array([0.25, 0.25 + 1e-10, 0.5]), 5, 1e-9)  # 1.25, 1.25 and 2.5
    assert not near_a_tie(np.array([0.3, 0.7]), 4, 1e-9)
    assert not near_a_tie(np.array([0.2, 0.2, 0.6]), 2, 1e-9)  # equal errors: the lower token


@pytest.mark.parametrize("dtype", FLOATS)
def test_by_hand(cp, dtype):
    q = cp.asarray(np.array([[0.25, 0.5, 0.25], [0.125, 0.125, 0.75]], dtype))
    got = lattice.quantise_top(q, 2, 4, 3)
    assert (got.tokens.tolist(), got.counts.tolist()) == ([[0, 1], [0, 2]], [[1, 3], [1, 3]])
    got = lattice.quantise_top(cp.asarray(np.array([0.5, 0.25, 0.25], dtype)), 3, 2, 3)  # (1, 1, 1) is one too many
    assert got.counts.tolist() == [1, 0, 1]
    got = lattice.quantise_top(cp.asarray(np.full(5, 0.2, dtype)), 5, 3, 3)  # 0.6 each: two are rounded down again
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
    for edge in (-1.0, 0.0, q.max(), np.median(q[q > 0]), np.nextafter(np.float64(q.max()), np.inf), np.inf):
        for keep_top in (True, False):
            check_above(cp, q, edge, 100, keep_top, 5)


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
    q = laws(1, vocab, dtype, seed, scale)
    check(cp, q, max(1, round(share * vocab)), resolution, 4)
    check_above(cp, q, np.quantile(q, share), resolution, threads=4)


def test_thresholds_by_hand(cp):
    q = cp.asarray(np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [0.25, 0.25, 0.5]]))
    got = lattice.quantise_above(q, [0.25, 0.5, 0.75], 4, threads=3)
    assert (got.offsets.tolist(), got.tokens.tolist(), got.counts.tolist()) == (
        [0, 3, 4, 5],
        [0, 1, 2, 0, 2],
        [2, 1, 1, 4, 4],
    )
    got = lattice.quantise_above(q, cp.asarray(np.array([0.25, 0.5, 0.75])), 4, keep_top=False, threads=3)
    assert (got.offsets.tolist(), got.tokens.tolist(), got.counts.tolist()) == (
        [0, 3, 4, 4],
        [0, 1, 2, 0],
        [2, 1, 1, 4],
    )
    got = lattice.quantise_above(q[:0], 0.5, 4)
    assert [x.tolist() for x in got] == [[0], [], []]


def test_thresholds_are_compared_in_float64(cp):
    """A threshold a little above a float32 mass leaves that out, though it would be rounded to it."""
    below, above = np.nextafter(np.float32(0.1), np.float32([0, 1]))
    assert float(below) < 0.1 < float(np.float32(0.1)) < float(above)
    q = cp.asarray(np.array([[below, np.float32(0.1), above, 0.7]], np.float32))
    assert lattice.quantise_above(q, 0.1, 10, threads=2).tokens.tolist() == [1, 2, 3]
    assert lattice.quantise_above(q, float(np.float32(0.1)) + 1e-12, 10, threads=2).tokens.tolist() == [2, 3]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("vocab", [1, 2, 255, 257, 3000])
def test_every_length_equals_the_reference_at_thresholds(cp, vocab, dtype):
    q = laws(4, vocab, dtype)
    for edges in (np.quantile(q, [0.0, 0.5, 0.9, 1.0]), 2.0):
        for keep_top in (True, False):
            differing = check_above(cp, q, edges, 100, keep_top)
            assert dtype == np.float32 or differing == 0


@pytest.mark.parametrize(
    ("row", "threshold", "resolution", "message"),
    [
        ([0.5, 0.5], np.nan, 4, "threshold: nan; expected a number"),
        ([0.5, 0.5], [0.5] * 3, 4, r"threshold: shape \(3,\); expected one that broadcasts to \(2,\)"),
        ([0.5, 0.5], 0.5, 0, "resolution: 0; expected"),
        ([0.5, -0.5], 0.5, 4, "row 1 has a mass that is negative, infinite or NaN"),
        ([0.5, np.nan], 0.9, 4, "row 1 has a mass"),
        ([np.inf, 0.5], 0.5, 4, "row 1 has a mass"),
        ([0.0, 0.0], 0.0, 4, "row 1 has kept tokens of mass 0.0"),
        ([1.5e308, 1.5e308], 0.5, 4, "row 1 has kept tokens of mass inf"),
    ],
)
def test_bad_thresholds_and_rows_are_named(cp, row, threshold, resolution, message):
    with pytest.raises(ValueError, match=message):
        lattice.quantise_above(cp.asarray(np.array([[0.5, 0.5], row])), threshold, resolution, threads=2)


def test_other_types_layouts_and_axes(cp):
    """Half precision and integers widen; strided rows are copied; leading axes come in C order."""
    q = laws(6, 90, np.float32)
    half, whole = q.astype(np.float16), (q * 1000).astype(np.int64) + 1
    wanted = [(half.astype(np.float32), half), (whole.astype(np.float64), whole)]
    wanted += [(q[::2, ::2], q[::2, ::2]), (q.reshape(2, 3, 90), q.reshape(2, 3, 90)), (q, np.asfortranarray(q))]
    for plain, given_ in wanted:
        for function, first in ((lattice.quantise_top, 7), (lattice.quantise_above, 0.01)):
            expected = function(cp.asarray(np.ascontiguousarray(plain)), first, 50, threads=4)
            for x, y in zip(function(cp.asarray(given_), first, 50, threads=4), expected, strict=True):
                np.testing.assert_array_equal(cp.asnumpy(x), cp.asnumpy(y))
                assert np.shape(x) == np.shape(y)
    assert lattice.quantise_top(cp.asarray(q.reshape(2, 3, 90)), 7, 50).tokens.shape == (2, 3, 7)
    with pytest.raises(ValueError, match="q: dtype complex128"):
        lattice.quantise_top(cp.asarray(q.astype(complex)), 7, 50)


def test_neither_the_block_nor_the_batch_changes_an_integer(cp):
    q = cp.asarray(laws(4, 2000, np.float32))
    expected = [cp.asnumpy(x) for x in lattice.quantise_top(q, 300, 100, 64)]
    above = [cp.asnumpy(x) for x in lattice.quantise_above(q, 1e-3, 100, threads=64)]
    for threads in (1, 3, 32, 256):
        for got, wanted in zip(lattice.quantise_top(q, 300, 100, threads), expected, strict=True):
            np.testing.assert_array_equal(cp.asnumpy(got), wanted)
        for got, wanted in zip(lattice.quantise_above(q, 1e-3, 100, threads=threads), above, strict=True):
            np.testing.assert_array_equal(cp.asnumpy(got), wanted)
    for got, wanted in zip(lattice.quantise_top(q[2], 300, 100, 8), expected, strict=True):
        np.testing.assert_array_equal(cp.asnumpy(got), wanted[2])
    assert [x.shape for x in lattice.quantise_top(q.reshape(2, 2, 2000)[:, :0], 5, 7)] == [(2, 0, 5)] * 2


@pytest.mark.parametrize(
    ("row", "k", "resolution", "message"),
    [
        ([0.5, 0.5], 0, 4, "k: 0; expected a number of tokens between 1 and V = 2"),
        ([0.5, 0.5], 3, 4, "k: 3; expected"),
        ([0.5, 0.5], 1, 0, "resolution: 0; expected"),
        ([0.5, 0.5], 1, 2**44, "resolution: 17592186044416"),
        ([0.5, -0.5], 1, 4, "row 1 has a mass that is negative, infinite or NaN"),
        ([0.5, np.nan], 1, 4, "row 1 has a mass"),
        ([0.5, np.inf], 1, 4, "row 1 has a mass"),
        ([0.0, 0.0], 1, 4, "row 1 has kept tokens of mass 0.0"),
        ([1.5e308, 1.5e308], 2, 4, "row 1 has kept tokens of mass inf"),
    ],
)
def test_bad_input_is_named(cp, row, k, resolution, message):
    with pytest.raises(ValueError, match=message):
        lattice.quantise_top(cp.asarray(np.array([[0.5, 0.5], row])), k, resolution, 2)
