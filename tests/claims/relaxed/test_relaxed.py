"""Relaxed rules, by hand: the smallest laws on which a statement fails, and two roads to the same number where it holds."""

from __future__ import annotations

from fractions import Fraction as F
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings

from simspec.claims import find
from simspec.claims.authoring import law
from simspec.claims.relaxed.certificate_additive import level
from simspec.claims.relaxed.certificate_strict import levelled, limit
from simspec.claims.relaxed.parts import FAR, HALF, cactus_law, certified, divergence, fsd_score, kept, lifted, rank
from simspec.claims.relaxed.typical_more import typical_tokens
from simspec.laws import tv
from simspec.methods import accepted_mass, output_law
from simspec.methods.relaxed import cactus, jensen_shannon
from tests.claims.cases import get
from tests.strategies import fractions, pairs


@given(pairs(high=4), fractions(0, 2, 8))
@settings(max_examples=20, deadline=None)
def test_enclosures_hold_what_the_method_computes(pair, delta) -> None:
    """Written apart: kept mass and output law of Cactus on certified roots, and the method's on roots rounded to 2⁻⁶⁴."""
    p, q = pair
    for ours, theirs in (
        (kept(p, q, delta), accepted_mass(cactus(delta), p, q)),
        (cactus_law(p, q, delta), output_law(cactus(delta), p, q)),
    ):
        assert [float(v) for v in ours] == pytest.approx([float(v) for v in theirs], abs=1e-12)


def test_a_likely_token_is_raised_beyond_its_budget() -> None:
    """δ = 1/2 raises 1/2 to 1: log 2 nats in place of 1/2; at δ = 1/8 to 3/4."""
    value, budget = get("relaxed.cactus-kl.step").sides({"p": HALF, "token": 0, "delta": F(1, 2)})
    assert (float(value), float(budget)) == pytest.approx((log(2), 0.5))
    assert [float(v) for v in lifted(HALF, 0, F(1, 8))] == [0.75, 0.25]
    assert float(certified(law("1/3", "2/3"), F(1, 2))[0]) == pytest.approx((1 + sqrt(2)) / 3)


def test_little_masses_raise_the_divergence_without_bound() -> None:
    """δ = 1 and m tokens of mass 1/m²: all drafts are kept, log m nats from p."""
    for m in (2, 4, 8):
        p, q = law(*[F(1, m * m)] * m, 1 - F(1, m)), law(*[F(1, m)] * m, 0)
        assert output_law(cactus(1), p, q).tolist() == q.tolist()
        assert float(divergence(cactus_law(p, q, F(1)), p)) == pytest.approx(log(m))


def test_a_token_that_is_never_said_is_not_raised() -> None:
    claim = get("relaxed.cactus-chi2")
    assert [float(s) for s in claim.sides({"p": FAR, "token": 1, "delta": F(1)})] == [0, 1]
    assert claim.slack({"p": HALF, "token": 1, "delta": F(1, 8)}) == 0


def test_what_a_target_may_say_leads_and_is_exact() -> None:
    """The id that everyone uses comes first: δ below the cap, (1 − p)/(2p) at it."""
    claim = find(["relaxed.cactus-chi2"])[0]
    assert claim.name == "relaxed.cactus-chi2.positive" and claim.broken_assumptions({"p": FAR, "token": 1, "delta": 1})
    for delta, half in ((F(1, 8), F(1, 8)), (F(1, 2), F(1, 2)), (F(3), F(1, 2))):
        left, right = claim.sides({"p": HALF, "token": 0, "delta": delta})
        assert float(left) == pytest.approx(float(half)) and float(right) == float(half)


def test_a_frontier_rule_that_is_no_ensemble() -> None:
    """All of one excess is kept and none of the other: (1/2, 0, 1/2) is not on the line from p to q."""
    p, q = law(0, 0, 1), law("1/2", "1/2", 0)
    claim = get("relaxed.ensemble-pareto.unique")
    instance = {"p": p, "q": q, "k": law("1/2", 0, 0), "r": law(0, 0, 1)}
    assert not claim.broken_assumptions(instance) and claim.slack(instance) < 0
    short, beside = get("relaxed.ensemble-pareto.unique-corrected").sides(instance)
    assert short == beside == 0


def test_a_rare_token_is_never_typical() -> None:
    assert typical_tokens(law("1/12", "11/12")).tolist() == [False, True]
    assert typical_tokens(law(*[F(1, 20)] * 20)).all()  # a uniform law has no rare token


def test_two_tokens_are_levelled() -> None:
    """(5/8, 3/8) from (1/2, 1/2): log 2 less the entropy."""
    p = law("5/8", "3/8")
    assert rank(p) == (0, 1) and levelled(p).tolist() == HALF.tolist()
    assert float(limit(p)) == pytest.approx(log(2) + 5 / 8 * log(5 / 8) + 3 / 8 * log(3 / 8))


def test_a_refused_mode_cuts_all_tokens_above_it() -> None:
    """(1/2, 3/8, 1/8) with the last as mode: all three at 1/3; (1/2, 1/4, 1/4): the first and the last at 3/8."""
    for masses, height, members in ((("1/2", "3/8", "1/8"), F(1, 3), 3), (("1/2", "1/4", "1/4"), F(3, 8), 2)):
        found, flags = level(law(*masses), 2)
        assert (found, int(flags.sum())) == (height, members)


def test_divergences_of_two_roads() -> None:
    p, q = law("3/4", "1/4"), law("1/4", "3/4")
    assert float(fsd_score(p, q)) == pytest.approx(float(jensen_shannon(p, q)))
    lhs, rhs = get("relaxed.fsd-js-sharp").sides({"p": p, "q": q, "threshold": F(1)})
    assert float(lhs) == pytest.approx(float(fsd_score(p, q))) and rhs == 1  # attained: q is p reversed
    assert tv(p, q) == F(1, 2)


def test_two_tokens_read_again_as_one() -> None:
    """The target says a, a and then aa; read again as aa it says a."""
    laws = np.stack([law(1, 0)] * 3 + [law(0, 1)] + [law(1, 0)] * 3)
    lhs, rhs = get("relaxed.slem.text").sides({"laws": laws, "drafts": law(1, 0, 0)})
    assert (lhs.tolist().index(1), rhs.tolist().index(1)) == (0, 1)


def test_where_bounds_are_attained_by_hand() -> None:
    """Half a token raised to certainty; (¾, ¼) and its reverse; a draft that shares nothing, a quarter of it kept."""
    lhs, rhs = get("relaxed.cactus-kl.step-corrected.attained").sides({"rest": law(1), "delta": F(1, 2)})
    assert float(lhs) == pytest.approx(log(2)) and float(rhs) == pytest.approx(log(2))
    lhs, rhs = get("relaxed.fsd-js-sharp.attained").sides({"t": F(1, 2)})
    assert float(lhs[0]) == pytest.approx((1.5 * log(1.5) + 0.5 * log(0.5)) / 2) == pytest.approx(float(rhs[0]))
    assert float(lhs[1]) == float(rhs[1]) == 0.5
    apart = {"p": law(1, 0), "q": law(0, 1), "k": law(0, 1), "epsilon": F(1, 4)}
    lhs, rhs = get("relaxed.tradeoff.best").sides(apart)
    assert lhs.tolist() == [1, F(1, 4), F(-1, 4)] == rhs.tolist()
