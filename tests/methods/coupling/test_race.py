"""Gumbel and minhash couplings of one draft: by hand, against the double sum, against races run with coins."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given

from simspec import laws
from simspec.kernels.random import make_key, uniform
from simspec.methods import SD, acceptance_rate, is_lossless
from simspec.methods.coupling import (
    gumbel,
    gumbel_verifier,
    joint_law,
    match_masses,
    match_probability,
    match_reference,
    minhash,
    minhash_probability,
    race,
)
from simspec.methods.verifier.verifier import by_rows, facts, outcomes
from tests import strategies as some

P, Q = laws.exact([0.5, 0.25, 0.25]), laws.exact([0.25, 0.25, 0.5])


def test_by_hand() -> None:
    """Token 1: 1/(1 + 1 + 2) of max ratios (1, 1, 2); token 2: 1/(2 + 1 + 2); token 3 as token 1."""
    assert match_masses(P, Q).tolist() == [F(1, 4), F(1, 5), F(1, 4)]
    assert (match_probability(P, Q), minhash_probability(P, Q), acceptance_rate(SD, P, Q)) == (
        F(7, 10),
        F(3, 5),
        F(3, 4),
    )


@given(some.pairs())
def test_the_sorted_form_is_the_double_sum_and_the_trace_of_the_joint_law(pair) -> None:
    p, q = pair
    masses, joint = match_masses(p, q), joint_law(p, q)
    some.assert_exact(masses)
    assert masses.tolist() == match_reference(p, q).tolist() == np.diag(joint).tolist()
    assert (joint.sum(axis=1) == q).all() and (joint.sum(axis=0) == p).all()


@given(some.pairs())
def test_both_rules_are_lossless_and_in_order(pair) -> None:
    p, q = pair
    assert is_lossless(gumbel(), p, q) and is_lossless(minhash(), p, q)
    assert acceptance_rate(minhash(), p, q) <= acceptance_rate(gumbel(), p, q) <= acceptance_rate(SD, p, q)


def edge_laws(vocab: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Random laws, ties, zeros, equal laws, disjoint supports, masses near the smallest float."""
    p, q = rng.dirichlet(np.full(vocab, 0.1), 2)
    low = (np.arange(vocab) < vocab // 2).astype(float)
    tied = np.ones(vocab) / vocab
    tiny = np.where(np.arange(vocab) % 3 == 0, 1e-300, 1.0)
    cut = np.where(rng.random(vocab) < 0.5, p, 0)
    found = [
        (p, q),
        (tied, q),
        (tied, tied),
        (p, p),
        (low, 1 - low),
        (tiny, q),
        (q, tiny),
        (tiny, tiny[::-1]),
        (cut, q),
    ]
    return [(a / a.sum(), b / b.sum()) for a, b in found]


@pytest.mark.parametrize("vocab", [2, 3, 64, 257])
def test_floats_are_those_of_the_reference(vocab) -> None:
    for p, q in edge_laws(vocab, np.random.default_rng(vocab)):
        with np.errstate(under="ignore"):
            whole = np.maximum(p[:, None] / np.where(p > 0, p, 1), q[:, None] / np.where(q > 0, q, 1)).sum(axis=0)
            wanted = np.where((p > 0) & (q > 0), 1 / whole, 0)  # a double sum of ratios: no product underflows
        np.testing.assert_allclose(match_masses(p, q), wanted, rtol=(vocab + 16) * 2.3e-16, atol=1e-299)


def test_any_leading_shape_one_token_and_float32() -> None:
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(5), (2, 3)), rng.dirichlet(np.ones(5), (2, 3))
    found = match_probability(p, q)
    assert found.shape == (2, 3)
    assert found[1, 2] == match_probability(p[1, 2], q[1, 2])
    assert match_probability(np.ones((4, 1)), np.ones((4, 1))).tolist() == [1] * 4
    assert abs(match_probability(p.astype(np.float32), q.astype(np.float32)) - found).max() < 1e-6
    with pytest.raises(ValueError, match="p: "):
        match_probability(np.array([0.5, 0.6]), np.array([0.5, 0.5]))


def test_at_the_size_of_a_vocabulary() -> None:
    """128,256 tokens, the same law shifted by one token: every step of the sort counts, and a lower bound is known."""
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.full(128_256, 0.01))
    q = np.roll(p, 1)
    found, least = match_probability(p, q), minhash_probability(p, q)
    assert least <= found <= np.minimum(p, q).sum() + 1e-12
    assert match_probability(p, p) == pytest.approx(1, abs=1e-10)


def winners(p: np.ndarray, q: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Winners of n pairs of races with the same Philox coins."""
    key = make_key(0, "tests", "gumbel")
    noise = -np.log(uniform(key, range(n), range(len(p))))
    return race(noise, q), race(noise, p)


def test_races_with_coins_have_the_joint_law() -> None:
    """Every entry within six standard errors of 20,000 races: false alarm below 1e-7; the wrong coupling misses by more."""
    n, p, q = 20_000, np.array([0.5, 0.3, 0.0, 0.2]), np.array([0.1, 0.3, 0.4, 0.2])
    x, y = winners(p, q, n)
    counts = np.zeros((4, 4))
    np.add.at(counts, (x, y), 1 / n)
    law = joint_law(p, q)
    assert (abs(counts - law) <= 6 * np.sqrt(law * (1 - law) / n) + 1e-12).all()
    independent = q[:, None] * p
    assert not (abs(counts - independent) <= 6 * np.sqrt(independent / n) + 1e-12).all()
    assert abs((x == y).mean() - match_probability(p, q)) < 6 * 0.5 / np.sqrt(n)


def test_the_verifier_accepts_with_the_formula_and_is_lossless() -> None:
    rows = [P, Q, laws.exact([0, 0.5, 0.5])]
    drafts = [Q, P]
    found = facts(outcomes(gumbel_verifier, by_rows(rows), by_rows(drafts), 2), by_rows(rows), 2)
    first = match_probability(P, Q)
    assert (found.tv, found.acceptance, found.accepted) == (0, first, first + first**2)
