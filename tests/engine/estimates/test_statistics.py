"""Integer statistics: sums by hand, the same integers in every order and split, overflow, and bad input."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.engine.estimates.statistics import MAX_ROWS, SCALE, bounded, histogram, mean, merge, proportion, variance

UNIT = st.floats(0, 1)


def test_by_hand() -> None:
    assert bounded("x", np.array([0.25, 1, 0])) == {"x.n": 3, "x.sum": 5 * SCALE // 4, "x.squares": 17 * SCALE // 16}
    assert proportion("hit", np.array([[1, 0], [1, 1]])) == {"hit.n": 4, "hit.hits": 3}
    counts = histogram("x", np.array([-np.inf, 0, 0.5, 1, 2, np.inf]), np.array([0, 1]))["x.counts"]
    assert counts.dtype == np.int64 and counts.tolist() == [1, 2, 3]
    length = bounded("length", np.array([1, 2, 3, 6]), 0, 8)
    assert mean(length, "length", 0, 8) == 3
    assert variance(length, "length", 0, 8) == pytest.approx(14 / 3, rel=1e-9)
    hits = proportion("hit", np.array([True, True, False, False]))
    assert (mean(hits, "hit"), variance(hits, "hit")) == (0.5, 1 / 3)


@pytest.mark.parametrize("value", [1 / 3, 0.1, 0.7, 1 - 2**-32, 2**-33 * 3.1])
def test_values_and_squares_are_rounded_to_the_nearest_unit(value) -> None:
    units = round(Fraction(value) * SCALE)
    assert bounded("x", np.array([value])) == {"x.n": 1, "x.sum": units, "x.squares": round(Fraction(units**2, SCALE))}


@given(st.lists(UNIT, min_size=1, max_size=40), st.data())
def test_any_order_and_any_split_give_the_same_integers(values, data) -> None:
    whole = {**bounded("x", np.array(values)), **histogram("x", np.array(values), np.array([0.2, 0.7]))}
    order = np.array(data.draw(st.permutations(values)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=5)))
    total = {**bounded("x", order[:0]), **histogram("x", order[:0], np.array([0.2, 0.7]))}
    for part in np.split(order, cuts):
        total = merge(total, {**bounded("x", part), **histogram("x", part, np.array([0.2, 0.7]))})
    assert {k: np.asarray(v).tolist() for k, v in total.items()} == {
        k: np.asarray(v).tolist() for k, v in whole.items()
    }


def test_a_plain_float_sum_fails_the_same_test() -> None:
    values = np.array([1.0] + [1e-16] * 9)  # negative control: order matters to floats
    assert sum(values.tolist()) != sum(values[::-1].tolist())
    assert bounded("x", values) == bounded("x", values[::-1])


@given(st.lists(UNIT, min_size=2, max_size=40))
def test_mean_and_variance_are_those_of_the_values(values) -> None:
    exact = [Fraction(v) for v in values]
    centre = sum(exact) / len(exact)
    spread = sum((v - centre) ** 2 for v in exact) / (len(exact) - 1)
    totals = bounded("x", np.array(values))
    assert abs(mean(totals, "x") - centre) <= 2**-33
    assert abs(variance(totals, "x") - spread) <= 8 * 2**-32  # (half a unit of x², and of x twice) n / (n − 1)


def test_a_full_block_of_ones_fits_into_64_bits() -> None:
    one = bounded("x", np.array([1.0]))
    assert MAX_ROWS * one["x.sum"] == MAX_ROWS * one["x.squares"] <= np.iinfo(np.int64).max
    assert (MAX_ROWS + 1) * one["x.sum"] > np.iinfo(np.int64).max
    too_many = np.broadcast_to(1.0, (MAX_ROWS + 1,))  # takes no memory
    for make in (bounded, proportion, lambda name, x: histogram(name, x, np.array([0]))):
        with pytest.raises(ValueError, match=f"values of 'x': {MAX_ROWS + 1} rows; expected at most {MAX_ROWS}"):
            make("x", too_many)


def test_merging_beyond_64_bits_does_not_overflow() -> None:
    total = {"x.n": np.int64(MAX_ROWS), "x.sum": np.int64(MAX_ROWS * SCALE), "x.squares": np.int64(MAX_ROWS * SCALE)}
    for _ in range(3):
        total = merge(total, total)
    assert total["x.sum"] == 8 * MAX_ROWS * SCALE and mean(total, "x") == 1 and variance(total, "x") == 0


def test_rounding_of_a_sum_of_floats_is_forgiven_and_no_more() -> None:
    assert bounded("x", np.array([1 + 1e-15, -1e-15])) == bounded("x", np.array([1.0, 0.0]))
    for wrong in (1 + 1e-9, -1e-9, np.nan, np.inf):
        with pytest.raises(ValueError, match="values of 'x': .*; expected every value between 0 and 1"):
            bounded("x", np.array([0.5, wrong]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounded("x", np.array([1]), 1, 1), "low, high: 1, 1; expected finite bounds with low < high"),
        (lambda: bounded("x", np.array([1]), 0, np.inf), "low, high: 0, inf; expected finite"),
        (lambda: proportion("x", np.array([0, 2])), "hits of 'x': 2; expected booleans"),
        (lambda: proportion("x", np.array([np.nan])), "hits of 'x': nan; expected booleans"),
        (lambda: histogram("x", np.array([1]), np.array([1, 1])), r"edges of 'x': \[1, 1\]; expected .* increasing"),
        (lambda: histogram("x", np.array([1]), np.array([])), r"edges of 'x': \[\]; expected one axis"),
        (lambda: histogram("x", np.array([np.nan]), np.array([1])), "values of 'x': nan; expected numbers"),
        (lambda: merge({"a.n": 1}, {"b.n": 1}), r"b: keys \['b.n'\]; expected the keys of a, \['a.n'\]"),
        (lambda: merge({"a": np.zeros(2)}, {"a": np.zeros(3)}), r"b: a has shape \(3,\); expected \(2,\)"),
        (lambda: mean({"a.n": 1}, "b"), "name: 'b'; expected a bounded value or a proportion among .'a.n'"),
        (lambda: mean({"a.n": 0, "a.hits": 0}, "a"), "totals: a.n is 0; expected at least one row"),
        (lambda: variance({"a.n": 1, "a.hits": 0}, "a"), "totals: a.n is 1; expected at least two rows"),
    ],
)
def test_bad_input_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
