"""Claims that compare RDK with TLI: counterexamples recomputed by hand."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.authoring import circulation, law, matrix
from simspec.claims.draw import ExactDraw
from simspec.claims.rdk.parts import drift, normal_rows
from simspec.laws.unchecked import overlap
from tests import strategies
from tests.claims.cases import counterexample, get


def plain_rates(p, q, shared, M) -> tuple[F, F]:
    """α of TLI and of RDK from the definitions, in loops over plain fractions."""
    size = len(p)
    mass = sum(q[i] for i in range(size) if shared[i])
    count = sum(map(bool, shared))
    d = [(q[i] / mass if mass else F(1, count)) if shared[i] else F(0) for i in range(size)]
    r = [sum(d[i] * M[i][j] for i in range(size)) for j in range(size)]
    return sum(min(a, b) for a, b in zip(p, d, strict=True)), sum(min(a, b) for a, b in zip(p, r, strict=True))


def test_one_covariance_by_hand() -> None:
    """Ω/τ = log 2 · I, target and draft both certain of token 0: acceptance 1 falls to 2/3."""
    M = normal_rows(matrix("2 1", "1 2"))
    assert plain_rates([F(1), F(0)], [F(1), F(0)], [True, True], M.tolist()) == (1, F(2, 3))


@pytest.mark.parametrize("name", ["rdk.never-worse", "rdk.any-drafter"])
def test_counterexamples_recomputed(name) -> None:
    found = counterexample(name)
    M = found["M"] if "M" in found else found["W"] / found["W"].sum(axis=1, keepdims=True)
    assert all(sum(row) == 1 and min(row) >= 0 for row in M.tolist())
    before, after = plain_rates(found["p"].tolist(), found["q"].tolist(), found["shared"].tolist(), M.tolist())
    assert after < before
    assert len(found["p"]) == 2


def test_counterexample_to_any_drafter_is_a_covariance() -> None:
    """Of its own target: diag(p) − p pᵀ, nowhere negative; that of a point mass is zero."""
    found = counterexample("rdk.any-drafter")
    p, omega = found["p"].astype(float), np.log(found["W"].astype(float))
    np.testing.assert_allclose(omega, np.diag(p) - np.outer(p, p), atol=1e-12)
    assert np.linalg.eigvalsh(omega).min() >= -1e-12


@given(st.data())
def test_gain_and_loss_on_larger_vocabularies(data) -> None:
    """Beyond the sizes of the exact search: the identity, both worst cases and their equality at q' = p."""
    n = data.draw(strategies.vocabularies(2))
    p, q = data.draw(strategies.laws(n)), data.draw(strategies.laws(n))
    M, shared = data.draw(strategies.batches(n, rows=n)), np.ones(n, dtype=bool)
    assert get("rdk.never-worse-sharp").slack({"p": p, "q": q, "shared": shared, "M": M}) == 0
    assert get("rdk.worst-case-acceptance-sharp").slack({"p": p, "q": q, "shared": shared, "M": M}) >= 0
    assert 1 - overlap(p, p @ M) == drift(M, p) / 2


@pytest.mark.parametrize("seed", range(20))
def test_circulation_has_the_law_it_says(seed) -> None:
    N, pi = circulation(ExactDraw(rng=np.random.default_rng(seed)), 3)
    assert (N.sum(axis=1) == 1).all() and sum(pi) == 1
    assert drift(N, pi) == 0


def test_the_target_must_be_stationary() -> None:
    """Only if: a drafter that equals a target which is not stationary loses, by half of the drift."""
    M, p = matrix("3/4 1/4", "1/2 1/2"), law("1/2", "1/2")
    assert overlap(p, p) - overlap(p, p @ M) == drift(M, p) / 2 == F(1, 8)
    assert (law("2/3", "1/3") @ M == law("2/3", "1/3")).all()
