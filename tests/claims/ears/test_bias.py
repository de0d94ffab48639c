"""`ears.bias`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.ears.parts import fresh_ears, pardoned, tolerance
from simspec.claims.words import law
from simspec.methods import bias, ears
from tests.claims.cases import assert_broken, claims_of, getter
from tests.claims.ears.cases import plain_step, plain_tv

get = getter(claims_of("ears.bias"))


def test_bias_by_hand() -> None:
    """p = (1/2, 1/4, 1/4), q = (1/4, 1/4, 1/2), β = 1/2: t = 1/4, G = 1/8; κ = 7/8, fresh: (1/4, 1/4, 3/8) + p/8."""
    p, q = law("1/2", "1/4", "1/4"), law("1/4", "1/4", "1/2")
    _, pardon, residual, again = plain_step(p.tolist(), q.tolist(), F(1, 2))
    assert pardon == [0, 0, F(1, 8)] and residual == [F(3, 8), F(1, 4), F(3, 8)]
    assert plain_tv(residual, p.tolist()) == F(1, 8)
    assert again == [F(5, 16), F(9, 32), F(13, 32)] and plain_tv(again, p.tolist()) == F(3, 16)
    assert get("ears.bias.fresh").sides({"p": p, "q": q, "beta": F(1, 2)}) == (F(3, 16), F(1, 8) + F(1, 32) + F(1, 32))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ears.bias.residual", {"lhs": lambda p, q, beta: np.stack([bias(fresh_ears(beta), p, q)] * 2)}),
        ("ears.bias.residual", {"rhs": lambda p, q, beta: np.stack([(tolerance(p, beta) * q).sum(axis=-1)] * 2)}),
        ("ears.bias.fresh", {"rhs": lambda p, q, beta: pardoned(p, q, beta).sum(axis=-1)}),
        ("ears.bias.fresh", {"lhs": lambda p, q, beta: bias(ears(beta), p, q)}),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
