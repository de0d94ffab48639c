"""The table of a growing text equals the table of the same text trained at once."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given

from simspec.kernels.ngram import reference
from simspec.methods.tasc.corpus_table import train
from simspec.methods.tasc.drafter import Part, PromptNgrams, check_tokens, combine, law
from tests import strategies
from tests.methods.tasc import drafter_cases as some


def test_grows_by_hand() -> None:
    table = PromptNgrams(n_max=3, vocab=3)
    assert law(table, [], exact=True).tolist() == [1, 0, 0]  # nothing seen: token 0
    for token in (1, 2, 1):
        table.append(token)
    assert law(table, [], exact=True).tolist() == [0, F(2, 3), F(1, 3)]
    assert law(table, [0, 1], exact=True).tolist() == [0, 0, 1]
    table.append(1)
    assert law(table, [0, 1], exact=True).tolist() == [0, F(1, 2), F(1, 2)]
    assert law(table, [2, 1], exact=True).tolist() == [0, 1, 0]


@given(some.text, some.text, some.text, some.settings)
def test_equals_a_table_trained_at_once(before, after, context, settings) -> None:
    n_max, min_count, n_min = settings
    grown = PromptNgrams(n_max, some.VOCAB, min_count, n_min).begin(before)
    for token in after:
        grown.append(token)
    whole = before + after
    once = train([whole], n_max, min_count, some.VOCAB, n_min)
    for place in (context, whole):
        assert [np.asarray(x).tolist() for x in grown.match(place)] == [
            np.asarray(x).tolist() for x in once.match(place)
        ]
    assert grown.most_frequent == once.most_frequent


@pytest.mark.parametrize("vocab", [1, 3, 50_000])
def test_is_the_index_of_growing_texts_and_has_its_meaning(vocab) -> None:
    """Long enough to grow some times; one token over and over, few tokens, hardly any twice."""
    text = np.random.default_rng(vocab).integers(vocab, size=700)
    table = PromptNgrams(n_max=4, vocab=vocab, n_min=2)
    for place, token in enumerate(text):
        if place % 97 == 0:
            seen = text[:place]
            for context in (seen[-3:], text[place + 1 : place + 4]):
                order, tokens, counts = table.match(context.tolist())
                expected = reference.after(seen, context, 4, 2, 1)
                assert (order, tokens.tolist(), counts.tolist()) == (expected[0], *(x.tolist() for x in expected[1:]))
        table.append(int(token))
    np.testing.assert_array_equal(table.ngrams.text, text)


def test_beginning_forgets() -> None:
    old = PromptNgrams(n_max=2, vocab=3, min_count=2, n_min=2).begin([0, 1, 0, 1])
    new = old.begin([2, 2, 2])
    assert law(new, [2]).tolist() == [0, 0, 1] and law(new, [0]).tolist() == [0, 0, 1]
    assert law(old, [0]).tolist() == [0, 1, 0]  # untouched
    assert (new.n_max, new.vocab, new.min_count, new.n_min) == (2, 3, 2, 2)
    assert repr(new) == "PromptNgrams(n_max=2, vocab=3, min_count=2, n_min=2: 3 tokens)"


@given(some.texts, some.text, some.settings)
def test_laws_are_laws_and_exact_ones_exact(texts, context, settings) -> None:
    n_max, min_count, n_min = settings
    table = train(texts, n_max, min_count, some.VOCAB, n_min)
    exact = law(table, context, exact=True)
    strategies.assert_exact(exact)
    assert exact.sum() == 1 and (exact >= 0).all()
    assert np.allclose(law(table, context), exact.astype(float), rtol=1e-15, atol=0)


def test_parts_add_up() -> None:
    parts = [Part(F(1, 4), np.array([0, 2]), np.array([1, 3])), Part(F(3, 4), np.array([2]), np.array([7]))]
    assert combine(parts, 3, exact=True).tolist() == [F(1, 16), 0, F(15, 16)]
    assert combine(parts, 3).tolist() == [1 / 16, 0, 15 / 16]


def test_bad_input() -> None:
    table = PromptNgrams(n_max=2, vocab=2)
    with pytest.raises(ValueError, match="token: token 2; expected tokens 0..1"):
        table.append(2)
    with pytest.raises(ValueError, match="prompt: token -1; expected tokens 0..1"):
        table.begin([-1])
    with pytest.raises(ValueError, match="vocab: 0; expected an integer of at least 1"):
        PromptNgrams(n_max=2, vocab=0)
    with pytest.raises(ValueError, match="text: token 'a'; expected tokens 0..1"):
        check_tokens("ab", 2, "text")  # type: ignore[arg-type]
