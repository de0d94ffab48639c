"""Cascades by hand: what a middle model emits, what survives both tests, a dear middle model, and the order of two."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from simspec.claims import find
from simspec.claims.authoring import law
from simspec.claims.cascade.accepts_less import ELSEWHERE, surviving
from simspec.claims.cascade.order import SWAPPED, emitted
from simspec.claims.cascade.pays import DEAR, counted, drafted
from tests.claims.cases import assert_broken, get


def test_the_middle_models_text_is_what_a_target_gets_that_is_told_of_the_draft() -> None:
    """p = q = (1/2, 1/2): every token of m = (3/4, 1/4) is accepted."""
    instance = {"p": law("1/2", "1/2"), "m": law("3/4", "1/4"), "q": law("1/2", "1/2")}
    out, _ = get("cascade.told-draft").sides(instance)
    assert out.tolist() == [F(3, 4), F(1, 4)]
    assert get("cascade.told-draft-corrected").sides(instance) == (F(1, 4), F(1, 4))


def test_the_last_stage_keeps_what_it_shares_with_the_middle_model() -> None:
    instance = {"p": law(1, 0), "m": law("1/2", "1/2"), "q": law(0, 1)}
    assert get("cascade.last-stage").sides(instance) == (F(1, 2), F(1, 2))


def test_a_middle_model_elsewhere_costs_nothing() -> None:
    assert surviving(**ELSEWHERE) == 0
    sides = get("cascade.accepts-less.equality").sides(ELSEWHERE)
    assert tuple(map(int, sides)) == (1, 0)
    assert tuple(map(int, get("cascade.accepts-less.equality-corrected").sides(ELSEWHERE))) == (1, 1)
    assert surviving(law("1/2", "1/2"), law(1, 0), law("1/2", "1/2")) == F(1, 4)


def test_tokens_of_a_round_by_hand() -> None:
    """One draft, both acceptances 1/2: m emits two tokens or one; p accepts none, one or two, and adds one."""
    assert counted(F(1, 2), F(1, 2), 1, 1) == F(1, 2) * (1 + F(1, 2) + F(1, 4)) + F(1, 2) * (1 + F(1, 2))
    assert drafted(F(1, 2), 2) == F(7, 4)


def test_a_dear_middle_model_does_not_pay() -> None:
    """All acceptances exceed α(q, p) = 1/2, and three free drafts give 15/8 tokens a pass."""
    with_middle, without = get("cascade.pays.folk").sides(DEAR)
    assert without == F(15, 8) > with_middle


def test_the_order_by_cost_loses_at_equal_cost() -> None:
    """The cheap model is the target, the dear one the draft: in the order of costs each test costs 3/4, else one does."""
    by_cost, other = get("cascade.order").sides(SWAPPED)
    assert by_cost == emitted((F(3, 4), F(3, 4), F(3, 4)), 1)
    assert other == emitted((F(1), F(3, 4), F(1)), 1)
    assert by_cost < other


@pytest.mark.parametrize("claim", [claim for claim in find("cascade") if claim.broken], ids=lambda claim: claim.name)
def test_breaking_a_formula_breaks_the_claim(claim) -> None:
    for slip in claim.broken:
        assert_broken(claim, **slip.changes(claim))


@pytest.mark.parametrize("claim", [c for c in find("cascade") if c.within], ids=lambda claim: claim.name)
def test_counterexamples_meet_the_assumptions(claim) -> None:
    for instance in () if isinstance(claim.within, str) else claim.within:
        assert not claim.broken_assumptions(instance)
        left, right = claim.sides(instance)
        wrong = left != right if claim.kind != "bound" else left < right
        assert wrong.any() if hasattr(wrong, "any") else wrong
