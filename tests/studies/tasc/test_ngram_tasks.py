"""Tasks as tokens: whole pairs in three parts, numbered words, limits."""

from __future__ import annotations

import pytest

from simspec.logits.corpora import Corpus
from simspec.studies.tasc.ngram_tasks import Words, task_of

PAIRS = Corpus("sums", tuple(f"add {n} and {n}" for n in range(30)), tuple(f"it is {2 * n}" for n in range(30)), "here")


def test_words_by_hand():
    tokens = Words(["a b", "b c"])
    assert [tokens.encode(text) for text in ("a b", "c a")] == [[0, 1], [2, 0]]
    assert (tokens.vocab, tokens.end) == (4, 3)
    with pytest.raises(KeyError):
        tokens.encode("d")


def test_parts_share_no_pair_and_lose_none():
    task = task_of(PAIRS)
    parts = [task.table, task.target, [text for _, text in task.tuning], [text for _, text in task.test]]
    texts = [tuple(text) for part in parts for text in part]
    assert len(texts) == len(set(texts)) == 30  # each output is another number
    assert [len(part) for part in parts] == [12, 9, 3, 6]
    assert all(text[-1] == task.end and task.end not in text[:-1] for text in texts)


def test_another_seed_makes_other_parts():
    assert task_of(PAIRS, 0).test == task_of(PAIRS, 0).test != task_of(PAIRS, 1).test


def test_prompts_keep_their_end_and_texts_their_beginning():
    whole, cut = task_of(PAIRS), task_of(PAIRS, longest=3)
    for (prompt, text), (short_prompt, short_text) in zip(whole.test, cut.test, strict=True):
        assert short_prompt == prompt[-3:]
        assert short_text == [*text[:2], whole.end]


def test_a_corpus_too_small_to_split():
    with pytest.raises(ValueError, match="corpus: 'twice' has 1 different inputs; expected at least ten"):
        task_of(Corpus("twice", ("a",) * 20, ("b",) * 20, "here"))
