"""`pad.guardrail`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.methods import output_law, pad
from tests.claims.cases import claims_of, getter
from tests.claims.pad.cases import assert_broken, found

get = getter(claims_of("pad.guardrail"))


def test_counterexample_to_the_guardrail_on_every_token() -> None:
    """A token below the limit is drafted and kept by SD, and never written under the guardrail."""
    case = found(get("pad.guardrail.every"))
    p, q, limit = case["p"], case["q"], case["limit"]
    guarded = [min(a, b) if a < limit else F(0) for a, b in zip(p, q, strict=True)]
    left = [max(a - b, F(0)) for a, b in zip(p, q, strict=True)]
    residual = [x / sum(left) for x in left] if sum(left) else p.tolist()
    written = [a - g + sum(guarded) * r for a, g, r in zip(p, guarded, residual, strict=True)]
    assert written != p.tolist() and len(p) == 2


def _below(p, q, limit):
    """Mass that speculative decoding keeps of the guarded tokens."""
    return np.where(p < limit, np.minimum(p, q), 0).sum()


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        (
            "pad.guardrail.every-corrected",
            {"lhs": lambda p, q, limit: output_law(pad(np.ones(p.shape, dtype=bool), limit, "every"), p, q)},
        ),
        (
            "pad.guardrail.every-sharp",
            {"rhs": lambda p, q, limit: np.stack([_below(p, q, limit) * F(1, 2), limit * (p < limit).sum()])},
        ),
        ("pad.guardrail.every-sharp", {"rhs": lambda p, q, limit: np.stack([_below(p, q, limit), limit])}),
        ("pad.guardrail.override", {"lhs": lambda p, q: output_law(pad(np.zeros(p.shape, dtype=bool)), p, q)}),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
