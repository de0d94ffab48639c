"""Quantile keys: by hand, against the joint law, enumerated key by key, with two planted errors."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from simspec.laws import exact, overlap
from simspec.methods import acceptance_rate, is_lossless
from simspec.methods.coupling import (
    drawn_by_key,
    given_draft,
    match_probability,
    quantile,
    quantile_masses,
    quantile_match,
    quantile_tokens,
    quantile_verifier,
)
from simspec.methods.registry import rule
from simspec.methods.verifier.verifier import Facts, by_program, by_rows, facts, outcomes
from simspec.methods.watermark import keyed_acceptance, quantile_coupling, quantile_keys
from tests import strategies as some

P, Q = exact([F(1, 2), F(1, 4), F(1, 4)]), exact([F(1, 4), F(1, 4), F(1, 2)])
ROWS, DRAFTS = exact([P, Q, [0, F(1, 2), F(1, 2)]]), exact([Q, P])


def test_by_hand() -> None:
    """Intervals (0, 1/2, 3/4, 1) and (0, 1/4, 1/2, 1): token 0 shares 1/4, token 1 nothing, token 2 the last 1/4."""
    assert quantile_masses(P, Q).tolist() == [F(1, 4), 0, F(1, 4)]
    assert quantile_match(P, Q) == acceptance_rate(rule("quantile"), P, Q) == F(1, 2)
    assert quantile_match(P, Q) < match_probability(P, Q) < overlap(P, Q)
    # the draft 2 was drawn by a key in [1/2, 1): the target draws token 1 with one half of these keys, token 2 with the other
    assert given_draft(P, Q, 2).tolist() == [0, F(1, 4), F(1, 4)]
    with pytest.raises(ValueError, match="p: "):
        quantile_match(np.array([0.5, 0.6]), np.array([0.5, 0.5]))


@given(some.pairs())
def test_the_masses_are_the_diagonal_of_the_joint_law(pair) -> None:
    p, q = pair
    masses = quantile_masses(p, q)
    some.assert_exact(masses)
    joint = quantile_coupling(q, p)
    assert masses.tolist() == np.diag(joint).tolist()
    assert masses.sum() == keyed_acceptance(quantile_keys(p, q))
    assert is_lossless(quantile(), p, q)
    for token in np.flatnonzero(q > 0):
        assert given_draft(p, q, int(token)).tolist() == joint[token].tolist()


def by_keys(rows, drafts, places: int) -> dict[tuple[int, ...], F]:
    """Law of the emitted tokens over keys, each in the middle of one of equally many places; exact where masses are as coarse."""
    keys = np.array(list(product((np.arange(places) + 0.5) / places, repeat=len(rows))))
    tokens = quantile_tokens(rows.astype(float), drafts.astype(float), keys)
    texts, counts = np.unique(tokens, axis=0, return_counts=True)
    return {
        tuple(t for t in text if t >= 0): F(int(n), len(keys)) for text, n in zip(texts.tolist(), counts, strict=True)
    }


def of_verifier(verifier) -> tuple[dict[tuple[int, ...], F], Facts]:
    found: dict[tuple[int, ...], F] = {}
    ways = outcomes(verifier, by_rows(ROWS), by_rows(DRAFTS), 2)
    for outcome in ways:
        found[outcome.tokens] = found.get(outcome.tokens, F(0)) + outcome.probability
    return found, facts(ways, by_rows(ROWS), 2)


def test_the_verifier_has_the_law_that_its_keys_have_one_by_one() -> None:
    """Masses are quarters, so four keys for each of three positions are all that differ: 64 calls of the reference, counted."""
    found, of = of_verifier(quantile_verifier)
    assert found == by_keys(ROWS, DRAFTS, 4)
    first = quantile_match(P, Q)
    assert (of.tv, of.acceptance, of.accepted) == (0, first, first + first * quantile_match(Q, P))


def test_a_planted_error_is_seen_key_by_key() -> None:
    """The target's token from a key of its own: the law is right, and the keys disagree more often."""

    def own_key(p, q, x, chance):
        for i, token in enumerate(x):
            sample = chance.draw(p[i])
            if sample != token:
                return (*x[:i], sample), i
        return (*x, chance.draw(p[-1])), len(x)

    planted, of = of_verifier(by_program(own_key))
    assert planted != by_keys(ROWS, DRAFTS, 4) and of.tv == 0
    assert of.acceptance == F(5, 16) != quantile_match(P, Q)


def test_a_planted_error_in_the_row_is_seen_in_the_law() -> None:
    """The row of the joint law the wrong way round: what the draft's key gives for the target's token."""

    def turned(p, q, x, chance):
        for i, token in enumerate(x):
            sample = chance.draw(given_draft(q[i], p[i], token))
            if sample != token:
                return (*x[:i], sample), i
        return (*x, chance.draw(p[-1])), len(x)

    laws = exact([[F(1, 2), F(1, 2)], [1, 0]]), exact([[F(1, 4), F(3, 4)]])
    found = facts(outcomes(by_program(turned), by_rows(laws[0]), by_rows(laws[1]), 1), by_rows(laws[0]), 1)
    assert found.tv > 0


def test_floats_are_as_the_fractions() -> None:
    rng = np.random.default_rng(0)
    for vocab in (2, 3, 64):
        p, q = rng.dirichlet(np.ones(vocab), (2, 5))
        found = quantile_masses(p, q)
        wanted = [np.diag(quantile_coupling(b, a)) for a, b in zip(p, q, strict=True)]
        np.testing.assert_allclose(found, wanted, atol=1e-15 * vocab)


def test_a_draft_below_the_spacing_of_floats_has_a_token() -> None:
    """A token that no sum shows is drafted all the same: the target's token is that of its place, and never an impossible one."""
    tiny = np.array([0.5, 1e-20, 0.5 - 1e-20])
    assert given_draft(np.array([0.25, 0.75, 0.0]), tiny, 1).tolist() == [0, 1, 0]
    assert given_draft(np.array([0.25, 0.75, 0.0]), np.array([0.5, 0.5, 1e-20]), 2).tolist() == [0, 1, 0]
    assert drawn_by_key(np.array([0.25, 0.75, 0.0]), np.array([np.nextafter(1, 0)])).tolist() == [1]


def test_the_order_of_tokens_decides() -> None:
    """By hand: two laws that share one token agree never where it comes second in both places, and always where it is first."""
    p, q = exact([F(1, 2), F(1, 2), 0]), exact([0, F(1, 2), F(1, 2)])
    first = [1, 0, 2]
    assert quantile_match(p, q) == 0 and quantile_match(p[first], q[first]) == overlap(p, q) == F(1, 2)
