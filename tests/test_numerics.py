"""Bounds on what numerical differences do: by hand, against exact balls, and never below what two computations show."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec import numerics
from simspec.certificates import kl_divergence
from simspec.claims.numerics.laws import most, tanh
from simspec.laws import softmax, tv


def test_by_hand() -> None:
    """ε = log 3 at T = 1: weights three times as large or as small, (1/4, 3/4) against (3/4, 1/4)."""
    assert numerics.tv_bound(np.log(3.0)) == pytest.approx(0.5)
    assert numerics.tv_bound(2 * np.log(3.0), temperature=2) == pytest.approx(0.5)
    assert numerics.symmetric_kl_bound(np.log(3.0)) == pytest.approx(np.log(3.0))
    assert numerics.greedy_margin(0.25) == 0.5
    assert numerics.text_tv_bound(np.log(3.0), length=2) == pytest.approx(0.75)


@given(st.fractions(F(9, 8), 20, max_denominator=8))
@settings(max_examples=30, deadline=None)
def test_the_bounds_are_those_of_the_claims(rho) -> None:
    eps = float(np.log(float(rho)))
    assert numerics.tv_bound(eps) == pytest.approx(float(tanh(rho)), rel=1e-12)
    assert numerics.kl_bound(eps) == pytest.approx(float(most(rho)), rel=1e-9)


def test_the_series_meets_the_formula() -> None:
    """On both sides of h = 1/100, and far beyond the largest exponential."""
    low, high = numerics.kl_bound(0.00499999), numerics.kl_bound(0.00500001)
    assert high - low == pytest.approx(0.005 * 2e-8, rel=1e-3)  # the slope of ε²/2
    assert numerics.kl_bound(0.0) == 0
    assert numerics.kl_bound(1e4) == pytest.approx(2e4 - np.log(2e4) - 1)


def _extreme(eps: float, share: float) -> tuple[np.ndarray, np.ndarray]:
    z = np.log(np.array([share, 1 - share]))
    return softmax(z), softmax(z + eps * np.array([1, -1]))


def test_every_bound_is_attained_by_two_tokens_and_a_smaller_one_is_not_a_bound() -> None:
    eps = 0.7
    p, other = _extreme(eps, 1 / (1 + np.exp(eps)))
    assert tv(p, other) == pytest.approx(numerics.tv_bound(eps))
    assert kl_divergence(p, other) + kl_divergence(other, p) == pytest.approx(numerics.symmetric_kl_bound(eps))
    h = 2 * eps
    p, other = _extreme(eps, 1 / h - 1 / np.expm1(h))
    assert kl_divergence(p, other) == pytest.approx(numerics.kl_bound(eps))
    assert kl_divergence(p, other) > 0.999 * numerics.kl_bound(eps)
    assert kl_divergence(p, other) > numerics.symmetric_kl_bound(eps) / 2  # the halved bound is wrong


def test_random_differences_stay_within() -> None:
    rng = np.random.default_rng(5)
    z = rng.normal(size=(400, 30)) * 3
    other = z + rng.uniform(-1, 1, size=z.shape) * rng.uniform(0, 1, size=(400, 1)) + rng.normal(size=(400, 1))
    for temperature in (0.5, 1.0, 2.0):
        eps = numerics.logit_gap(z, other)
        p, q = softmax(z, temperature), softmax(other, temperature)
        assert (tv(p, q) <= numerics.tv_bound(eps, temperature) + 1e-12).all()
        assert (kl_divergence(p, q) <= numerics.kl_bound(eps, temperature) + 1e-12).all()
        assert (numerics.kl_bound(eps, temperature) <= numerics.kl_bound_square(eps, temperature) + 1e-15).all()
    margins = np.diff(np.sort(z, axis=-1)[:, -2:])
    clear = margins[:, 0] > numerics.greedy_margin(eps)
    assert clear.any() and (z.argmax(-1) == other.argmax(-1))[clear].all()


def test_a_text_is_certain_up_to_its_first_small_margin() -> None:
    logits = np.array([[4.0, 0.0, 1.0], [1.0, 0.5, 0.0], [9.0, 0.0, 0.0]])
    assert numerics.first_small_margin(logits, 0.25) == 1
    assert numerics.first_small_margin(logits, 0.24) == 3
    assert numerics.first_small_margin(logits, np.array([2.0, 0.0, 0.0])) == 0


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: numerics.tv_bound(-1), "eps: -1; expected"),
        (lambda: numerics.tv_bound(1, temperature=0), "temperature: 0; expected"),
        (lambda: numerics.greedy_margin(-1), "eps: -1; expected"),
        (lambda: numerics.text_tv_bound(1, length=-1), "length: -1; expected"),
        (lambda: numerics.logit_gap(np.zeros(2), np.zeros(3)), "second: has shape"),
        (lambda: numerics.logit_gap(np.zeros(2), np.array([0, np.inf])), "first, second: not all finite"),
    ],
)
def test_bad_input_is_named(call, name) -> None:
    with pytest.raises(ValueError, match=name):
        call()
