"""`pad.guardrail`: cases by hand and mutations."""

from fractions import Fraction as F

from tests.claims.cases import counterexample


def test_counterexample_to_the_guardrail_on_every_token() -> None:
    """A token below the limit is drafted and kept by SD, and never written under the guardrail."""
    case = counterexample("pad.guardrail.every")
    p, q, limit = case["p"], case["q"], case["limit"]
    guarded = [min(a, b) if a < limit else F(0) for a, b in zip(p, q, strict=True)]
    left = [max(a - b, F(0)) for a, b in zip(p, q, strict=True)]
    residual = [x / sum(left) for x in left] if sum(left) else p.tolist()
    written = [a - g + sum(guarded) * r for a, g, r in zip(p, guarded, residual, strict=True)]
    assert written != p.tolist() and len(p) == 2
