"""Parallel drafters by hand: an accepted draft of the wrong law, the best law beside the marginal, and blocks."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest

from simspec.claims import find
from simspec.claims.authoring import law, matrix
from simspec.claims.parallel.depth import STICKY, reached
from simspec.claims.parallel.told_conditional import FULL, HALVES, emitted, target
from tests.claims.cases import assert_broken, get

DECIDED = {
    "parallel.told-conditional": "parallel.told-conditional-corrected",
    "parallel.marginal-best": "parallel.marginal-best-corrected",
    "parallel.block.gains-more": "parallel.block.gains-more-corrected",
    "parallel.depth": "parallel.depth-corrected",
}


def test_a_draft_of_the_targets_own_laws_is_biased_by_hand() -> None:
    """x is fair, y is fair after 0 and surely 0 after 1; y is drawn as 0 with 3/4. After x = 0 every y is accepted."""
    assert [str(m) for m in target(HALVES["a"], HALVES["P"])] == ["1/4", "1/4", "1/2", "0"]
    assert [str(m) for m in emitted(**HALVES)] == ["3/8", "1/8", "1/2", "0"]
    assert get("parallel.told-conditional-corrected").sides(HALVES) == (F(1, 8), F(1, 4))
    assert get("parallel.told-conditional-corrected").sides(FULL) == (F(1, 4), F(1, 4))


def test_the_rows_decide_and_the_marginal_loses_twice_as_much() -> None:
    instance = {"a": law("7/8", "1/8"), "P": matrix("1 0", "0 1"), "q": law(1, 0)}
    lost, twice = get("parallel.marginal-half").sides(instance)
    assert (lost, twice) == (F(14, 64), F(16, 64))
    assert get("parallel.marginal-half-sharp").slack(instance) == 0


def test_independent_tokens_lose_nothing() -> None:
    claim = get("parallel.information")
    lost, information = claim.sides({"a": law("1/2", "1/2"), "P": matrix("1/3 2/3", "1/3 2/3")})
    assert float(lost) == float(information) == 0
    lost, information = claim.sides({"a": law("1/2", "1/2"), "P": matrix("1 0", "0 1")})
    assert float(lost) == 0.5 and float(information) == pytest.approx(np.log(2))


def test_the_fourth_position_does_better_than_the_third() -> None:
    m = reached(**STICKY)
    rates = [b / a for a, b in pairwise(m)]
    assert rates[0] == 1 and rates[1] == F(116, 125)
    assert rates[2] < rates[3]


@pytest.mark.parametrize("name", DECIDED)
def test_refuted_claims_have_a_counterexample_of_their_own(name: str) -> None:
    claim = get(name)
    assert DECIDED[name] in claim.corrected_by
    for instance in claim.within:
        assert not claim.broken_assumptions(instance)
        slack = np.ravel(np.asarray(claim.slack(instance), dtype=object))
        assert any(s < 0 if claim.kind == "bound" else s != 0 for s in slack)


@pytest.mark.parametrize("claim", [claim for claim in find("parallel") if claim.broken], ids=lambda claim: claim.name)
def test_breaking_a_formula_breaks_the_claim(claim) -> None:
    for slip in claim.broken:
        assert_broken(claim, **slip.changes(claim))
