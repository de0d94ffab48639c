"""Which contexts and tokens a relaxed rule should let pass, by hand."""

from __future__ import annotations

from fractions import Fraction as F

from simspec.claims.authoring import law, matrix
from simspec.claims.relaxed.allocation import run
from simspec.claims.relaxed.text_frontier import accepted, between
from simspec.claims.relaxed.text_greedy import expected, prefer
from simspec.claims.relaxed.tolerance import SPREAD, risk
from simspec.claims.relaxed.tolerance import accepted as tolerated
from tests.claims.cases import counterexample, get

P, Q = matrix("1/2 0", "0 1/2"), matrix("1/4 1/4", "1/2 0")


def test_the_frontier_by_hand() -> None:
    """First tokens of 1/2, 1/2 in both, texts 3/4 apart: one accepted draft for each total variation, none beyond."""
    assert accepted(P, Q) == 1 + F(1, 4)
    for epsilon in (F(0), F(1, 4), F(3, 4)):
        assert accepted(between(P, Q, epsilon), Q) == F(5, 4) + epsilon
    assert (between(P, Q, F(3, 4)) == Q).all()


def test_two_for_each_where_the_first_token_differs() -> None:
    p, q = matrix("1 0", "0 0"), matrix("0 0", "0 1")
    assert [accepted(between(p, q, F(n, 4)), q) for n in range(5)] == [0, F(1, 2), 1, F(3, 2), 2]


def test_the_wrong_token_passes() -> None:
    """Two drafts of mass 1/2 that the target never says; the second draft is accepted after one of them alone."""
    after = law(0, 1, 0)
    assert (expected(law("1/2", 0, 0), after), expected(law(0, "1/2", 0), after)) == (F(1, 2), 1)
    found = counterexample("relaxed.text-greedy")
    assert expected(found["k"], found["after"]) < expected(found["other"], found["after"])


def test_preferred_tokens() -> None:
    assert prefer(law(0, 1), law(1, 0), law("1/2", 1), F(1, 2)).tolist() == [0, 0]
    assert prefer(law(0, 1), law(1, 0), law("1/2", 1), F(1, 4)).tolist() == [1, 0]


def test_the_draft_before_a_bottleneck_waits() -> None:
    """Rates 1/2, 0, 1: 1/2 more of the first is 1/2 of a draft; at the second the same price buys two of each half."""
    assert run(law("1/2", 0, 1)) == F(1, 2)
    assert (run(law(1, 0, 1)), run(law("1/2", 1, 1))) == (1, F(3, 2))
    left, right = get("relaxed.allocation.early").sides(counterexample("relaxed.allocation.early"))
    assert left < right


def test_tolerance_where_nothing_is_rejected_is_lost() -> None:
    """A fair draft of a fair target, and one that is wrong throughout: 1/2 more of the second is 1/4 of a draft."""
    assert [tolerated(**SPREAD, t=law(*t)) for t in (("0", "0"), ("1/2", "1/2"), ("0", "1"))] == [F(1, 2), F(3, 4), 1]
    assert risk(SPREAD["p"], SPREAD["q"], law("1/2", "1/2"), 0).tolist() == [0, 1]
