"""Claims on the order of the linear-time forms in the temperature."""

import numpy as np
import pytest

from simspec.claims.balls import enclose
from simspec.claims.rdk.first_order import assembled
from simspec.laws import softmax
from tests.claims.cases import (
    assert_broken,
    assert_corrections,
    assert_floats,
    assert_verdict,
    claims_of,
    getter,
)

CLAIMS = claims_of("rdk.taylor-order", "rdk.taylor-order-general", "rdk.taylor-order-approximate")

get = getter(CLAIMS)
REFUTED = {"rdk.taylor-order-approximate"}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    assert_verdict(claim, "refuted" if claim.name in REFUTED else "holds")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_floats_agree(claim) -> None:
    assert_floats(claim, claim.name in REFUTED)


def test_corrections() -> None:
    assert_corrections(CLAIMS)


def test_second_derivative_bound() -> None:
    """What all constants rest on: ‖d²/dt² softmax(tx)‖₁ ≤ range(x)²/2, on a grid of t and random x."""
    x = np.random.default_rng(5).normal(size=(200, 1, 7))
    f = softmax(x * np.linspace(-6, 6, 121)[:, None])
    centred = x - (f * x).sum(axis=-1, keepdims=True)
    second = f * (centred**2 - (f * centred**2).sum(axis=-1, keepdims=True))
    assert (abs(second).sum(axis=-1).max(axis=1) <= np.ptp(x, axis=-1)[:, 0] ** 2 / 2).all()


def _constant(U, lam, diag, q):
    omega = assembled(U, lam, diag)
    return (q * (omega.max(axis=-1) - omega.min(axis=-1)) ** 2).sum(axis=-1)


def _plain_errors(p, q, c, U, lam, diag, tau):
    """The errors themselves, without taking off the term of order 1/τ."""
    return get("rdk.taylor-order").lhs(p, q, c, assembled(U, lam, diag), tau)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("rdk.taylor-order", {"rhs": lambda p, q, c, tau: get("rdk.taylor-order").rhs(p, q, c, tau) / 3}),
        (
            "rdk.taylor-order",
            {"rhs": lambda p, q, c, tau: get("rdk.taylor-order").rhs(p, q, c, tau)[::-1]},
        ),
        (
            "rdk.taylor-order-general",
            {"rhs": lambda U, lam, diag, q, tau: enclose(_constant(U, lam, diag, q) / tau**2 / 24)},
        ),
        (
            "rdk.taylor-order-general",
            {"lhs": lambda U, lam, diag, q, tau: get("rdk.taylor-order-general").lhs(U, lam, 2 * diag, q, tau)},
        ),
        (
            "rdk.taylor-order-approximate-corrected",
            {
                "rhs": lambda p, q, c, U, lam, diag, tau: np.stack(
                    [enclose(_constant(U, lam, diag, q) / tau**2 / 4)] * 3
                )
            },
        ),
        ("rdk.taylor-order-approximate-corrected", {"lhs": _plain_errors}),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
