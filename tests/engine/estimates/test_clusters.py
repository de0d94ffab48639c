"""Intervals over clusters: by hand, what is refused, and that they know the limits of what they estimate."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from simspec.engine.estimates.clusters import (
    FEWEST,
    bounded_statistic,
    degrees_of_freedom,
    longer_side,
    means,
    ratio,
    statistic,
    too_few,
)


def test_a_mean_by_hand() -> None:
    """Ratios of equal clusters: the t-interval of their mean, with a further one at 0 for one end, at 1 for the other."""
    shares = np.array([0.5, 0.25, 0.75, 0.5, 0.5])
    interval = ratio(8 * shares, np.full(5, 8.0))
    for end, further, sign in ((interval.low, 0, -1), (interval.high, 1, 1)):
        six = np.append(shares, further)
        assert end == pytest.approx(six.mean() + sign * t.ppf(0.975, 5) * six.std(ddof=1) / 6**0.5)
    assert interval.estimate == 0.5 and interval.low > 0 and interval.high < 1


def test_columns_are_the_ratios_of_their_documents() -> None:
    """Documents of unequal lengths; columns do not see each other."""
    rng = np.random.default_rng(1)
    document = np.repeat(np.arange(9), rng.integers(1, 6, 9))
    x = rng.random((len(document), 3))
    both = means(x, document, bounds=(0, 1))
    for column, interval in enumerate(both):
        sums, counts = np.bincount(document, x[:, column]), np.bincount(document)
        assert interval == pytest.approx(ratio(sums, counts))
    seen = means(x, document)
    assert all(a.low <= b.low and b.high <= a.high for a, b in zip(both, seen, strict=True))


def test_a_constant_that_bounds_itself_has_no_width() -> None:
    assert means(np.zeros((6, 1)), np.arange(6))[0][:3] == (0, 0, 0)
    assert means(np.zeros((6, 1)), np.arange(6), bounds=(0, 1))[0].high > 0.3


def test_the_estimate_lies_inside_whatever_rounding_does() -> None:
    """Thirds and sevenths: mean and quotient of sums round apart; a bar drawn from them must not be negative."""
    for count in range(5, 60):
        for value in (1 / 3, 0.1, 6 / 7):
            (interval,) = means(np.full((count, 1), value), np.arange(count))
            assert interval.low <= interval.estimate <= interval.high and longer_side(interval) < 1e-15


def test_clusters_without_a_divisor_do_not_count() -> None:
    a, b = [1.0, 2, 3, 2, 1], [4.0, 4, 4, 4, 4]
    assert ratio([*a, 0], [*b, 0]) == ratio(a, b)
    assert np.isnan(ratio([*a[:4], 0], [*b[:4], 0]).low)


@pytest.mark.parametrize("count", range(1, FEWEST))
def test_too_few_have_none(count) -> None:
    assert np.isnan(ratio([1.0] * count, [2.0] * count)[1:3]).all()
    assert np.isnan(means(np.full((count, 1), 0.5), np.arange(count))[0][1:3]).all()
    assert np.isnan(statistic([[1.0] * count], lambda x: x, [1.0] * count)[1:3]).all()
    assert np.isnan(bounded_statistic([[1.0] * count], lambda x: x, [1.0] * count, [[1.0]])[1:3]).all()
    assert f"needs {FEWEST} or more" in too_few(count, "prompt") and "99.9 %" in too_few(count, "prompt", 0.999)


def test_degrees_of_freedom() -> None:
    assert degrees_of_freedom(np.full(10, 3.0)) == pytest.approx(9)
    assert 1 <= degrees_of_freedom(np.array([1.0, 1, 1, 1, 10])) < 1.01
    assert degrees_of_freedom(np.array([1.0, 2, 3, 4])) == pytest.approx(30**2 / (1 + 16 + 81 + 256) - 1)


def test_a_statistic_of_alike_clusters_is_known() -> None:
    interval = statistic(np.tile([[3.0], [2.0]], 7), lambda a, b: a / b, np.ones(7))
    assert interval[:3] == pytest.approx((1.5, 1.5, 1.5))


def test_a_bounded_statistic_that_is_a_ratio_is_its_interval() -> None:
    """Exactly that of `ratio` with the same lowest and highest cluster; a narrower extreme, a planted error, is not."""
    rng = np.random.default_rng(0)
    below = rng.integers(3, 9, size=9).astype(float)
    above = below * rng.uniform(0.3, 0.7, size=9)
    expected = ratio(above, below)
    extremes = np.array([[0.0, 1.0], [1.0, 1.0]])
    assert bounded_statistic([above, below], lambda a, b: a / b, below, extremes) == pytest.approx(expected)
    narrow = bounded_statistic([above, below], lambda a, b: a / b, below, [[0.4, 0.6], [1.0, 1.0]])
    assert narrow.low > expected.low and narrow.high < expected.high


@pytest.mark.parametrize(
    ("above", "below", "level", "message"),
    [
        ([1.0], [1.0], 1.0, "level: 1.0"),
        ([1.0, 2.0], [1.0], 0.95, "above, below: shapes"),
        ([1.0], [-1.0], 0.95, "none of `below` negative"),
        ([0.0], [0.0], 0.95, "one of them positive"),
        ([np.inf], [1.0], 0.95, "finite"),
    ],
)
def test_what_is_refused(above, below, level, message) -> None:
    with pytest.raises(ValueError, match=message):
        ratio(above, below, level)
    with pytest.raises(ValueError, match="values, document: shapes"):
        means([[1.0]], [1, 2])
