"""Contexts of one kind of text: which they are, that whole and cut rows follow, and what is refused."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from simspec.logits.bank import ANSWERS, TEXTS, MissingPart, open_bank
from tests.kinds_bank import COUNT, write_kinds_bank
from tests.logits.bank.sealed import rewrite


@pytest.mark.parametrize("name", ["wiki", "stories", "gpt2"])
def test_texts_of_a_corpus_are_one_kind(name) -> None:
    bank = open_bank(name)
    assert bank.kinds == (TEXTS,) and np.array_equal(bank.of_kind(TEXTS).documents, bank.documents)
    with pytest.raises(
        MissingPart, match=f"kind: 'answers'; bank '{name}' has whole rows of corpus texts only; expected 'texts'"
    ):
        bank.of_kind(ANSWERS)


def test_the_shipped_bank_of_a_real_model_has_both() -> None:
    bank = open_bank("smollm2")
    assert bank.kinds == (ANSWERS, TEXTS)
    for kind, whole, cut in ((ANSWERS, 39, 1008), (TEXTS, 13, 336)):
        part = bank.with_draft("quantised:4").of_kind(kind)
        there = (np.char.find(bank.corpus, "/") >= 0) == (kind == TEXTS)
        assert (part.contexts, part.cut.contexts, part.draft_number) == (whole, cut, 1)
        assert np.array_equal(part.documents, bank.documents[there])
        assert np.array_equal(part.draft([2]), bank.with_draft("quantised:4").draft(np.flatnonzero(there)[2:3]))


@pytest.mark.parametrize("kind", [ANSWERS, TEXTS])
def test_whole_and_cut_rows_are_those_of_the_kind(kind, tmp_path) -> None:
    """A kind of prompt may have a slash in its name: what the provenance calls a file of texts is one."""
    bank = open_bank(write_kinds_bank(tmp_path / "both.safetensors", has_cut=True))
    part = bank.of_kind(kind)
    there = bank.corpus == {ANSWERS: "quiz/hard", TEXTS: "book.txt"}[kind]
    assert part.contexts == part.cut.contexts == COUNT and part.kind == kind
    assert np.array_equal(part.target(), bank.target()[there])
    assert np.array_equal(part.target(slice(1, 3), raw=True), bank.target(raw=True)[there][1:3])
    assert np.array_equal(part.draft(-1), bank.draft()[there][-1])
    assert all(np.array_equal(a, b[there]) for a, b in zip(part.index, bank.index, strict=True))
    assert all(np.array_equal(a, b[there]) for a, b in zip(part.cut.index, bank.cut.index, strict=True))
    for name in ("overlap", "tv", "entropy", "draft_entropy", "kl", "reverse_kl", "rest"):
        assert np.array_equal(getattr(part.cut, name), getattr(bank.cut, name)[there]), name
    assert all(np.array_equal(a, b[there]) for a, b in zip(part.cut.laws(), bank.cut.laws(), strict=True))
    # the number of the whole row counts the rows of this kind only
    assert part.cut.whole.tolist() == list(range(COUNT))
    assert repr(part.cut).startswith(f"CutRows({COUNT} contexts") and "only" in part.facts()["kind of text"]
    assert part == bank.of_kind(kind) != bank and hash(part) == hash(bank.of_kind(kind))
    assert pickle.loads(pickle.dumps(part)).contexts == COUNT


def test_a_bank_that_records_no_answers_has_texts(tmp_path) -> None:
    bank = open_bank(write_kinds_bank(tmp_path / "unsaid.safetensors", says_so=False))
    assert bank.kinds == (TEXTS,) and bank.of_kind(TEXTS).contexts == 2 * COUNT


def test_rows_and_kinds_that_are_not_there_are_refused(tmp_path) -> None:
    part = open_bank(write_kinds_bank(tmp_path / "both.safetensors")).of_kind(ANSWERS)
    with pytest.raises(ValueError, match=rf"^rows: .*; expected rows 0..{COUNT - 1}, or a slice"):
        part.target([COUNT])
    with pytest.raises(ValueError, match="kind: 'chat'; expected 'answers' or 'texts'"):
        part.of_kind("chat")


@pytest.mark.parametrize("texts", [3, ["book.txt"], [{"for": "chat"}]])
def test_texts_of_the_provenance_are_checked(texts, tmp_path) -> None:
    path = tmp_path / "both.safetensors"
    provenance = open_bank(write_kinds_bank(path)).provenance
    rewrite(path, {}, {"provenance": json.dumps({**provenance, "texts": texts})})
    with pytest.raises(ValueError, match="provenance: 'texts' is .*; expected a list of entries with a 'file'"):
        open_bank(path)
