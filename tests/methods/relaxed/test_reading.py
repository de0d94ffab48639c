"""Drafts read again as one-token rules and as verifiers: lossless for every reading, and what the texts themselves give."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.laws import Array, exact
from simspec.methods import acceptance_rate, tv
from simspec.methods.relaxed import Vocabulary, first_tokens, slrs
from simspec.methods.relaxed.reading import (
    first_law,
    match,
    match_fresh,
    merging,
    slem,
    slem_verifier,
    slrs_rule,
    slrs_verifier,
)
from simspec.methods.verifier import by_rows, facts, one_path, outcomes
from tests.strategies import laws

LETTERS = Vocabulary(("a", "b", "ab"))


@st.composite
def read(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    vocab = draw(st.integers(1, 4))
    first = draw(st.lists(st.integers(0, vocab - 1), min_size=vocab, max_size=vocab))
    return draw(laws(vocab)), draw(laws(vocab)), np.array(first)


@settings(max_examples=25, deadline=None)
@given(read())
def test_one_token_rules_are_lossless_whatever_is_read(drawn) -> None:
    p, q, first = drawn
    psi = first_law(q, first)
    assert psi.sum() == 1 and all(psi[t] == q[first == t].sum() for t in range(len(p)))
    for rule in (match(), slem(first), slrs_rule(first)):
        assert tv(rule, p, q) == 0
    assert acceptance_rate(slem(first), p, q) == (p * psi).sum() <= acceptance_rate(slrs_rule(first), p, q)
    wide = np.stack([[q, psi]] * 2).astype(float)
    assert first_law(wide, first).shape == wide.shape
    np.testing.assert_allclose(first_law(wide, first)[1, 0], psi.astype(float))


def test_a_fresh_sample_is_biased_by_hand() -> None:
    """p = (1/2, 1/2), the draft is token 0: kept with 1/2, else token 0 again with 1/2."""
    assert tv(match_fresh(), exact(["1/2", "1/2"]), exact([1, 0])) == F(1, 4)


def test_verifiers_are_the_rules_on_texts() -> None:
    """Two drafts of a, b and ab: the text ab is one token of the target."""
    p = exact([["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"], ["1/8", "5/8", "1/4"]])
    q = exact([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"]])
    texts = [(mass, LETTERS.text(path)) for mass, path in one_path(by_rows(q), 2)]
    psi = first_tokens(texts, LETTERS)
    assert merging(3)((0, 1, 0)) == (2, 0) and psi[2] == F(1, 4) + F(1, 2) * F(1, 2)
    for verifier, kept in ((slem_verifier, (p[0] * psi).sum()), (slrs_verifier, slrs(p[0], texts, LETTERS)[0])):
        found = facts(outcomes(verifier(merging(3)), by_rows(p), by_rows(q), 2), by_rows(p), 2)
        assert found.tv == 0 and found.acceptance == kept


def test_without_drafts_the_target_draws() -> None:
    p = exact(["1/2", "1/2"])
    for verifier in (slem_verifier, slrs_verifier):
        found = outcomes(verifier(merging(2)), lambda x: p, lambda x: p, 0)
        assert [tuple(o) for o in found] == [(F(1, 2), (0,), 0), (F(1, 2), (1,), 0)]
