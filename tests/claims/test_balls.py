"""What a verdict may rest on: integers, fractions and balls; a float among them is refused, never trusted."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.balls import Inexact, ball, enclose, is_ball, log, power
from simspec.claims.claim import Claim, at_least
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.search import EFFORTS, check_exact
from simspec.claims.deciding.shrink import confirm, violated
from simspec.claims.deciding.verify import verify_claim
from simspec.claims.draw import ExactDraw
from simspec.laws import exact, overlap

CURE = "powers, roots, logs: `simspec.claims.balls`"


def _pairs(draw):
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def _ratio(p, q):
    return np.where(q > 0, p / np.where(q > 0, q, 1), 0)


POWER = Claim(
    "t.power-rule",
    "bound",
    "The power rule, which keeps a draft with probability min(1, (p/q)^0.9), accepts no less than SD",
    "by hand",
    lhs=lambda p, q: (q * np.minimum(1, _ratio(p, q) ** 0.9)).sum(axis=-1),
    relation=at_least,
    rhs=overlap,
    instances=_pairs,
    sources=("exact",),
)


def _certified(exponent):
    """The same on balls where the numbers are exact: which is smaller is asked of the fractions."""

    def kept(p, q):
        return np.where(p >= q, enclose(q), enclose(q) * power(np.minimum(1, _ratio(p, q)), exponent)).sum(axis=-1)

    return replace(POWER, lhs=kept, rhs=lambda p, q: enclose(overlap(p, q)), sources=("exact", "float"))


def test_a_true_claim_on_floats_is_an_error_with_its_cure_never_refuted() -> None:
    record = verify_claim(POWER, Data(effort="quick"))
    assert record["verdict"] == "error" and record["counterexample"] is None
    assert "slack: " in record["message"] and "is a float" in record["message"] and CURE in record["message"]


def test_the_same_claim_on_balls_holds() -> None:
    record = verify_claim(_certified(F(9, 10)), Data(effort="quick"))
    assert (record["verdict"], record["checks"]["exact"]["violations"]) == ("holds", 0)
    assert record["checks"]["exact"]["instances"] > 60


def test_what_is_false_on_balls_is_refuted() -> None:
    record = verify_claim(_certified(F(11, 10)), Data(effort="quick"))
    assert record["verdict"] == "refuted" and record["checks"]["exact"]["violations"] > 0


def test_a_violation_in_floats_is_not_confirmed_by_floats() -> None:
    """Tried on floats alone, the claim with exponent 1.1 is false, but its formula says nothing exact of it."""
    false = replace(POWER, lhs=lambda p, q: (q * np.minimum(1, _ratio(p, q) ** 1.1)).sum(axis=-1), sources=("float",))
    with pytest.raises(Inexact, match="slack: "):
        confirm(false, {"p": np.array([0.5, 0.5]), "q": np.array([0.75, 0.25])}, 100)
    record = verify_claim(false, Data(effort="quick"))
    assert record["verdict"] == "error" and CURE in record["message"]


@pytest.mark.parametrize("slack", [-1e-16, 0.5, np.float64(-1), np.array([F(1), -0.25], dtype=object), np.zeros(2)])
def test_a_slack_that_holds_a_float_is_refused(slack) -> None:
    with pytest.raises(Inexact, match=r"slack: .* is a float.* on an exact instance"):
        violated(slack)


@pytest.mark.parametrize("slack", [-1, F(-1, 9), np.int64(-3), ball(-1), np.array([F(0), -ball(1)], dtype=object)])
def test_integers_fractions_and_balls_are_exact(slack) -> None:
    assert violated(slack) and not violated(-slack)


def test_an_exact_search_that_meets_a_float_finds_nothing() -> None:
    trials = check_exact(POWER, EFFORTS["quick"], seed=0)
    assert trials.counterexample is None and trials.exact is None and CURE in trials.unconfirmed


def test_floats_do_not_become_balls() -> None:
    p = ExactDraw(rng=np.random.default_rng(0)).law(4)
    for made in (
        lambda: ball(0.5),
        lambda: log(p**0.5),
        lambda: enclose(exact([1, 2]) ** 0.5),
        lambda: power(F(2), 0.9),
    ):
        with pytest.raises(Inexact, match="x: .* is a float"):
            made()


def test_powers_and_roots_by_hand() -> None:
    assert (power(F(9, 4), F(1, 2)) - ball(F(3, 2))).contains(0) and not power(F(9, 4), F(1, 2)) > ball(F(3, 2))
    assert power(0, F(9, 10)) == 0 and power(F(1), F(9, 10)) == 1
    assert all(is_ball(v) for v in power(exact([1, 2, 3]), 2)) and (power(exact([3]), 2)[0] - ball(9)).contains(0)
    np.testing.assert_allclose(power(np.array([4.0, 9.0]), F(1, 2)), [2, 3])
    # 2**0.9 on a float exponent is a certified ball around another number
    assert not (power(F(2), F(9, 10)) - ball(2) ** F(9, 10)).contains(0)
