"""The shipped bank of SmolLM2: kinds of context, cut and whole rows that agree, and what is said of its drafts."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from simspec.laws import entropy, kl, overlap, softmax, top_p, tv
from simspec.logits.bank import Bank, open_bank

README = Path(__file__).parents[3] / "simspec" / "logits" / "data" / "README.md"
KINDS = ("arithmetic", "chat", "code")


@pytest.fixture(scope="module")
def bank() -> Bank:
    return open_bank("smollm2")


def test_each_kind_has_runs_of_consecutive_positions(bank) -> None:
    index = bank.cut.index
    kinds = np.where(np.isin(index.corpus, KINDS), index.corpus, "texts")
    names, counts = np.unique(kinds, return_counts=True)
    assert names.tolist() == [*KINDS, "texts"] and counts.tolist() == [336] * 4
    for kind in names:
        assert len(np.unique(index.document[kinds == kind])) == 28
    for document in np.unique(index.document):
        own = index.document == document
        assert own.sum() == 12 and (np.diff(index.position[own]) == 1).all()
        assert (index.last[own][1:] == index.following[own][:-1]).all()


def test_whole_rows_are_of_contexts_that_are_cut_too(bank) -> None:
    whole = bank.cut.whole >= 0
    assert bank.contexts == whole.sum() == 52 and len(np.unique(bank.documents)) == 52
    assert np.array_equal(bank.cut.whole[whole], np.arange(52))
    for field in bank.index._fields:
        assert np.array_equal(getattr(bank.index, field), getattr(bank.cut.index, field)[whole])


@pytest.mark.parametrize("draft", ["quantised:3", "quantised:4"])
def test_exact_numbers_are_those_of_the_whole_rows(bank, draft) -> None:
    """Up to the 16 bits of whole rows; against the drafts of other contexts nothing agrees."""
    pair = bank.with_draft(draft)
    rows = np.flatnonzero(pair.cut.whole >= 0)
    target, theirs = pair.target().astype(np.float64), pair.draft().astype(np.float64)
    p, q = softmax(target), softmax(theirs)
    exact = pair.cut
    assert np.allclose(exact.overlap[rows], overlap(p, q), rtol=0, atol=1e-3)
    assert np.allclose(exact.tv[rows], tv(p, q), rtol=0, atol=1e-3)
    assert np.allclose(exact.entropy[rows], entropy(p), rtol=0, atol=5e-3)
    assert np.allclose(exact.kl[rows], kl(p, q), rtol=0, atol=1e-2)
    warm = [top_p(softmax(z, 0.6), 0.9) for z in (target, theirs)]
    # a token at the edge of the nucleus may change sides by rounding
    assert np.mean(np.abs(exact.accepted(0.6, 0.9)[rows] - overlap(*warm)) < 2e-3) > 0.9
    kept, others = exact.laws(rows), exact.tokens(rows).astype(int)
    for law, cut in zip((p, q), kept, strict=True):
        assert np.allclose(np.take_along_axis(law, others, axis=-1), cut[:, :-1], rtol=0, atol=1e-3)
        assert np.allclose(1 - np.take_along_axis(law, others, axis=-1).sum(axis=-1), cut[:, -1], rtol=0, atol=1e-3)
    assert np.abs(exact.overlap[rows] - overlap(p, q[::-1])).mean() > 0.1


def test_whole_and_cut_rows_are_told_apart(bank) -> None:
    facts = bank.facts()
    assert facts["contexts"] == "52 of 52 documents, whole rows"
    assert facts["cut contexts"] == "1,344 of 112 documents, of which 52 have a whole row too"
    assert "the 1,024 likeliest tokens" in facts["cut rows"]
    with pytest.raises(ValueError, match=r"cut contexts are in bank\.cut"):
        bank.target(52)


def test_each_kind_of_text_has_its_own_statistics(bank) -> None:
    """60,000 positions each at least, of documents that no context is of; every bank together stays below 64 MB."""
    of_kind = {kind: bank.of_kind(kind).statistics for kind in ("answers", "texts")}
    for statistics in of_kind.values():
        assert statistics.contexts.sum() >= 60_000 and (statistics.counts.sum(axis=1) == statistics.contexts).all()
    counts = bank.provenance["documents"]
    answers = counts[of_kind["answers"].source]
    assert set(answers) == set(KINDS) and min(answers.values()) > sum(answers.values()) / 4
    assert set(counts[of_kind["texts"].source]) == {
        "gsm8k/test.jsonl",
        "mbpp/mbpp.jsonl",
        "slurp/test.jsonl",
        "wikitext2/test.txt",
    }
    # answers end, in the chat format, with a token that texts do not have
    end = bank.tokens.index(b"<|im_end|>")
    assert of_kind["answers"].unigram[end] > 1e-3 and of_kind["texts"].counts[:, end].sum() == 0
    assert sum(path.stat().st_size for path in README.parent.glob("*.safetensors")) < 64e6


def test_the_readme_states_what_is_computed_here(bank) -> None:
    """Acceptance of both drafts, counts of contexts and of positions; no whole number of bits lies between 3 and 4."""
    text = " ".join(README.read_text(encoding="utf-8").split())
    means = [float(bank.with_draft(name).cut.overlap.mean()) for name in bank.drafts]
    (stated,) = re.findall(r"at temperature 1 is ([\d.]+) with 3 bits and ([\d.]+) with 4", text)
    assert [f"{mean:.3f}" for mean in means] == list(stated)
    positions = [int(bank.of_kind(kind).statistics.contexts.sum()) for kind in ("texts", "answers")]
    assert not any(abs(mean - wanted) < 0.1 for mean in means for wanted in (0.5, 0.75))
    row = next(line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("| `smollm2`"))
    counts = (
        f"| {bank.cut.contexts:,} of {len(np.unique(bank.cut.documents))} documents, {bank.contexts} of them whole |"
    )
    assert counts in row and f"| {positions[0]:,} of texts, {positions[1]:,} of answers |" in row


def test_statistics_are_of_the_texts_of_the_small_pair(bank) -> None:
    """Of the texts of `wiki`: as many documents as the provenance says, whose models are those of the bank."""
    provenance = bank.provenance
    assert provenance["models"]["target"]["name"] == "SmolLM2-135M-Instruct"
    assert provenance["models"]["draft"]["name"] == "SmolLM2-135M-Instruct, quantised:3"
    assert bank.with_draft("quantised:4").provenance["models"]["draft"]["name"].endswith("quantised:4")
    assert set(provenance["documents"]["statistics"]) == set(open_bank("wiki").provenance["documents"]["statistics"])
    assert sum(provenance["documents"]["statistics"].values()) > 100
    digests = {file["file"]: file["sha256"] for file in open_bank("wiki").provenance["texts"]}
    texts = [file for file in provenance["texts"] if file["for"] != "chat"]
    assert texts and all(digests[file["file"]] == file["sha256"] for file in texts)
