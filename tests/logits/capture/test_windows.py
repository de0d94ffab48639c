"""Inputs of a draft that reads a text anew at each context."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from simspec.logits.capture.windows import Window, draft_logits, grouped


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
