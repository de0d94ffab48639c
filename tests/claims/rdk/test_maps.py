"""Claims on the RDK map and on TLI's ceiling: hand-computed cases."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law, mask, matrix
from simspec.claims.draw import ExactDraw, FloatDraw
from simspec.claims.rdk.any_drafter import own_covariance, own_weights
from simspec.claims.rdk.parts import contraction, normal_rows, proposed, weights
from simspec.methods import affinity_matrix, dense, rdk
from tests.claims.cases import get


def test_proposed_by_hand() -> None:
    M = matrix("1/2 0 1/2", "0 1 0", "0 0 1")
    q, shared = law("1/4", "1/4", "1/2"), mask("110")
    assert proposed(q, shared, M).tolist() == [F(1, 4), F(1, 2), F(1, 4)]
    assert (rdk(shared, dense(M)).propose(q) == proposed(q, shared, M)).all()


def test_weights_are_the_kernel_of_equation_2() -> None:
    W = matrix("2 1", "1 2")  # Ω/τ = log 2 on the diagonal, 0 elsewhere
    omega = np.array([[np.log(2), 0.0], [0.0, np.log(2)]])
    assert np.allclose(affinity_matrix(omega, 1.0), normal_rows(W).astype(float), atol=1e-15)
    assert normal_rows(W).tolist() == [[F(2, 3), F(1, 3)], [F(1, 3), F(2, 3)]]


@pytest.mark.parametrize("seed", range(20))
def test_drawn_weights_are_exponentials_of_covariances(seed) -> None:
    W = weights(ExactDraw(rng=np.random.default_rng(seed)), 3)
    assert (W == W.T).all() and np.linalg.eigvalsh(np.log(W.astype(float))).min() > 0
    W = weights(FloatDraw(seed, vocab=40, rows=3, matrix=40), 40)
    assert np.linalg.eigvalsh(np.log(W)).min() >= -1e-8


def test_weights_of_the_targets_own_covariance() -> None:
    """p = (1/4, 3/4): Ω = 3/16 on the diagonal, −3/16 elsewhere, and one unit worth 2; of (1/2, 1/4, 1/4), units of 1/16."""
    p = law("1/4", "3/4")
    assert own_weights(p, 2).tolist() == [[2, F(1, 2)], [F(1, 2), 2]] and own_covariance(p, own_weights(p, 2))
    three = own_weights(law("1/2", "1/4", "1/4"), 2)
    assert three.tolist() == [[16, F(1, 4), F(1, 4)], [F(1, 4), 8, F(1, 2)], [F(1, 4), F(1, 2), 8]]
    omega = np.array([[4, -2, -2], [-2, 3, -1], [-2, -1, 3]]) / 16
    assert np.allclose(normal_rows(three).astype(float), affinity_matrix(omega, 1 / (16 * np.log(2))))
    assert own_covariance(law("1/2", "1/4", "1/4"), three) and not own_covariance(law("1/4", "1/2", "1/4"), three)
    assert not own_covariance(p, own_weights(p, F(1, 2)))  # a negative temperature


def test_contraction_by_hand() -> None:
    assert contraction(matrix("3/4 1/4", "1/4 3/4")) == F(1, 2)
    assert contraction(matrix("1/3 2/3", "1/3 2/3")) == 0


def test_percentage_by_hand() -> None:
    assert get("rdk.percentage").slack({"kept": 500, "vocab": 200_000}) == -abs(F(1, 4) - F(1, 4000))


def test_zero_entries_leave_tokens_undrawn() -> None:
    claim = get("rdk.draws-everything")
    (instance,) = claim.outside.values()
    assert proposed(instance["q"], instance["shared"], instance["M"]).tolist() == [1, 0]


def test_projected_logits_by_hand() -> None:
    """Weights 2 and 3, both sent to the first token: exp(log 2 + log 3) and exp(0), against masses 1 and 0."""
    w, to = law(2, 3), np.array([0, 0])
    assert get("rdk.project-logits").sides({"w": w, "to": to})[0].tolist() == [F(6, 7), F(1, 7)]
    assert get("rdk.project-logits").sides({"w": w, "to": to})[1].tolist() == [1, 0]
    # a constant log 2 more on both logits is the same law, and another result
    assert get("rdk.project-logits").sides({"w": 2 * w, "to": to})[0].tolist() == [F(24, 25), F(1, 25)]
    assert get("rdk.project-logits").slack({"w": w, "to": np.array([1, 0])}).tolist() == [0, 0]


def test_strings_by_hand() -> None:
    """The target writes “aa” in one token, the draft “a” twice: with M leading there it is accepted, and lossless."""
    (case,) = get("rdk.any-vocabularies").tight
    assert proposed(case["q"], case["shared"], case["M"]).tolist() == [0, F(1, 2), F(1, 2)]
    left, right = get("rdk.any-vocabularies").sides(case)
    assert left.tolist() == right.tolist() == [0, 1, 0]
