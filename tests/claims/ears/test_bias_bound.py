"""`ears.bias-bound`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.ears.parts import tolerance
from simspec.laws import overlap, tv
from simspec.methods import ears, gain
from tests.claims.cases import assert_broken, claims_of, counterexample, getter
from tests.claims.ears.cases import plain_step, plain_tv

get = getter(claims_of("ears.bias-bound"))


def test_counterexample_to_the_fresh_bound() -> None:
    found = counterexample(get("ears.bias-bound.fresh"))
    p, q, beta = found["p"].tolist(), found["q"].tolist(), found["beta"]
    assert plain_tv(plain_step(p, q, beta)[3], p) > beta * (1 - max(p))
    assert len(p) == 2 and beta == 0


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ears.bias-bound.residual", {"rhs": lambda p, beta: tolerance(p, beta)[..., 0] * F(7, 8)}),
        ("ears.bias-bound.residual", {"rhs": lambda p, beta: beta * (1 - p.max()) ** 2}),
        (
            "ears.bias-bound.residual-sharp",
            {"rhs": lambda p, q, beta: tolerance(p, beta)[0] * np.where(q > p, q - p, 0).sum()},
        ),
        ("ears.bias-bound.residual-sharp", {"rhs": lambda p, q, beta: tv(p, q) * F(7, 8)}),
        (
            "ears.bias-bound.fresh-corrected",
            {"rhs": lambda p, q, beta: np.stack([gain(ears(beta), p, q), p.max() * 0 + 9])},
        ),
        (
            "ears.bias-bound.fresh-corrected",
            {"rhs": lambda p, q, beta: np.stack([overlap(p, q) * tv(p, q), p.max() * 0 + 9])},
        ),
        (
            "ears.bias-bound.fresh-corrected",
            {"rhs": lambda p, q: np.stack([p.max() * 0 + 9, overlap(p, q) * tv(p, q)])},
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
