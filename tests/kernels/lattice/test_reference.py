"""The reference of the lattice kernels: by hand, and equal to the methods whose kernel it is."""

import importlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.kernels.lattice import reference

sqs = importlib.import_module("simspec.methods.sqs.quantised")
LENGTHS = [1, 2, 7, 8, 9, 15, 127, 128, 129, 136, 255, 1000, 4099, 32_000]


def laws(rows, vocab, dtype=np.float64, seed=0, levels=None):
    """Softmax laws; with `levels` only so many different values, so that ties abound."""
    rng = np.random.default_rng([seed, rows, vocab])
    z = 3 * rng.standard_normal((rows, vocab))
    if levels:
        z = np.round(z * levels) / levels
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)).astype(dtype)


def test_by_hand():
    q = np.array([[0.125, 0.5, 0.125, 0.25]])
    assert reference.top_mask(q, 3).tolist() == [[True, True, False, True]]
    # of (1/7, 4/7, 2/7) sevenths: exact; of eight: 1.14, 4.57, 2.29 round to 1, 5, 2
    assert reference.quantise_top(q, 3, 7).counts.tolist() == [[1, 4, 2]]
    assert reference.quantise_top(q, 3, 8).counts.tolist() == [[1, 5, 2]]
    # of two: 0.29, 1.14, 0.57 round to 0, 1, 1; of three: 0.43, 1.71, 0.86 to 0, 2, 1; of one: 0.14, 0.57, 0.29 to 0, 1, 0
    assert [reference.quantise_top(q, 3, n).counts.tolist()[0] for n in (2, 3, 1)] == [[0, 1, 1], [0, 2, 1], [0, 1, 0]]
    kept = reference.quantise_above(q, np.array([0.25]), 3)
    assert (kept.tokens.tolist(), kept.counts.tolist()) == ([1, 3], [2, 1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("vocab", LENGTHS)
def test_the_order_of_summation_is_numpys(vocab, dtype):
    x = laws(3, vocab, dtype)
    got = reference.pairwise_sum(x)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, x.sum(axis=-1))
    u = float(np.finfo(dtype).eps) / 2
    exact = np.array([math.fsum(row) for row in x.astype(np.float64)])
    assert (np.abs(got - exact) <= u * (25 + max(0, math.log2(vocab / 128))) * exact + 1e-16).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("levels", [None, 2])
@pytest.mark.parametrize(("vocab", "k", "resolution"), [(1, 1, 3), (9, 4, 1), (300, 17, 100), (2000, 1999, 64)])
def test_equals_the_methods(vocab, k, resolution, levels, dtype):
    q = laws(6, vocab, dtype, levels=levels)
    mask = sqs.top_mask(q, k)
    np.testing.assert_array_equal(reference.top_mask(q, k), mask)
    np.testing.assert_array_equal(
        reference.quantise(q, mask, resolution), sqs.quantise(sqs.sparsify(q, mask), resolution, mask)
    )
    for edge in (0.0, float(np.median(q)), float(q[0].max()), 0.9):
        mask = sqs.threshold_mask(q, edge)
        np.testing.assert_array_equal(reference.threshold_mask(q, np.full(6, edge)), mask)
        counts = sqs.quantise(sqs.sparsify(q, mask), resolution, mask)
        np.testing.assert_array_equal(reference.quantise(q, mask, resolution), counts)


@given(
    masses=st.lists(st.integers(0, 6), min_size=1, max_size=12).filter(any),
    resolution=st.integers(1, 40),
    data=st.data(),
)
def test_equals_the_methods_on_ties(masses, resolution, data):
    q = np.array(masses) / sum(masses)
    k = data.draw(st.integers(1, len(masses)))
    mask = sqs.top_mask(q, k)
    counts = reference.quantise(q, reference.top_mask(q, k), resolution)
    np.testing.assert_array_equal(counts, sqs.quantise(sqs.sparsify(q, mask), resolution, mask))
    assert counts.sum() == resolution and (counts >= 0).all()


def test_nothing_kept():
    q = np.array([[0.5, 0.5], [1.0, 0.0]])
    made = reference.quantise_above(q, np.array([0.75, 0.75]), 4, keep_top=False)
    assert (made.offsets.tolist(), made.tokens.tolist(), made.counts.tolist()) == ([0, 0, 1], [0], [4])
