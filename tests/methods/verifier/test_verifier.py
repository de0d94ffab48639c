"""Verifiers: what follows from a list of outcomes, by hand, against one-token rules, and on bad input."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.laws import exact
from simspec.methods import SD, Outcome, acceptance_rate, block_outcomes, ears, text_law
from simspec.methods.verifier.verifier import (
    by_nodes,
    by_program,
    by_rows,
    facts,
    from_method,
    next_tokens,
    one_path,
    outcomes,
)
from tests.strategies import pairs

P, Q = exact(np.array([0.5, 0.5])), exact(np.array([0.75, 0.25]))


def grouped(found):
    books = {}
    for o in found:
        books[o.tokens, o.accepted] = books.get((o.tokens, o.accepted), 0) + o.probability
    return {key: mass for key, mass in books.items() if mass}


def test_by_hand() -> None:
    """SD on p = (1/2, 1/2), q = (3/4, 1/4): token 0 is kept 2 times in 3, token 1 always; a refusal gives token 1."""
    drafting, verifier = from_method(SD)
    found = outcomes(verifier, lambda x: P, lambda x: Q, 1, drafting)
    quarter = Fraction(1, 4)
    assert grouped(found) == {
        ((0, 0), 1): quarter,
        ((0, 1), 1): quarter,
        ((1,), 0): quarter,
        ((1, 0), 1): quarter / 2,
        ((1, 1), 1): quarter / 2,
    }
    of = facts(found, lambda x: P, 1)
    assert of.law == of.target == dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1)], quarter)
    assert (of.tv, of.kl) == (0, 0)
    assert (of.acceptance, of.accepted, of.length, of.lengths) == (
        3 * quarter,
        3 * quarter,
        7 * quarter,
        (quarter, 3 * quarter),
    )


def test_a_biased_verifier_by_hand() -> None:
    """What is always drafted is always emitted: a token that the target never says, and a divergence without end."""
    keep_all = by_program(lambda p, q, x, chance: ((*x, chance.draw(p[-1])), len(x)))
    target, draft = by_rows(exact(np.array([[1, 0], [0.5, 0.5]]))), by_rows(exact(np.array([[0.25, 0.75]])))
    of = facts(outcomes(keep_all, target, draft, 1), target, 1)
    assert (of.tv, of.kl, of.length) == (Fraction(3, 4), math.inf, 2)
    half = facts([Outcome(1, (0,), 0)], lambda x: [0.5, 0.5], 0)
    assert (half.tv, half.kl, half.acceptance) == (0.5, math.log(2), 0)


@settings(max_examples=30)
@given(pairs(), st.integers(0, 2), st.sampled_from([SD, ears(Fraction(1, 3))]))
def test_a_method_and_its_verifier_agree(pair, gamma, method) -> None:
    p, q = pair
    if p.shape[-1] ** (gamma + 1) > 200:
        gamma = 1
    target, draft = (lambda x: p), (lambda x: q)
    drafting, verifier = from_method(method)
    found = outcomes(verifier, target, draft, gamma, drafting)
    blocks = list(block_outcomes(method, target, draft, (), gamma))
    assert grouped(found) == grouped(blocks)
    of = facts(found, target, gamma)
    assert of == facts(blocks, target, gamma)
    assert sum(of.law.values()) == sum(of.lengths) == 1
    if gamma:
        assert of.acceptance == acceptance_rate(method, p, q)
    if method is SD:
        assert of.tv == 0


def test_a_verifier_of_several_drafts_by_hand() -> None:
    """Two drafts, the first of which is emitted and never tested; laws are asked for where the tree stands."""
    both = {(): [Fraction(1, 4), Fraction(3, 4)], (0,): [1, 0], (1,): [0, 1]}

    def drafting(draft, gamma):
        return [(Fraction(1, 2), (0, 1)), (Fraction(1, 2), (1, 0))]

    verifier = by_nodes(lambda target, draft, drafts, chance: ((drafts[0], chance.draw(target(drafts[:1]))), 1))
    of = facts(outcomes(verifier, both.__getitem__, both.__getitem__, 1, drafting), both.__getitem__, 1)
    assert of.law == {(0, 0): Fraction(1, 2), (1, 1): Fraction(1, 2)}
    assert of.target == {(0, 0): Fraction(1, 4), (1, 1): Fraction(3, 4)}
    assert (of.tv, of.length) == (Fraction(1, 4), 2)


def test_the_law_of_the_first_token_is_that_of_texts() -> None:
    model = {(): P, (0,): Q, (1,): P}
    target, draft = (lambda x: model[x[-1:]]), (lambda x: model[x[-1:]][::-1])
    method = ears(Fraction(1, 2))
    drafting, verifier = from_method(method)
    law = next_tokens(outcomes(verifier, target, draft, 1, drafting), target, 1)
    assert law == {t: m for t, m in text_law(method, target, draft, 1, 1).items() if m}


def sd_facts(p, q, gamma):
    return facts(outcomes(from_method(SD)[1], lambda x: p, lambda x: q, gamma), lambda x: p, gamma)


def test_floats_agree_with_fractions() -> None:
    p, q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])
    floats, fractions = sd_facts(p, q, 2), sd_facts(exact(p), exact(q), 2)
    assert floats.tv < 1e-15 and fractions.tv == 0
    np.testing.assert_allclose(floats.lengths, np.array(fractions.lengths, dtype=float), rtol=1e-15)


def test_no_draft_is_one_path() -> None:
    assert list(one_path(lambda x: Q, 0)) == [(1, ())]
    assert facts(outcomes(from_method(SD)[1], lambda x: P, lambda x: Q, 0), lambda x: P, 0).lengths == (1,)


@pytest.mark.parametrize("outcome", [Outcome(1, (), 0), Outcome(1, (0, 0, 0), 1), Outcome(1, (0,), 2)])
def test_what_is_no_outcome_is_refused(outcome) -> None:
    with pytest.raises(ValueError, match="expected 1 to 2 tokens"):
        outcomes(lambda target, draft, drafts: [outcome], lambda x: P, lambda x: Q, 1)
    with pytest.raises(ValueError, match="gamma: -1"):
        outcomes(lambda target, draft, drafts: [outcome], lambda x: P, lambda x: Q, -1)
    with pytest.raises(ValueError, match="length: -1"):
        next_tokens([outcome], lambda x: P, -1)


def test_what_would_take_for_ever_is_refused() -> None:
    with pytest.raises(ValueError, match="length: 40; expected at most 100000 texts"):
        next_tokens([Outcome(1, (0,), 0)], lambda x: [0.5, 0.5], 40)
    with pytest.raises(ValueError, match="length: 1000000000; expected a number"):
        next_tokens([Outcome(1, (0,), 0)], lambda x: [0.5, 0.5], 10**9)
    with pytest.raises(ValueError, match="gamma: 251; expected a number of drafts from 0 to 250"):
        next(one_path(lambda x: [0.5, 0.5], 251))


def test_a_verifier_may_emit_its_accepted_drafts_alone() -> None:
    """No token is owed beyond them."""
    (kept,) = outcomes(by_program(lambda p, q, x, chance: (x, len(x))), lambda x: P, lambda x: [0, 1], 1)
    assert (kept.tokens, kept.accepted) == ((1,), 1)
