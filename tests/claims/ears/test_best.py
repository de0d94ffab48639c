"""Claims about the best that any relaxed rule can do: hand cases, verdicts, necessity, mutations."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given

from simspec.claims.draw import ExactDraw
from simspec.claims.ears.parts import accepted_of, as_often, closeness, competitor
from simspec.claims.words import law
from simspec.laws import overlap, tv
from simspec.methods import acceptance_rate, bias, ears, lenience, levelled, mixture, output_law
from tests import strategies
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
