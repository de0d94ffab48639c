"""`ears.best-tradeoff`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.deciding.data import Data
from simspec.claims.ears.best_tradeoff import RULES, _over, side_by_side
from simspec.claims.ears.parts import any_rule, competitor, rule_of
from simspec.laws import overlap
from simspec.methods import acceptance_rate, bias, lenience, levelled, output_law
from tests import strategies
from tests.claims.cases import assert_broken, claims_of, getter
from tests.claims.ears.cases import _plain_lenience

get = getter(claims_of("ears.best-tradeoff"))


@given(strategies.pairs(), st.fractions(F(1, 8), 1, max_denominator=9), st.data())
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


def _against_levelled(draw):
    """The competitor is the levelled law itself, looked at where it is lowest."""
    instance = dict(competitor(draw))
    o = output_law(levelled(lenience(instance["factor"])), instance["p"], instance["q"])
    return {**instance, "o": o, "eta": min(x / y for x, y in zip(o, instance["p"], strict=True) if y)}


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ears.best-tradeoff", {"rhs": lambda p, q, k, r: overlap(p, q) + bias(rule_of(k, r), p, q) * F(7, 8)}),
        ("ears.best-tradeoff", {"rhs": lambda p, q, k, r: overlap(p, q) * F(7, 8) + bias(rule_of(k, r), p, q)}),
        ("ears.best-tradeoff.attained", {"instances": any_rule, "assumes": {}}),
        ("ears.best-tradeoff.attained", {"rhs": lambda p, q, k: np.maximum(k - p, 0).sum() / 2}),
        (
            "ears.best-tradeoff.every-divergence",
            {
                "lhs": lambda p, q, factor, eta: _over(_plain_lenience(p, q, factor), p, eta),
                "instances": lambda draw: _against_levelled(draw),
            },
        ),
        (
            "ears.best-tradeoff.every-divergence",
            {
                "instances": lambda draw: {**(i := competitor(draw)), "o": i["p"], "eta": F(1)},
                "assumes": {},
            },
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)


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
