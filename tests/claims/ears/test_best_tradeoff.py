"""`ears.best-tradeoff`: cases by hand and mutations."""

from fractions import Fraction as F

from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.deciding.data import Data
from simspec.claims.ears.best_tradeoff import RULES, side_by_side
from simspec.laws import overlap
from simspec.methods import acceptance_rate, lenience, levelled, output_law
from tests import strategies
from tests.claims.cases import get


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
