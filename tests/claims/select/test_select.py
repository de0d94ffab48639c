"""Choosing among drafters by hand: texts of one drafter that measure another, matches that mislead, shares of easy contexts."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import exact, law
from simspec.claims.select.accepted_share import covariance, mean_acceptance, share
from simspec.claims.select.counterfactual import scores
from simspec.claims.select.matches import sampled_match
from simspec.claims.select.relaxed import RIVAL, ROWS, after_first, emitted
from simspec.laws import overlap
from tests.claims.cases import assert_broken, get

HALF = law("1/2", "1/2")


def test_another_drafter_is_measured_along_the_text_of_the_first() -> None:
    """The rival is right after token 1 and half right elsewhere; half of the texts begin with token 1, whoever drafts."""
    p = np.stack([HALF, HALF, HALF])
    rival = np.stack([law(1, 0), law(1, 0), HALF])
    assert scores(p, rival).tolist() == [F(1, 2), F(1, 2), F(3, 4), F(3, 4)]
    for q in (HALF, law(1, 0), law(0, 1)):
        instance = {"p": p, "q": np.stack([q] * 3), "rival": rival, "gamma": 2}
        assert get("select.counterfactual").sides(instance) == (F(5, 8), F(5, 8))


def test_a_sure_drafter_matches_more_and_is_accepted_less() -> None:
    p, sure = law("2/5", "3/5"), law(0, 1)
    assert (sampled_match(p, sure), overlap(p, sure)) == (F(3, 5), F(3, 5))
    assert (sampled_match(p, p), overlap(p, p)) == (F(13, 25), 1)


def test_a_drafter_that_is_used_where_texts_are_easy() -> None:
    """Right in one of two contexts and used there alone, its share is 1; over both it is 1/2."""
    w, rates, used = HALF, exact([1, 0]), exact([1, 0])
    assert (share(w, rates, used), mean_acceptance(w, rates)) == (1, F(1, 2))
    assert covariance(w, rates, used) / F(1, 2) == F(1, 2)
    assert share(w, rates, exact([1, 1])) == F(1, 2)


def test_relaxed_text_measures_where_it_leads() -> None:
    """The rule that may double the target emits token 0 alone, after which the rival is always right."""
    assert emitted(ROWS, law(1, 0), F(2)).tolist() == [1, 0]
    assert after_first(ROWS, RIVAL).tolist() == [1, 0]
    instance = {"p": ROWS, "q": law(1, 0), "rival": RIVAL, "c": F(2)}
    assert get("select.relaxed").sides(instance) == (1, F(1, 2))
    assert get("select.relaxed-corrected").sides(instance) == (F(1, 2), F(1, 2))


@pytest.mark.parametrize(
    "name", ["select.counterfactual", "select.accepted-share-corrected", "select.relaxed-corrected"]
)
def test_breaking_a_formula_breaks_the_claim(name: str) -> None:
    claim = get(name)
    for slip in claim.broken:
        assert_broken(claim, **slip.changes(claim))
