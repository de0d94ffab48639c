"""`ears.bias`: cases by hand and mutations."""

from fractions import Fraction as F

from simspec.claims.words import law
from tests.claims.cases import get
from tests.claims.ears.cases import plain_step, plain_tv


def test_bias_by_hand() -> None:
    """p = (1/2, 1/4, 1/4), q = (1/4, 1/4, 1/2), β = 1/2: t = 1/4, G = 1/8; κ = 7/8, fresh: (1/4, 1/4, 3/8) + p/8."""
    p, q = law("1/2", "1/4", "1/4"), law("1/4", "1/4", "1/2")
    _, pardon, residual, again = plain_step(p.tolist(), q.tolist(), F(1, 2))
    assert pardon == [0, 0, F(1, 8)] and residual == [F(3, 8), F(1, 4), F(3, 8)]
    assert plain_tv(residual, p.tolist()) == F(1, 8)
    assert again == [F(5, 16), F(9, 32), F(13, 32)] and plain_tv(again, p.tolist()) == F(3, 16)
    assert get("ears.bias.fresh").sides({"p": p, "q": q, "beta": F(1, 2)}) == (F(3, 16), F(1, 8) + F(1, 32) + F(1, 32))
