"""Encoding with an enriched tokenizer: the merge table, added tokens against the library, byte-pair encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.methods.tasc.encoding import (
    added_encode,
    expansions,
    merge_encode,
    replay,
    toy_bpe,
    train_bpe,
)
from simspec.methods.tasc.enrichment import COUNTINGS, enrich
from tests.methods.tasc.enrichment_cases import Case, corpora

LETTERS = "abcd"
WORDS = st.text(LETTERS, max_size=12)
ADDED = st.lists(st.text(LETTERS, min_size=1, max_size=4), max_size=5, unique=True)
MERGES = [("a", "b"), ("c", "d"), ("ab", "cd"), ("b", "c"), ("a", "a"), ("aa", "a")]


def test_added_tokens_by_hand() -> None:
    """An added token that cuts a base token lengthens the encoding: 1 token becomes 3, 2 stay 1."""
    base = toy_bpe([("a", "b"), ("c", "d"), ("ab", "cd")])
    assert base("abcd") == ["abcd"] and base("bc") == ["b", "c"]
    assert added_encode("abcd", ["bc"], base) == ["a", "bc", "d"]
    assert added_encode("bc", ["bc"], base) == ["bc"]
    assert added_encode("", ["bc"], base) == [] and added_encode("ab", [], base) == ["ab"]


def test_enrichment_may_lengthen_its_own_corpus_through_added_tokens() -> None:
    """b c is the best n-gram of bc, bc, abcd, abcd; the table saves a token twice, added tokens cost two more than they save."""
    corpus, base, strings = ["bc", "bc", "abcd", "abcd"], toy_bpe(MERGES[:3]), ["b", "c", "abcd"]
    ids = [[strings.index(t) for t in base(x)] for x in corpus]
    done = enrich(ids, budget=1, vocab=3)
    added = ["".join(strings[token] for token in ngram) for ngram in done.ngrams]
    assert added == ["bc"] and done.lengths == (6, 4)
    assert sum(len(added_encode(x, added, base)) for x in corpus) == 8


def test_leftmost_then_longest() -> None:
    base = toy_bpe([])
    assert added_encode("abcd", ["bcd", "ab", "abc"], base) == ["abc", "d"]
    assert added_encode("abab", ["ab"], base, ids=[7]) == [7, 7]
    assert added_encode("ab", ["ab", "ab"], base, ids=[7, 8]) == [7]


@given(WORDS, ADDED, st.integers(0, len(MERGES)))
def test_added_tokens_and_merges_agree_with_the_library(text, added, size) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    merges = MERGES[:size]
    vocab = {s: i for i, s in enumerate([*LETTERS, *dict.fromkeys(a + b for a, b in merges)])}
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocab, merges=merges))
    fresh = [s for s in added if s not in vocab]  # what is a token already is not added anew
    theirs.add_tokens(fresh)
    assert added_encode(text, fresh, toy_bpe(merges)) == theirs.encode(text).tokens
    assert toy_bpe(merges)(text) == theirs.__class__(theirs.model).encode(text).tokens


@given(WORDS, ADDED)
def test_both_encodings_spell_the_text(text, added) -> None:
    assert "".join(added_encode(text, added, toy_bpe(MERGES))) == text
    assert "".join(toy_bpe(MERGES)(text)) == text


@given(corpora(), corpora(), st.integers(2, 4))
def test_replay_is_merge_encode(case: Case, other: Case, n_max) -> None:
    """On its own corpus an enrichment gives what it gave; on others each text alone, and all at once, the same."""
    done = enrich(case.texts, 5, 4, n_max)
    own = replay(case.texts, done)
    assert own == (done.texts, done.lengths, done.merged)
    held = replay(other.texts, done)
    assert held.texts == tuple(tuple(merge_encode(text, done)) for text in other.texts)
    assert held.lengths[0] == sum(map(len, other.texts)) and held.lengths[-1] == sum(map(len, held.texts))
    flat = dict(zip(done.ids, expansions(done), strict=True))
    assert [[b for t in text for b in flat.get(t, (t,))] for text in held.texts] == other.texts


@given(corpora(), st.integers(0, 8), st.sampled_from(COUNTINGS))
def test_pairs_without_a_limit_are_byte_pair_encoding(case: Case, budget, counting) -> None:
    done = enrich(case.texts, budget, case.vocab, n_max=2, counting=counting)
    assert list(done.ngrams) == train_bpe(case.texts, budget, case.vocab, counting)


def test_longer_ngrams_are_not_byte_pair_encoding() -> None:
    corpus = [[0, 1, 2, 0, 1, 2]]
    assert list(enrich(corpus, 1, 3, n_max=3).ngrams) != train_bpe(corpus, 1, 3)


def test_bad_arguments_are_named() -> None:
    done = enrich([[0, 1]], 1, 2)
    with pytest.raises(ValueError, match="texts: token 2 in text 0"):
        merge_encode([2], done)
    with pytest.raises(ValueError, match="added: 1 tokens, 1 ids; expected as many, and no empty string"):
        added_encode("a", [""], toy_bpe([]))
    with pytest.raises(ValueError, match="added: 1 tokens, 2 ids"):
        added_encode("a", ["a"], toy_bpe([]), ids=[1, 2])
    with pytest.raises(ValueError, match="counting: 'all'; expected one of"):
        train_bpe([[0, 1]], 1, 2, "all")
