"""Claims about the best that any relaxed rule can do: hand cases."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.authoring import law
from simspec.claims.deciding.data import Data
from simspec.claims.draw import ExactDraw
from simspec.claims.ears.best_tradeoff import RULES, side_by_side
from simspec.claims.ears.parts import accepted_of, as_often, closeness, competitor
from simspec.laws import overlap, tv
from simspec.methods import acceptance_rate, bias, ears, lenience, levelled, mixture, output_law
from tests import strategies
from tests.claims.cases import get
from tests.claims.ears.cases import _plain_lenience, plain_tv

P, Q = law("1/4", "1/4", "1/2"), law("5/8", "1/4", "1/8")


def test_levelled_lenience_by_hand() -> None:
    """ℓ = 1/2 keeps (1/2, 1/4, 1/8): α = 7/8, 1/4 more than SD; a = 1/2 levels the rest: (1/2, 1/4, 1/4)."""
    best = output_law(levelled(lenience(F(1, 2))), P, Q)
    assert best.tolist() == [F(1, 2), F(1, 4), F(1, 4)]
    assert overlap(best, Q) == F(7, 8) and tv(best, P) == F(7, 8) - overlap(P, Q) == F(1, 4)


def test_a_worse_rule_by_hand() -> None:
    """The law (3/5, 1/5, 1/5) is accepted no less, 37/40, and is further from p at every level."""
    o = law("3/5", "1/5", "1/5")
    best = output_law(levelled(lenience(F(1, 2))), P, Q)
    assert acceptance_rate(accepted_of(o), P, Q) == overlap(o, Q) == F(37, 40)
    assert output_law(accepted_of(o), P, Q).tolist() == o.tolist()
    levels = [F(n, 8) for n in range(24)]
    assert all(plain_tv(best.tolist(), [e * x for x in P]) <= plain_tv(o.tolist(), [e * x for x in P]) for e in levels)
    assert closeness(o, P) < closeness(best, P)


@given(strategies.pairs(), strategies.shares())
def test_relaxed_rules_are_on_the_frontier(pair, share) -> None:
    p, q = pair
    for method in (ears(share), lenience(1 / (1 + share)), mixture(share), levelled(lenience(1 / (1 + share)))):
        assert acceptance_rate(method, p, q) == overlap(p, q) + bias(method, p, q)


@pytest.mark.parametrize("seed", range(20))
def test_competitors_accept_as_often(seed) -> None:
    instance = competitor(ExactDraw(rng=np.random.default_rng(seed)))
    assert sum(instance["o"]) == 1 and as_often(instance["p"], instance["q"], instance["o"], instance["factor"])


def test_the_plain_residual_is_not_best() -> None:
    """Lenience 1/2 keeps (1/2, 1/16, 3/16). SD's residual fills up to (1/2, 5/32, 11/32), the levelled one to (1/2, 1/6, 1/3):
    as far in total variation, and closer in divergence."""
    p, q = law("1/4", "1/4", "1/2"), law("3/4", "1/16", "3/16")
    plain, best = _plain_lenience(p, q, F(1, 2)), output_law(levelled(lenience(F(1, 2))), p, q)
    assert plain.tolist() == [F(1, 2), F(5, 32), F(11, 32)] and best.tolist() == [F(1, 2), F(1, 6), F(1, 3)]
    assert tv(plain, p) == tv(best, p) == F(1, 4)
    assert closeness(plain, p) < closeness(best, p)


@given(strategies.pairs(), strategies.fractions(F(1, 8), 1, 9), st.data())
def test_no_law_beats_levelled_lenience(pair, factor, data) -> None:
    """Competitors of the same acceptance on larger vocabularies, at the levels where either law has a kink."""
    p, q = pair
    o = data.draw(strategies.laws(len(p)))
    rate, have = acceptance_rate(lenience(factor), p, q), overlap(o, q)
    share = max(rate - have, F(0)) / (1 - have) if have < 1 else F(0)
    o = (1 - share) * o + share * q
    best = output_law(levelled(lenience(factor)), p, q)
    kinks = {x / y for law_ in (best, o) for x, y in zip(law_, p, strict=True) if y}
    claim = get("ears.best-tradeoff.every-divergence")
    for eta in kinks:
        instance = {"p": p, "q": q, "factor": factor, "o": o, "eta": eta}
        assert not claim.broken(instance) and claim.slack(instance) >= 0


def test_rules_side_by_side_on_real_laws() -> None:
    """No rule is above the frontier; on a nucleus EARS and mixtures write what the target excludes, lenience does not."""
    found = side_by_side(Data(effort="quick"))
    assert len(found) == 2 * len(RULES)
    outside, excluded = "mean probability of a token with p = 0", {}
    for e in found:
        control, name = dict(e.control or {}), e.data.rpartition(": ")[2].removesuffix(", mean acceptance")
        assert e.estimate <= control["the best of any rule at that TV"] + 1e-6
        if "nucleus" in e.data:
            excluded[name] = control[outside]
        else:
            assert control[outside] == 0
    assert excluded["EARS at 0.1"] > 0 and excluded["mixture with 0.1 of the draft"] > 0
    assert excluded["lenience 0.8"] == excluded["speculative decoding"] == excluded["typical acceptance"] == 0
