"""Claims about the law that EARS emits: hand cases."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given

from simspec.claims.authoring import law
from simspec.claims.draw import FloatDraw
from simspec.claims.ears.parts import few_rows, pardoned
from simspec.laws import overlap
from simspec.methods import bias, ears, fresh, output_law
from tests import strategies
from tests.claims.cases import counterexample, get
from tests.claims.ears.cases import plain_step, plain_tv


def test_one_step_by_hand() -> None:
    """p = (1/2, 1/2), q = (0, 1), β = 1: t = 1/2, every draft is kept, the output is q, TV is 1/2."""
    p, q = [F(1, 2), F(1, 2)], [F(0), F(1)]
    standard, pardon, residual, again = plain_step(p, q, F(1))
    assert (standard, pardon) == ([0, F(1, 2)], [0, F(1, 2)])
    assert residual == again == q and plain_tv(residual, p) == F(1, 2)
    assert output_law(ears(1), law("1/2", "1/2"), law(0, 1)).tolist() == q


def test_fresh_draw_at_beta_zero_by_hand() -> None:
    """p = (1/2, 1/2), q = (0, 1), β = 0: half of the drafts kept, (0, 1/2) + (1/4, 1/4), TV 1/4."""
    assert plain_step([F(1, 2), F(1, 2)], [F(0), F(1)], 0)[3] == [F(1, 4), F(3, 4)]
    slack = get("ears.beta-zero.fresh").slack({"p": law("1/2", "1/2"), "q": law(0, 1)})
    assert slack.tolist() == [-F(1, 4), -F(1, 4)]


@pytest.mark.parametrize("name", ["ears.beta-zero.fresh", "ears.fidelity.fresh", "ears.fidelity.residual"])
def test_counterexample_refutes_in_plain_fractions(name) -> None:
    found = counterexample(name)
    p, q = found["p"].tolist(), found["q"].tolist()
    beta = F(0) if name == "ears.beta-zero.fresh" else found["beta"]
    emitted = plain_step(p, q, beta)[3 if name.endswith("fresh") else 2]
    assert len(p) == 2 and plain_tv(emitted, p) > 0


@given(strategies.pairs(), strategies.shares())
def test_output_laws_agree_with_loops(pair, beta) -> None:
    p, q = pair
    standard, pardon, residual, again = plain_step(p.tolist(), q.tolist(), beta)
    assert np.minimum(p, q).tolist() == standard and pardoned(p, q, beta).tolist() == pardon
    assert output_law(ears(beta), p, q).tolist() == residual
    assert output_law(ears(beta)._replace(residual=fresh), p, q).tolist() == again


@given(strategies.pairs(low=2), strategies.shares())
def test_corrections_on_larger_vocabularies(pair, beta) -> None:
    p, q = pair
    for name in ("beta-zero.fresh", "fidelity.fresh", "fidelity.residual"):
        assert get(f"ears.{name}-corrected").slack({"p": p, "q": q, "beta": beta}) == 0
    lossless = bias(ears(beta), p, q) == 0
    assert lossless == (overlap(p, q) == 1 or beta == 0 or max(p) == 1)


def test_thinning_spreads_over_the_batch() -> None:
    thin = few_rows(FloatDraw(seed=1), {"p": np.arange(20.0).reshape(10, 2), "beta": 1.0}, rows=5)
    assert thin["p"][:, 0].tolist() == [0, 4, 8, 12, 16] and thin["beta"] == 1.0
