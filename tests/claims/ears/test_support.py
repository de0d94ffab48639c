"""`ears.support`: cases by hand and mutations."""

from fractions import Fraction as F

from simspec.claims.words import law
from tests.claims.cases import counterexample, get
from tests.claims.ears.cases import plain_step


def test_an_impossible_token_is_accepted() -> None:
    found = counterexample("ears.support")
    p, q = found["p"].tolist(), found["q"].tolist()
    pardon = plain_step(p, q, found["beta"])[1]
    assert sum(m for m, x in zip(pardon, p, strict=True) if x == 0) > 0


def test_a_tolerance_beyond_one_accepts_everything() -> None:
    """β = 2 on three equal tokens: t = 4/3."""
    instance = {"p": law("1/3", "1/3", "1/3", 0), "q": law(0, 0, 0, 1), "beta": F(2)}
    assert get("ears.support-corrected").sides(instance)[0].tolist() == [0, 0, 0, 1]
    assert (get("ears.support-corrected").slack(instance) == 0).all()
