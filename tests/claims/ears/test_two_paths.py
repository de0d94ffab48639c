"""`ears.two-paths`: cases by hand and mutations."""

from fractions import Fraction as F
from math import log

import pytest

from simspec.claims.ears.parts import both_paths, closeness
from simspec.claims.ears.two_paths import _laws_of_paths
from simspec.claims.words import law
from tests.claims.ears.cases import plain_step

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
