"""Rules that end a draft, by hand: the laws on which a statement fails, and two roads to the same number where it holds."""

from fractions import Fraction as F

import pytest

from simspec.claims.authoring import law
from simspec.claims.deciding.shrink import violated
from simspec.claims.stop.parts import step, surviving
from simspec.laws import overlap, tv
from simspec.methods import acceptance_rate, output_law
from simspec.methods.stop import REPORTED, dropped, dropping
from tests.claims.cases import get

P, Q = law("1/2", "1/4", "1/4"), law("1/4", "1/4", "1/2")


@pytest.mark.parametrize("reported", REPORTED)
def test_a_step_is_that_of_the_rule(reported) -> None:
    """Every draft and coin enumerated, against the closed forms of the method."""
    for s in (law(1, 0, 1), law("1/2", "1/3", 0), law(0, 0, 0), law(1, 1, 1)):
        emitted, kept = step(P, Q, s, reported)
        rule = dropping(lambda q, s=s: s, reported)
        assert emitted.tolist() == output_law(rule, P, Q).tolist()
        assert kept == acceptance_rate(rule, P, Q)


def test_what_is_dropped_shows_where_both_laws_agree() -> None:
    """p = q = (3/4, 1/4) without its second token: it comes out with 3/16 in place of 1/4, S(1 − S) = 3/16 apart."""
    q = law("3/4", "1/4")
    emitted, kept = step(q, q, surviving(q, F(1, 2)), "q")
    assert (emitted.tolist(), kept) == ([F(15, 16), F(1, 16)], F(3, 4))
    assert tv(emitted, q) == F(3, 16)


def test_three_repairs_and_their_prices() -> None:
    """t = 3/8 drops all but the last token of (1/4, 1/4, 1/2); 1 − TV is 3/4."""
    rates = {reported: step(P, Q, surviving(Q, F(3, 8)), reported)[1] for reported in REPORTED}
    assert rates == {"q": F(1, 4), "kept": F(1, 8), "one-hot": F(1, 8), "rejected": F(1, 4)}
    assert acceptance_rate(dropped(F(3, 8), "kept"), P, Q) == F(1, 8) < overlap(P, Q) == F(3, 4)


@pytest.mark.parametrize(("p", "q"), [(law("1/8", "7/8"), law("7/8", "1/8")), (law(0, 1), law(1, 0))])
def test_entropy_says_nothing_of_the_target(p, q) -> None:
    """A draft that is sure, of what the target hardly says, with full support or without."""
    assert violated(get("stop.entropy-bound").slack({"p": p, "q": q}))


def test_the_least_mass_is_all_that_a_draft_promises() -> None:
    q = law("1/8", "3/8", "1/2")
    lhs, rhs = get("stop.entropy-bound-sharp").sides({"p": law(1, 0, 0), "q": q})
    assert lhs.tolist() == rhs.tolist() == [F(1, 8), F(1, 8)]


@pytest.mark.parametrize(
    ("alpha", "cost", "gamma", "pays"), [("4/5", "1/10", 4, 1), ("1/2", "1/4", 1, 0), ("1/2", "1/2", 0, 0)]
)
def test_one_more_draft(alpha, cost, gamma, pays) -> None:
    """0.8^5 = 0.32768 exceeds S(4)/10 = 0.24; 1/4 does not exceed S(1)/4 = 0.3; at 1/2 = S(0)/2 nothing is gained."""
    sides = get("stop.marginal").sides({"alpha": F(alpha), "cost": F(cost), "gamma": gamma})
    assert sides == (pays, pays)
