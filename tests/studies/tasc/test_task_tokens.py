"""Tasks as tokens: the base tokenizer, added tokens as the library matches them, and the merge table step by step."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simspec.logits.corpora import Corpus
from simspec.methods.tasc.encoding import added_encode, expansions, merge_encode
from simspec.methods.tasc.enrichment import enrich
from simspec.methods.tasc.merging import Texts
from simspec.studies.tasc.task_tokens import (
    added_ids,
    base_tokenizer,
    enriched,
    prepare,
    read_tokenizer,
    snapshots,
    text_lengths,
    token_ids,
    with_added,
)

OUTPUTS = tuple(f"the cat sat on the {what}, and the {what} sat" for what in ("mat", "hat", "bat", "rat")) * 3
CORPUS = Corpus("cats", tuple(map(str, range(len(OUTPUTS)))), OUTPUTS, "by hand")


def test_training_is_deterministic():
    assert base_tokenizer(OUTPUTS, 280).to_str() == base_tokenizer(OUTPUTS, 280).to_str()


def test_a_task_is_split_and_encoded():
    (task,) = prepare([CORPUS], share=0.25)
    assert (len(task.train), len(task.held), task.vocab) == (9, 3, task.tokenizer.get_vocab_size())
    assert [task.tokenizer.decode(list(text)) for text in task.held] == list(task.outputs)
    assert task.bytes.tolist() == [len(text) for text in task.outputs]


def test_a_long_training_part_is_thinned_evenly():
    whole, some = (prepare([CORPUS], share=0.25, token_limit=most)[0] for most in (10**6, 40))
    assert sum(map(len, some.train)) <= 40 < sum(map(len, whole.train))
    assert set(some.train) <= set(whole.train) and some.held == whole.held


def test_a_base_without_the_outputs_needs_more_tokens():
    known, unknown = (prepare([CORPUS], outputs=outputs)[0] for outputs in (True, False))
    assert sum(map(len, unknown.held)) > 2 * sum(map(len, known.held))


def test_a_tokenizer_of_the_users(tmp_path):
    path = tmp_path / "tokenizer.json"
    base_tokenizer(OUTPUTS, 280).save(str(path))
    (task,) = prepare([CORPUS], tokenizer=read_tokenizer(path))
    assert task.vocab == 280 or (task.vocab < 280 and task.vocab == read_tokenizer(path).get_vocab_size())
    assert token_ids(read_tokenizer(path), ["the cat"]) == token_ids(base_tokenizer(OUTPUTS, 280), ["the cat"])


def test_unreadable_tokenizers(tmp_path):
    with pytest.raises(ValueError, match="tokenizer: no file"):
        read_tokenizer(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").write_text("[]")
    with pytest.raises(ValueError, match="cannot be read"):
        read_tokenizer(tmp_path / "tokenizer.json")


@pytest.mark.parametrize(
    ("call", "message"),
    [(lambda: base_tokenizer([], 100), "vocab: 100"), (lambda: prepare([CORPUS], token_limit=0), "token_limit: 0")],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(st.lists(st.text("abc ", max_size=8), max_size=3), st.integers(0, 6))
@example(texts=["cab abc cb"], budget=6)
@settings(max_examples=25)
def test_added_tokens_are_matched_as_specified(texts, budget):
    """The library's answer is that of `added_encode`, and decodes to the same text."""
    base = base_tokenizer(["ab ab abc abc c c"], 262)
    size = base.get_vocab_size()
    train = token_ids(base, ["ab abc c", "abc c ab", "ab abc c"])
    done = enrich(train, budget, size, 3)
    grown = with_added(base, expansions(done))
    strings = [base.decode(list(g)) for g in expansions(done)]
    ids = [grown.token_to_id(s) for s in strings]
    for text, found in zip(texts, token_ids(grown, texts), strict=True):
        assert list(found) == added_encode(text, strings, lambda piece: token_ids(base, [piece])[0], ids)
        assert grown.decode(list(found)) == text


def test_half_a_character_is_no_added_token():
    base = base_tokenizer(["x"], 256)
    first, second = token_ids(base, ["é"])[0]
    assert with_added(base, [(first, first)]).get_vocab_size() == 256
    assert len(token_ids(with_added(base, [(first, second)]), ["é"])[0]) == 1


def test_snapshots_are_the_merge_table_at_each_budget():
    (task,) = prepare([CORPUS], share=0.25)
    done = enriched(task, 8, 3)
    sizes = [len(text) for text in task.held]
    for budget, now in snapshots(task.held, done, [0, 3, 8, 5, 99]):
        part = done._replace(ngrams=done.ngrams[:budget], ids=done.ids[:budget])
        assert now.lists() == [merge_encode(text, part) for text in task.held]
        assert text_lengths(now, sizes).tolist() == list(map(len, now.lists()))
    assert budget == 99 and enriched(task, 8, 3) is done


def test_lengths_of_empty_texts():
    now = Texts([[], [0, 1], []], 2)
    now.merge((0, 1), 2)
    assert text_lengths(now, [0, 2, 0]).tolist() == [0, 1, 0]


def test_added_outputs_are_the_held_ones():
    (task,) = prepare([CORPUS], share=0.25)
    done = enriched(task, 8, 3)
    assert added_ids(task, done, 0) == task.held
    grown = with_added(task.tokenizer, expansions(done)[:4])
    assert [grown.decode(list(text)) for text in added_ids(task, done, 4)] == list(task.outputs)
