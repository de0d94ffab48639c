"""Statistics of the target's own answers, on a small chat model: what the bank counts is what the target wrote."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from simspec.logits.bank import open_bank
from simspec.logits.bank.statistics import OF_ANSWERS, OF_BANK
from simspec.logits.capture import Speech, answer_statistics
from simspec.logits.capture.answer_statistics import (
    FIELDS,
    QUESTIONS,
    add,
    add_announced,
    answered,
    fewer_directions,
    main,
    questions,
)
from simspec.logits.capture.smollm2_bank import make, plan
from tests.logits import tiny
from tests.logits.capture.test_smollm2_bank import WORDS
from tests.requirements import require

SPEECH = Speech(1.0, 12, 5)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    for kind, name in QUESTIONS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        lines = [json.dumps({FIELDS[kind]: f"{words} {n}"}) for n in range(9) for words in WORDS]
        (folder / name).write_text("\n".join(lines))
    (folder / "texts.json").write_text(json.dumps(tiny.text(30, 130, seed=0)))
    return folder


@pytest.fixture(scope="module")
def before(corpora):
    """A bank with statistics of texts, and its target."""
    require("torch")
    tiny.chat(corpora / "model")
    prompts = [json.dumps({"prompt": words, "kind": kind}) for kind in ("chat", "code") for words in WORDS]
    (corpora / "prompts.jsonl").write_text("\n".join(prompts))
    choice = plan(
        corpora,
        target=str(corpora / "model"),
        drafts=("quantised:3", "quantised:2"),
        prompts=corpora / "prompts.jsonl",
        texts=("texts.json",),
        speech=Speech(1.0, 10, 3),
        run=4,
        documents=4,
        whole=2,
        statistics=200,
        window=40,
        kept=20,
        progress=False,
    )
    return make(choice, corpora / "small.safetensors", progress=False), choice.target


def added(corpora, before, out, positions=400):
    bank, target = before
    return add(
        bank, corpora, out, target=target, positions=positions, speech=SPEECH, directions=5, batch=4, progress=False
    )


@pytest.fixture(scope="module")
def after(corpora, before):
    return added(corpora, before, corpora / "with.safetensors")


def nothing(title, total):
    return lambda count: None


class Kept:
    """What an interrupted run has kept, in memory."""

    def __init__(self):
        self.files = {}

    def tensors(self, name):
        return self.files.get(name)

    def keep_tensors(self, name, tensors):
        self.files[name] = tensors


def test_counts_and_mean_law_are_those_of_the_answers(corpora, before, after) -> None:
    target = before[1]
    windows = answered(target, questions(corpora, SPEECH.seed), SPEECH, 400, Kept(), nothing)
    statistics = after.of_kind("answers").statistics
    following = np.concatenate([window.following for window in windows])
    assert np.array_equal(np.bincount(following, minlength=after.vocab), statistics.counts.sum(axis=0))
    assert statistics.contexts.sum() == len(following) >= 400
    logits = np.concatenate([target.logits([w.target], [w.positions]) for w in windows]).astype(np.float64)
    laws = np.exp(logits - logits.max(axis=-1, keepdims=True))
    laws /= laws.sum(axis=-1, keepdims=True)
    assert np.allclose(statistics.mean, laws.mean(axis=0), atol=1e-6)
    assert {window.corpus for window in windows} == set(QUESTIONS)


def test_each_kind_of_text_has_its_own_statistics(before, after) -> None:
    texts, answers = (after.of_kind(kind).statistics for kind in ("texts", "answers"))
    assert np.array_equal(texts.counts, before[0].statistics.counts)
    assert np.array_equal(after.statistics.counts, texts.counts)  # of a bank with all contexts those of texts
    assert not np.array_equal(texts.counts.sum(axis=0), answers.counts.sum(axis=0))
    assert answers.affinity is None and "statistics of answers" in after.facts()
    documents = after.provenance["documents"]
    assert sum(documents[answers.source].values()) >= 400 / SPEECH.length and documents[texts.source]
    assert after.has_answer_statistics and not before[0].has_answer_statistics
    # a bank with one kind of statistics has them for both kinds of text
    assert np.array_equal(before[0].of_kind("answers").statistics.counts, before[0].statistics.counts)


def test_what_else_the_bank_holds_stays_as_it_is(before, after) -> None:
    for name in before[0].file.names:
        if "vectors" not in name and OF_BANK not in name:
            assert np.array_equal(before[0].file.read(name), after.file.read(name)), name


def test_fewer_directions_keep_the_variance_of_each_token(before, after) -> None:
    for kind in ("probabilities", "logits"):
        full, few = (bank.statistics.factors(kind) for bank in (before[0], after))
        assert few[0].shape[1] == 5 < full[0].shape[1]
        variances = [(U**2) @ lam + diagonal for U, lam, diagonal in (full, few)]
        assert np.allclose(variances[0], variances[1], rtol=1e-5)
        assert np.allclose(few[0], full[0][:, :5])
    again = {name: after.file.read(name) for name in after.file.names}
    same = fewer_directions(again, OF_ANSWERS, 5)
    assert all(np.array_equal(again[name], same[name]) for name in again)


def test_an_interrupted_run_goes_on_to_the_same_bytes(corpora, before, after, monkeypatch) -> None:
    out = corpora / "again.safetensors"
    written = []
    original = answer_statistics.written_answers

    def counted(*arguments):
        written.append(arguments)
        return original(*arguments)

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(answer_statistics, "written_answers", counted)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(answer_statistics, "run_statistics", interrupted)
        added(corpora, before, out)
    batches = len(written)
    assert not out.exists() and batches > 0
    added(corpora, before, out)
    assert len(written) == batches  # answers are not written twice
    assert out.read_bytes() == after.file.path.read_bytes()
    assert not list(corpora.glob("again.safetensors.*"))


def test_the_maker_of_the_bank_adds_them_in_its_place(corpora, before, tmp_path, capsys) -> None:
    out = tmp_path / "full.safetensors"
    shutil.copy(before[0].file.path, out)
    made = add_announced(open_bank(out), corpora, out, before[1], 300)
    assert made.file.path == out and made.of_kind("answers").statistics.contexts.sum() >= 300
    assert "statistics of 300 positions of answers: " in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_what_cannot_be_made_is_refused(corpora, before, tmp_path, capsys) -> None:
    bank, target = before
    with pytest.raises(ValueError, match="it has other weights"):
        other = replace(target, facts={"name": "another", "sha256 of a": "0"})
        added(corpora, (bank, other), tmp_path / "a.safetensors")
    with pytest.raises(ValueError, match=r"positions: 100,000; the answers to 162 questions have \d+"):
        added(corpora, before, tmp_path / "a.safetensors", positions=100_000)
    with pytest.raises(ValueError, match="has no gsm8k/test.jsonl"):
        questions(tmp_path, 0)
    assert main([str(tmp_path), "nobank.safetensors", str(tmp_path / "b.safetensors")]) == 2
    assert "simspec: error: bank: " in capsys.readouterr().err


def test_questions_take_turns_by_kind(corpora) -> None:
    prompts = questions(corpora, 1)
    assert [prompt.kind for prompt in prompts[:4]] == ["arithmetic", "chat", "code", "arithmetic"]
    assert len({(prompt.kind, prompt.line) for prompt in prompts}) == len(prompts)
