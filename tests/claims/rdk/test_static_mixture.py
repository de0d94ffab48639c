"""`rdk.static-mixture`: cases by hand and mutations."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.claim import Claim
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.search import try_claim
from simspec.claims.rdk.static_mixture import ATTAINED, BALANCE, LEVEL, STATIC_MIXTURE, balanced
from simspec.claims.words import mask, matrix


def verdict(claim: Claim) -> str:
    return decide(claim, try_claim(claim, "quick", 0, Data(effort="quick")))


def test_a_level_by_hand() -> None:
    """Two contexts want ¼ and ¾ of token 1: ¼ of it fills the lower one, and shared token 0 is missed in one context."""
    p, q, shared = matrix("3/4 1/4", "1/4 3/4"), matrix("1 0", "1 0"), mask("10")
    assert balanced(p, q, shared, matrix("0 1/4")[0], F(1, 2)) == (True, True)
    assert balanced(p, q, shared, matrix("0 1/8")[0], F(1, 2)) == (False, False)


@pytest.mark.parametrize("claim", [STATIC_MIXTURE, ATTAINED], ids=lambda c: c.name)
def test_they_hold(claim: Claim) -> None:
    trials = try_claim(claim, "quick", 0, Data(effort="quick"))
    assert decide(claim, trials) == "holds" and trials.not_needed == ()
    assert trials.exact is not None and trials.synthetic is not None and trials.real is not None


@pytest.mark.parametrize(
    "change",
    [
        {
            "assumes": {BALANCE: STATIC_MIXTURE.assumes[BALANCE]},
            "outside": {},
            "against": (STATIC_MIXTURE.outside[LEVEL],),
        },
        {
            "assumes": {LEVEL: STATIC_MIXTURE.assumes[LEVEL]},
            "outside": {},
            "against": (STATIC_MIXTURE.outside[BALANCE],),
        },
        {"rhs": lambda p, q, shared, extra: STATIC_MIXTURE.rhs(p, q, shared, extra * 0)},
        {"rhs": lambda p, q, shared, extra: STATIC_MIXTURE.rhs(p, q, shared, extra) * F(9, 10)},
    ],
    ids=["no level", "no balance", "no masses", "a constant"],
)
def test_their_mutations_are_refuted(change: dict) -> None:
    assert verdict(replace(STATIC_MIXTURE, sources=("exact",), **change)) == "refuted"


def test_masses_in_proportion_to_the_mean_are_not_the_best() -> None:
    """The control: the same sum spread as the mean target outside the shared vocabulary."""

    def spread(p, shared, extra):  # type: ignore[no-untyped-def]
        mean = np.where(shared, 0 * p[0], p.sum(axis=0))
        return mean / mean.sum() * extra.sum() if mean.sum() else extra

    wrong = replace(
        STATIC_MIXTURE,
        assumes={},
        outside={},
        tight=(),
        sources=("exact",),
        lhs=STATIC_MIXTURE.rhs,
        rhs=lambda p, q, shared, extra: STATIC_MIXTURE.rhs(p, q, shared, spread(p, shared, extra)),
    )
    assert verdict(wrong) == "refuted"


def test_the_gain_on_real_laws_comes_with_its_interval_and_controls() -> None:
    assert ATTAINED.evidence is not None
    found = ATTAINED.evidence(Data())
    assert len(found) == 2
    for line in found:
        assert line.interval is not None and line.interval[0] < line.estimate < line.interval[1]
        assert line.control is not None and line.control["gain of the best masses for these documents"] >= line.estimate
