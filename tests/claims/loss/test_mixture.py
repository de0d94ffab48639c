"""Mixtures by hand: a best draft without a token, the largest weight that finds one, and a minimiser that loses a quarter."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from simspec.claims import find
from simspec.claims.authoring import law
from simspec.claims.loss.kl_best import QUARTER
from simspec.claims.loss.mixture import MISSING, largest_weight, objective, slope
from simspec.laws import overlap
from tests.claims.cases import assert_broken, get


def test_a_best_draft_that_lacks_a_token_is_found_by_no_mixture() -> None:
    """α falls from 3/4 by an eighth of each step, and the divergence is infinite at the best draft alone."""
    assert slope(**MISSING) == F(1, 8) and largest_weight(**MISSING) == 0
    p, q, rival = (MISSING[name] for name in ("p", "q", "rival"))
    for step in (F(1, 2), F(1, 100)):
        assert overlap(p, q + step * (rival - q)) == F(3, 4) - step / 8
    assert not get("loss.mixture").broken_assumptions(MISSING)


def test_the_largest_weight_is_where_the_slopes_meet() -> None:
    """p = (1/2, 1/4, 1/4): from q = (1/2, 7/16, 1/16) towards (0, 3/4, 1/4)."""
    p, q, rival = law("1/2", "1/4", "1/4"), law("1/2", "7/16", "1/16"), law(0, "3/4", "1/4")
    weight = largest_weight(p, q, rival)
    assert slope(p, q, rival) == F(1, 2) - F(3, 16)
    assert weight == F(5, 16) / (F(5, 16) + F(3, 7))
    near = q + F(1, 1000) * (rival - q)
    assert objective(p, near, weight / 2) > objective(p, q, weight / 2)
    assert objective(p, near, (1 + weight) / 2) < objective(p, q, (1 + weight) / 2)


def test_the_minimiser_that_loses_nearly_a_quarter() -> None:
    assert (QUARTER["p"] * QUARTER["rival"] / QUARTER["q"]).sum() == 1
    lost, most = get("loss.kl-best.gap").sides(QUARTER)
    assert float(lost[1]) == 0.25 - 1 / 64 < float(most[1])


@pytest.mark.parametrize("claim", find(["loss.mixture", "loss.kl-best.gap"]), ids=lambda claim: claim.name)
def test_breaking_a_formula_breaks_the_claim(claim) -> None:
    for slip in claim.broken:
        assert_broken(claim, **slip.changes(claim))
