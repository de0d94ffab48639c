"""Claims about the two paths of EARS: hand cases, verdicts, necessity, mutations."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given

from simspec.claims.ears.cache import _as_printed, _verified
from simspec.claims.ears.parts import closeness, pardoned
from simspec.claims.ears.two_paths_order import _chain
from simspec.claims.words import law
from simspec.laws import kl
from simspec.methods import lenience
from tests import strategies
from tests.claims.cases import assert_broken, assert_corrections, claims_of, getter
from tests.claims.ears.cases import assert_claim

CLAIMS = claims_of(
    "ears.single-threshold",
    "ears.two-paths",
    "ears.two-paths-order",
    "ears.support",
    "ears.support-lenience",
    "ears.cache",
)

get = getter(CLAIMS)
REFUTED = {"ears.support"}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    assert_claim(claim, REFUTED)


def test_corrections() -> None:
    assert_corrections(CLAIMS)


@given(strategies.pairs(low=2), strategies.shares())
def test_larger_vocabularies(pair, beta) -> None:
    p, q = pair
    instance = {"p": p, "q": q, "beta": beta, "factor": 1 / (1 + beta)}
    for name in ("ears.single-threshold", "ears.support-corrected", "ears.support-lenience"):
        assert (get(name).slack(instance) == 0).all()
    order = get("ears.two-paths-order")
    if not order.broken(instance):
        assert not any(s < 0 for s in order.slack(instance))


def test_closeness_agrees_with_the_divergence_of_floats() -> None:
    a, p = np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.5, 0.5]])
    np.testing.assert_allclose(closeness(a, p), np.exp(-kl(a, p)), rtol=1e-14)


def _order(change):
    return lambda p, q, beta: change(*_chain(p, q, beta))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ears.two-paths-order", {"lhs": _order(lambda a, b: b), "rhs": _order(lambda a, b: a)}),
        ("ears.two-paths-order", {"rhs": _order(lambda a, b: b[[0, 1, 0, 3, 4]])}),
        ("ears.two-paths-order", {"rhs": _order(lambda a, b: b[[0, 1, 2, 3, 3]])}),
        ("ears.cache", {"lhs": lambda p, q, tokens, coins, beta, cached: _stale(p, q, tokens, coins, beta, cached)}),
        (
            "ears.cache",
            {"rhs": lambda p, q, tokens, coins, beta: _as_printed(p, q, tokens, coins, 2 * beta)},
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)


def _stale(p, q, tokens, coins, beta, cached):
    """A cache that is one position behind."""
    return _verified(p, q, tokens, coins, beta, np.roll(cached, 1))


def test_pardoned_mass_reaches_where_the_target_never_writes() -> None:
    """t = 1/2: of (q − p)₊ = (0, 1/4, 1/4) EARS pardons (0, 1/4, 1/8), lenience 2/3 keeps (0, 1/8, 0) more."""
    p, q = law("3/4", "1/4", 0), law("1/4", "1/2", "1/4")
    assert pardoned(p, q, F(2)).tolist() == [0, F(1, 4), F(1, 8)]
    assert (lenience(F(2, 3)).keep(p, q) - np.minimum(p, q)).tolist() == [0, F(1, 8), 0]
