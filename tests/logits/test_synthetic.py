"""Synthetic logits: hand-computed rows, bits that no batch changes, laws of the draws, drafts made from a target.

Statistical tests run on fixed keys; each states its false-alarm rate over keys (ALARM) and has a negative control.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simspec import checks, logits
from simspec.kernels import random as philox
from simspec.logits import synthetic
from simspec.logits.synthetic import Draws, Factored, correlated, gaussian, pruned, student_t, zipf
from tests.kernels.cases import drawn

ALARM = 1e-6
V = 6
OMEGA = Factored(
    U=np.array([[1.0, 0.5], [-1.0, 0.25], [2.0, 0.0], [0.0, 1.0], [0.5, -1.0], [0.0, 0.0]]),
    lam=np.array([2.0, 0.5]),
    diag=np.array([0.5, 1.0, 0.0, 2.0, 0.25, 1.5]),
)
DENSE = OMEGA.U * OMEGA.lam @ OMEGA.U.T + np.diag(OMEGA.diag)
MAKERS = {
    "gaussian": lambda draws: gaussian(draws, V, location=zipf(V), scale=2),
    "gaussian, factored": lambda draws: gaussian(draws, V, covariance=OMEGA, location=1),
    "student_t": lambda draws: student_t(draws, V, df=3, scale=np.arange(V)),
    "student_t, multivariate": lambda draws: student_t(draws, V, df=1.5, covariance=OMEGA),
}


# ---- by hand ----


def test_scale_zero_leaves_the_location() -> None:
    assert gaussian(drawn(2, 9), 3, location=[1, 2, 3], scale=0).tolist() == [[1, 2, 3]] * 2
    assert student_t(drawn(1, 9), 3, df=1, location=5, scale=[0, 0, 0]).tolist() == [[5, 5, 5]]


def test_plain_rows_are_the_draws_of_the_counters() -> None:
    assert (gaussian(drawn(2, 3, first=7, purposes=(4,)), 5) == philox.normal(3, [7, 8], range(5), 4)).all()
    assert (student_t(drawn(2, 3, purposes=(4,)), 5, df=2) == philox.student_t(3, [0, 1], range(5), 4, df=2)).all()
    shifted = gaussian(drawn(2, 3), 5, location=1, scale=np.arange(5))
    assert (shifted == philox.normal(3, range(2), range(5)) * np.arange(5) + 1).all()


def test_factored_rows_by_hand() -> None:
    noise, factors = philox.normal(3, [0], range(V)), philox.normal(3, [0], [2**31, 2**31 + 1])
    expected = np.sqrt(OMEGA.diag) * noise + (factors * np.sqrt(OMEGA.lam)) @ OMEGA.U.T
    np.testing.assert_allclose(gaussian(drawn(1, 3), V, covariance=OMEGA), expected, rtol=1e-14, atol=1e-14)
    w = philox.reduced_chi_square(3, [0], df=2.5, first_token=2**31 + 2**30)
    np.testing.assert_allclose(
        student_t(drawn(1, 3), V, df=2.5, covariance=OMEGA), expected / np.sqrt(w), rtol=1e-14, atol=1e-14
    )


def test_no_factor_is_a_diagonal_covariance() -> None:
    plain = Factored(U=np.zeros((V, 0)), lam=np.zeros(0), diag=np.full(V, 4.0))
    assert (gaussian(drawn(3, 1), V, covariance=plain) == gaussian(drawn(3, 1), V, scale=2)).all()


@pytest.mark.parametrize("exponent", [0, 0.5, 1, 2])
def test_softmax_of_zipf_means_is_zipf(exponent: float) -> None:
    weight = np.exp(zipf(1000, exponent))
    np.testing.assert_allclose(weight, np.arange(1, 1001) ** -float(exponent), rtol=1e-14)
    assert zipf(1).tolist() == [0] and not np.signbit(zipf(5, 0)).any()


def test_drafts_by_hand() -> None:
    target = np.array([[1.0, 3.0, -np.inf], [0.0, -4.0, 8.0]])
    assert pruned(target, 2).tolist() == [[1, 3, -np.inf], [0, -4, -np.inf]]
    assert pruned(target, [False, True, True]).tolist() == [[-np.inf, 3, -np.inf], [-np.inf, -4, 8]]
    assert (pruned(target, 3) == target).all()
    assert target.tolist() == [[1, 3, -np.inf], [0, -4, 8]]  # untouched


def test_correlated_by_hand() -> None:
    target = np.array([[1.0, 3.0, 8.0], [5.0, 5.0, 5.0]])
    noise = philox.normal(3, range(2), range(3), 1)
    mean, deviation = np.array([[4.0], [5.0]]), np.array([[math.sqrt(26 / 3)], [0.0]])
    expected = mean + 0.6 * (target - mean) + 0.8 * deviation * noise
    np.testing.assert_allclose(correlated(target, 0.6, drawn(len(target), 3)), expected, rtol=1e-14)
    given_moments = 2 + 3 * (0.6 * (target - 2) / 3 + 0.8 * noise)
    np.testing.assert_allclose(
        correlated(target, 0.6, drawn(len(target), 3), location=2, scale=3), given_moments, rtol=1e-14
    )
    heavy = philox.student_t(3, range(2), range(3), 1, df=2)
    np.testing.assert_allclose(
        correlated(target, 0, drawn(len(target), 3), location=0, scale=1, df=2), heavy, rtol=1e-15
    )


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=9), st.integers(0, 2**64 - 1))
def test_correlation_one_is_the_target(row: list[float], key: int) -> None:
    target = np.array([row, row[::-1]])
    assert (correlated(target, 1, drawn(len(target), key)) == target).all()
    mirrored = 2 * target.mean(axis=-1, keepdims=True) - target
    np.testing.assert_allclose(correlated(target, -1, drawn(len(target), key)), mirrored, rtol=0, atol=1e-12)


def test_one_token_and_no_rows() -> None:
    assert gaussian(drawn(3), 1).shape == (3, 1)
    one = student_t(drawn(3), 1, df=1)
    assert (correlated(one, 0.3, drawn(len(one), 0)) == one).all()  # one token: the mean of its row, no spread
    assert gaussian(drawn(0), 4, covariance=Factored(np.ones((4, 1)), [1], np.ones(4))).shape == (0, 4)
    assert correlated(gaussian(drawn(0), 4), 0.5, drawn(0)).shape == (0, 4)


# ---- bits ----


@pytest.mark.parametrize("name", MAKERS)
@given(key=st.integers(0, 2**64 - 1), start=st.integers(0, 2**64 - 11), cut=st.integers(0, 10))
def test_any_split_gives_the_same_bits(name: str, key: int, start: int, cut: int) -> None:
    make = MAKERS[name]
    head, tail = drawn(cut, key, first=start), drawn(10 - cut, key, first=start + cut)
    whole, parts = make(drawn(10, key, first=start)), [make(head), make(tail)]
    assert (np.concatenate(parts) == whole).all()
    drafts = [correlated(whole[:cut], 0.5, head), correlated(whole[cut:], 0.5, tail)]
    assert (np.concatenate(drafts) == correlated(whole, 0.5, drawn(len(whole), key, first=start))).all()
    fortran = correlated(np.asfortranarray(whole), 0.5, drawn(len(np.asfortranarray(whole)), key, first=start))
    assert (np.concatenate(drafts) == fortran).all()


@pytest.mark.parametrize("df", [math.inf, 2])
@pytest.mark.parametrize("ranked", [False, True])
def test_rows_alone_equal_rows_in_a_large_batch(df: float, ranked: bool) -> None:
    vocab, rng = 3001, np.random.default_rng(0)
    covariance = Factored(rng.normal(size=(vocab, 5)), np.arange(5), rng.random(vocab)) if ranked else None
    options: dict[str, Any] = {"df": df, "covariance": covariance, "location": zipf(vocab)}
    batch = student_t(drawn(6, 5), vocab, **options)  # compiled: 18,006 draws
    alone = np.concatenate([student_t(drawn(1, 5, first=i), vocab, **options) for i in range(6)])  # NumPy: 3,001 each
    assert (batch == alone).all()
    assert (
        correlated(batch, 0.9, drawn(len(batch), 5))[4]
        == correlated(batch[4:5], 0.9, drawn(len(batch[4:5]), 5, first=4))[0]
    ).all()


@pytest.mark.parametrize("name", MAKERS)
def test_float32_rounds_float64_once(name: str) -> None:
    narrow, wide = (MAKERS[name](drawn(40, 2, dtype=dtype)) for dtype in (np.float32, np.float64))
    assert narrow.dtype == np.float32 and (narrow == wide.astype(np.float32)).all()
    for draft in (correlated(narrow, 0.5, drawn(len(narrow), 0)), pruned(narrow, 3)):
        assert draft.dtype == np.float32


def test_infinite_df_is_gaussian() -> None:
    for covariance in (None, OMEGA):
        limit = student_t(drawn(5, 8), V, df=math.inf, covariance=covariance)
        assert (limit == gaussian(drawn(5, 8), V, covariance=covariance)).all()


def test_purposes_and_keys_differ() -> None:
    rows = [MAKERS[name](drawn(4, k, purposes=(u,))) for name in MAKERS for k in (0, 1) for u in (0, 1)]
    assert len({r.tobytes() for r in rows}) == len(rows)


def test_large_vocabulary() -> None:
    z = student_t(drawn(1, 1, dtype=np.float32), 200_000, df=1, location=zipf(200_000))
    assert z.shape == (1, 200_000) and np.isfinite(z).all()
    law = np.exp(z[0].astype(np.float64) - z.max())
    assert law.max() / law.sum() > 0.99  # few degrees of freedom: nearly one-hot


# ---- laws ----


def _ks(sample: np.ndarray, law: Any) -> float:
    return float(stats.kstest(np.ravel(sample), law.cdf).pvalue)


def test_marginal_laws() -> None:
    deviations = np.sqrt(np.diag(DENSE))
    samples = [
        (gaussian(drawn(10_000, 31), V, location=2, scale=3), stats.norm(2, 3)),
        (student_t(drawn(10_000, 32), V, df=2.5, location=-1, scale=0.5), stats.t(2.5, -1, 0.5)),
        *((gaussian(drawn(20_000, 33), V, covariance=OMEGA)[:, i], stats.norm(0, deviations[i])) for i in range(V)),
        *(
            (student_t(drawn(20_000, 34), V, df=1.5, covariance=OMEGA)[:, i], stats.t(1.5, 0, deviations[i]))
            for i in range(V)
        ),
    ]
    for sample, law in samples:
        assert _ks(sample, law) > ALARM
    assert _ks(gaussian(drawn(10_000, 31), V, location=2, scale=3.2), stats.norm(2, 3)) < ALARM  # 7 % too wide
    assert _ks(student_t(drawn(10_000, 32), V, df=3.5), stats.t(2.5)) < ALARM


def _mahalanobis(z: np.ndarray) -> np.ndarray:
    return np.einsum("ni,ij,nj->n", z, np.linalg.inv(DENSE + 1e-12 * np.eye(V)), z)


def _covariance_pvalue(z: np.ndarray) -> float:
    """Smallest two-sided p-value over entries of the sample covariance, Bonferroni-corrected; mean zero is known."""
    sample = z.T @ z / len(z)
    sd = np.sqrt((np.outer(np.diag(DENSE), np.diag(DENSE)) + DENSE**2) / len(z))
    return float(2 * stats.norm.sf(abs(sample - DENSE) / sd).min() * V * (V + 1) / 2)


def test_factored_covariance() -> None:
    z = gaussian(drawn(40_000, 35), V, covariance=OMEGA)
    assert _covariance_pvalue(z) > ALARM
    assert _ks(_mahalanobis(z), stats.chi2(V)) > ALARM
    wrong = gaussian(drawn(40_000, 35), V, covariance=OMEGA._replace(lam=OMEGA.lam[::-1].copy()))
    assert _covariance_pvalue(wrong) < ALARM
    assert (
        _covariance_pvalue(gaussian(drawn(40_000, 35), V, scale=np.sqrt(np.diag(DENSE)))) < ALARM
    )  # right variances only


def test_multivariate_student_t_shares_one_mixing_variable() -> None:
    df = 3.0
    z = student_t(drawn(20_000, 36), V, df=df, covariance=OMEGA)
    assert _ks(_mahalanobis(z) / V, stats.f(V, df)) > ALARM
    independent = student_t(drawn(20_000, 36), V, df=df) @ np.linalg.cholesky(DENSE + 1e-12 * np.eye(V)).T
    assert _ks(_mahalanobis(independent) / V, stats.f(V, df)) < ALARM  # one mixing variable per token


def _fisher_pvalue(a: np.ndarray, b: np.ndarray, rho: float) -> float:
    """Two-sided p-value of correlation rho between independent pairs of normals (Fisher's z)."""
    z = math.atanh(float(np.corrcoef(a.ravel(), b.ravel())[0, 1])) - math.atanh(rho)
    return float(2 * stats.norm.sf(abs(z) * math.sqrt(a.size - 3)))


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0, 0.5, 0.99])
def test_correlated_drafts_have_the_correlation_and_the_marginal(rho: float) -> None:
    target = gaussian(drawn(300, 37), 200, location=2, scale=3)
    draft = correlated(target, rho, drawn(len(target), 37), location=2, scale=3)
    assert _fisher_pvalue(target, draft, rho) > ALARM
    assert _ks(draft, stats.norm(2, 3)) > ALARM
    coupled = correlated(
        target, rho, drawn(len(target), 37, purposes=(0,))
    )  # the target's own purpose: its noise, not new noise
    assert _fisher_pvalue(target, coupled, rho) < ALARM


# ---- bad input ----

TARGET = np.zeros((2, 3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gaussian(Draws(0, [-1]), 3), "rows: -1; expected an integer from 0"),
        (lambda: gaussian(Draws(0, [1.5]), 3), "rows: 1.5; expected an integer"),
        (lambda: gaussian(Draws(0, 3), 3), "rows: 3; expected a range"),
        (lambda: gaussian(Draws(0, range(2**63)), 3), "rows: .* fewer than 2..63 rows"),
        (lambda: correlated(TARGET, 0.5, drawn(3)), "rows: 3; expected 2, one for each row of target"),
        (lambda: gaussian(drawn(1), 0), "vocab: 0; expected an integer from 1"),
        (lambda: gaussian(drawn(1), 2**31 + 1), "vocab: 2147483649; expected"),
        (lambda: gaussian(drawn(1, -1), 3), "key: -1; expected"),
        (lambda: gaussian(drawn(1, first=-1), 3), "rows: -1; expected"),
        (lambda: gaussian(drawn(2, first=2**64 - 1), 3), "rows: 18446744073709551616; expected"),
        (lambda: gaussian(drawn(1, purposes=(2**32,)), 3), "purposes: 4294967296; expected"),
        (lambda: gaussian(Draws(0, range(1), dtype=np.int64), 3), "dtype: int64; expected float32 or float64"),
        (lambda: gaussian(drawn(1), 3, scale=-1), "scale: -1; expected finite numbers, at least 0"),
        (lambda: gaussian(drawn(1), 3, scale=[1, 2, np.nan]), "scale: nan; expected finite"),
        (
            lambda: gaussian(drawn(1), 3, location=[1, 2]),
            r"location has shape \(2,\), dtype int64: expected 1 or \(3,\)",
        ),
        (lambda: gaussian(drawn(1), 3, location=np.inf), "location: inf; expected finite"),
        (lambda: gaussian(drawn(1, dtype=np.float32), 3, location=1e39), "a logit overflows dtype = float32"),
        (lambda: gaussian(drawn(1), 3, location=1e308, scale=1e308), "a logit overflows dtype = float64"),
        (lambda: gaussian(drawn(1), 3, covariance=np.eye(3)), "covariance is a ndarray: expected Factored"),  # type: ignore
        (lambda: gaussian(drawn(1), 3, covariance=OMEGA), r"covariance.U has shape \(6, 2\): expected .* \(3, 2\)"),
        (
            lambda: gaussian(drawn(1), V, covariance=OMEGA._replace(lam=[1, -1])),
            "covariance.lam has minimum -1.0: expected",
        ),
        (
            lambda: gaussian(drawn(1), V, covariance=OMEGA._replace(diag=-OMEGA.diag)),
            "covariance.diag has minimum -2.0",
        ),
        (lambda: gaussian(drawn(1), V, covariance=OMEGA._replace(lam=[1, np.nan])), "covariance.lam .* finite"),
        (lambda: student_t(drawn(1), 3, df=0), "df: 0; expected a number >= 0.065"),
        (lambda: student_t(drawn(1), 3, df=-2, covariance=OMEGA), "covariance.U|df = -2"),
        (lambda: student_t(drawn(1), V, df=-2, covariance=OMEGA), "df: -2; expected"),
        (lambda: student_t(drawn(1), 3, df="2"), "df: '2'; expected a number"),  # type: ignore[arg-type]
        (lambda: zipf(0), "vocab: 0; expected an integer from 1"),
        (lambda: zipf(3, math.inf), "exponent: inf; expected a finite number"),
        (lambda: correlated(TARGET, 1.01, drawn(2)), "rho: 1.01; expected a correlation from -1 to 1"),
        (lambda: correlated(TARGET, math.nan, drawn(2)), "rho: nan; expected a finite number"),
        (lambda: correlated(TARGET - np.inf, 0.5, drawn(2)), "target holds infinite logits"),
        (lambda: correlated(TARGET, 0.5, drawn(2), scale=-2), "scale: -2; expected"),
        (lambda: correlated(TARGET[0], 0.5, drawn(2)), r"target has shape \(3,\), dtype float64: expected \(n, V\)"),
        (lambda: correlated(TARGET.astype(int), 0.5, drawn(2)), "dtype int64: expected"),
        (lambda: pruned(TARGET, 0), "keep: 0; expected an integer from 1 to 3"),
        (lambda: pruned(TARGET, 4), "keep: 4; expected an integer from 1 to 3"),
        (lambda: pruned(TARGET, [0, 1, 1]), r"keep has dtype int64, shape \(3,\): expected a boolean mask \(3,\)"),
        (lambda: pruned(TARGET, [True]), "expected a boolean mask"),
        (lambda: pruned(TARGET, [False] * 3), "keep leaves a row of target without a finite logit"),
        (lambda: pruned(pruned(TARGET, 1), [False, True, True]), "keep leaves a row"),
    ],
)
def test_bad_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_public_names() -> None:
    public = {
        n for n, x in vars(synthetic).items() if getattr(x, "__module__", None) == synthetic.__name__ and n[0] != "_"
    }
    assert public | {"Draws"} == set(synthetic.__all__)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: zipf(10**9 * 2), "vocab: 2000000000; would take 44.7 GiB"),
        (lambda: gaussian(drawn(0, 1), 2**31), "vocab: 2147483648; would take 48.0 GiB"),
        (lambda: gaussian(drawn(10**12, 1), 10), "rows: 1000000000000; would take 72.8 TiB"),
        (lambda: student_t(drawn(10**9, 1), 10**4, df=3), "rows: 1000000000; would take 72.8 TiB"),
    ],
)
def test_what_cannot_fit_is_refused_before_anything_is_made(monkeypatch, call, message) -> None:
    monkeypatch.setattr(checks, "physical_memory", lambda: 16 * 2**30)
    with pytest.raises(ValueError, match=message + " of memory, expected at most 16.0 GiB"):
        call()


def test_a_pair_of_student_t_logits_has_its_correlation() -> None:
    """By hand at both ends; between, 400,000 pairs: the sample correlation misses 0.8 by 0.01 in less than 1 of 10^9 tries."""
    draws = logits.Draws(3, range(4))
    target, draft = logits.student_t_pair(draws, 100_000, rho=0.8, df=12, scale=2)
    assert (target == logits.student_t(draws, 100_000, df=12, scale=2)).all()
    assert abs(np.corrcoef(target.ravel(), draft.ravel())[0, 1] - 0.8) < 0.01
    other = logits.student_t_pair(draws, 100_000, rho=0.75, df=12, scale=2)[1]
    assert abs(np.corrcoef(target.ravel(), other.ravel())[0, 1] - 0.8) > 0.01  # the test tells them apart
    same, opposite = (logits.student_t_pair(draws, 9, rho=rho, df=4)[1] for rho in (1, -1))
    assert (same == -opposite).all() and (same == logits.student_t(draws, 9, df=4)).all()
    with pytest.raises(ValueError, match="rho"):
        logits.student_t_pair(draws, 9, rho=1.5)
