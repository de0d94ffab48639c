"""Corpus tables: by hand, against a recount of the corpus, and what they cost."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given

from simspec.logits.corpora import standard_library, words
from simspec.methods.tasc.corpus_table import memory, train
from simspec.methods.tasc.drafter import law
from tests.methods.tasc import drafter_cases as some


def counts(table, context):
    """Order that answers, and {token: count}."""
    match = table.match(context)
    return match.order, dict(zip(match.tokens.tolist(), match.counts.tolist(), strict=True))


def test_longest_context_answers_by_hand() -> None:
    table = train([[0, 1, 2], [3, 1, 0], [3, 1, 0]], n_max=3, vocab=5)
    assert counts(table, [0, 1]) == (3, {2: 1})  # seen once is enough, though [1] knows better
    assert counts(table, [3, 1]) == (3, {0: 2})
    assert counts(table, [2, 1]) == (2, {0: 2, 2: 1})  # 2 1 was never seen: back off to 1
    assert counts(table, [1]) == (2, {0: 2, 2: 1})  # a context shorter than n_max - 1
    assert counts(table, [4]) == counts(table, []) == (1, {0: 3, 1: 3, 2: 1, 3: 2})
    assert counts(table, [3, 1, 4, 0, 1]) == (3, {2: 1})  # only the last two tokens are read


def test_rare_ngrams_are_left_out_and_the_rest_is_normalised() -> None:
    texts = [[0, 1], [0, 1], [0, 2], [2, 0]]
    assert law(train(texts, 2), [0], exact=True).tolist() == [0, F(2, 3), F(1, 3)]
    pruned = train(texts, 2, min_count=2)
    assert counts(pruned, [0]) == (2, {1: 2})
    assert counts(pruned, [2]) == (1, {0: 4, 1: 2, 2: 2})  # 2 0 was seen once: only single tokens are left
    assert counts(train(texts, 2, min_count=5), [0]) == (0, {0: 1})  # nothing left: the most frequent token


def test_smallest_order_asked() -> None:
    table = train([[0, 1], [0, 1], [2, 2]], n_max=2, n_min=2)
    assert counts(table, [0]) == (2, {1: 2})
    assert counts(table, [1]) == counts(table, []) == (0, {0: 1})  # 0, 1 and 2 are seen twice: the lowest
    assert counts(train([[0, 1], [0, 1], [2, 2]], n_max=2), [1]) == (1, {0: 2, 1: 2, 2: 2})


def test_ngrams_do_not_cross_texts() -> None:
    assert counts(train([[0], [1]], n_max=2), [0])[0] == 1
    assert counts(train([[0, 1]], n_max=2), [0])[0] == 2


def test_corpora_that_say_nothing() -> None:
    for texts in ([], [[]], [[], []]):
        table = train(texts, n_max=3, vocab=4)
        assert counts(table, [1, 2]) == counts(table, []) == (0, {0: 1})
        assert memory(table).ngrams == 0


def test_a_token_alone() -> None:
    table = train([[1, 1, 0]], n_max=1)
    assert table.window == 0
    assert counts(table, [0, 0, 0]) == (1, {0: 1, 1: 2})


@given(some.texts, some.text, some.settings)
def test_equals_a_recount(texts, context, settings) -> None:
    n_max, min_count, n_min = settings
    table = train(texts, n_max, min_count, some.VOCAB, n_min)
    expected = some.recount(texts, context, n_max, min_count, n_min)
    assert counts(table, context)[1] == expected
    assert law(table, context, exact=True).tolist() == some.as_law(expected)


@given(some.texts, some.settings)
def test_holds_each_ngram_that_is_frequent_enough_once(texts, settings) -> None:
    n_max, min_count, n_min = settings
    grams = [tuple(t[i : i + n]) for n in range(1, n_max + 1) for t in texts for i in range(len(t) - n + 1)]
    frequent = {g for g in grams if grams.count(g) >= min_count}
    size = memory(train(texts, n_max, min_count, some.VOCAB, n_min))
    assert (size.ngrams, size.contexts) == (len(frequent), len({g[:-1] for g in frequent} | {()}))


def test_arrays_are_texts_too() -> None:
    texts = [np.array([0, 1, 2], dtype=np.uint16), [0, 1]]
    assert counts(train(texts, 2), np.array([0])) == (2, {1: 2})


def test_large_tokens_do_not_meet() -> None:
    vocab = 200_000
    table = train([[vocab - 1, 0, vocab - 1, 70_000], [7, 0, vocab - 1, 6]], n_max=4, vocab=vocab)
    assert counts(table, [vocab - 1, 0, vocab - 1]) == (4, {70_000: 1})
    assert counts(table, [0, vocab - 1]) == (3, {70_000: 1, 6: 1})


class Counting(dict):
    """A hash table that counts what it is asked."""

    asked = 0

    def get(self, key, default=None):
        self.asked += 1
        return super().get(key, default)


@pytest.mark.parametrize("size", [10, 30_000])
def test_look_ups_do_not_grow_with_the_corpus(size) -> None:
    text = np.random.default_rng(0).integers(0, 5, size)
    table = train([text, [0, 1, 2, 3]], n_max=4, vocab=5)
    children = Counting(table.children)
    table = replace(table, children=children)
    assert counts(table, [0, 1, 2])[0] == 4
    assert children.asked == 3


def test_memory_is_what_the_table_holds() -> None:
    text = np.random.default_rng(1).integers(0, 50, 20_000)
    tracemalloc.start()
    try:
        table = train([text], n_max=3, vocab=50)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    size = memory(table)
    assert size.bytes == pytest.approx(held, rel=0.05)
    assert size.ngrams == len(table.tokens)


@pytest.mark.parametrize(("least", "low", "high"), [(1, 60, 80), (5, 40, 50)])
def test_bytes_of_an_ngram_are_those_that_are_stated(least, low, high) -> None:
    number: dict[str, int] = {}
    outputs = standard_library("docstrings").outputs
    texts = [[number.setdefault(word, len(number)) for word in words(text)] for text in outputs]
    size = memory(train(texts, 4, least))
    assert low < size.bytes / size.ngrams < high


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"texts": [[0, 5]], "vocab": 3}, "texts: token 5; expected tokens 0..2"),
        ({"texts": [[-1]], "vocab": 3}, "texts: token -1; expected tokens 0..2"),
        ({"texts": [[-1, 2]]}, "texts: token -1; expected tokens 0..2"),
        ({"texts": []}, "texts: 0 without any token; expected tokens, or vocab to be given"),
        ({"texts": ["ab"]}, "texts: 'ab'; expected sequences of integer tokens"),
        ({"texts": [[0.5]]}, "texts: '[0.5]'; expected sequences of integer tokens"),
        ({"texts": [[0]], "n_max": 0}, "n_max: 0; expected an integer of at least 1"),
        ({"texts": [[0]], "min_count": 0}, "min_count: 0; expected an integer of at least 1"),
        ({"texts": [[0]], "n_max": 2, "n_min": 3}, "n_min: 3; expected 1 <= n_min <= 2, the largest order"),
        ({"texts": [], "vocab": 0}, "vocab: 0; expected an integer of at least 1"),
    ],
)
def test_bad_input(arguments, message) -> None:
    with pytest.raises(ValueError) as error:
        train(**arguments)
    assert str(error.value) == message


def test_contexts_outside_the_vocabulary_are_refused() -> None:
    table = train([[0, 1, 0]], n_max=2)
    for bad in (-1, 2, 0.5):
        with pytest.raises(ValueError, match=f"context: token {bad}; expected tokens 0..1"):
            table.match([0, bad])
