"""Claims on linear-time RDK: what it may know, what is left of the draft, operation counts."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.words import law
from simspec.methods import affine, exponential, normalised
from tests.claims.cases import (
    assert_broken,
    assert_corrections,
    assert_floats,
    assert_verdict,
    claims_of,
    getter,
)

CLAIMS = claims_of("rdk.approximator-available", "rdk.linear-is-mixture", "rdk.linear-time")

get = getter(CLAIMS)
REFUTED = {"rdk.approximator-available.target"}


def test_affine_by_hand() -> None:
    """p = (1, 0), s = 1, τ = 1: ½[1 + (1 − ½)] = ¾; with the other target the two entries change places."""
    q, c = law("1/2", "1/2"), law(1, 1)
    assert affine(law(1, 0), c, F(1))(q).tolist() == [F(3, 4), F(1, 4)]
    assert affine(law(0, 1), c, F(1))(q).tolist() == [F(1, 4), F(3, 4)]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    assert_verdict(claim, "refuted" if claim.name in REFUTED else "holds")


@pytest.mark.parametrize("claim", [c for c in CLAIMS if "float" in c.sources], ids=lambda c: c.name)
def test_floats_agree(claim) -> None:
    assert_floats(claim, claim.name in REFUTED)


def test_corrections() -> None:
    assert_corrections(CLAIMS)


def test_drafts_of_one_tilt_propose_one_law() -> None:
    """The draft enters through s only: two drafts far apart with one s are moved to one law."""
    c, prior = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.3, 0.2])
    a, b = np.array([0.5, 0.0, 0.5]), np.array([0.0, 1.0, 0.0])
    for form in (affine, normalised, exponential):
        assert np.allclose(form(prior, c, 1.0)(a), form(prior, c, 1.0)(b), atol=1e-15)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("rdk.linear-is-mixture", {"rhs": lambda prior, q: np.stack([prior] * 2)}),
        (
            "rdk.linear-is-mixture",
            {"lhs": lambda prior, q, c, tau: np.stack([form(prior, c, tau)(q) for form in (affine, normalised)])},
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
