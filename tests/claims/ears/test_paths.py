"""Claims about the two paths of EARS: hand cases, verdicts, necessity, mutations."""

from fractions import Fraction as F

import numpy as np
from hypothesis import given

from simspec.claims.ears.parts import closeness, pardoned
from simspec.claims.words import law
from simspec.laws import kl
from simspec.methods import lenience
from tests import strategies
from tests.claims.cases import get


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
