"""Claims reduce to slack: relations, calling by name, assumptions."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.balls import Inexact, enclose, is_ball, power
from simspec.claims.claim import Claim, at_least, at_most, call, equal, margin
from simspec.laws import exact

HALF = exact([F(1, 2), F(1, 2)])


def test_slack_by_hand() -> None:
    claim = Claim("t", "bound", "", "", lhs=lambda p: p.max(), rhs=lambda top: top, relation=at_most)
    assert claim.slack({"p": HALF, "top": F(3, 4)}) == F(1, 4)


@pytest.mark.parametrize(("relation", "slack"), [(equal, -1), (at_most, 1), (at_least, -1)])
def test_relations(relation, slack) -> None:
    assert relation(2, 3) == slack


def test_call_takes_only_the_named_values() -> None:
    assert call(lambda q: q, {"p": 1, "q": 2}) == 2
    assert call(lambda **values: sorted(values), {"p": 1, "q": 2}) == ["p", "q"]


def test_broken_names_the_assumption() -> None:
    claim = Claim("t", "bound", "", "", assumes={"small": lambda x: x < 1, "positive": lambda x: x > 0})
    assert claim.broken_assumptions({"x": 2}) == ["small"]
    assert claim.broken_assumptions({"x": F(1, 2)}) == []


def test_margin_of_batches_and_numbers() -> None:
    assert margin(F(-1, 2)) == -0.5
    assert margin(np.array([F(1), F(-1, 4)], dtype=object)) == -0.25
    assert margin(np.array([])) == np.inf


def test_empirical_claim_has_no_slack() -> None:
    with pytest.raises(ValueError, match="empirical claim has no slack"):
        Claim("t", "empirical", "", "").slack({})


ROOT = power(F(2), F(1, 2))


@pytest.mark.parametrize(
    ("lhs", "rhs", "slack"),
    [
        (lambda: ROOT, lambda: F(3, 2), F(3, 2) - F(1.41421356)),
        (lambda: F(1), lambda: ROOT, F(1.41421356) - 1),
        (lambda: 1, lambda: enclose(HALF), -F(1, 2)),
        (lambda: HALF, lambda: enclose(HALF), 0),
        (lambda: np.array([0, 0]), lambda: enclose(HALF), F(1, 2)),
        (lambda: [ROOT, F(1)], lambda: F(3, 2), F(3, 2) - F(1.41421356)),
    ],
)
def test_a_bound_encloses_its_other_side(lhs, rhs, slack) -> None:
    found = Claim("t", "bound", "", "", lhs=lhs, relation=at_most, rhs=rhs).slack({})
    assert all(map(is_ball, np.ravel(np.asarray(found, dtype=object)))) and margin(found) == pytest.approx(float(slack))


def test_a_float_beside_an_enclosure_is_no_exact_side() -> None:
    with pytest.raises(Inexact, match=r"rhs: 0.1 is a float on an exact instance"):
        Claim("t", "bound", "", "", lhs=lambda: ROOT, relation=at_most, rhs=lambda: 0.1).slack({})


def test_without_enclosures_sides_are_left_as_they_are() -> None:
    claim = Claim("t", "bound", "", "", lhs=lambda: HALF, relation=at_most, rhs=lambda: 0.75)
    assert claim.sides({})[0] is HALF and claim.sides({})[1] == 0.75
