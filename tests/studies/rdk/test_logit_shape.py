"""Fits against SciPy and by hand; the Kolmogorov-Smirnov distance; controls on known families."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from simspec.engine.row_values import gather
from simspec.studies.rdk.logit_shape import describe, fit_normal, fit_student, ks_distance, logit_shape


def test_normal_by_hand():
    fit = fit_normal([[0.0, 2.0, 1.0, 1.0]])
    assert (fit.location[0], fit.scale[0]) == (1.0, 0.5**0.5)
    assert fit.loglikelihood[0] == pytest.approx(np.sum(stats.norm.logpdf([0, 2, 1, 1], 1, 0.5**0.5)))
    assert fit.aic(2)[0] == 4 - 2 * fit.loglikelihood[0]


@pytest.mark.parametrize("df", [1.0, 4.0])
def test_student_agrees_with_scipy(df):
    x = stats.t.rvs(df, loc=3, scale=2, size=(2, 1500), random_state=7)
    fit = fit_student(x, iterations=2000, tolerance=1e-9)
    for i in range(2):
        nu, location, scale = stats.t.fit(x[i])
        assert fit.df[i] == pytest.approx(nu, rel=0.02)
        assert fit.location[i] == pytest.approx(location, abs=0.01) and fit.scale[i] == pytest.approx(scale, rel=0.01)
        assert fit.loglikelihood[i] >= stats.t.logpdf(x[i], nu, location, scale).sum() - 0.01
        reached = stats.t.logpdf(x[i], fit.df[i], fit.location[i], fit.scale[i]).sum()
        assert fit.loglikelihood[i] == pytest.approx(reached, abs=1e-6)


def test_student_recovers_df_and_does_not_depend_on_scale_or_on_other_rows():
    x = stats.t.ppf((np.arange(4000) + 0.5) / 4000, 3)
    fit = fit_student(np.stack([x, 1e-9 * x + 5e-9, np.random.default_rng(0).normal(size=4000)]))
    assert fit.df[:2] == pytest.approx(3, rel=0.05)
    assert fit.df[1] == pytest.approx(fit_student(1e-9 * x + 5e-9).df[0])
    assert fit.df[2] > 20


@pytest.mark.parametrize(
    ("df", "fitted"), [(2, 2.0004), (5, 5.0041), (10, 10.023), (30, 30.28), (100, 103.58), (1000, 1564), (np.inf, 1e4)]
)
def test_known_answers_on_exact_quantiles(df, fitted):
    """20,000 quantiles: df of their likelihood's maximum, by SciPy's simplex to 1e-8; normal ones are at the cap."""
    u = (np.arange(20_000) + 0.5) / 20_000
    x = stats.t.ppf(u, df) if np.isfinite(df) else stats.norm.ppf(u)
    fit = fit_student(x)
    assert fit.df[0] == pytest.approx(fitted, rel=2e-3)
    assert fit.loglikelihood[0] == pytest.approx(stats.t.logpdf(x, fit.df[0], *fit[:2]).sum(), abs=1e-5)
    for near in (0.7, 1.4):  # nothing better beside it: the profile at other df, by SciPy
        fixed = min(near * fit.df[0], 1e4)
        _, location, scale = stats.t.fit(x, fdf=fixed, floc=fit.location[0])
        assert stats.t.logpdf(x, fixed, location, scale).sum() <= fit.loglikelihood[0] + 1e-6


def test_a_row_is_fitted_once_whoever_asks(monkeypatch):
    x = np.random.default_rng(8).normal(size=(2, 600))
    before = fit_student(x)
    monkeypatch.setattr("simspec.studies.rdk.logit_shape._at_df", None)  # nothing can be fitted any more
    again = fit_student(x[::-1].copy())
    assert (
        again.df.tolist() == before.df[::-1].tolist()
        and again.loglikelihood.tolist() == before.loglikelihood[::-1].tolist()
    )
    with pytest.raises(TypeError):
        fit_student(x, tolerance=1e-6)  # another fit


def test_aic_prefers_the_family_that_made_the_logits():
    rng = np.random.default_rng(1)
    heavy, plain = stats.t.rvs(4, size=(20, 2000), random_state=2), rng.normal(size=(40, 2000))
    assert (describe(heavy)["aic gain"] > 0).all()
    # twice a log-likelihood ratio above 2 with one parameter, on its boundary: 8 % of rows; more than 12 of 40: 1e-5
    assert (describe(plain)["aic gain"] > 0).sum() <= 12


def test_ks_distance_by_hand_and_against_scipy():
    assert ks_distance([0.1, 0.2], lambda x: x).tolist() == [0.8]  # after both points 1, where the law has 0.2
    x = np.random.default_rng(3).normal(size=500)
    assert ks_distance(x, stats.norm.cdf)[0] == pytest.approx(stats.kstest(x, "norm").statistic)
    coarse = ks_distance(x, stats.norm.cdf, points=100)[0]
    assert 0 <= ks_distance(x, stats.norm.cdf)[0] - coarse < 1 / 100


def test_probabilities_of_gaussian_logits_are_not_fitted_but_the_logits_are():
    values = describe(np.random.default_rng(4).normal(scale=3, size=(3, 5000)))
    assert (values["ks logits normal"] < 0.03).all()
    assert (values["ks probabilities normal"] > 0.2).all() and (values["ks probabilities student"] > 0.05).all()


def test_study_reads_the_rows_it_is_asked_for():
    table = np.random.default_rng(5).normal(size=(6, 50))
    source = {
        "table": (lambda numbers, key: table[numbers.start : numbers.stop], np.array([1, 1, 2, 2, 3, 3]), {"rows": 4})
    }
    result = gather(logit_shape(source, rows=9))[0].values
    assert result["document"].tolist() == [1, 1, 2, 2]
    assert result["logit max"].tolist() == table[:4].max(axis=1).tolist()


def test_refusals():
    for bad in ([1.0, 1.0, 1.0], [1.0, np.inf, 2.0], [1.0, 2.0]):
        with pytest.raises(ValueError, match="x: shape"):
            fit_student(bad)
