"""Claims about the two paths of EARS: hand cases."""

from fractions import Fraction as F
from math import log

import numpy as np
import pytest
from hypothesis import given

from simspec.claims.authoring import law
from simspec.claims.ears.parts import both_paths, closeness, pardoned
from simspec.claims.ears.two_paths import _laws_of_paths
from simspec.laws import kl
from simspec.methods import lenience
from tests import strategies
from tests.claims.cases import counterexample, get
from tests.claims.ears.cases import plain_step


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


def test_pardoned_mass_reaches_where_the_target_never_writes() -> None:
    """t = 1/2: of (q − p)₊ = (0, 1/4, 1/4) EARS pardons (0, 1/4, 1/8), lenience 2/3 keeps (0, 1/8, 0) more."""
    p, q = law("3/4", "1/4", 0), law("1/4", "1/2", "1/4")
    assert pardoned(p, q, F(2)).tolist() == [0, F(1, 4), F(1, 8)]
    assert (lenience(F(2, 3)).keep(p, q) - np.minimum(p, q)).tolist() == [0, F(1, 8), 0]


def test_a_second_coin_accepts_more() -> None:
    """p = (1/2, 1/2), q = (1, 0), β = 1/2: R = 1/2, t = 1/4; one coin 3/4, two coins 1/2 + 1/2 · 3/4 = 7/8."""
    claim = get("ears.single-threshold")
    one = {"p": law("1/2", "1/2"), "q": law(1, 0), "beta": F(1, 2)}
    assert claim.sides(one)[0][0].tolist() == [F(3, 4), 0]
    assert claim.sides({**one, "second_coin": True})[0][0].tolist() == [F(7, 8), 0]


def test_an_impossible_token_is_accepted() -> None:
    found = counterexample("ears.support")
    p, q = found["p"].tolist(), found["q"].tolist()
    pardon = plain_step(p, q, found["beta"])[1]
    assert sum(m for m, x in zip(pardon, p, strict=True) if x == 0) > 0


def test_a_tolerance_beyond_one_accepts_everything() -> None:
    """β = 2 on three equal tokens: t = 4/3."""
    instance = {"p": law("1/3", "1/3", "1/3", 0), "q": law(0, 0, 0, 1), "beta": F(2)}
    assert get("ears.support-corrected").sides(instance)[0].tolist() == [0, 0, 0, 1]
    assert (get("ears.support-corrected").slack(instance) == 0).all()


P, Q = law("1/2", "1/4", "1/4"), law("1/4", "1/4", "1/2")


def test_paths_by_hand() -> None:
    """t = 1/2 at β = 1: ratios (2, 1, 1/2); the last token is kept by coins to 1/2, pardoned from 1/2 to 1."""
    standard, pardon = both_paths(P, Q, F(1))
    assert standard.tolist() == [1, 1, F(1, 2)] and pardon.tolist() == [0, 0, F(1, 2)]
    standard, pardon = _laws_of_paths(P, Q, F(1))
    assert standard.tolist() == [F(1, 3)] * 3 and pardon.tolist() == [0, 0, 1]


def test_divergences_by_hand() -> None:
    """KL of (1/3, 1/3, 1/3) to p is log(4/3) − log(2)/3, of (0, 0, 1) log 4; log(1/α) = log(4/3) lies between."""
    near, far = (float(closeness(a, P)) for a in _laws_of_paths(P, Q, F(1)))
    assert -log(near) == pytest.approx(log(4 / 3) - log(2) / 3, rel=1e-14)
    assert -log(far) == pytest.approx(log(4), rel=1e-14)


def test_impossible_tokens_are_infinitely_far() -> None:
    p, q = law("1/2", "1/2", 0), law(0, "1/2", "1/2")
    assert closeness(_laws_of_paths(p, q, F(1))[1], p) == 0
    assert plain_step(p.tolist(), q.tolist(), F(1))[1] == [0, 0, F(1, 4)]
