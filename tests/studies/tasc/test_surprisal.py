"""Surprisal under Witten-Bell models: by hand, against the recursion written out, and as a law."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.studies.tasc.surprisal import surprisals

V = 3
TEXTS = st.lists(st.lists(st.integers(0, V - 1), max_size=6), min_size=1, max_size=4).filter(any)


def test_by_hand():
    """Of 0 1 0: p1(0) = (2 + 2/2)/5 = 3/5; after 0, seen once each at most: p2(1 | 0) = (1 + 2/5)/2, p2(0 | 0) = (3/5)/2."""
    p = 2.0 ** -surprisals([[0, 1, 0]], [[0, 1], [0, 0]], vocab=2, order=2)
    assert p.shape == (2, 4)
    start = (1 + 3 / 5) / 2  # one text, which begins with 0
    np.testing.assert_allclose(p, [[3 / 5, 2 / 5, 3 / 5, 3 / 5], [start, (1 + 2 / 5) / 2, start, (3 / 5) / 2]])


def test_an_unseen_context_falls_back():
    bits = surprisals([[0, 1]], [[2, 0, 1]], vocab=3, order=3)
    assert bits[1, 1] == bits[0, 1]  # nothing was seen after 2
    assert bits[2, 2] == bits[1, 2]  # nor after 2 0


def _recursion(train: list[list[int]], context: tuple[int, ...], token: int, vocab: int) -> float:
    """p(token | context), the longest context first, as in the formula."""
    n = len(context)
    lower = _recursion(train, context[1:], token, vocab) if context else 1 / vocab
    follow: Counter[int] = Counter()
    for text in train:
        padded = [vocab] * n + text
        follow.update(padded[i] for i in range(n, len(padded)) if tuple(padded[i - n : i]) == context)
    total, kinds = sum(follow.values()), len(follow)
    return (follow[token] + kinds * lower) / (total + kinds) if total else lower


@given(TEXTS, TEXTS, st.integers(1, 3))
@settings(max_examples=30)
def test_equals_the_recursion(train, texts, order):
    found = 2.0 ** -surprisals(train, texts, V, order)[order - 1]
    expected: list[Any] = []
    for text in texts:
        padded = [V] * (order - 1) + text
        for i, token in enumerate(text):
            expected.append(_recursion(train, tuple(padded[i : i + order - 1]), token, V))
    np.testing.assert_allclose(found, expected)


@given(TEXTS, st.lists(st.integers(0, V - 1), max_size=3), st.integers(1, 4))
@settings(max_examples=30)
def test_is_a_law(train, context, order):
    ends = surprisals(train, [[*context, token] for token in range(V)], V, order)[:, len(context) :: len(context) + 1]
    np.testing.assert_allclose((2.0**-ends).sum(axis=1), 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0]], [[0]], 2, 0), "order: 0"),
        (([[]], [[0]], 2, 1), "train: 1 texts without a token"),
        (([[2]], [[0]], 2, 1), "token 2"),
        (([[0]], [[2]], 2, 1), "token 2"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        surprisals(*arguments)


def test_no_text_has_no_surprisal():
    assert surprisals([[0]], [[]], 2, 2).shape == (2, 0)
