"""Claims on the RDK map and on TLI's ceiling: hand-computed cases, verdicts, mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.draw import ExactDraw, FloatDraw
from simspec.claims.rdk.any_drafter import exp_of_covariance
from simspec.claims.rdk.parts import contraction, normal_rows, proposed, weights
from simspec.claims.words import law, mask, matrix
from simspec.laws import overlap, restrict
from simspec.methods import acceptance_rate, affinity_matrix, dense, rdk, tli
from tests.claims.cases import assert_broken, assert_corrections, assert_floats, assert_verdict, claims_of, getter

CLAIMS = claims_of(
    "rdk.identity-is-tli",
    "rdk.mass-preserved",
    "rdk.draws-everything",
    "rdk.non-expansive",
    "rdk.tli-ceiling",
    "rdk.tli-vs-none",
    "rdk.percentage",
)

get = getter(CLAIMS)
REFUTED = {"rdk.percentage"}


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
    assert exp_of_covariance(W)
    assert np.linalg.eigvalsh(np.log(W.astype(float))).min() > 0
    assert exp_of_covariance(weights(FloatDraw(seed, vocab=40, rows=3, matrix=40), 40))


def test_contraction_by_hand() -> None:
    assert contraction(matrix("3/4 1/4", "1/4 3/4")) == F(1, 2)
    assert contraction(matrix("1/3 2/3", "1/3 2/3")) == 0


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    assert_verdict(claim, "refuted" if claim.name in REFUTED else "holds")


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.instances and "float" in c.sources], ids=lambda c: c.name)
def test_floats_agree(claim) -> None:
    assert_floats(claim, claim.name in REFUTED)


def test_corrections() -> None:
    assert_corrections(CLAIMS)


def test_percentage_by_hand() -> None:
    assert get("rdk.percentage").slack({"kept": 500, "vocab": 200_000}) == -abs(F(1, 4) - F(1, 4000))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("rdk.identity-is-tli", {"rhs": lambda q, shared: q}),
        ("rdk.identity-is-tli", {"lhs": lambda q, shared, M: np.where(shared, q, 0)}),
        (
            "rdk.mass-preserved",
            {
                "lhs": lambda q, shared, M: np.stack(
                    [proposed(q, shared, M.T).sum(axis=-1), 0 * q.sum(axis=-1)], axis=-1
                )
            },
        ),
        ("rdk.non-expansive", {"lhs": lambda x, y, M: abs((x - y) @ M.T).sum(axis=-1)}),
        ("rdk.non-expansive-sharp", {"rhs": lambda x, y, M: contraction(M) * abs(x - y).sum(axis=-1) / 2}),
        ("rdk.tli-ceiling", {"rhs": lambda p, shared: np.where(shared, 0, p).sum(axis=-1)}),
        (
            "rdk.tli-ceiling-sharp",
            {"lhs": lambda p, q, shared: np.stack([acceptance_rate(tli(shared), p, q), overlap(p, p)])},
        ),
        ("rdk.tli-vs-none", {"rhs": lambda p, q: overlap(p, q)}),
        ("rdk.tli-vs-none-sharp", {"lhs": lambda p, q, shared: overlap(p, restrict(q, shared))}),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
