"""Two printed accuracies: published examples, brute force, coverage, and what pairing can change."""

from __future__ import annotations

from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.studies.pad.accuracy import difference, mcnemar, pairings, problems_needed, solved, wilson


def test_a_percentage_gives_its_count_back():
    assert solved(66.67, 3) == 2
    assert (solved(96.44, 1319), solved(95.60, 1319)) == (1272, 1261)


@pytest.mark.parametrize(("percentage", "problems"), [(96.4, 131900), (50.01, 3), (100.5, 200)])
def test_a_percentage_that_fits_no_count_or_several_is_refused(percentage, problems):
    with pytest.raises(ValueError, match="expected exactly one count"):
        solved(percentage, problems)


def test_published_intervals():
    """Newcombe 1998: 81 of 263 (Table I of the paper on one proportion), 56 of 70 against 48 of 80 (on differences)."""
    one = wilson(81, 263)
    assert (round(one.low, 4), round(one.high, 4)) == (0.2553, 0.3662)
    two = difference(56, 48, 70, others=80)
    assert (round(two.low, 4), round(two.high, 4)) == (0.0524, 0.3339)


@given(st.integers(1, 60), st.data())
def test_wilson_is_scipys(problems, data):
    from scipy.stats import binomtest

    count = data.draw(st.integers(0, problems))
    reference = binomtest(count, problems).proportion_ci(0.9, method="wilson")
    interval = wilson(count, problems, 0.9)
    assert (interval.low, interval.high) == pytest.approx((reference.low, reference.high), abs=1e-9)


@given(st.integers(1, 60), st.data())
def test_the_difference_turns_its_sign_with_the_order(problems, data):
    a, b = data.draw(st.integers(0, problems)), data.draw(st.integers(0, problems))
    one, other = difference(a, b, problems), difference(b, a, problems)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-12)


def _coverage(n: int, p: float, q: float, level: float, shrink: float = 1) -> float:
    """Exact probability that the interval, or a part of it, holds the true difference."""
    pmf = [[comb(n, i) * x**i * (1 - x) ** (n - i) for i in range(n + 1)] for x in (p, q)]
    total = 0.0
    for a, b in product(range(n + 1), repeat=2):
        gap = difference(a, b, n, level)
        low, high = (gap.estimate + shrink * (end - gap.estimate) for end in (gap.low, gap.high))
        total += pmf[0][a] * pmf[1][b] * (low <= p - q <= high)
    return total


@pytest.mark.parametrize(("p", "q"), [(0.95, 0.9), (0.9, 0.9), (0.6, 0.3)])
def test_coverage_is_near_its_level(p, q):
    assert 0.925 < _coverage(40, p, q, 0.95) < 0.99
    assert _coverage(40, p, q, 0.95, shrink=0.5) < 0.85  # negative control


@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_is_the_binomial_test(lost, gained):
    from scipy.stats import binomtest

    expected = binomtest(lost, lost + gained).pvalue if lost + gained else 1
    assert mcnemar(lost, gained) == pytest.approx(expected, rel=1e-9)


def test_pairings_are_all_tables_with_these_counts():
    for problems in range(1, 6):
        for first, second in product(range(problems + 1), repeat=2):
            tables = {
                (first - both, second - both)
                for both in range(problems + 1)
                if both <= min(first, second) and first + second - both <= problems
            }
            assert {(p.lost, p.gained) for p in pairings(first, second, problems)} == tables


def test_pairing_decides_what_the_counts_leave_open():
    ways = pairings(1272, 1261, 1319)
    assert tuple(ways[0]) == (11, 0, pytest.approx(2 / 2**11)) and ways[-1][:2] == (58, 47)
    assert ways[0].p_value < 0.05 < ways[-1].p_value


def test_problems_needed_is_the_first_that_decides():
    def decided(interval):
        return interval.low > 0

    n = problems_needed(0.9, 0.8, decided)
    assert n is not None
    assert difference(0.9 * n, 0.8 * n, n).low > 0 >= difference(0.9 * (n - 1), 0.8 * (n - 1), n - 1).low
    assert problems_needed(0.9, 0.9, decided, limit=1000) is None


@pytest.mark.parametrize("call", [lambda: wilson(3, 2), lambda: wilson(1, 2, 1.0), lambda: mcnemar(-1, 2)])
def test_bad_input_is_refused(call):
    with pytest.raises(ValueError, match="expected"):
        call()
