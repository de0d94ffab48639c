"""Inputs of a draft that reads a text anew at each context; whole windows for statistics."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from simspec.logits.capture.windows import Pool, Window, draft_logits, grouped
from simspec.logits.corpora.documents import Document


def window_of(inputs) -> Window:
    count = len(inputs)
    empty = np.empty(0, dtype=np.int64)
    return Window("c", 0, [0] * count, [], np.arange(count), empty, np.zeros(count, dtype=int), grouped(inputs))


def test_logits_come_back_in_the_order_of_the_contexts() -> None:
    """A stand-in answers with the sum of what it has read, so each context can be told from the others."""
    batches = []

    def logits(inputs, positions):
        batches.append(len(inputs))
        return np.array([[sum(i[: at + 1])] for i, p in zip(inputs, positions, strict=True) for at in p], "f4")

    texts = [[[7], [8, 2], [7, 9], [8], [7, 9, 1], [5]], [[3], [3, 4]]]
    windows = [window_of(inputs) for inputs in texts]
    assert [len(w.readings) for w in windows] == [3, 1] and windows[0].draft_tokens == 3 + 2 + 1
    read = draft_logits(SimpleNamespace(logits=logits), windows)
    assert read[:, 0].tolist() == [sum(tokens) for inputs in texts for tokens in inputs]
    assert batches == [2, 2]


def test_a_window_of_one_input_is_as_before() -> None:
    one = Window("c", 0, [1, 2], [1, 2], np.arange(2), np.arange(2), np.arange(2))
    (reading,) = one.drafted
    assert reading.tokens == [1, 2] and reading.positions.tolist() == reading.contexts.tolist() == [0, 1]


def pool_of(count: int) -> Pool:
    """Documents that are one window of 100 contexts each."""

    def cut(number, document):
        at = np.arange(100)
        return [Window(document.corpus, number, [0] * 100, [], at, at[:0], np.zeros(100, dtype=int), ())]

    documents = [(n, Document(f"text {n}", "c")) for n in range(count)]
    return Pool(documents, cut, np.random.default_rng(0))


def test_statistics_are_of_ten_documents_at_least() -> None:
    """Four windows have the contexts that were asked for; a fold of ten needs a document of its own."""
    assert len({w.document for w in pool_of(12).windows(400)}) == 10
    assert len(pool_of(12).windows(1150)) == 12
    with pytest.raises(
        ValueError, match="texts of 9 documents; expected at least 10, one for each fold; give more texts"
    ):
        pool_of(9).windows(400)
