"""Acceptance rates and budgets by hand: one call, a text of period three, and two budgets of one drafter."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import exact, mask
from simspec.claims.metrics.rate_falls import call_share, long_run_share, next_position, written_after
from simspec.claims.metrics.rate_ranks import rate, speed
from simspec.methods.steps import step_starts, survived_steps
from tests.claims.cases import get


def test_the_share_of_a_call_falls() -> None:
    """Half of all drafts are right: 1/2 of one, (1/2 + 1/4)/2 of two."""
    rates = exact([F(1, 2)] * 3)
    assert [call_share(rates, gamma) for gamma in (1, 2, 3)] == [F(1, 2), F(3, 8), F(7, 24)]


def test_one_draft_more_may_step_over_the_hard_tokens() -> None:
    """Wrong, right, right: single drafts meet the wrong one at every second step, pairs never after the first step."""
    text = mask("011")
    assert [next_position(text, at, 1) for at in (0, 1)] == [1, 3]
    assert [next_position(text, at, 2) for at in (0, 1)] == [1, 4]
    assert (long_run_share(text, 1), long_run_share(text, 2)) == (F(1, 2), 1)


def test_long_runs_agree_with_the_chain_of_steps() -> None:
    """Where all steps lead into one cycle, the long-run length is that of `step_starts`: tokens = steps + accepted."""
    for flags, gamma in (("0011", 1), ("0111", 2), ("001", 2), ("01", 1)):
        text = mask(flags)
        survived = survived_steps(np.tile(text.astype(float), 200), gamma)
        starts = step_starts(survived, [gamma])[-100:, 0].mean()
        if len({long_run_share(np.roll(text, -at), gamma) for at in range(len(text))}) == 1:
            assert 1 / starts == pytest.approx(1 + gamma * float(long_run_share(text, gamma)), rel=0.05)


def test_a_text_is_written_no_later_with_more_drafts() -> None:
    text = mask("011011")
    assert [written_after(text, 1, steps) for steps in range(6)] == [0, 1, 3, 4, 6, 6]
    assert [written_after(text, 2, steps) for steps in range(6)] == [0, 1, 4, 6, 6, 6]


def test_the_highest_rate_is_not_the_fastest() -> None:
    """Free drafts at acceptance 1/2: one draft has rate 1/2 and 3/2 tokens a step, two have 3/8 and 7/4."""
    assert (rate(F(1, 2), 1), rate(F(1, 2), 2)) == (F(1, 2), F(3, 8))
    assert (speed(F(1, 2), 1, F(0)), speed(F(3, 8), 2, F(0))) == (F(3, 2), F(7, 4))
    assert get("metrics.rate-ranks").slack({"alpha": F(1, 2), "cost": F(0), "gamma": 1, "other": 2}) == F(-1, 4)
