"""Table 1 on small corpora: by hand, at equal numbers, and intervals that hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import simulate
from simspec.logits.corpora import Corpus
from simspec.studies.tasc.corpus_statistics import COLUMNS, corpus_statistics, resampled, table

TEN = Corpus("ten", tuple(f"a{i} b{i} c{i}" for i in range(10)), ("x y",) * 10, "by hand")


def test_by_hand() -> None:
    """20 different bigrams in, one ten times out; a draw of ten from the twenty holds ten."""
    [row] = table([TEN], resamples=5)
    value = {name: interval.estimate for name, interval in row.values.items()}
    assert row.bigrams == {"input": 20, "output": 10} and row.pairs == 10
    assert value["input entropy"] == pytest.approx(np.log2(20)) and value["output entropy"] == 0
    assert value["equal input entropy"] == pytest.approx(np.log2(10))
    assert (value["input cover"], value["output cover"], value["cover ratio"]) == (16, 1, 16)
    assert value["equal input cover"] == pytest.approx(8) and value["equal output cover"] == pytest.approx(0.8)
    assert value["entropy change"] == value["equal entropy change"] == -1
    assert set(value) == set(COLUMNS)


def test_rows_are_replayed_alone_and_row_0_is_the_corpus() -> None:
    study = corpus_statistics([TEN], resamples=6)
    whole, part = simulate(study, study.grid[0], 3, range(7)), simulate(study, study.grid[0], 3, range(4, 6))
    for name in whole:
        assert np.array_equal(whole[name][4:6], part[name])
    assert whole["input bigrams"].tolist() == [20] * 7
    assert len(set(whole["input cover"].tolist())) > 1


def test_no_change_is_told_where_the_inputs_have_no_entropy() -> None:
    [row] = table([Corpus("flat", ("x y",) * 4, ("a b", "a c", "a d", "a e"), "by hand")], resamples=3)
    assert np.isnan(row.values["entropy change"].estimate) and row.values["output entropy"].estimate == 2


def test_progress_is_told_corpus_by_corpus() -> None:
    told = []
    table([TEN, TEN], resamples=2, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def _coverage(centre: float) -> float:
    """Share of 60 corpora of 100 texts whose interval holds the mean entropy of such corpora, moved by `centre` bits."""
    rng = np.random.default_rng(1)
    law = 1 / np.arange(1, 401)
    found = []
    for number in range(60):
        lengths = rng.integers(5, 20, size=100)
        texts = [" ".join(map(str, rng.choice(400, n, p=law / law.sum()))) for n in lengths]
        corpus = Corpus(str(number), tuple(texts), ("x y",) * 100, "drawn")
        values = gather(corpus_statistics([corpus], resamples=25))[0].values
        found.append(resampled(values["input entropy"]))
    mean = float(np.mean([i.estimate for i in found])) + centre
    return float(np.mean([i.low <= mean <= i.high for i in found]))


def test_intervals_hold_the_entropy_of_such_a_corpus() -> None:
    """At coverage 0.9 or more, fewer than 45 hits of 60 have a probability below 0.001; off by 4 spreads, few hit."""
    assert _coverage(0) >= 0.75
    assert _coverage(0.35) <= 0.3  # where percentiles of the samples would lie


def test_intervals_of_positive_numbers_are_factors() -> None:
    interval = resampled([8, 2, 4, 8], ratio=True)
    assert interval.estimate == 8 and interval.high / 8 == pytest.approx(8 / interval.low) and interval.low > 0
    plain = resampled([8, 2, 4, 8])
    assert plain.high - 8 == pytest.approx(8 - plain.low) and plain.low < 0


@pytest.mark.parametrize(
    ("corpus", "resamples", "message"),
    [
        (TEN, 1, "resamples: 1"),
        (Corpus("one", ("a b",), ("a b",), ""), 2, "'one' has 1 pairs"),
        (Corpus("single", ("a b", "b c"), ("a", "b"), ""), 2, "no output of 'single' has two words"),
        (Corpus("rare", ("a b",) * 50, ("a b", *["a"] * 49), ""), 20, "too few outputs have two words"),
    ],
)
def test_corpora_that_cannot_be_measured(corpus, resamples, message) -> None:
    with pytest.raises(ValueError, match=message):
        gather(corpus_statistics([corpus], resamples))


@pytest.mark.parametrize(
    ("values", "ratio"), [([1, 2], False), ([1, 2, np.nan], False), ([1, 0, 2], True), ([[1]], False)]
)
def test_values_without_an_interval(values, ratio) -> None:
    with pytest.raises(ValueError, match="values"):
        resampled(values, ratio=ratio)
