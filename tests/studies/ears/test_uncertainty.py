"""Kendall's tau against SciPy, with repeated positions, and over resampled documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simspec.engine.estimates.intervals import document_weights
from simspec.engine.row_values import gather
from simspec.engine.study import simulate
from simspec.laws import entropy, softmax
from simspec.logits.bank import open_bank
from simspec.studies.ears.uncertainty import SIGNALS, kendall, kendall_interval, uncertainty_ranks
from tests.engine.fakes import FakeBank

BANK: Any = FakeBank(vocab=80, contexts=60)
STUDY = uncertainty_ranks({"main": BANK}, {"main": "fake"}, rows=80, temperatures=(0.5, 1.0))


def test_by_hand():
    assert kendall(np.array([1, 2, 3]), np.array([1, 3, 2])) == pytest.approx(1 / 3)
    assert kendall(np.array([1, 2, 3]), np.array([3, 2, 1])) == -1


values = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), min_size=3, max_size=12)


@given(values)
def test_weights_repeat_positions(rows):
    from scipy.stats import kendalltau

    x, y, w = np.array(rows).T
    repeated = np.repeat(x, w), np.repeat(y, w)
    assume(all(len(set(r.tolist())) > 1 for r in repeated))
    assert kendall(x, y, w) == pytest.approx(kendalltau(*repeated).statistic, abs=1e-12)
    assert kendall(x, y, np.stack([w, 2 * w]))[1] == pytest.approx(kendall(x, y, w), abs=1e-12)


def test_documents_and_not_contexts_are_drawn():
    """Copies of a context within its document add nothing; as documents of their own they would narrow the interval."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=40)
    y = x + rng.normal(size=40)
    once = kendall_interval(x, y, np.arange(40), resamples=2000)
    twice = kendall_interval(np.tile(x, 2), np.tile(y, 2), np.tile(np.arange(40), 2), resamples=2000)
    assert (twice.estimate, twice.low, twice.high) == pytest.approx((once.estimate, once.low, once.high))
    wrong = kendall_interval(np.tile(x, 2), np.tile(y, 2), np.arange(80), resamples=2000)
    assert wrong.high - wrong.low < 0.85 * (once.high - once.low)


def test_the_interval_is_that_of_weights_on_single_contexts():
    """Sums over pairs of documents against the direct bootstrap, whose weights stand on contexts."""
    rng = np.random.default_rng(5)
    document = rng.integers(9, size=50)
    x = rng.normal(size=50).round(1)
    y = x + rng.normal(size=50).round(1)
    found = kendall_interval(x, y, document, level=0.9, resamples=300)
    index = np.unique(document, return_inverse=True)[1]
    direct = kendall(x, y, document_weights(9, 300)[:, index])
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(direct, [0.05, 0.95])), abs=1e-12)
    assert found.estimate == pytest.approx(float(kendall(x, y)), abs=1e-12)


def test_cut_rows_give_the_signals_of_whole_laws_at_temperature_one():
    """On the contexts whose whole rows a bank has too; at other temperatures only those are looked at."""
    bank = open_bank("smollm2")
    study = uncertainty_ranks({"main": bank}, {"main": "whole"}, (), temperatures=(0.5, 1.0), cut_data={"main": "cut"})
    assert [(c["data"], c["rows"]) for c in study.grid] == [("whole", bank.contexts), ("cut", bank.cut.contexts)]
    values = simulate(study, study.grid[1], 0, range(bank.cut.contexts))
    there = bank.cut.whole >= 0
    p = softmax(bank.target().astype(np.float64))
    assert values["one minus max"][there] == pytest.approx(1 - p.max(axis=1), abs=1e-3)
    assert values["variance"][there] == pytest.approx(1 - (p**2).sum(axis=1), abs=2e-3)
    assert values["entropy"][there] == pytest.approx(entropy(p), abs=5e-3)
    assert values["document"][there].tolist() == bank.documents.tolist()
    # the entropy of the cut law alone would be another
    kept = bank.cut.laws()[0]
    assert np.abs(entropy(kept)[there] - values["entropy"][there]).max() > 0.01


def test_coverage_over_independent_samples():
    """Normal pairs of correlation 0.8: tau is 2/pi arcsin(0.8). Of 100 intervals 87 or more hold it (false alarm 0.1 %)."""
    truth, hits, narrow = 2 / np.pi * np.arcsin(0.8), 0, 0
    rng = np.random.default_rng(11)
    for _ in range(100):
        x, noise = rng.normal(size=(2, 60))
        found = kendall_interval(x, 0.8 * x + 0.6 * noise, np.arange(60), resamples=400)
        hits += found.low <= truth <= found.high
        narrow += abs(found.estimate - truth) <= (found.high - found.low) / 8  # negative control: a quarter of it
    assert hits >= 87 > narrow


def test_values_are_the_signals_of_the_law():
    for result in gather(STUDY):
        if "bank" in result.cell:
            p = softmax(BANK.target().astype(np.float64), result.cell["temperature"])
            assert result.values["entropy"] == pytest.approx(entropy(p), abs=1e-9)
            assert result.values["one minus max"] == pytest.approx(1 - p.max(axis=1), abs=1e-9)
            assert result.values["variance"] == pytest.approx(1 - (p**2).sum(axis=1), abs=1e-9)
            assert result.values["document"].tolist() == BANK.documents.tolist()
        shuffled, own = result.values["shuffled"], result.values["one minus max"]
        assert sorted(shuffled) == sorted(own) and (shuffled != own).any()
        # the shuffled control ranks nothing: |tau| < 0.4 at n >= 60 fails with probability below 1e-5
        assert abs(kendall(shuffled, result.values["entropy"])) < 0.4 < kendall(own, result.values["entropy"])


def test_two_tokens_have_one_ranking():
    pair: Any = {"family": "Gaussian", "scale": 1.0, "rho": 0.5, "vocab": 2}
    (result,) = gather(uncertainty_ranks({}, {}, pairs=[pair], rows=20, temperatures=(1.0,)))
    assert kendall(result.values["one minus max"], result.values["entropy"]) == 1


@pytest.mark.parametrize("place", [0, -1])
def test_any_rows_are_the_same_rows(place):
    cell = STUDY.grid[place]
    whole, part = (simulate(STUDY, cell, 0, rows) for rows in (range(cell["rows"]), range(5, 9)))
    for name in (*SIGNALS, "document"):
        assert np.array_equal(part[name], whole[name][5:9])


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [([1, 2], [1, 2, 3], "of one length"), ([1, np.nan], [1, 2], "finite"), ([1, 1], [1, 2], "two values or more")],
)
def test_bad_input_is_refused(x, y, message):
    with pytest.raises(ValueError, match=message):
        kendall(np.array(x), np.array(y))
    with pytest.raises(ValueError, match="two documents or more"):
        kendall_interval(np.array([1, 2]), np.array([1, 2]), np.zeros(2))
