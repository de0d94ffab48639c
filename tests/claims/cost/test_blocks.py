"""Claims on what a block of drafts saves: cases by hand."""

from fractions import Fraction as F

from simspec.claims.cost.unimodal import rises
from simspec.methods import speedup
from tests.claims.cases import counterexample, get


def test_the_printed_example_forgets_a_token() -> None:
    """α = 0.8, γ = 4, c = 0.1: 2.3616 accepted drafts, so 3.3616 tokens in the time of 1.4 calls."""
    example = get("cost.accepts-over-cost").against[0]
    right, printed = get("cost.accepts-over-cost").sides(example)
    assert printed == F("2.3616") / F("1.4")
    assert right == F("3.3616") / F("1.4")
    assert [round(float(s), 3) for s in (printed, right)] == [1.687, 2.401]


def test_two_drafts_can_be_too_many() -> None:
    """α above c, and S(2) below one: one draft pays, the second does not."""
    found = counterexample("cost.every-gamma")
    assert found["alpha"] > found["cost"] and found["gamma"] > 1
    assert speedup(found["alpha"], 1, found["cost"]) > 1 > speedup(found["alpha"], found["gamma"], found["cost"])


def test_how_often_the_speed_rises_is_the_best_number_of_drafts() -> None:
    alpha, cost = F(4, 5), F(1, 10)
    speeds = [speedup(alpha, gamma, cost) for gamma in range(20)]
    assert speeds.index(max(speeds)) == rises(alpha, cost, 18).sum() == 6


def test_at_equal_rate_and_cost_one_draft_changes_nothing() -> None:
    claim = get("cost.some-gamma")
    instance = {"alpha": F(1), "low": F(1, 2), "cost": F(1, 2), "gamma": 1}
    assert claim.sides(instance)[0].tolist() == [F(4, 3), F(1, 3), 0]
