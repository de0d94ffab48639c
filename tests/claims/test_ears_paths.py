"""Claims about the two paths of EARS: hand cases, verdicts, necessity, mutations."""

from fractions import Fraction as F
from math import log

import numpy as np
import pytest
from hypothesis import given

from simspec.claims import ears_paths
from simspec.claims.ears import pardoned, tolerance
from simspec.claims.ears_paths import CLAIMS, closeness
from simspec.claims.sd import law
from simspec.laws import kl, normalise
from simspec.methods import ears, lenience
from tests import strategies
from tests.claims.ears_cases import assert_claim, plain_step
from tests.claims.rdk_cases import assert_broken, assert_corrections, counterexample, getter

get = getter(CLAIMS)
REFUTED = {"ears.support"}
P, Q = law("1/2", "1/4", "1/4"), law("1/4", "1/4", "1/2")


def test_paths_by_hand() -> None:
    """t = 1/2 at β = 1: ratios (2, 1, 1/2); the last token is kept by coins to 1/2, pardoned from 1/2 to 1."""
    standard, pardon = ears_paths._paths(P, Q, F(1))
    assert standard.tolist() == [1, 1, F(1, 2)] and pardon.tolist() == [0, 0, F(1, 2)]
    standard, pardon = ears_paths._laws_of_paths(P, Q, F(1))
    assert standard.tolist() == [F(1, 3)] * 3 and pardon.tolist() == [0, 0, 1]


def test_divergences_by_hand() -> None:
    """KL of (1/3, 1/3, 1/3) to p is log(4/3) − log(2)/3, of (0, 0, 1) log 4; log(1/α) = log(4/3) lies between."""
    near, far = (float(closeness(a, P)) for a in ears_paths._laws_of_paths(P, Q, F(1)))
    assert -log(near) == pytest.approx(log(4 / 3) - log(2) / 3, rel=1e-14)
    assert -log(far) == pytest.approx(log(4), rel=1e-14)


def test_impossible_tokens_are_infinitely_far() -> None:
    p, q = law("1/2", "1/2", 0), law(0, "1/2", "1/2")
    assert closeness(ears_paths._laws_of_paths(p, q, F(1))[1], p) == 0
    assert plain_step(p.tolist(), q.tolist(), F(1))[1] == [0, 0, F(1, 4)]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    assert_claim(claim, REFUTED)


def test_an_impossible_token_is_accepted() -> None:
    found = counterexample(get("ears.support"))
    p, q = found["p"].tolist(), found["q"].tolist()
    pardon = plain_step(p, q, found["beta"])[1]
    assert sum(m for m, x in zip(pardon, p, strict=True) if x == 0) > 0


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


def _unclipped(p, q, beta):
    """The pardoned law without the limit (q − p)₊."""
    standard, _ = ears_paths._laws_of_paths(p, q, beta)
    wrong = normalise(np.where(q > p, tolerance(p, beta) * q, 0), otherwise=p)
    return np.array([*standard, *wrong, *ears_paths._two_paths(p, q, beta)[-2:]], dtype=object)


def _turned(p, q, beta):
    """Closeness of the two paths exchanged."""
    *laws, near, far = ears_paths._two_paths_closed(p, q, beta)
    return np.array([*laws, far, near], dtype=object)


def _order(change):
    return lambda p, q, beta: change(*ears_paths._chain(p, q, beta))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ears.single-threshold", {"rhs": lambda p, q: np.where(q > 0, np.minimum(1, p / np.where(q > 0, q, 1)), 0)}),
        (
            "ears.single-threshold",
            {
                "rhs": lambda p, q, beta: np.where(
                    q > 0, np.minimum(1, p / np.where(q > 0, q, 1) * (1 + tolerance(p, beta))), 0
                )
            },
        ),
        ("ears.two-paths", {"rhs": _unclipped}),
        ("ears.two-paths", {"rhs": _turned}),
        ("ears.two-paths-order", {"lhs": _order(lambda a, b: b), "rhs": _order(lambda a, b: a)}),
        ("ears.two-paths-order", {"rhs": _order(lambda a, b: b[[0, 1, 0, 3, 4]])}),
        ("ears.two-paths-order", {"rhs": _order(lambda a, b: b[[0, 1, 2, 3, 3]])}),
        ("ears.support-corrected", {"rhs": lambda p, q, beta: np.where((p > 0) | (q == 0), 0, np.minimum(1, beta))}),
        (
            "ears.support-lenience",
            {
                "rhs": lambda p, q, factor: np.stack(
                    [0 * p.max(), np.minimum(np.maximum(q - p, 0), p / factor).sum(axis=-1)]
                )
            },
        ),
        (
            "ears.support-lenience",
            {
                "lhs": lambda p, q, beta: np.stack([np.where(p > 0, 0, ears(beta).keep(p, q)).sum(), 0 * p.max()]),
                "rhs": lambda p: np.stack([0 * p.max()] * 2),
            },
        ),
        ("ears.cache", {"lhs": lambda p, q, tokens, coins, beta, cached: _stale(p, q, tokens, coins, beta, cached)}),
        (
            "ears.cache",
            {"rhs": lambda p, q, tokens, coins, beta: ears_paths._as_printed(p, q, tokens, coins, 2 * beta)},
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)


def _stale(p, q, tokens, coins, beta, cached):
    """A cache that is one position behind."""
    return ears_paths._verified(p, q, tokens, coins, beta, np.roll(cached, 1))


def test_a_second_coin_accepts_more() -> None:
    """p = (1/2, 1/2), q = (1, 0), β = 1/2: R = 1/2, t = 1/4; one coin 3/4, two coins 1/2 + 1/2 · 3/4 = 7/8."""
    claim = get("ears.single-threshold")
    one = {"p": law("1/2", "1/2"), "q": law(1, 0), "beta": F(1, 2)}
    assert claim.sides(one)[0][0].tolist() == [F(3, 4), 0]
    assert claim.sides({**one, "second_coin": True})[0][0].tolist() == [F(7, 8), 0]


def test_pardoned_mass_reaches_where_the_target_never_writes() -> None:
    """t = 1/2: of (q − p)₊ = (0, 1/4, 1/4) EARS pardons (0, 1/4, 1/8), lenience 2/3 keeps (0, 1/8, 0) more."""
    p, q = law("3/4", "1/4", 0), law("1/4", "1/2", "1/4")
    assert pardoned(p, q, F(2)).tolist() == [0, F(1, 4), F(1, 8)]
    assert (lenience(F(2, 3)).keep(p, q) - np.minimum(p, q)).tolist() == [0, F(1, 8), 0]


def test_a_tolerance_beyond_one_accepts_everything() -> None:
    """β = 2 on three equal tokens: t = 4/3."""
    instance = {"p": law("1/3", "1/3", "1/3", 0), "q": law(0, 0, 0, 1), "beta": F(2)}
    assert get("ears.support-corrected").sides(instance)[0].tolist() == [0, 0, 0, 1]
    assert (get("ears.support-corrected").slack(instance) == 0).all()
