"""Intervals: numbers by hand, and coverage with a stated false-alarm rate and a negative control."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from simspec.engine.estimates import intervals
from simspec.engine.estimates.intervals import bonferroni, document_weights, documents, each, resampled, student, within

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
    assert bonferroni(0.95, 50) == 0.999 and bonferroni(0.95, 1) == 0.95 and bonferroni(0.9, 10) == 0.99
    with pytest.raises(ValueError, match="statements: 0; expected at least one"):
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


def test_many_documents_are_resampled_in_parts_with_the_same_draws(monkeypatch):
    x = np.random.default_rng(3).normal(size=(90, 2))
    sums = np.column_stack([x, np.ones(90)])
    whole = document_weights(90, 500) @ sums
    monkeypatch.setattr(intervals, "_TABLE", 0)
    for chunk in (1, 90 * 7, 2**20):
        monkeypatch.setattr(intervals, "_CHUNK", chunk)
        seen: list[int] = []
        parts = resampled(sums, 500, lambda done, of, seen=seen: seen.append(done))
        np.testing.assert_allclose(parts, whole, rtol=1e-13, atol=1e-13)
        assert seen[-1] == 500 and seen == sorted(set(seen))


def test_each_column_has_the_interval_of_its_own():
    x, document = np.random.default_rng(4).normal(size=(40, 3)), np.arange(40) // 2
    for column, interval in enumerate(each(x, document)):
        assert interval == pytest.approx(documents(x[:, column], document), rel=1e-12)


def test_of_many_documents_groups_are_drawn_that_spread_as_the_documents_do(monkeypatch):
    """Means along a trend: groups of neighbours would spread more than documents, every n-th document hardly at all."""
    count, groups = 2000, 501
    x = np.linspace(0, 1, count)
    one_by_one = documents(x, np.arange(count))
    monkeypatch.setattr(intervals, "GROUPS", groups)
    grouped = documents(x, np.arange(count))
    half, exact = (grouped.high - grouped.low) / 2, 1.96 * (1 / 12) ** 0.5 / count**0.5
    # the error of a spread of 501 groups is 3.2 %, that of a length between quantiles of 10,000 resamples 1.3 %
    assert grouped != one_by_one and grouped.estimate == one_by_one.estimate
    assert half == pytest.approx(exact, rel=0.1) and within(grouped, grouped.estimate)
    assert set(np.bincount(intervals._groups(count))) == {count // groups, count // groups + 1}


def test_groups_keep_the_contexts_of_a_document_together(monkeypatch):
    monkeypatch.setattr(intervals, "GROUPS", 40)
    document = np.repeat(np.arange(100), 3)
    sums = intervals._sums(document[:, None].astype(float), document)
    members = [np.flatnonzero(intervals._groups(100) == g) for g in range(40)]
    assert sums.tolist() == [[3.0 * m.sum(), 3.0 * len(m)] for m in members]


def test_memory_follows_the_documents_not_their_resamples():
    """A million documents: the table of weights would take 80 GB, and the old way did take four times that."""
    import tracemalloc

    count = 1_000_000
    x = np.linspace(0, 1, count)
    tracemalloc.start()
    try:
        interval = documents(x, np.arange(count), resamples=20)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 400 * count and interval.low <= 0.5 <= interval.high + 1e-3


def test_a_table_that_fits_no_memory_is_refused():
    with pytest.raises(ValueError, match=r"count: 1000000000; would take .* TiB of memory, expected at most"):
        document_weights(10**9)
