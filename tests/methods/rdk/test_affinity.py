"""Affinities by hand, their forms against one another, and what makes them laws."""

from __future__ import annotations

import pickle
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.kernels.affinity import numba_affinity
from simspec.methods import (
    SD,
    acceptance_rate,
    affine,
    affinity_matrix,
    dense,
    exponential,
    factored,
    first_order,
    is_lossless,
    normalised,
    rdk,
    tli,
)
from simspec.provenance.walk import code_of
from tests import strategies as some

SHARED = np.array([True, True, False])
M = laws.exact(np.array([[0.5, 0, 0.5], [0, 1, 0], [0, 0, 1]]))
P = laws.exact(np.array([0.5, 0.25, 0.25]))
Q = laws.exact(np.array([0.25, 0.25, 0.5]))
FORMS = (affine, normalised, exponential)


def test_dense_by_hand() -> None:
    method = rdk(SHARED, dense(M))
    assert method.propose(Q).tolist() == [F(1, 4), F(1, 2), F(1, 4)]
    assert acceptance_rate(method, P, Q) == F(3, 4)
    assert is_lossless(method, P, Q)


def test_linear_forms_by_hand() -> None:
    """V = 2, prior (1, 0), Σ v c = 2, τ = 4, so s/τ = 1/2: affine weight 1/4, normalised 1/5, exponential e^½ : 1."""
    prior, v = laws.exact(np.array([1, 0])), laws.exact(np.array([0.5, 0.5]))
    c = laws.exact(np.array([1, 3]))
    assert affine(prior, c, 4)(v).tolist() == [F(5, 8), F(3, 8)]
    assert normalised(prior, c, 4)(v).tolist() == [F(3, 5), F(2, 5)]
    e = np.exp(0.5)
    assert exponential(np.array([1.0, 0]), np.array([1.0, 3]), 4)(np.array([0.5, 0.5])) == pytest.approx(
        [e / (e + 1), 1 / (e + 1)], rel=1e-15
    )


def test_first_order_by_hand() -> None:
    """Ω = diag(2, 0), all draft mass on token 0, τ = 4: u = (2, 0), ū = 1, so ½(1 ± 1/4)."""
    form = first_order(np.zeros((2, 1)), np.zeros(1), np.array([2.0, 0.0]), 4.0)
    assert form(np.array([1.0, 0.0])).tolist() == [0.625, 0.375]
    assert form(np.array([0.0, 1.0])).tolist() == [0.5, 0.5]


@given(st.data())
def test_the_identity_is_tli_and_the_proposal_is_a_law(data) -> None:
    vocab = data.draw(some.vocabularies())
    q, mask, matrix = data.draw(some.laws(vocab)), data.draw(some.masks(vocab)), data.draw(some.batches(vocab, vocab))
    assert (rdk(mask, dense(laws.exact(np.eye(vocab)))).propose(q) == tli(mask).propose(q)).all()
    r = rdk(mask, dense(matrix)).propose(q)
    assert r.sum() == 1 and (r >= 0).all()
    some.assert_exact(r)
    by_hand = [sum(tli(mask).propose(q)[i] * matrix[i, j] for i in range(vocab)) for j in range(vocab)]
    assert r.tolist() == by_hand


@given(st.data())
def test_affine_and_normalised_are_mixtures_of_uniform_and_prior(data) -> None:
    vocab = data.draw(some.vocabularies())
    prior, v = data.draw(some.laws(vocab)), data.draw(some.laws(vocab))
    c, temperature = data.draw(some.shares()), data.draw(some.fractions(F(1, 8), 4, 8))
    s = c / temperature
    for form, weight in ((affine, s / vocab), (normalised, s / (vocab + s))):
        r = form(prior, c, temperature)(v)
        assert (r == (1 - weight) * F(1, vocab) + weight * prior).all()
        some.assert_exact(r)
        assert (r.min() >= 0) or s > vocab  # a law up to s/τ = V


def test_affine_beyond_its_range_is_not_a_law() -> None:
    """s/τ = 3 > V = 2 puts −1/4 on a token: the sum is still one, the entry is negative, and `check_law` says so."""
    r = affine(laws.exact(np.array([1, 0])), 3, 1)(laws.exact(np.array([1, 0])))
    assert r.tolist() == [F(5, 4), F(-1, 4)]
    with pytest.raises(ValueError, match="holds the mass -1/4"):
        laws.check_law(r, "d")


@given(st.integers(0, 10**6))
def test_factored_is_the_dense_softmax_of_its_covariance(seed) -> None:
    rng = np.random.default_rng(seed)
    vocab, rank = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    U, lam, diag = rng.normal(size=(vocab, rank)), rng.random(rank), rng.random(vocab)
    temperature = float(rng.uniform(0.2, 4))
    omega = (U * lam) @ U.T + np.diag(diag)
    v = laws.softmax(rng.normal(size=(2, vocab)))
    expected = dense(affinity_matrix(omega, temperature))(v)
    assert factored(U, lam, diag, temperature)(v) == pytest.approx(expected, abs=1e-13)


def test_first_order_forms_approach_the_exact_affinity_as_the_temperature_grows() -> None:
    """The error is of order τ⁻²: a hundredfold temperature divides it by about ten thousand."""
    rng = np.random.default_rng(3)
    U, lam, diag = rng.normal(size=(6, 2)), np.array([1.0, 0.5]), rng.random(6)
    v = laws.softmax(rng.normal(size=6))
    gaps = [np.abs(first_order(U, lam, diag, t)(v) - factored(U, lam, diag, t)(v)).sum() for t in (100.0, 10_000.0)]
    assert 9_000 < gaps[0] / gaps[1] < 11_000


def test_affinity_matrix_at_extremes() -> None:
    assert affinity_matrix(np.diag([1000.0, 1000.0]), 0.5).tolist() == [[1, 0], [0, 1]]
    assert affinity_matrix(np.zeros((2, 2)), 1).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_one_token_and_agreement_of_the_arithmetics() -> None:
    one = np.array([1.0])
    for affinity in (
        dense(one[:, None]),
        factored(one[:, None], one, one, 1.0),
        first_order(one[:, None], one, one, 1.0),
    ):
        assert affinity(one).tolist() == [1]
    for form in FORMS:
        assert form(one, 0.5, 1)(one).tolist() == [1]
    for dtype in (np.float32, np.float64):
        method = rdk(SHARED, dense(some.as_float(M, dtype)))
        assert method.propose(some.as_float(Q, dtype)).tolist() == [0.25, 0.5, 0.25]
        assert method.propose(some.as_float(Q, dtype)).dtype == dtype


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dense(np.ones((2, 3)) / 3), r"M: shape \(2, 3\); expected a square matrix"),
        (lambda: dense(np.array([[0.5, 0.4], [0, 1]])), r"M: row \(0,\) sums to 0.9"),
        (lambda: dense(np.array([[1.5, -0.5], [0, 1]])), r"M: row \(0,\) holds the mass -0.5"),
        (lambda: rdk(np.array([False, False]), dense(np.eye(2))), "shared: no token is true"),
        (lambda: factored(np.ones((2, 1)), np.ones(2), np.ones(2), 1), "U, lam, diag: shapes"),
    ],
)
def test_bad_input_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("temperature", [0, -1, float("nan")])
def test_bad_temperatures_are_refused(temperature) -> None:
    column, one = np.ones((2, 1)), np.ones(1)
    makers = [
        lambda: affinity_matrix(np.eye(2), temperature),
        lambda: factored(column, one, np.ones(2), temperature),
        lambda: first_order(column, one, np.ones(2), temperature),
        *(lambda form=form: form(np.full(2, 0.5), 1, temperature) for form in FORMS),
    ]
    for make in makers:
        with pytest.raises(ValueError, match=f"temperature: {temperature}; expected a positive number"):
            make()


def test_verification_is_that_of_speculative_decoding() -> None:
    method = rdk(SHARED, dense(M))
    assert method.accept is SD.accept and method.residual is SD.residual


def test_what_an_affinity_keeps_is_no_part_of_it(monkeypatch) -> None:
    """A factored affinity sums each row once; used or not it equals, hashes, pickles and counts as code alike."""
    rng = np.random.default_rng(1)
    U, lam, diag = rng.normal(size=(600, 2)), rng.random(2), rng.random(600)
    v = laws.softmax(rng.normal(size=600))
    used, fresh = factored(U, lam, diag, 0.5), factored(U, lam, diag, 0.5)
    before = code_of([used])
    summed = []
    normalise = numba_affinity.normalise
    monkeypatch.setattr(
        numba_affinity, "normalise", lambda *args: (summed.append(args[-1] - args[-2]), normalise(*args))
    )
    first = used(v)
    assert sum(summed) == 600
    assert (used(v) == first).all() and sum(summed) == 600
    assert used == fresh and hash(used) == hash(fresh) and pickle.dumps(used) == pickle.dumps(fresh)
    assert (pickle.loads(pickle.dumps(used))(v) == first).all() and sum(summed) == 1200
    assert code_of([used]) == before
    U[:, 0] *= 2  # who changes an array afterwards changes the affinity
    assert (used(v) == fresh(v)).all() and (used(v) != first).any()
