"""SQS: masks, the lattice and the methods, by hand, against the algorithm on lists, and against all lattice points."""

from __future__ import annotations

import itertools
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods import SD, acceptance_rate, is_lossless
from simspec.methods.sqs.quantised import (
    dense_sqs,
    dropped_mass,
    quantise,
    quantise_printed,
    quantised_law,
    sparsify,
    sqs,
    threshold_mask,
    top_mask,
)
from tests import strategies as some

Q = laws.exact(np.array([0.125, 0.375, 0.5]))


def algorithm_2(values: list, resolution: int) -> list[int]:
    """Lines 6 to 16 as they stand, on a list; of equal errors the earlier token changes first."""
    half = F(1, 2)
    counts = [(resolution * v + half).__floor__() for v in values]
    total = sum(counts)
    errors = [b - resolution * v for b, v in zip(counts, values, strict=True)]
    if total > resolution:
        for i in sorted(range(len(values)), key=lambda i: (-errors[i], i))[: total - resolution]:
            counts[i] -= 1
    else:
        for i in sorted(range(len(values)), key=lambda i: (errors[i], i))[: resolution - total]:
            counts[i] += 1
    return counts


def test_by_hand() -> None:
    assert top_mask(Q, 2).tolist() == [False, True, True]
    assert dropped_mass(Q, top_mask(Q, 2)) == F(1, 8)
    assert sparsify(Q, top_mask(Q, 2)).tolist() == [0, F(3, 7), F(4, 7)]
    # 10 (3/7, 4/7) = (4.29, 5.71): rounded to 4 and 6, which is 10
    assert sqs(2, 10).propose(Q).tolist() == [0, F(2, 5), F(3, 5)]
    # 4 (1/8, 3/8, 1/2) = (0.5, 1.5, 2): rounded to 1, 2, 2, one too many, so the first of the two largest errors goes
    assert quantise(Q, 4).tolist() == [0, 2, 2]
    assert dense_sqs(4).propose(Q).tolist() == [0, F(1, 2), F(1, 2)]


def test_too_small_a_sum_is_raised_where_rounding_went_down_most() -> None:
    third = laws.exact(np.array([1, 1, 1])) / 3  # 4/3 each, rounded to 1: one missing, the first of equals gets it
    assert quantise(third, 4).tolist() == [2, 1, 1]


def test_one_token_and_one_point() -> None:
    assert quantise(np.array([1.0]), 7).tolist() == [7]
    assert sqs(1, 3).propose(np.array([0.0, 1.0])).tolist() == [0, 1]
    assert sqs(1, 1).propose(Q).tolist() == [0, 0, 1]


# ---- masks ----


@given(st.data())
def test_top_mask_is_the_stable_sort(data) -> None:
    q = data.draw(some.batches(data.draw(some.vocabularies())))
    k = data.draw(st.integers(1, q.shape[-1]))
    expected = [[i in sorted(range(len(r)), key=lambda i: (-r[i], i))[:k] for i in range(len(r))] for r in q.tolist()]
    assert top_mask(q, k).tolist() == expected
    assert top_mask(some.as_float(q), k).tolist() == expected
    assert top_mask(some.as_float(q, np.float32), k).tolist() == expected


def test_threshold_edges() -> None:
    q = np.array([0.5, 0.25, 0.25, 0.0])
    assert threshold_mask(q, 0.25).tolist() == [True, True, True, False]  # ties are kept
    assert threshold_mask(q, 0).all() and threshold_mask(q, -1).all()  # also what has no probability
    assert threshold_mask(q, 0.5).tolist() == [True, False, False, False]
    above = np.nextafter(0.5, 1)
    assert threshold_mask(q, above).tolist() == [True, False, False, False]
    assert not threshold_mask(q, above, keep_top=False).any()
    assert threshold_mask(np.array([0.5, 0.5]), 2).tolist() == [True, False]  # of equals the lower number
    assert threshold_mask(np.array([1.0]), 2).tolist() == [True]


def test_thresholds_of_a_batch() -> None:
    q = np.array([[0.5, 0.5], [0.75, 0.25]])
    assert threshold_mask(q, np.array([0.6, 0.2])).tolist() == [[True, False], [True, True]]
    assert threshold_mask(q, np.array([0.6, 0.2]), keep_top=False).tolist() == [[False, False], [True, True]]
    grid = threshold_mask(q[0], np.array([[0.1], [0.9]]))  # thresholds (2, 1) on one law
    assert grid.shape == (2, 1, 2)


def test_an_empty_mask_drops_everything() -> None:
    none = np.zeros(3, dtype=bool)
    assert dropped_mass(Q, none) == 1
    with pytest.raises(ValueError, match="mask: no token is true"):
        sparsify(Q, none)


# ---- the lattice ----


@given(st.data())
def test_quantise_is_algorithm_2_on_the_normalised_vector(data) -> None:
    vocab = data.draw(some.vocabularies())
    q, mask = data.draw(some.laws(vocab)), data.draw(some.masks(vocab))
    mask = mask | (q == q.max())
    resolution = data.draw(st.integers(1, 12))
    law = sparsify(q, mask)
    counts = quantise(law, resolution, mask)
    some.assert_exact(counts)
    assert counts[mask].tolist() == algorithm_2(law[mask].tolist(), resolution)
    assert not counts[~mask].any()
    assert counts.sum() == resolution and (counts >= 0).all()


@given(st.data())
def test_no_lattice_point_is_nearer(data) -> None:
    vocab, resolution = data.draw(some.vocabularies(high=4)), data.draw(st.integers(1, 5))
    law = data.draw(some.laws(vocab))
    counts = quantise(law, resolution)
    points = [b for b in itertools.product(range(resolution + 1), repeat=vocab) if sum(b) == resolution]
    for distance in (lambda x: abs(x).sum(), lambda x: (x * x).sum(), lambda x: abs(x).max()):
        assert distance(counts - resolution * law) == min(distance(np.array(b) - resolution * law) for b in points)


@given(st.data())
def test_printed_algorithm_takes_the_values_as_they_are(data) -> None:
    q = data.draw(some.laws(data.draw(some.vocabularies())))
    k, resolution = data.draw(st.integers(1, len(q))), data.draw(st.integers(1, 12))
    mask = top_mask(q, k)
    counts = quantise_printed(q, k, resolution)
    assert counts[mask].tolist() == algorithm_2(q[mask].tolist(), resolution)
    assert not counts[~mask].any()
    some.assert_exact(counts)


def test_printed_algorithm_can_miss_the_sum() -> None:
    assert quantise_printed(Q, 1, 8).tolist() == [0, 0, 5]  # 4, and the one token can gain only one
    assert quantise_printed(Q, 3, 8).tolist() == [1, 3, 4]  # nothing dropped: as normalised
    assert quantise_printed(np.array([0.5, 0.5]), 1, 1).tolist() == [1, 0]


@given(st.data())
def test_batches_are_rows(data) -> None:
    q = data.draw(some.batches(data.draw(some.vocabularies(low=2))))
    k, resolution = data.draw(st.integers(1, q.shape[-1])), data.draw(st.integers(1, 9))
    for method in (sqs(k, resolution), dense_sqs(resolution)):
        assert method.propose(q).tolist() == [method.propose(row).tolist() for row in q]
    assert quantise_printed(q, k, resolution).tolist() == [quantise_printed(r, k, resolution).tolist() for r in q]


# ---- floats ----


@given(st.lists(st.integers(0, 64), min_size=2, max_size=9), st.integers(1, 300), st.sampled_from(["f4", "f8"]))
def test_floats_that_hold_the_law_exactly_give_the_exact_counts(masses, resolution, dtype) -> None:
    masses[0] += 1024 - sum(masses)  # denominators that floats hold
    law = laws.exact(np.array(masses)) / 1024
    counts = quantise(law.astype(dtype), resolution)
    assert counts.dtype == np.int64
    assert counts.tolist() == quantise(law, resolution).tolist()


@given(st.integers(0, 2**32 - 1), st.sampled_from(["f4", "f8"]), st.integers(1, 2**40))
def test_floats_that_do_not_sum_to_one_still_give_the_resolution(seed, dtype, resolution) -> None:
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.full(rng.integers(1, 400), 10.0 ** rng.uniform(-2, 1)), size=3).astype(dtype)
    q = (q / q.sum(axis=-1, keepdims=True)).astype(dtype)
    k = int(rng.integers(1, q.shape[-1] + 1))
    mask = top_mask(q, k)
    counts = quantise(sparsify(q, mask), resolution, mask)
    assert (counts.sum(axis=-1) == resolution).all() and (counts >= 0).all() and not counts[~mask].any()
    law = sparsify(q.astype(np.float64), mask)
    assert (abs(counts - resolution * law) <= 1 + resolution * (1e-6 if dtype == "f4" else 1e-14)).all()
    proposed = sqs(k, resolution).propose(q)
    assert proposed.dtype == dtype
    laws.check_law(proposed)


def test_just_below_one_half_rounds_down() -> None:
    """In floats x + 1/2 rounds to 1 for the x just below 1/2: of two such tokens the wrong one would be left."""
    below = np.nextafter(0.5, 0)
    assert quantise(np.array([below, below, 1 - 2 * below]), 1).tolist() == [1, 0, 0]


def test_a_real_vocabulary() -> None:
    z = np.random.default_rng(0).standard_normal(128_256) * 3
    q = laws.softmax(z.astype(np.float32))
    d = sqs(1_000, 100).propose(q)
    assert (d > 0).sum() <= 100 and d.dtype == np.float32
    np.testing.assert_allclose(d.sum(dtype=np.float64), 1, atol=1e-6)
    counts = quantise(q, 10_000)
    assert counts.sum() == 10_000 and (counts >= 0).all()


# ---- methods ----


@given(st.data())
def test_methods_verify_as_speculative_decoding(data) -> None:
    p, q = data.draw(some.pairs())
    k, resolution = data.draw(st.integers(1, len(q))), data.draw(st.integers(1, 9))
    for method in (sqs(k, resolution), dense_sqs(resolution)):
        assert is_lossless(method, p, q)
        assert acceptance_rate(method, p, q) == 1 - laws.tv(p, method.propose(q))
        assert method.accept is SD.accept and method.residual is SD.residual


def test_all_tokens_kept_is_dense() -> None:
    assert sqs(3, 5).propose(Q).tolist() == dense_sqs(5).propose(Q).tolist()
    assert quantised_law(Q, np.ones(3, dtype=bool), 8).tolist() == Q.tolist()  # the law is a lattice point


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sqs(0, 5), "k: 0; expected a number of tokens >= 1"),
        (lambda: sqs(2.5, 5), "k: 2.5; expected"),
        (lambda: sqs(4, 5).propose(Q), "k: 4; expected a number of tokens between 1 and V = 3"),
        (lambda: sqs(2, 0), "resolution: 0; expected an integer >= 1"),
        (lambda: dense_sqs(0.5), "resolution: 0.5; expected an integer >= 1"),
        (lambda: quantise(Q, -1), "resolution: -1; expected an integer >= 1"),
        (lambda: quantise(Q.astype(float), 2**44), "resolution: 17592186044416; expected less than 2.44"),
        (lambda: quantise(Q / 2, 4), "law: row .. sums to 1/2"),
        (lambda: quantise(np.array([np.nan, 1.0]), 4), "law: row .. holds the mass nan"),
        (lambda: quantise(Q, 4, np.zeros(3, dtype=bool)), "mask: no token is true"),
        (lambda: quantise(Q, 4, top_mask(Q, 2)), "law: mass outside the mask"),
        (lambda: quantise(Q, 4, np.ones(2, dtype=bool)), "mask: shape .2,., dtype bool; expected booleans"),
        (lambda: quantise(Q, 4, np.ones(3)), "mask: shape .3,., dtype float64; expected booleans"),
        (lambda: quantise_printed(Q, 0, 4), "k: 0; expected"),
        (lambda: quantise_printed(Q / 2, 1, 4), "q: row .. sums to 1/2"),
        (lambda: sparsify(np.array([1.0, 0.0]), np.array([False, True])), "mask: the tokens of some row have no mass"),
        (lambda: threshold_mask(Q, np.nan), "threshold: nan; expected a number"),
    ],
)
def test_bad_input_is_named(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
