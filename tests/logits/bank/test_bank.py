"""A bank gives back what was written, and the banks that ship are sound."""

import pickle
import sys

import numpy as np
import pytest

from simspec.laws import overlap, softmax
from simspec.logits.bank import SHIPPED, Bank, open_bank
from simspec.logits.bank.storage import Contexts, Part, store_rows, write_bank
from simspec.notebook import html
from tests.logits.bank.sealed import rewrite


@pytest.fixture
def written(tmp_path):
    """Two contexts, three target tokens, two draft tokens of which the second is target token 0."""
    last, following, position, document = np.array([[0, 1], [2, 2], [5, 6], [0, 1]], dtype=np.int32)
    index = Contexts(last, following, position, document, np.array(["b.txt", "a.txt"]))
    write_bank(
        tmp_path / "own.safetensors",
        name="own",
        evaluation=Part(*map(store_rows, (np.array([[0.0, 1, 3], [4, 2, 1]]), np.array([[1.0, 2], [2, 1]]))), index),
        tokens=[b"a", b"", b"\n"],
        draft_vocab=([b"x", b"a"], np.array([-1, 0], dtype=np.int32)),
        provenance={"models": {"target": {"name": "<t>"}, "draft": {"name": "d"}}},
    )
    return tmp_path / "own.safetensors"


def test_a_small_bank_by_hand(written):
    bank = open_bank(written)
    assert (bank.name, bank.vocab, bank.contexts) == ("own", 3, 2)
    assert bank.target().tolist() == [[-3, -2, 0], [0, -2, -3]] and bank.target().dtype == np.float32
    assert bank.target(1, raw=True).tolist() == [4, 2, 1]
    assert bank.target([1, 0], raw=True).tolist() == [[4, 2, 1], [0, 1, 3]]
    assert bank.draft(slice(1)).tolist() == [[-1, 0]]
    assert bank.shared.tolist() == [True, False, False]
    assert bank.documents.tolist() == [0, 1] and bank.corpus.tolist() == ["b.txt", "a.txt"]
    assert bank.tokens == [b"a", b"", b"\n"] and bank.draft_tokens == [b"x", b"a"]
    assert bank.statistics is None and bank.tuning_target() is None and bank.tuning_index is None
    assert bank.storage_tv["target"] == {"max": 0, "mean": 0}


def test_draft_laws_on_the_target_vocabulary_are_not_normalised(written):
    from fractions import Fraction as F

    bank = open_bank(written)
    assert bank.draft_on_target(np.array([0.25, 0.75])).tolist() == [0.75, 0, 0]
    exact = bank.draft_on_target(np.array([[F(1, 3), F(2, 3)]], dtype=object))
    assert exact.tolist() == [[F(2, 3), 0, 0]] and all(isinstance(x, (int, F)) for x in exact.flat)
    with pytest.raises(ValueError, match=r"q: shape \(3,\); expected a last axis of 2 draft tokens"):
        bank.draft_on_target(np.ones(3))
    with pytest.raises(ValueError, match="has no draft"):
        open_bank("gpt2").draft_on_target(np.ones(3))


def test_a_bank_shows_itself_and_escapes_names(written):
    bank = open_bank(written)
    assert "target: <t>, 3 tokens" in repr(bank) and "draft: d, 2 tokens" in repr(bank)
    shown = html(bank)
    assert shown is not None and "&lt;t&gt;" in shown and "<t>" not in shown


def test_a_bank_is_frozen_and_can_be_sent_to_another_process(written):
    bank = open_bank(written)
    with pytest.raises(AttributeError):
        setattr(bank, "file", None)  # noqa: B010
    message = pickle.dumps(open_bank("wiki"))
    assert len(message) < 2000 and pickle.loads(message).vocab == 16_384


def test_damage_is_refused(written):
    content = written.read_bytes()
    written.write_bytes(content[:-1])
    with pytest.raises(ValueError, match="own.safetensors is truncated"):
        open_bank(written)
    written.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ValueError, match="block 0 of 1"):
        open_bank(written)


def test_a_bank_of_another_version_and_an_unknown_name_are_refused(tmp_path):
    from simspec.logits.bank.checked import write_checked

    write_checked(tmp_path / "v.safetensors", {"target": np.zeros((1, 1))}, {"simspec_bank": "0"})
    with pytest.raises(ValueError, match="bank version '0'; this simspec reads '1'"):
        open_bank(tmp_path / "v.safetensors")
    with pytest.raises(
        ValueError, match="no file 'wikki'; expected the path of a bank, or one of .*; the nearest is wiki$"
    ):
        open_bank("wikki")
    with pytest.raises(ValueError, match="gpt2$"):  # nothing is near
        open_bank("nowhere.safetensors")


@pytest.fixture(params=SHIPPED)
def shipped(request) -> Bank:
    return open_bank(request.param)


def test_every_block_of_a_shipped_bank_is_sound(shipped):
    for name in shipped.file.names:
        shipped.file.read(name)
    assert shipped.file._verified.all()


def test_shipped_banks_are_small_and_name_no_machine():
    paths = [open_bank(name).file.path for name in SHIPPED]
    assert sum(path.stat().st_size for path in paths) <= 64_000_000
    for name in SHIPPED:
        metadata = " ".join(open_bank(name).file.metadata.values())
        assert not any(word in metadata for word in ("/home/", "/work", "/tmp", "/root", "http"))
        assert open_bank(name).provenance["licence"] and open_bank(name).provenance["command"]


def test_shipped_rows_are_logits_at_temperature_one(shipped):
    z = shipped.target()
    assert z.shape == (shipped.contexts, shipped.vocab) and (z.max(axis=-1) == 0).all() and np.isfinite(z).all()
    assert shipped.file.metadata["temperature"] == "1"
    assert len(shipped.tokens) == shipped.vocab
    assert all(0 <= e["mean"] <= e["max"] < 0.001 for e in shipped.storage_tv.values())


@pytest.mark.parametrize("name", ["wiki", "stories"])
def test_shipped_pairs(name):
    bank = open_bank(name)
    assert bank.contexts == 300 and len(np.unique(bank.documents)) >= 100
    assert np.unique(bank.documents, return_counts=True)[1].max() <= 2
    assert bank.index.position.min() >= 16 and bank.index.position.max() <= 127
    assert not set(bank.tuning_index.document.tolist()) & set(bank.documents.tolist())
    assert bank.tuning_target().shape == (64, bank.vocab)
    p, mass = softmax(bank.target()), bank.draft_on_target(softmax(bank.draft()))
    q = mass / mass.sum(axis=-1, keepdims=True)
    aligned = overlap(p, q).mean()
    assert aligned > 2 * overlap(p, q[::-1]).mean()  # the control: drafts of other contexts
    likelihood = p[np.arange(300), bank.index.following]
    assert np.median(likelihood) > 50 / bank.vocab


def test_the_gpt2_vectors_are_those_recorded():
    bank = open_bank("gpt2")
    p = softmax(bank.target().astype(float))
    entropy = -(p * np.log(p)).sum(axis=-1)  # 4.93, 4.65, 6.31, 6.79, 6.87 nats as published with the recordings
    assert entropy == pytest.approx([4.933345, 4.654368, 6.306010, 6.794464, 6.867546], abs=2e-3)
    assert [bank.tokens[i] for i in p.argmax(axis=-1)] == [
        b" visualize",
        b" way",
        b" planet",
        b" strange",
        b" importance",
    ]
    assert [bank.tokens[i] for i in bank.index.last] == [b" to", b" the", b" the", b" a", b" the"]


def test_opening_a_bank_loads_nothing_heavy():
    import subprocess

    script = (
        "import sys; from simspec.logits import open_bank; b = open_bank('stories'); b.target(0); b.statistics.mean; repr(b);"
        "print([m for m in ('torch', 'transformers', 'scipy', 'rich', 'safetensors') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1.0])
def test_rows_that_were_never_stored_are_refused_when_they_are_read(written, wrong):
    target = open_bank(written).file.read("target")
    target[1] = wrong
    rewrite(written, {"target": target})
    bank = open_bank(written)
    assert bank.target(0).tolist() == [-3, -2, 0]
    for rows in (1, slice(None), [1, 0]):
        with pytest.raises(ValueError, match=f"own.safetensors: target has a row whose largest logit is {wrong}"):
            bank.target(rows)


def test_no_rows_are_no_error(written):
    assert open_bank(written).target(slice(0, 0)).shape == (0, 3)
    assert open_bank(written).target([], raw=True).shape == (0, 3)


def test_rows_that_cannot_fit_in_memory_are_refused_with_their_bytes(written, monkeypatch):
    bank = open_bank(written)
    monkeypatch.setattr("simspec.checks.physical_memory", lambda: 20)
    with pytest.raises(ValueError, match="rows: \"2 of 'target'\"; would take 36 bytes of memory, expected at most 20"):
        bank.target()
