"""Tokens lost against the best fixed threshold, and the potential that the threshold descends."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np

from simspec.claims.authoring import law
from simspec.claims.csqs.descent import potential
from simspec.claims.csqs.tokens_lost import CONSTANT, SIX, flat_first
from simspec.methods.csqs.conformal import draft_thresholds
from simspec.methods.sqs.quantised import dropped_mass, threshold_mask


def test_potential_has_the_dropped_mass_as_slope() -> None:
    """Between two neighbouring probabilities the slope is what is dropped, less the target."""
    q, target = np.stack([law("1/2", "3/10", "1/5")]), F(1, 8)
    for low, high in ((F(0), F(1, 5)), (F(1, 5), F(3, 10)), (F(3, 10), F(1, 2)), (F(1, 2), F(3))):
        slope = (potential(q, high, target)[0] - potential(q, low, target)[0]) / (high - low)
        middle = (low + high) / 2
        assert slope == dropped_mass(q, threshold_mask(q, middle, keep_top=False))[0] - target


def test_six_tokens_by_hand() -> None:
    """Flat laws keep 3, 1 and 3 of their tokens, certain ones one each: 10 in place of 6, above 3 · 9/8."""
    kept = draft_thresholds(SIX["q"], SIX["start"], SIX["step_size"], SIX["dropped_target"], True).masks.sum(axis=-1)
    assert kept.tolist() == [3, 1, 3, 1, 1, 1]
    assert CONSTANT.sides(SIX) == (4, F(27, 8))


def test_lost_in_proportion_to_the_length() -> None:
    """At any step size two tokens in three are lost per flat law, of twice as many tokens, as the text gets long."""
    for step in (F(1, 4), F(1), F(8)):
        lost = []
        for first in (12, 24):
            case = {"q": flat_first(4, first, 3 * first), "start": F(0), "step_size": step, "dropped_target": F(1, 4)}
            lost.append(CONSTANT.sides(case)[0])
        assert lost[1] - lost[0] >= 2 * 12 - 4
