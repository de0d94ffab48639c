"""Claims about what EARS gains and pays: hand cases."""

from fractions import Fraction as F

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.authoring import law
from simspec.claims.ears.parts import fresh_ears
from simspec.laws import tv
from simspec.methods import bias, ears
from tests import strategies
from tests.claims.cases import claims_of, counterexample, get
from tests.claims.ears.cases import plain_step, plain_tv


@given(strategies.pairs(), strategies.shares(), strategies.shares(), st.data())
def test_larger_vocabularies(pair, beta, further, data) -> None:
    p, q = pair
    instance = {"p": p, "q": q, "beta": beta, "more": beta + further, "r": data.draw(strategies.laws(len(p)))}
    for claim in claims_of("ears.bias", "ears.bias-bound", "ears.beta-tradeoff", "ears.fidelity.any-residual"):
        if claim.name != "ears.bias-bound.fresh":
            assert np.all(np.asarray(claim.slack(instance)) >= 0)
    _, pardon, residual, again = plain_step(p.tolist(), q.tolist(), beta)
    assert plain_tv(residual, p.tolist()) == sum(pardon) <= plain_tv(again, p.tolist())


def test_both_readings_agree_where_nothing_is_rejected() -> None:
    """t = 1 keeps every draft: no residual is ever drawn."""
    p, q = law("1/2", "1/2"), law(1, 0)
    assert bias(ears(2), p, q) == bias(fresh_ears(2), p, q) == tv(p, q) == F(1, 2)


def test_bias_by_hand() -> None:
    """p = (1/2, 1/4, 1/4), q = (1/4, 1/4, 1/2), β = 1/2: t = 1/4, G = 1/8; κ = 7/8, fresh: (1/4, 1/4, 3/8) + p/8."""
    p, q = law("1/2", "1/4", "1/4"), law("1/4", "1/4", "1/2")
    _, pardon, residual, again = plain_step(p.tolist(), q.tolist(), F(1, 2))
    assert pardon == [0, 0, F(1, 8)] and residual == [F(3, 8), F(1, 4), F(3, 8)]
    assert plain_tv(residual, p.tolist()) == F(1, 8)
    assert again == [F(5, 16), F(9, 32), F(13, 32)] and plain_tv(again, p.tolist()) == F(3, 16)
    assert get("ears.bias.fresh").sides({"p": p, "q": q, "beta": F(1, 2)}) == (F(3, 16), F(1, 8) + F(1, 32) + F(1, 32))


def test_counterexample_to_the_fresh_bound() -> None:
    found = counterexample("ears.bias-bound.fresh")
    p, q, beta = found["p"].tolist(), found["q"].tolist(), found["beta"]
    assert plain_tv(plain_step(p, q, beta)[3], p) > beta * (1 - max(p))
    assert len(p) == 2 and beta == 0
