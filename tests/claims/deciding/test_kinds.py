"""Of a bank with both kinds of text the answers decide, in every claim by one rule; its corpus texts stand beside."""

from __future__ import annotations

import json

import pytest

from simspec.claims import registry
from simspec.claims.deciding.data import CONTROLS, Data, is_control
from simspec.claims.deciding.evidence import BESIDE, deciding_rows
from simspec.claims.deciding.verify import verify, verify_claim
from simspec.logits.bank import open_bank
from tests.kinds_bank import COUNT, write_kinds_bank
from tests.logits.bank.sealed import rewrite

OF_ANSWERS = f"fake target / fake draft: {COUNT} contexts of the target's own answers, {COUNT} documents"
OF_TEXTS = f"fake target / fake draft: {COUNT} contexts of corpus texts, {COUNT} documents"


def calibration(path: str) -> dict:
    return verify_claim(registry()["ears.calibration"], Data(path=path))


@pytest.mark.parametrize("has_cut", [False, True])
def test_the_mix_decides_otherwise_than_the_answers(has_cut, tmp_path) -> None:
    """On the answers the two signals agree, on the texts they are opposed; both together lie below the criterion."""
    record = calibration(write_kinds_bank(tmp_path / "both.safetensors", has_cut=has_cut))
    assert record["verdict"] == "supported"
    (row,) = deciding_rows(record)
    assert row.data.startswith(OF_ANSWERS) and row.n == COUNT and row.estimate > 0.9
    texts = [
        e
        for e in record["evidence"]
        if f"{COUNT} contexts of corpus texts" in e["data"] and "temperature 1:" in e["data"]
    ]
    assert len(texts) == 1 and texts[0]["data"].startswith(BESIDE) and texts[0]["estimate"] < 0
    # the negative control: where nothing tells the kinds apart, all contexts decide
    mixed = calibration(write_kinds_bank(tmp_path / "unsaid.safetensors", says_so=False, has_cut=has_cut))
    assert mixed["verdict"] == "inconclusive"
    (row,) = deciding_rows(mixed)
    assert row.n == 2 * COUNT and " contexts, " in row.data


CLAIMS = ("ears.throughput", "greedy.coverage", "coupling.zero-bits.accepts", "sqs.both-reduce.bits", "sqs.k-latency")


@pytest.mark.parametrize("name", [*CLAIMS, "rdk.probability-fit", "pad.unnecessary-rejections.families"])
def test_texts_stand_beside_in_each_family_of_claims(name, tmp_path) -> None:
    data = Data(path=write_kinds_bank(tmp_path / "both.safetensors"), effort="default")
    record = verify_claim(registry()[name], data)
    deciding = [row.data for row in deciding_rows(record)]
    assert any(OF_ANSWERS in words for words in deciding) and not any("corpus texts" in words for words in deciding)
    assert any(OF_TEXTS in row["data"] for row in record["evidence"] if row["data"].startswith(BESIDE))
    beside = [row for row in record["evidence"] if row["data"].startswith(BESIDE)]
    assert not any("must" in name for row in beside for name in row["control"] or {})
    assert not any(f"{2 * COUNT} contexts" in row["data"] for row in record["evidence"])


def test_one_rule_selects_what_decides(tmp_path) -> None:
    data = Data(path=write_kinds_bank(tmp_path / "both.safetensors"))
    assert list(data.deciding) == ["main"] and list(data.texts) == list(data.controls) == ["texts"]
    assert data.realistic is data.main and data.main.kind == "answers" and data.texts["texts"].kind == "texts"
    assert {name for name in data.all_pairs if is_control(name)} == {"texts"} == set(data.targets) - {"main"}
    # identities and bounds hold on every row: all of them are tried
    assert [bank.contexts for bank in data.pairs()] == [2 * COUNT]


def test_answers_alone_decide_as_before(tmp_path) -> None:
    """As `simspec pair --chat` records them: files of the provenance are prompts and texts for statistics."""
    path = tmp_path / "answers.safetensors"
    provenance = open_bank(write_kinds_bank(path)).provenance
    texts = [{"file": "quiz.jsonl", "for": "chat"}, {"file": "book.txt", "for": "statistics"}]
    rewrite(path, {}, {"provenance": json.dumps({**provenance, "texts": texts})})
    data = Data(path=str(path))
    assert data.whole.kinds == ("answers",) and data.realistic is data.whole and not data.controls
    assert data.describe(data.realistic) == f"fake target / fake draft: {2 * COUNT} contexts, {2 * COUNT} documents"


def test_the_shipped_bank_by_the_same_rule() -> None:
    data = Data()
    assert list(data.texts) == ["texts", "texts, quantised:4"]
    assert list(data.targets) == ["main", "texts", *CONTROLS]
    assert [bank.contexts for bank in data.deciding.values()] == [39, 39]
    assert [bank.cut.contexts for bank in data.texts.values()] == [336, 336]


def test_texts_of_one_document_have_no_interval_and_are_left_out(tmp_path, monkeypatch) -> None:
    data = Data(path=write_kinds_bank(tmp_path / "both.safetensors"))
    monkeypatch.setattr("simspec.logits.bank.Bank.documents", property(lambda bank: bank.index.document * 0))
    assert data.main.kind == "answers" and data.texts == {}


def test_answers_of_one_document_are_refused_by_their_kind(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("simspec.logits.bank.Bank.documents", property(lambda bank: bank.index.document * 0))
    words = (
        f"bank: 'both' has {COUNT} contexts of the target's own answers of 1 documents; expected at least two documents"
    )
    with pytest.raises(ValueError, match=words):
        verify("ears.calibration", bank=write_kinds_bank(tmp_path / "both.safetensors"))
