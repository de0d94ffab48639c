"""Schedules by hand: a fair draft that is dropped for its token, thresholds, and a confidence that is wrong."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from simspec.claims import find
from simspec.claims.stop.calibration import ONE
from simspec.claims.stop.schedule_best import HALVES
from tests.claims.cases import assert_broken, get

NAMES = ("stop.schedule", "stop.schedule-best", "stop.calibration")


def test_a_draft_that_is_dropped_for_what_it_is() -> None:
    """Both laws are fair, and a draft of the first token is dropped: it comes with 1/4, the second with 3/4."""
    claim = get("stop.schedule.after")
    (instance,) = claim.within
    left, right = claim.sides(instance)
    assert left.tolist() == [F(1, 4), F(3, 4)] and right.tolist() == [F(1, 2), F(1, 2)]
    assert (get("stop.schedule.before").slack(instance) == 0).all()


def test_the_threshold_at_the_speed_of_a_schedule() -> None:
    """One draft of two, two of two: 1 + 1/4 + 3/4 tokens in 1 + 3/8; a draft is worth 4/11 or more."""
    fast, speed = get("stop.schedule-best").sides(HALVES)
    assert fast == speed == F(2) / F(11, 8)
    slower = {**HALVES, "lengths": [2, 0]}
    fast, speed = get("stop.schedule-best").sides(slower)
    assert speed == (F(1, 2) * (1 + F(1, 2) + F(1, 4)) + F(1, 2)) / F(5, 4) < fast


def test_a_draft_that_seems_worth_its_cost() -> None:
    fast, bound = get("stop.calibration").sides(ONE)
    assert fast == bound == F(5, 6)


@pytest.mark.parametrize("claim", [c for c in find(list(NAMES)) if c.broken], ids=lambda claim: claim.name)
def test_breaking_a_formula_breaks_the_claim(claim) -> None:
    for slip in claim.broken:
        assert_broken(claim, **slip.changes(claim))
