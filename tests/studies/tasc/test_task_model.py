"""Tokens per call with a model as the target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from simspec.logits.corpora import Corpus
from simspec.studies.tasc.ngram_tasks import Row, Words
from simspec.studies.tasc.task_model import DRAFTERS, WAYS, model_gains

SAME = Corpus("same", tuple(f"text {n}" for n in range(40)), ("x y z",) * 40, "by hand")


class Writer:
    """Writes the same words whatever it is given; its bigrams are those of these words."""

    longest = 20

    def __init__(self, text: str) -> None:
        self.words = Words([*SAME.inputs, *SAME.outputs, text])
        self.vocab, self.end = self.words.vocab, self.words.end
        self.text = [*self.words.encode(text), self.end]
        self.bigrams = self
        self.calls = 0

    def encode(self, text: str) -> list[int]:
        return self.words.encode(text)

    def write(self, prompt: Sequence[int], longest: int, key: int, row: int) -> list[int]:
        self.calls += 1
        return self.text[:longest]

    def row(self, context: Sequence[int]) -> Row:
        after = dict(zip(self.text, self.text[1:], strict=False))
        token = after.get(context[-1] if context else -1, self.text[0])
        return Row(token, 1.0, lambda other: float(other == token))


def test_a_model_that_writes_what_the_tables_know() -> None:
    found = model_gains(SAME, Writer("x y z"), pairs=5)
    assert found.pairs == 5 and found.longest == 20 and set(found.calls) == set(WAYS)
    for way in WAYS:
        calls = found.calls[way]
        assert list(calls) == list(DRAFTERS) and calls["corpus"].estimate == calls["N-Grammys"].estimate == 4
        assert calls["prompt"].estimate == 1 and calls["corpus"].low == calls["corpus"].high == 4
    assert model_gains(SAME, Writer("x y z"), pairs=5, gamma=1).calls["sampled"]["corpus"].estimate == 2


def test_a_model_that_writes_something_else_gains_from_its_own_bigrams_alone() -> None:
    found = model_gains(SAME, Writer("one two three four five"), pairs=5).calls
    assert found["sampled"]["corpus"].estimate == found["sampled"]["corpus, bigrams"].estimate == 1
    assert found["sampled"]["N-Grammys"].estimate == 6  # all five and the end
    assert found["reference"]["corpus"].estimate == 4 and found["reference"]["N-Grammys"].estimate == 1


def test_texts_are_written_for_as_many_pairs_as_asked_and_one_to_tune() -> None:
    writer = Writer("x y z")
    model_gains(SAME, writer, pairs=3)
    assert writer.calls == 4


def test_intervals_hold_texts_that_differ() -> None:
    rng = np.random.default_rng(0)
    outputs = tuple(" ".join(["x"] + ["y"] * n) for n in rng.integers(1, 9, 40))
    mixed = Corpus("mixed", SAME.inputs, outputs, "drawn")
    found = model_gains(mixed, Writer("x y z"), pairs=8).calls["reference"]["corpus"]
    assert 1 < found.low < found.estimate < found.high


@pytest.mark.parametrize(("corpus", "pairs", "message"), [(SAME, 1, "pairs: 1"), (None, 5, "expected at least ten")])
def test_bad_input(corpus, pairs, message) -> None:
    few = Corpus("few", ("a", "b"), ("x", "y"), "by hand")
    with pytest.raises(ValueError, match=message):
        model_gains(corpus or few, Writer("x"), pairs)
