"""`tasc.judge-scores`: cases by hand."""

import numpy as np
import pytest

from simspec.claims.deciding.evidence import judge
from simspec.claims.tasc.judge_scores import JUDGE, PRINTED, Scores, _size, difference, study_of
from simspec.engine.estimates.intervals import Interval
from simspec.engine.row_values import gather


def test_difference_by_hand():
    """Errors 0.3 and 0.4 make 0.5; t with many degrees of freedom is 1.96; rounding adds 0.01."""
    one, other = Scores(5.0, 30.0, 10_000), Scores(3.0, 40.0, 10_000)
    plain, rounded = (difference(one, other, rounding=r) for r in (0, 0.005))
    assert plain.estimate == 2 and plain.high - 2 == pytest.approx(0.98, abs=1e-3)
    assert rounded.high - plain.high == pytest.approx(0.01, abs=1e-3)
    paired = difference(one, other, correlation=-1, rounding=0)
    assert paired.high - 2 == pytest.approx(0.7 * 1.96, abs=1e-3)
    with pytest.raises(ValueError, match="number, correlation"):
        difference(one, other._replace(number=1))
    with pytest.raises(ValueError, match="number, correlation"):
        difference(one, other, correlation=1.5)


def test_the_size_of_a_difference_by_hand():
    size = _size
    assert size(Interval(-0.01, -0.05, 0.03, 0.95)) == Interval(0.01, 0.0, 0.05, 0.95)
    assert size(Interval(-0.2, -0.3, -0.1, 0.95)) == Interval(0.2, 0.1, 0.3, 0.95)


def test_interval_covers_as_often_as_it_says():
    """2,000 pairs of samples at level 0.9; fewer than 0.87 or more than 0.93 happen with probability below 1e-4."""
    rng = np.random.default_rng(7)
    x, y = rng.normal(3.5, 0.7, (2000, 60)), rng.normal(3.2, 0.8, (2000, 90))
    covered = [
        i.low <= 0.3 <= i.high
        for a, b in zip(x, y, strict=True)
        for i in [difference(Scores(a.mean(), a.std(ddof=1), 60), Scores(b.mean(), b.std(ddof=1), 90), 0.9, rounding=0)]
    ]
    assert 0.87 < np.mean(covered) < 0.93


def test_level_of_the_printed_table_is_split_between_budgets():
    results = gather(study_of(PRINTED))
    assert len(results) == 5
    deciding = [e for e in JUDGE.finding.estimate(results) if judge(e) is not None]  # type: ignore[union-attr]
    assert [round(1 - e.level, 6) for e in deciding] == [0.01] * 5  # type: ignore[operator]
