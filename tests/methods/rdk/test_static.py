"""The best fixed masses outside the shared vocabulary, against a linear program that knows nothing of sorting."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from scipy.optimize import linprog

from simspec.claims.draw import ExactDraw
from simspec.laws import exact, restrict
from simspec.methods import acceptance_rate, static, static_acceptance, static_mixture, tli


def best_by_linear_program(p: np.ndarray, d: np.ndarray, shared: np.ndarray) -> float:
    """Largest mean acceptance over masses a: maximise kept mass k with k ≤ p and k ≤ (1 − Σa) d + a."""
    contexts, vocab = p.shape
    cost = np.concatenate([np.zeros(vocab), -np.ones(p.size) / contexts])
    kept = np.eye(p.size)
    drafted = np.hstack([np.repeat(d.reshape(-1, 1), vocab, 1) - np.tile(np.eye(vocab), (contexts, 1)), kept])
    wanted = np.hstack([np.zeros((p.size, vocab)), kept])
    budget = np.concatenate([np.ones(vocab), np.zeros(p.size)])[None]
    bounds = [(0, 0 if flag else None) for flag in shared] + [(None, None)] * p.size
    found = linprog(cost, np.vstack([drafted, wanted, budget]), [*d.ravel(), *p.ravel(), 1], bounds=bounds)
    return -found.fun


def test_by_hand() -> None:
    """The draft knows token 0 only.  A unit on token 1 is worth ½ (one context of two wants it), and costs the share of
    contexts in which token 0 is still wanted: none until (1 − w) = ¾, so w = ¼ is free of cost in context 2 only."""
    p = exact([[1, 3], [3, 1]]) / 4
    q = exact([[1, 0], [1, 0]])
    best = static_mixture(p, q, np.array([True, False]))
    # worth 1 up to a = ¼ (both want it), then ½ up to ¾; costs 0 up to w = ¼, ½ up to ¾, 1 beyond
    assert best.extra.tolist() == [0, F(1, 4)]
    assert best.acceptance == F(1, 2) * (F(1, 4) + F(1, 4)) + F(1, 2) * (F(3, 4) + F(1, 4))
    assert best.gain == F(1, 4) and best.level == F(1, 2)


def test_no_masses_do_better_than_the_linear_program() -> None:
    rng = np.random.default_rng(5)
    with_mass = 0
    for _ in range(120):
        draw = ExactDraw(rng=rng)
        n, contexts = draw.vocab(2), draw.integer(1, 4)
        p, q = (np.stack([draw.law(n) for _ in range(contexts)]) for _ in range(2))
        shared = draw.mask(n)
        best = static_mixture(p, q, shared)
        assert all(isinstance(v, F) for v in (*best.extra, best.level, best.acceptance, best.gain))
        limit = best_by_linear_program(p.astype(float), restrict(q, shared).astype(float), shared)
        assert float(best.acceptance) == pytest.approx(limit, abs=1e-9)
        floats = static_mixture(p.astype(float), q.astype(float), shared)
        assert floats.acceptance == pytest.approx(limit, abs=1e-9)
        with_mass += best.extra.sum() > 0
    assert with_mass > 40


def test_it_is_a_method_and_keeps_the_target() -> None:
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(6), 3), rng.dirichlet(np.ones(6), 3)
    shared = np.array([True, True, True, False, False, False])
    best = static_mixture(p, q, shared)
    method = static(shared, best.extra)
    assert acceptance_rate(method, p, q).mean() == pytest.approx(best.acceptance)
    assert best.acceptance - best.gain == pytest.approx(acceptance_rate(tli(shared), p, q).mean())
    np.testing.assert_allclose(method.propose(q).sum(axis=-1), 1)


def test_edges() -> None:
    """Everything shared, nothing wanted outside, one context, V = 1, and disjoint laws."""
    p = exact([[1, 0], [0, 1]])
    assert static_mixture(p, p, np.array([True, True])).gain == 0
    assert static_mixture(p[:1], p[:1], np.array([True, False])).extra.sum() == 0
    one = static_mixture(exact([[1]]), exact([[1]]), np.array([True]))
    assert one.extra.tolist() == [0] and one.acceptance == 1
    all_outside = static_mixture(p[1:], p[:1], np.array([True, False]))
    assert all_outside.extra.tolist() == [0, 1] and all_outside.acceptance == 1


@pytest.mark.parametrize(
    ("shared", "extra", "match"),
    [
        ([True, False], [0.5, 0.0], "outside the shared"),
        ([True, False], [0.0, -0.1], "masses >= 0"),
        ([True, False], [0.0, 1.5], "at most 1"),
        ([False, False], [0.0, 0.0], "shared"),
    ],
)
def test_bad_masses_are_refused(shared: list[bool], extra: list[float], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        static(np.array(shared), np.array(extra))


def test_bad_laws_are_refused() -> None:
    with pytest.raises(ValueError, match="p"):
        static_mixture(np.array([[0.5, 0.6]]), np.array([[0.5, 0.5]]), np.array([True, False]))
    assert static_acceptance(np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.array([True, False]), np.zeros(2)) == 0.5
