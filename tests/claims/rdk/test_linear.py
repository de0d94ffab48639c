"""Claims on linear-time RDK: what it may know, what is left of the draft, operation counts."""

from fractions import Fraction as F

import numpy as np

from simspec.claims.words import law
from simspec.methods import affine, exponential, normalised


def test_affine_by_hand() -> None:
    """p = (1, 0), s = 1, τ = 1: ½[1 + (1 − ½)] = ¾; with the other target the two entries change places."""
    q, c = law("1/2", "1/2"), law(1, 1)
    assert affine(law(1, 0), c, F(1))(q).tolist() == [F(3, 4), F(1, 4)]
    assert affine(law(0, 1), c, F(1))(q).tolist() == [F(1, 4), F(3, 4)]


def test_drafts_of_one_tilt_propose_one_law() -> None:
    """The draft enters through s only: two drafts far apart with one s are moved to one law."""
    c, prior = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.3, 0.2])
    a, b = np.array([0.5, 0.0, 0.5]), np.array([0.0, 1.0, 0.0])
    for form in (affine, normalised, exponential):
        assert np.allclose(form(prior, c, 1.0)(a), form(prior, c, 1.0)(b), atol=1e-15)
