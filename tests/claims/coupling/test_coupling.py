"""Couplings, by hand: the smallest laws on which a statement fails, and two roads to the same number where it holds."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law, matrix
from simspec.claims.coupling.invariant import emitted
from simspec.claims.coupling.list_exact import own_stream
from simspec.claims.coupling.list_over_rrs import recursive
from simspec.claims.coupling.parts import wins_both
from simspec.claims.texts import markov
from simspec.laws import overlap
from simspec.methods.coupling import list_match, match_masses, match_probability
from tests.claims.cases import counterexample, get

ONE_SHARED = law("1/2", "1/2", 0), law("1/2", 0, "1/2")


def test_one_shared_token() -> None:
    """Half a law in common: matched with 1/3, the minhash number; 1 − TV is 1/2."""
    p, q = ONE_SHARED
    assert (match_probability(p, q), overlap(p, q)) == (F(1, 3), F(1, 2))
    assert wins_both(p, q).tolist() == match_masses(p, q).tolist() == [F(1, 3), 0, 0]


def test_three_tokens_are_needed() -> None:
    found = counterexample("coupling.attains.any")
    assert len(found["p"]) == 3 and match_probability(found["p"], found["q"]) < overlap(found["p"], found["q"])


def test_two_values_of_the_ratio_suffice() -> None:
    """Four tokens whose ratios p/q are 2 and 1/2."""
    p, q = law("1/3", "1/3", "1/6", "1/6"), law("1/6", "1/6", "1/3", "1/3")
    assert match_probability(p, q) == overlap(p, q) == F(2, 3)


@pytest.mark.parametrize(
    ("p", "q", "drafts", "lists", "rejection"),
    [
        (law("1/2", "1/2"), law("1/3", "2/3"), 2, F(83, 90), F(8, 9)),
        (law(0, "1/2", "1/2"), law("1/2", 0, "1/2"), 2, F(13, 30), F(1, 2)),
        (law("1/2", "1/2"), law("1/4", "3/4"), 1, F(3, 4), F(3, 4)),
    ],
)
def test_neither_lists_nor_recursive_rejection_are_always_better(p, q, drafts, lists, rejection) -> None:
    assert (list_match(p, q, drafts), recursive(p, q, drafts)) == (lists, rejection)


def test_the_half_is_best() -> None:
    """A shared token of mass 1/10: (1/10)/(2 − 1/10) = 1/19 of a match, where 1 − TV is 1/10."""
    p, q = law("1/10", "9/10", 0), law("1/10", 0, "9/10")
    assert match_probability(p, q) == F(1, 19)


def test_another_stream_may_match() -> None:
    """p = (0, 1), q = (1/2, 1/2), K = 2: its own stream drafts Y with 2/(2 + 1), either of them more often."""
    p, q = law(0, 1), law("1/2", "1/2")
    assert (own_stream(p, q, 2), list_match(p, q, 2)) == (F(2, 3), F(3, 4))


def test_a_text_by_hand() -> None:
    """Noise (1, 2), (2, 1), (1, 1): a fair target takes tokens 0, 1 and the first of equals, with any drafter."""
    fair, noise = matrix(*["1/2 1/2"] * 3), matrix("1 2", "2 1", "1 1", "1 1")
    for drafter in (fair, matrix(*["1 0"] * 3), matrix(*["0 1"] * 3)):
        assert emitted(markov(fair), markov(drafter), noise, 2, 3) == [0, 1, 0]


def test_the_conditional_bound_of_a_token_that_is_never_drafted() -> None:
    sides = get("coupling.list-conditional").sides({"p": law("1/2", "1/2"), "q": law(1, 0), "drafts": 2})
    assert [s[1] for s in sides] == [0, 0]
    assert np.all(sides[0] >= sides[1])
