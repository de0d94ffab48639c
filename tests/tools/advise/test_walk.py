"""Tokens a call along a text: by hand, against drawn texts, and which way the formula for independent steps errs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.methods.block import mean_acceptance_length
from simspec.tools.advise.walk import calls, independent, lasting


def tokens(accepted, gamma: int) -> float:
    return float(1 / calls(accepted, [gamma]).mean())


def test_certain_drafts_and_impossible_ones_by_hand() -> None:
    assert tokens([1.0] * 5, 4) == pytest.approx(5) and tokens([0.0] * 5, 4) == pytest.approx(1)


def test_a_text_that_alternates_by_hand() -> None:
    """Kept, refused, kept, refused: with one draft every call emits two tokens; the formula says one and a half."""
    assert tokens([1.0, 0.0], 1) == pytest.approx(2)
    assert float(independent([1.0, 0.0], 1)) == 1.5
    assert float(lasting([1.0, 0.0], 1)) == pytest.approx(4 / 3)  # 1 / mean(1/2, 1)


@given(st.floats(0, 1), st.integers(0, 8))
def test_one_rate_gives_the_formula(alpha, gamma) -> None:
    assert tokens([alpha] * 3, gamma) == pytest.approx(float(mean_acceptance_length(alpha, gamma)), rel=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(1, 16))
def test_laws_that_last_are_never_above_the_formula(alphas, gamma) -> None:
    assert float(lasting(alphas, gamma)) <= float(independent(alphas, gamma)) * (1 + 1e-12)


def test_long_stretches_approach_the_limit_and_shuffled_ones_the_formula() -> None:
    """1,000 rates drawn, each lasting 50 positions: within 2 % of the limit, the formula 5 % above."""
    rates = np.random.default_rng(0).random(1000)
    stretched = tokens(np.repeat(rates, 50), 2)
    assert stretched == pytest.approx(float(lasting(rates, 2)), rel=0.02)
    assert float(independent(rates, 2)) > 1.05 * stretched
    assert tokens(rates, 2) == pytest.approx(float(independent(rates, 2)), rel=0.02)


def test_methods_and_numbers_of_drafts_together_are_each_alone() -> None:
    rates = np.random.default_rng(1).random((40, 3))
    together = calls(rates, [1, 3, 7])
    assert together.shape == (40, 3, 3)
    for g, gamma in enumerate((1, 3, 7)):
        for m in range(3):
            np.testing.assert_allclose(together[:, g, m], calls(rates[:, m], [gamma])[:, 0], rtol=1e-12)


@pytest.mark.parametrize("rates", [[], [1.5], [np.nan], [[[0.5]]]])
def test_what_are_no_rates_is_refused(rates) -> None:
    with pytest.raises(ValueError, match="accepted: "):
        calls(rates, [1])
