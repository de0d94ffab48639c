"""Laws: hand-computable cases, identities on fractions, agreement of the arithmetics, messages for bad input."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from tests import strategies as some

HALVES = laws.exact(np.array([0.5, 0.5, 0]))
SPREAD = laws.exact(np.array([0.25, 0.25, 0.5]))


def test_by_hand() -> None:
    assert laws.overlap(HALVES, SPREAD) == F(1, 2)
    assert laws.tv(HALVES, SPREAD) == F(1, 2)
    assert laws.restrict(SPREAD, np.array([True, False, True])).tolist() == [F(1, 3), 0, F(2, 3)]
    assert laws.cdf(SPREAD).tolist() == [F(1, 4), F(1, 2), 1]
    assert laws.top_k(SPREAD, 1).tolist() == [0, 0, 1]
    assert laws.top_p(SPREAD, F(1, 2)).tolist() == [0, 0, 1]
    assert laws.top_p(SPREAD, F(3, 5)).tolist() == [F(1, 3), 0, F(2, 3)]
    assert laws.kl(np.array([1.0, 0.0]), np.array([0.25, 0.75])) == pytest.approx(np.log(4), rel=1e-15)
    assert laws.kl(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == np.inf
    assert laws.entropy(np.array([0.25] * 4)) == pytest.approx(np.log(4), rel=1e-15)
    assert laws.renyi(np.array([0.75, 0.25]), 2) == pytest.approx(np.log(1.6), rel=1e-15)
    assert laws.softmax(np.log([1.0, 2.0, 5.0])) == pytest.approx([0.125, 0.25, 0.625], rel=1e-15)


@given(some.pairs())
def test_overlap_is_one_minus_tv_exactly(pair) -> None:
    p, q = pair
    assert laws.overlap(p, q) == 1 - laws.tv(p, q)
    assert laws.tv(p, q) == laws.tv(q, p)
    assert (laws.tv(p, q) == 0) == bool((p == q).all())
    some.assert_exact([laws.overlap(p, q), laws.tv(p, q)])


@given(st.data())
def test_tv_is_a_metric_with_values_in_the_unit_interval(data) -> None:
    p, q, r = data.draw(some.batches(data.draw(some.vocabularies())))
    assert 0 <= laws.tv(p, q) <= 1
    assert laws.tv(p, r) <= laws.tv(p, q) + laws.tv(q, r)


@given(st.data())
def test_restrict_conditions_and_stays_exact(data) -> None:
    vocab = data.draw(some.vocabularies())
    p, mask = data.draw(some.laws(vocab)), data.draw(some.masks(vocab))
    r = laws.restrict(p, mask)
    some.assert_exact(r)
    assert r.sum() == 1 and not r[~mask].any()
    inside = p[mask].sum()
    if inside:
        assert (r * inside == np.where(mask, p, 0)).all()
    else:  # nothing to condition on: uniform on the mask
        assert (r[mask] == F(1, int(mask.sum()))).all()


@given(st.data())
def test_truncations_agree_with_sorting_by_hand(data) -> None:
    vocab = data.draw(some.vocabularies())
    p, k = data.draw(some.laws(vocab)), data.draw(st.integers(1, vocab))
    mass = data.draw(some.fractions(F(1, 12), 1, 12))
    ranking = sorted(range(vocab), key=lambda x: (-p[x], x))
    shortest = next(n for n in range(1, vocab + 1) if sum(p[x] for x in ranking[:n]) >= mass)
    for law, kept in ((laws.top_k(p, k), ranking[:k]), (laws.top_p(p, mass), ranking[:shortest])):
        weight = sum(p[x] for x in kept)
        assert law.tolist() == [p[x] / weight if x in kept else 0 for x in range(vocab)]
        some.assert_exact(law)


@given(st.data())
def test_rows_of_a_batch_are_independent(data) -> None:
    vocab = data.draw(some.vocabularies())
    batch, mask = data.draw(some.batches(vocab)), data.draw(some.masks(vocab))
    for function in (laws.cdf, lambda p: laws.restrict(p, mask), lambda p: laws.top_p(p, F(2, 3))):
        assert (function(batch) == np.stack([function(row) for row in batch])).all()


@given(st.data())
def test_integers_in_an_exact_array_stay_exact(data) -> None:
    masses = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=5).filter(any))
    x = np.array(masses, dtype=object)
    for result in (laws.normalise(x), laws.normalise(x, otherwise=x), laws.unchecked.cdf(x)):
        some.assert_exact(result)


@given(some.pairs())
def test_arithmetics_agree(pair) -> None:
    p, q = pair
    for dtype, eps in ((np.float32, 2e-6), (np.float64, 4e-15)):
        a, b = some.as_float(p, dtype), some.as_float(q, dtype)
        for function in (laws.overlap, laws.tv):
            result = function(a, b)
            assert result.dtype == dtype
            assert abs(float(result) - float(function(p, q))) <= eps
        assert laws.uniform(np.ones(len(a), dtype=bool), like=a).dtype == dtype
        assert laws.normalise(a).dtype == dtype


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=8), st.floats(-100, 100))
def test_softmax_is_a_law_that_ignores_a_shift(logits, shift) -> None:
    z = np.array(logits)
    p = laws.softmax(z)
    assert laws.check_law(p) is p
    assert laws.softmax(z + shift) == pytest.approx(p, rel=1e-12)
    assert laws.softmax(z, temperature=2) == pytest.approx(laws.softmax(z / 2), rel=1e-14)


def test_softmax_at_extremes() -> None:
    assert laws.softmax(np.array([1e300, -1e300])).tolist() == [1, 0]
    assert laws.softmax(np.array([0.0, -np.inf])).tolist() == [1, 0]
    assert laws.softmax(np.array([3.0])).tolist() == [1]
    assert laws.softmax(np.array([1.0, 1.0, 0.0]), temperature=0).tolist() == [0.5, 0.5, 0]
    assert laws.softmax(np.array([1, 2], dtype=np.float32)).dtype == np.float32
    assert laws.softmax(np.zeros((0, 4))).shape == (0, 4)


@given(st.lists(st.tuples(st.floats(-8, 8), st.floats(-8, 8)), min_size=1, max_size=8))
def test_tv_from_logits_is_tv_of_the_softmax_laws(logits) -> None:
    a, b = np.array(logits).T
    assert laws.tv_from_logits(a, b) == pytest.approx(laws.tv(laws.softmax(a), laws.softmax(b)), abs=1e-14)


@given(some.pairs(low=2))
def test_divergences(pair) -> None:
    p, q = map(some.as_float, pair)
    h, kl, tv = laws.entropy(p), laws.kl(p, q), laws.tv(p, q)
    assert -1e-15 <= h <= np.log(len(p)) + 1e-14
    assert kl >= 2 * tv**2 - 1e-12  # Pinsker
    assert laws.renyi(p, 2) <= h + 1e-12 <= laws.renyi(p, 0.5) + 2e-12
    assert np.isinf(kl) == bool(((p > 0) & (q == 0)).any())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: laws.check_law(np.array([1.0, 2.0]), "q"), r"q: row \(\) sums to 3; a law sums to 1"),
        (lambda: laws.check_law(np.array([[1.0], [0.5]])), r"p: row \(1,\) sums to 0.5"),
        (lambda: laws.check_law(np.array([1.5, -0.5])), r"p: row \(\) holds the mass -0.5"),
        (lambda: laws.check_law(np.array([np.nan, 1.0])), r"p: row \(\) holds the mass nan"),
        (lambda: laws.check_law(np.array([np.inf, 1.0])), r"p: row \(\) sums to inf"),
        (lambda: laws.check_law(laws.exact(np.array([0.5, 0.25]))), r"sums to 3/4"),
        (lambda: laws.check_law(laws.exact(np.array([1.5, -0.5]))), r"holds the mass -1/2"),
        (lambda: laws.check_law(np.zeros((2, 0))), r"p: shape \(2, 0\); expected a last axis of at least one token"),
        (lambda: laws.check_law(np.float64(1)), r"p: shape \(\)"),
        (lambda: laws.check_pair(np.array([1.0]), np.array([0.5, 0.5])), "q: 2 tokens where p has 1"),
        (lambda: laws.check_pair(np.ones((2, 1)), np.ones((3, 1))), r"q: shape \(3, 1\) where p has \(2, 1\)"),
        (lambda: laws.check_mask(np.array([0, 1])), "shared: dtype int64; expected a boolean mask"),
        (lambda: laws.check_mask(np.array([False])), "shared: no token is true"),
        (lambda: laws.check_mask(np.array([True]), 2), r"shared: shape \(1,\); expected one element per token"),
        (lambda: laws.normalise(np.array([[1.0], [0.0]])), r"x: row \(1,\) has no mass"),
        (lambda: laws.softmax(np.array([1.0]), -1), "temperature: -1; expected a number that is not negative"),
        (lambda: laws.softmax(np.array([1.0]), np.nan), "temperature: nan"),
        (lambda: laws.softmax(np.array([np.nan, 1.0])), r"logits: row \(\) has the largest logit nan"),
        (lambda: laws.softmax(np.array([[0.0], [-np.inf]])), r"logits: row \(1,\) has the largest logit -inf"),
        (lambda: laws.tv_from_logits(np.zeros(2), np.zeros(3)), r"b: shape \(3,\) where a has \(2,\)"),
        (lambda: laws.tv_from_logits(np.zeros(1), np.array([np.inf])), "b: row .* largest logit inf"),
        (lambda: laws.top_k(np.array([1.0]), 2), "k: 2; expected 1 <= k <= 1"),
        (lambda: laws.top_k(np.array([1.0]), 0), "k: 0"),
        (lambda: laws.top_p(np.array([1.0]), 0), "mass: 0; expected 0 < mass <= 1"),
        (lambda: laws.renyi(np.array([1.0]), 1), "order: 1; expected a positive number other than 1"),
    ],
)
def test_bad_input_names_argument_value_and_expectation(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_softmax_of_any_size_passes_the_check_and_a_forgotten_normalisation_does_not() -> None:
    z = np.random.default_rng(0).normal(size=(2, 200_000)) * 3
    for dtype, too_much in ((np.float32, 1.001), (np.float64, 1.00001)):
        p = laws.softmax(z.astype(dtype))
        assert laws.check_law(p) is p
        with pytest.raises(ValueError, match="sums to 1.0"):
            laws.check_law(p * dtype(too_much))


def test_kl_of_a_denormal_probability_is_finite() -> None:
    """Half the mass against 1e-310: 0.5 log(0.5 / 1e-310) + 0.5 log 0.5, not an overflow."""
    value = laws.kl(np.array([0.5, 0.5]), np.array([1e-310, 1.0]))
    assert float(value) == pytest.approx(0.5 * (310 * np.log(10) + np.log(0.5)) + 0.5 * np.log(0.5), rel=1e-6)


def test_ratio_by_hand_and_of_nothing() -> None:
    """0/0 and p/0 are what is said, zero by default; fractions stay fractions, 32 bits stay 32, nothing warns."""
    p, d = np.array([0.5, 0.5, 0.0, 0.0]), np.array([0.25, 0.0, 0.0, 1.0])
    assert laws.ratio(p, d).tolist() == [2, 0, 0, 0]
    assert laws.ratio(p, d, otherwise=1).tolist() == [2, 1, 1, 0]
    made = laws.ratio(laws.exact(p), laws.exact(d))
    assert made.tolist() == [2, 0, 0, 0] and laws.is_exact(made)
    assert laws.ratio(p.astype(np.float32), d.astype(np.float32)).dtype == np.float32
    assert laws.ratio(np.stack([p, d]), d).tolist() == [[2, 0, 0, 0], [1, 0, 0, 1]]
