"""Watermarks by hand: keys that disagree, three laws that no key serves, and one key for a draft and its residual token."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims import find
from simspec.claims.authoring import law, matrix
from simspec.claims.watermark.fresh_coins import HALF_KEPT, ORDERED, agreement, emitted
from simspec.claims.watermark.no_go import LAWS, OUTCOMES, THIRDS, agreements
from tests.claims.cases import assert_broken, get


def test_keys_that_disagree_cost_all() -> None:
    """Two keys, both laws fair: under each key target and draft are sure of different tokens."""
    instance = {"w": law("1/2", "1/2"), "P": matrix("1 0", "0 1"), "Q": matrix("0 1", "1 0")}
    left, right = get("watermark.acceptance").sides(instance)
    assert left.tolist() == [0, 1, -1] and right.tolist() == [1, 1, -1]


def test_six_keys_give_each_pair_a_third_and_each_law_its_masses() -> None:
    assert agreements(THIRDS) == [F(1, 3)] * 3
    for place, masses in enumerate(LAWS):
        for token in range(3):
            weight = sum(w for w, outcome in zip(THIRDS, OUTCOMES, strict=True) if outcome[place] == token)
            assert weight == masses[token]


def test_one_key_ties_the_refused_draft_to_the_last_token() -> None:
    assert emitted(**ORDERED).tolist() == [F(1, 2), 0, 0, F(1, 2), F(1, 2)]
    assert get("watermark.fresh-coins.one-key-corrected").sides(ORDERED) == (F(1, 4), F(1, 4))


def test_two_coins_agree_as_often_as_a_draft_is_kept_or_not() -> None:
    """q = (1/2, 1/2), p = (1/4, 3/4): the first draft is kept with 1/2, so that two coins agree with 1/2 there."""
    assert agreement(**HALF_KEPT) == F(1, 2) * F(1, 2) + F(1, 2) == F(3, 4)
    assert get("watermark.fresh-coins.strength").slack(HALF_KEPT) != 0


@pytest.mark.parametrize("claim", [claim for claim in find("watermark") if claim.broken], ids=lambda claim: claim.name)
def test_breaking_a_formula_breaks_the_claim(claim) -> None:
    for slip in claim.broken:
        assert_broken(claim, **slip.changes(claim))


@pytest.mark.parametrize("claim", [c for c in find("watermark") if c.within], ids=lambda claim: claim.name)
def test_counterexamples_are_counterexamples(claim) -> None:
    for instance in claim.within:
        left, right = claim.sides(instance)
        assert np.any(left != right)
