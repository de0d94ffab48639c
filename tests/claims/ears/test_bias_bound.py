"""`ears.bias-bound`: cases by hand and mutations."""

from tests.claims.cases import counterexample
from tests.claims.ears.cases import plain_step, plain_tv


def test_counterexample_to_the_fresh_bound() -> None:
    found = counterexample("ears.bias-bound.fresh")
    p, q, beta = found["p"].tolist(), found["q"].tolist(), found["beta"]
    assert plain_tv(plain_step(p, q, beta)[3], p) > beta * (1 - max(p))
    assert len(p) == 2 and beta == 0
