"""Claims about what EARS gains and pays: hand cases, verdicts, necessity, mutations."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.ears import fresh_ears, pardoned, tolerance
from simspec.claims.ears_tradeoff import CLAIMS
from simspec.claims.sd import law
from simspec.laws import overlap, tv
from simspec.methods import acceptance_rate, bias, ears, gain
from tests import strategies
from tests.claims.ears_cases import assert_claim, plain_step, plain_tv
from tests.claims.rdk_cases import assert_broken, assert_corrections, counterexample, getter

get = getter(CLAIMS)
REFUTED = {"ears.bias-bound.fresh"}


def test_bias_by_hand() -> None:
    """p = (1/2, 1/4, 1/4), q = (1/4, 1/4, 1/2), β = 1/2: t = 1/4, G = 1/8; κ = 7/8, fresh: (1/4, 1/4, 3/8) + p/8."""
    p, q = law("1/2", "1/4", "1/4"), law("1/4", "1/4", "1/2")
    _, pardon, residual, again = plain_step(p.tolist(), q.tolist(), F(1, 2))
    assert pardon == [0, 0, F(1, 8)] and residual == [F(3, 8), F(1, 4), F(3, 8)]
    assert plain_tv(residual, p.tolist()) == F(1, 8)
    assert again == [F(5, 16), F(9, 32), F(13, 32)] and plain_tv(again, p.tolist()) == F(3, 16)
    assert get("ears.bias.fresh").sides({"p": p, "q": q, "beta": F(1, 2)}) == (F(3, 16), F(1, 8) + F(1, 32) + F(1, 32))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    assert_claim(claim, REFUTED)


def test_counterexample_to_the_fresh_bound() -> None:
    found = counterexample(get("ears.bias-bound.fresh"))
    p, q, beta = found["p"].tolist(), found["q"].tolist(), found["beta"]
    assert plain_tv(plain_step(p, q, beta)[3], p) > beta * (1 - max(p))
    assert len(p) == 2 and beta == 0


def test_corrections() -> None:
    assert_corrections(CLAIMS)
    assert all(c.corrected_by for c in CLAIMS if c.name in REFUTED)


@given(strategies.pairs(), strategies.shares(), strategies.shares(), st.data())
def test_larger_vocabularies(pair, beta, further, data) -> None:
    p, q = pair
    instance = {"p": p, "q": q, "beta": beta, "more": beta + further, "r": data.draw(strategies.laws(len(p)))}
    for claim in CLAIMS:
        if claim.name not in REFUTED:
            assert np.all(np.asarray(claim.slack(instance)) >= 0)
    _, pardon, residual, again = plain_step(p.tolist(), q.tolist(), beta)
    assert plain_tv(residual, p.tolist()) == sum(pardon) <= plain_tv(again, p.tolist())


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ears.bias.residual", {"lhs": lambda p, q, beta: np.stack([bias(fresh_ears(beta), p, q)] * 2)}),
        ("ears.bias.residual", {"rhs": lambda p, q, beta: np.stack([(tolerance(p, beta) * q).sum(axis=-1)] * 2)}),
        ("ears.bias.fresh", {"rhs": lambda p, q, beta: pardoned(p, q, beta).sum(axis=-1)}),
        ("ears.bias.fresh", {"lhs": lambda p, q, beta: bias(ears(beta), p, q)}),
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
        ("ears.fidelity.any-residual", {"rhs": lambda p, q, beta: gain(ears(beta), p, q) * F(9, 8)}),
        ("ears.fidelity.any-residual", {"rhs": lambda p, q, beta: acceptance_rate(ears(beta), p, q) / 2}),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)


@pytest.mark.parametrize("name", ["ears.beta-tradeoff.fresh", "ears.beta-tradeoff.residual"])
def test_order_of_tolerances_is_needed(name) -> None:
    claim = get(name)
    swapped = replace(
        claim, instances=lambda draw: {**(i := claim.instances(draw)), "beta": i["more"], "more": i["beta"]}
    )
    assert_broken(swapped, assumes={})
    assert_broken(claim, rhs=lambda p, q, more: np.stack([overlap(p, q), gain(ears(more), p, q) + F(1, 64)]))


def test_both_readings_agree_where_nothing_is_rejected() -> None:
    """t = 1 keeps every draft: no residual is ever drawn."""
    p, q = law("1/2", "1/2"), law(1, 0)
    assert bias(ears(2), p, q) == bias(fresh_ears(2), p, q) == tv(p, q) == F(1, 2)
