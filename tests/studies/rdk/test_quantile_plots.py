"""Quantiles of samples whose family is known lie on the diagonal of that family, and off that of the other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from simspec.engine.row_values import gather
from simspec.engine.study import Rows
from simspec.studies.rdk.quantile_plots import Source, compare, places, quantile_plots


def test_places_hold_the_ends_and_are_even_for_a_normal_sample():
    at = places(10_001, 21)
    assert at[0] == 0 and at[-1] == 10_000 and 5_000 in at
    scores = stats.norm.ppf((at + 0.5) / 10_001)
    assert np.diff(scores)[3:-3] == pytest.approx(np.diff(scores)[10], rel=0.02)
    assert places(3).tolist() == [0, 1, 2]


def test_quantiles_of_known_families():
    u = (np.arange(5000) + 0.5) / 5000
    made = compare(np.stack([stats.norm.ppf(u, 3, 2), stats.t.ppf(u, 3, 3, 2)]))
    normal, heavy = ({name: values[i] for name, values in made.items()} for i in (0, 1))
    assert normal["observed"] == pytest.approx(normal["normal"], abs=0.02)
    assert normal["observed"] == pytest.approx(normal["student"], abs=0.02)
    assert heavy["observed"] == pytest.approx(heavy["student"], rel=0.05)
    assert heavy["observed"][-1] > 2 * heavy["normal"][-1]  # the normal fit cannot follow the tail
    assert heavy["inverse df"] == pytest.approx(1 / 3, rel=0.02) and normal["inverse df"] < 2e-4
    assert heavy["location"] == pytest.approx(3, abs=1e-6) and heavy["scale"] == pytest.approx(2, rel=0.01)
    assert heavy["aic gain"] > 0 > normal["aic gain"]
    assert heavy["ks student"] < 0.01 < heavy["ks normal"]


def test_order_statistics_are_those_of_the_row():
    x = np.random.default_rng(1).normal(size=(2, 300))
    made = compare(x)
    assert made["observed"][:, [0, -1]] == pytest.approx(np.stack([x.min(axis=1), x.max(axis=1)], axis=1))


@pytest.mark.parametrize(("kind", "mean"), [("logits", 0), ("probabilities", 1)])
def test_the_study_takes_logits_in_deviations_and_probabilities_as_multiples_of_the_uniform(kind, mean):
    table = np.random.default_rng(2).normal(5, 3, size=(6, 200))
    source = Source(lambda numbers, key: table[numbers.start : numbers.stop], np.arange(6) // 2, {"rows": 6})
    study = quantile_plots({"table": source}, kind, rows=6)
    (result,) = gather(study)
    assert result.values["document"].tolist() == [0, 0, 1, 1, 2, 2]
    assert result.values["normal"].mean() == pytest.approx(mean, abs=0.02)  # nearly even around the fitted mean
    some = study.simulate(study.grid[0], Rows(0, range(2, 5)), "cpu")
    assert some["student"].tolist() == result.values["student"][2:5].tolist()
    assert (result.values["observed"][:, 0] > 0).all() == (kind == "probabilities")
