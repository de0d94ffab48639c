"""Keyed sampling: quantile keys by hand, margins and deficits in fractions, fresh coins, and a planted error."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.laws import exact, overlap, tv
from simspec.methods.coupling import match_probability
from simspec.methods.watermark import (
    Keys,
    fresh_coin_agreement,
    fresh_coin_law,
    keyed_acceptance,
    keyed_deficit,
    quantile_coupling,
    quantile_keys,
)


def _law(rng: np.random.Generator, vocab: int) -> np.ndarray:
    counts = rng.integers(0, 5, size=vocab)
    counts[rng.integers(vocab)] += counts.sum() == 0
    return exact([F(int(c), int(counts.sum())) for c in counts])


@pytest.mark.parametrize("seed", range(30))
def test_quantile_keys_have_the_laws_as_means(seed: int) -> None:
    rng = np.random.default_rng(seed)
    vocab = 1 + seed % 4
    p, q = _law(rng, vocab), _law(rng, vocab)
    keys = quantile_keys(p, q)
    weights = keys.weights[:, None]
    assert ((weights * keys.target).sum(axis=0) == p).all() and ((weights * keys.draft).sum(axis=0) == q).all()
    assert overlap(p, q) - keyed_acceptance(keys) == keyed_deficit(keys) >= 0
    floats = quantile_coupling(p.astype(float), q.astype(float))
    assert floats.sum(axis=1) == pytest.approx(p.astype(float))
    assert floats.sum(axis=0) == pytest.approx(q.astype(float))


@pytest.mark.parametrize("seed", range(10))
def test_two_tokens_lose_nothing_by_either_kind_of_key(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = _law(rng, 2), _law(rng, 2)
    assert keyed_acceptance(quantile_keys(p, q)) == overlap(p, q) == match_probability(p, q)


def test_one_key_for_draft_and_residual_token_is_off() -> None:
    p, q = exact([F(1, 2), 0, F(1, 4), F(1, 4)]), exact([F(1, 2), F(1, 2), 0, 0])
    rest = exact([0, 0, F(1, 2), F(1, 2)])
    assert tv(fresh_coin_law(p, q, quantile_coupling(q, rest)), p) == F(1, 4)
    assert (fresh_coin_law(p, q, q[:, None] * rest) == p).all()
    assert fresh_coin_agreement(p, q) == 1
    assert fresh_coin_agreement(exact([F(1, 4), F(3, 4)]), exact([F(1, 2), F(1, 2)])) == F(3, 4)


def test_a_planted_error_is_seen() -> None:
    """Keys of two independent numbers: each law is right, and the deficit shows."""
    p = exact([F(1, 2), F(1, 2)])
    keys = Keys(
        exact([F(1, 4)] * 4), exact(np.eye(2, dtype=int)[[0, 0, 1, 1]]), exact(np.eye(2, dtype=int)[[0, 1, 0, 1]])
    )
    assert keyed_acceptance(keys) == F(1, 2) == overlap(p, p) - keyed_deficit(keys)
