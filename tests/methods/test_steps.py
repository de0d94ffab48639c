"""Where target steps begin along a text: by hand, against drawn texts, and rules together as each alone."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.methods.steps import step_starts, survived_steps


def simulated(survived: np.ndarray, gamma: int, steps: int, rng: np.random.Generator) -> float:
    """Tokens of a step, from drawn steps one after the other."""
    position = 0
    for _ in range(steps):
        accepted = int(
            (rng.random() < survived[position % len(survived), :gamma]).sum()
        )  # falling: S_i > u for the first
        position += accepted + 1
    return position / steps


def test_two_positions_by_hand() -> None:
    """A step at 0 accepts both drafts (3 tokens), one at 1 none (1 token): 0, 1, 0, 1, ... two of four positions."""
    survived = np.array([[1.0, 1.0], [0.0, 0.0]])
    assert 1 / step_starts(survived, [2]).mean() == pytest.approx(2)


def test_drawn_texts_have_these_tokens() -> None:
    """100,000 steps, tokens of at most 4: five standard errors of the mean are below 0.03; false alarm below 1e-6.

    The control is the mean over positions of equal weight, which is wrong: it is another number by far.
    """
    survived = survived_steps(np.repeat([0.95, 0.1], 8), 3)
    tokens = 1 / step_starts(survived, [3]).mean()
    drawn = simulated(survived, 3, 100_000, np.random.default_rng(0))
    assert abs(tokens - drawn) < 0.03
    assert abs(1 + survived.sum(axis=1).mean() - drawn) > 0.1


def test_single_acceptances_are_products_along_the_text() -> None:
    rates = np.random.default_rng(0).random((5, 2))
    survived = survived_steps(rates, 3)
    assert survived.shape == (5, 3, 2)
    assert survived[4, 2].tolist() == pytest.approx((rates[4] * rates[0] * rates[1]).tolist())  # the text goes on anew


def test_rules_and_numbers_of_drafts_together_are_each_alone() -> None:
    survived = np.sort(np.random.default_rng(1).random((20, 5, 3)), axis=1)[:, ::-1]
    together = step_starts(survived, [0, 2, 5])
    for number, gamma in enumerate((0, 2, 5)):
        for rule in range(3):
            alone = step_starts(survived[:, :gamma, rule], [gamma])[:, 0]
            np.testing.assert_allclose(together[:, number, rule], alone, rtol=1e-12)


@pytest.mark.parametrize("gamma", [-1, 1.5, 3])
def test_a_number_that_is_none_of_drafts_is_refused(gamma) -> None:
    with pytest.raises(ValueError, match="gamma"):
        step_starts(np.full((4, 2), 0.5), [gamma])
