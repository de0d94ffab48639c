"""Quantised laws in compiled code: the same numbers as masks and `quantise` give, small and large, ties and all."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.kernels.lattice import SMALL, error_bound
from simspec.laws import exact, softmax
from simspec.methods.csqs.conformal import csqs
from simspec.methods.sqs.lattice_laws import above_law, takes, top_law
from simspec.methods.sqs.quantised import dense_sqs, quantised_law, sqs, threshold_mask, top_mask
from tests import strategies as some

FLOATS = (np.float32, np.float64)
SHAPES = [(1,), (1, 1), (0, 5), (3, 7), (2, 3, 50), (SMALL - 1,), (SMALL,), (3, 3000), (2, 2, 2049)]


def random_laws(shape, dtype, rng):
    """Softmax laws; in half of them masses are rounded to a few values first, so that ties abound."""
    q = softmax(2 * rng.normal(size=shape))
    if rng.random() < 0.5:
        q = np.ceil(8 * q / q.max(axis=-1, keepdims=True, initial=0))
        q = q / q.sum(axis=-1, keepdims=True)
    return q.astype(dtype)


def same(got, expected, q):
    assert got.dtype == q.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


def test_by_hand():
    q = np.array([0.125, 0.375, 0.5])
    # 4 (1/8, 3/8, 1/2) = (0.5, 1.5, 2): rounded to 1, 2, 2, one too many, so the first of the two largest errors goes
    assert dense_sqs(4).propose(q).tolist() == [0, 0.5, 0.5]
    # 10 (3/7, 4/7) = (4.29, 5.71)
    assert top_law(q, 2, 10).tolist() == sqs(2, 10).propose(q).tolist() == [0, 0.4, 0.6]
    assert above_law(q, 0.375, 10).tolist() == csqs(0.375, 10).propose(q).tolist() == [0, 0.4, 0.6]
    assert above_law(q, 0.75, 10).tolist() == [0, 0, 1]
    assert above_law(q, 0.75, 10, keep_top=False).tolist() == [0, 0, 0]


def test_what_is_taken():
    q = np.array([0.5, 0.5])
    assert all(takes(q.astype(t), edge) for t in FLOATS for edge in (0.1, 0, np.float32(0.1), np.array([0.1])))
    assert not takes(q.astype(np.float16)) and not takes(q.astype(np.longdouble)) and not takes(np.array([1, 0]))
    assert not takes(exact(q)) and not takes(q, F(1, 4)) and not takes(q, exact(np.array([0.25])))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_numbers_are_those_of_masks_and_quantise(dtype, shape):
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    rng = np.random.default_rng(seed)
    print("seed", seed)
    vocab = shape[-1]
    for resolution in (1, 7, 100, 10_000):
        q = random_laws(shape, dtype, rng)
        k = int(rng.integers(1, vocab + 1))
        same(sqs(k, resolution).propose(q), quantised_law(q, top_mask(q, k), resolution), q)
        everything = np.ones(shape, dtype=bool)
        same(dense_sqs(resolution).propose(q), quantised_law(q, everything, resolution), q)
        edges = rng.choice([-1, 0, 1.5 / vocab, 0.1, 2], size=shape[:-1])
        for edge in (1 / vocab, edges, q.max(initial=0), 3):  # the last two: ties with the threshold, nothing above it
            mask = threshold_mask(q, edge)
            same(csqs(edge, resolution).propose(q), quantised_law(q, mask, resolution), q)


@given(st.data())
def test_small_denominators_give_the_exact_counts(data):
    """Masses and counts are dyadic, so floats are exact and every tie is a true one."""
    masses = data.draw(st.lists(st.integers(0, 8), min_size=1, max_size=6).filter(any))
    masses = masses + [0] * 5 + [2 ** (sum(masses) - 1).bit_length() - sum(masses)]
    q, k, resolution = exact(np.array(masses)) / sum(masses), data.draw(st.integers(1, 4)), data.draw(st.integers(1, 9))
    mask = top_mask(q, len(q))
    for dtype in FLOATS:
        floats = some.as_float(q, dtype)
        expected = some.as_float(quantised_law(q, mask, 2**resolution), dtype)
        np.testing.assert_array_equal(dense_sqs(2**resolution).propose(floats), expected)
        assert (sqs(k, resolution).propose(floats) > 0).sum() <= k


@pytest.mark.parametrize("dtype", FLOATS)
def test_another_order_in_memory_is_read_as_rows(dtype):
    """Masks and sums in another order round otherwise: then both points are as near to the law, within the bound."""
    rng = np.random.default_rng(20)
    q = random_laws((40, 200), dtype, rng)
    resolution, bound = 50, error_bound(200, dtype) * 50
    for other in (np.asfortranarray(q), np.repeat(q, 2, axis=0)[::2], np.repeat(q, 2, axis=1)[:, ::2]):
        got = dense_sqs(resolution).propose(other)
        np.testing.assert_array_equal(got, dense_sqs(resolution).propose(q))
        before = quantised_law(other, np.ones(q.shape, dtype=bool), resolution)
        for row in np.flatnonzero((got != before).any(axis=1)):
            law = exact(q[row].astype(np.float64))
            law = resolution * law / law.sum()
            far = [abs(np.rint(resolution * b[row].astype(np.float64)) - law).sum() for b in (got, before)]
            assert abs(far[0] - far[1]) <= 4 * bound
    np.testing.assert_array_equal(sqs(5, 9).propose(np.negative(np.negative(q))), sqs(5, 9).propose(q))
    zeros = np.array([[0.5, -0.0, 0.5]], dtype=dtype)
    assert dense_sqs(4).propose(zeros).tolist() == [[0.5, 0, 0.5]]


def test_thresholds_broadcast_with_laws():
    q = np.array([0.5, 0.25, 0.25])
    made = csqs(np.array([[0.1], [0.3]]), 4).propose(q)
    assert made.shape == (2, 1, 3) and made[:, 0].tolist() == [[0.5, 0.25, 0.25], [1, 0, 0]]
    grid = csqs(np.array([0.1, 0.3]), 4).propose(np.stack([q, q[::-1]])[:, None])
    assert grid.shape == (2, 2, 3) and grid[1].tolist() == [[0.25, 0.25, 0.5], [0, 0, 1]]
    assert csqs(np.array([F(1, 4)]), 4).propose(q).tolist() == [[0.5, 0.25, 0.25]]  # fractions: compared exactly


@pytest.mark.parametrize("size", [3, SMALL])
@pytest.mark.parametrize("dtype", FLOATS)
def test_bad_input_is_named(dtype, size):
    q = np.full((2, size), 1 / size, dtype=dtype)
    for call, message in [
        (lambda q: sqs(size + 1, 4).propose(q), f"k: {size + 1}; expected a number of tokens between 1 and V = {size}"),
        (lambda q: csqs(0.9, 4, keep_top=False).propose(q), "threshold: 0.9 lies above the largest probability"),
        (lambda q: csqs(np.nan, 4).propose(q), "threshold: nan; expected a number"),
        (lambda q: sqs(1, 2**44).propose(q), "resolution: 17592186044416"),
        (lambda q: sqs(1, 4).propose(0 * q), "have mass 0"),
        (lambda q: sqs(1, 4).propose(-q), "row 0 has -0"),
        (lambda q: dense_sqs(4).propose(q * np.float32(np.inf)), "row 0 has inf"),
    ]:
        with pytest.raises(ValueError, match=message):
            call(q)
    assert csqs(0.9, 4).propose(q)[:, 0].tolist() == [1, 1]
    one = np.where(np.arange(2)[:, None] == 1, q, np.eye(1, size, dtype=dtype))
    with pytest.raises(ValueError, match="threshold"):  # a row of two
        csqs(0.9, 4, keep_top=False).propose(one)
