"""Intervals: numbers by hand, and coverage with a stated false-alarm rate and a negative control."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from simspec.studies.intervals import bonferroni, document_weights, documents, student, within

RUNS = 400
FALSE_ALARM = 1e-4


def _fewest(coverage: float) -> int:
    """Fewest hits of RUNS that an interval of this true coverage reaches with probability 1 - FALSE_ALARM."""
    return int(binom.ppf(FALSE_ALARM, RUNS, coverage))


def test_student_by_hand():
    interval = student([0.0, 0.0, 1.0, 1.0], 0.95)  # sd sqrt(1/3), t_3 = 3.18245
    assert interval.estimate == 0.5
    assert interval.high - 0.5 == pytest.approx(3.18245 * (1 / 3) ** 0.5 / 2, rel=1e-5)
    assert student([0.0, 1.0], 0.95, lowest=0, highest=1)[1:3] == (0.0, 1.0)


def test_bonferroni_splits_the_error():
    assert bonferroni(0.95, 50) == 0.999
    with pytest.raises(ValueError, match="level, statements: 0.95, 0"):
        bonferroni(0.95, 0)


def test_documents_by_hand():
    # two documents of three contexts and one: resampled means are 0 (1/4), 3/4 (1/2), 1 (1/4)
    interval = documents([1.0, 1.0, 1.0, 0.0], [7, 7, 7, 9], level=0.4)
    assert interval.estimate == 0.75 and interval[1:3] == (0.75, 0.75)
    assert documents([1.0, 1.0, 1.0, 0.0], [7, 7, 7, 9], level=0.6)[1:3] == (0.0, 1.0)


def test_a_ratio_of_means():
    pairs = np.array([[1.0, 2.0], [2.0, 4.0], [4.0, 8.0]])
    interval = documents(pairs, [1, 2, 3], statistic=lambda m: m[..., 0] / m[..., 1])
    assert interval[:3] == (0.5, 0.5, 0.5)


def test_weights_draw_as_many_documents_as_there_are():
    weights = document_weights(5, 1000)
    assert (weights.sum(axis=1) == 5).all() and abs(weights.mean() - 1) < 1e-12
    assert 0.7 < weights.var(axis=0).mean() < 0.9  # 1 - 1/5


@pytest.mark.parametrize(
    ("values", "document"), [([1.0], [1]), ([1.0, 2.0], [1, 1]), ([1.0, np.nan], [1, 2]), ([1.0, 2.0, 3.0], [1, 2])]
)
def test_documents_refuses(values, document):
    with pytest.raises(ValueError, match="values, document"):
        documents(values, document)


def test_student_refuses():
    with pytest.raises(ValueError, match="values: shape"):
        student([1.0])


def _clustered(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """60 documents of 1 to 9 contexts that share most of their deviation from 0."""
    sizes = rng.integers(1, 10, 60)
    document = np.repeat(np.arange(60), sizes)
    return rng.normal(size=60)[document] + 0.3 * rng.normal(size=len(document)), document


def test_documents_cover_where_contexts_do_not():
    """At 95 %, 60 documents cover at least 91 % (false-alarm rate 1e-4); contexts taken as independent do not."""
    rng = np.random.default_rng(20_261_120)
    samples = [_clustered(rng) for _ in range(RUNS)]
    hits = sum(within(documents(x, d, 0.95, resamples=1000), 0) for x, d in samples)
    naive = sum(within(student(x, 0.95), 0) for x, _ in samples)
    assert hits >= _fewest(0.91)
    assert naive < _fewest(0.75)


def test_student_covers_where_a_normal_interval_does_not():
    """Ten folds: the t-interval covers 95 % (false-alarm rate 1e-4); normal quantiles on three values do not."""
    rng = np.random.default_rng(20_261_121)
    hits = sum(within(student(rng.normal(size=10), 0.95), 0) for _ in range(RUNS))
    assert hits >= _fewest(0.95)
    short = 0
    for _ in range(RUNS):
        x = rng.normal(size=3)
        short += abs(x.mean()) <= 1.96 * x.std(ddof=1) / 3**0.5
    assert short < _fewest(0.95)
