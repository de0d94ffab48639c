"""Keyed drafts and residual tokens with fresh coins: against laws in fractions, counted key by key, and a planted error."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from simspec.audit.adapters.ours import adapted_rule
from simspec.laws import exact, overlap, tv
from simspec.methods import SD, block_outcomes
from simspec.methods.coupling import fresh_coin_tokens, one_key_verifier, two_keys_verifier
from simspec.methods.verifier.verifier import by_rows, facts, outcomes
from simspec.methods.watermark import fresh_coin_law, quantile_coupling
from tests import strategies as some

P, Q = exact([F(1, 2), F(1, 4), 0, F(1, 4)]), exact([F(1, 4), F(3, 4), 0, 0])
LAST = exact([1, 0, 0, 0])
ROWS, DRAFTS = np.stack([P, LAST]), Q[None]
PLACES = 12
"""As many keys, and as many coins, decide all that quarters and thirds of quarters can."""


def first_token(verifier, p, q):
    """Law of the first token of one draft."""
    law = exact(np.zeros(len(p), dtype=int))
    for outcome in outcomes(verifier, by_rows([p, p]), by_rows([q]), 1):
        law[outcome.tokens[0]] += outcome.probability
    return law


@given(some.pairs())
def test_one_key_has_the_law_of_its_function(pair) -> None:
    p, q = pair
    rest = np.maximum(p - q, 0)
    rest = rest / rest.sum() if rest.any() else p
    found = first_token(one_key_verifier, p, q)
    assert found.tolist() == fresh_coin_law(p, q, quantile_coupling(q, rest)).tolist()
    assert tv(found, p) <= overlap(p, q) * (1 - overlap(p, q))  # watermark.fresh-coins.one-key-corrected


@given(some.pairs(high=4))
def test_two_keys_are_speculative_decoding(pair) -> None:
    p, q = pair
    rows, drafts = by_rows([p, q, p]), by_rows([q, p])
    ways = list(block_outcomes(SD, rows, drafts, (), 2))
    assert facts(outcomes(two_keys_verifier, rows, drafts, 2), rows, 2) == facts(ways, rows, 2)


def by_keys(has_two_keys: bool, places: int = PLACES) -> dict[tuple[int, ...], F]:
    """Law of the emitted tokens: every key and coin in the middle of its place, counted."""
    grid = (np.arange(places) + 0.5) / places
    cases = np.array(list(product(grid, repeat=2 + has_two_keys)))
    keys = np.column_stack([cases[:, 0], np.full(len(cases), 0.5)])
    residual_keys = cases[:, 2:] if has_two_keys else keys[:, :1]
    tokens = fresh_coin_tokens(ROWS.astype(float), DRAFTS.astype(float), keys, residual_keys, cases[:, 1:2])
    texts, counts = np.unique(tokens, axis=0, return_counts=True)
    return {
        tuple(t for t in text if t >= 0): F(int(n), len(cases)) for text, n in zip(texts.tolist(), counts, strict=True)
    }


def of_verifier(verifier) -> dict[tuple[int, ...], F]:
    law: dict[tuple[int, ...], F] = {}
    for outcome in outcomes(verifier, by_rows(ROWS), by_rows(DRAFTS), 1):
        law[outcome.tokens] = law.get(outcome.tokens, F(0)) + outcome.probability
    return law


def test_the_verifiers_have_the_laws_that_keys_and_coins_have_one_by_one() -> None:
    """By hand: a third of the coins keep token 1, which keys from 1/4 on draft; below 1/2 they draw residual token 0, then 3."""
    one, two = of_verifier(one_key_verifier), of_verifier(two_keys_verifier)
    assert one == by_keys(False) == {(0, 0): F(1, 4), (1, 0): F(1, 4), (0,): F(1, 6), (3,): F(1, 3)}
    assert two == by_keys(True) == {(0, 0): F(1, 4), (1, 0): F(1, 4), (0,): F(1, 4), (3,): F(1, 4)}


def test_a_planted_error_is_seen() -> None:
    """One key where two are meant, and two where one is: each differs from the other's reference."""
    assert of_verifier(one_key_verifier) != by_keys(True)
    assert of_verifier(two_keys_verifier) != by_keys(False)


@pytest.mark.parametrize("name", ["quantile", "two-keys", "one-key"])
def test_an_audit_takes_them_by_name(name) -> None:
    """Each emits as it does as a verifier: by hand, the second draft of `one-key` always ends in the last token."""
    adapted = adapted_rule(name)
    p = np.array([[0.5, 0.0, 0.25, 0.25], [1.0, 0.0, 0.0, 0.0]])
    tokens = adapted.with_uniforms(p, np.array([[0.5, 0.5, 0.0, 0.0]]), np.array([[1]] * 4), np.full((4, 3), 0.1))
    assert set(tokens[:, 0].tolist()) == {{"quantile": 2, "two-keys": 2, "one-key": 3}[name]}
