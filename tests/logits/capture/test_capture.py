"""Banks captured from tiny random models hold what the models say."""

import argparse
import inspect
import json
import re
import sys

import numpy as np
import pytest

from simspec.checks import install_command
from simspec.cli.capture import add_arguments, run
from simspec.laws import softmax
from simspec.logits import capture as capture_module
from simspec.logits.bank import open_bank
from simspec.logits.capture import capture, passes
from simspec.logits.capture.accumulate import Accumulator
from simspec.logits.capture.models import load_model
from simspec.logits.capture.prepared import Options, prepare
from simspec.logits.capture.recorded import capture_recorded
from simspec.logits.capture.windows import Cutter, Window
from simspec.logits.corpora.documents import read_documents
from simspec.tools.rates import rates
from tests.logits import tiny
from tests.requirements import require


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    require("torch")
    folder = tmp_path_factory.mktemp("models")
    tiny.gpt2(folder / "target", scale=1.0, padding=3)
    tiny.gpt2(folder / "draft", seed=1, scale=0.5, padding=3)
    tiny.llama(folder / "llama")
    (folder / "a.json").write_text(json.dumps(tiny.text(40, 130)))
    (folder / "b.json").write_text(json.dumps(tiny.text(40, 130, seed=1)))
    return folder


def make(folder, out, draft: str | None = "draft", **options):
    defaults = {"text": [folder / "a.json", folder / "b.json"], "contexts": 20, "window": 40, "progress": False}
    name = None if draft is None else str(folder / draft)
    return capture(str(folder / "target"), name, out=out, **{**defaults, **options})


@pytest.fixture(scope="module")
def bank(folder):
    return make(folder, folder / "bank.safetensors", statistics=600, tuning=6, licence="none", seed=3)


def replay(folder, model, ids):
    """Logits after the last of `ids`, by transformers alone."""
    import torch
    from transformers import AutoModelForCausalLM

    with torch.no_grad():
        return AutoModelForCausalLM.from_pretrained(folder / model)(torch.tensor([ids])).logits[0, -1].numpy()


def inputs_of(folder, bank, row, window=40):
    """Input of one context, found again in the text by its place (no prefix: the byte-level tokenizer has none)."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder / "target")
    texts = json.loads((folder / "a.json").read_text()) + json.loads((folder / "b.json").read_text())
    ids = tokenizer(texts[bank.documents[row]])["input_ids"]
    last, following, at = bank.index.last[row], bank.index.following[row], bank.index.position[row]
    starts = [s for s in range(0, len(ids), window) if ids[s + at : s + at + 2] == [last, following]]
    return [ids[s : s + at + 1] for s in starts]


def test_rows_are_what_transformers_says(folder, bank):
    for row in (0, 7, 19):
        candidates = inputs_of(folder, bank, row)
        assert candidates
        raw, draft = bank.target(row, raw=True), bank.draft(row, raw=True)
        errors = [abs(replay(folder, "target", ids) - raw).max() for ids in candidates]
        best = candidates[int(np.argmin(errors))]
        assert min(errors) < 0.02 * abs(raw).max()  # sixteen bits
        assert abs(replay(folder, "draft", best) - draft).max() < 0.02 * abs(draft).max()
        assert abs(softmax(replay(folder, "target", best)) - softmax(raw)).sum() / 2 < 0.01


def test_neighbours_are_runs_of_the_text(folder):
    """Runs of five, the last cut to what is asked; each run's last tokens are the next ones of the context before."""
    bank = make(folder, folder / "runs.safetensors", contexts=23, neighbours=5, per_document=1)
    index, document = bank.index, bank.documents
    assert bank.contexts == 23 and sorted(np.unique(document, return_counts=True)[1].tolist()) == [3, 5, 5, 5, 5]
    same = document[1:] == document[:-1]
    assert (np.diff(index.position)[same] == 1).all() and (index.last[1:] == index.following[:-1])[same].all()
    row = int(np.flatnonzero(same)[1])
    inputs = inputs_of(folder, bank, row)
    assert min(abs(replay(folder, "target", ids) - bank.target(row, raw=True)).max() for ids in inputs) < 0.1


def test_shape_and_index(bank):
    assert bank.contexts == 20 and bank.vocab == bank.target().shape[1] == bank.draft().shape[1]
    assert bank.index.position.min() >= 16 and bank.index.position.max() < 40
    assert set(np.unique(bank.corpus, return_counts=True)[1].tolist()) == {10}
    assert np.unique(bank.documents, return_counts=True)[1].max() <= 2
    assert bank.shared.all() and bank.draft_to_target.tolist() == list(range(bank.vocab))
    assert bank.tokens[0] == b"<|endoftext|>" and b" " in bank.tokens and bank.tokens[-3:] == [b""] * 3
    assert bank.tuning_target().shape == bank.tuning_draft().shape == (6, bank.vocab)
    assert 600 <= bank.statistics.contexts.sum() < 640  # whole windows, each read once


def spy(monkeypatch, function, argument):
    """List that fills with the windows given to a function of capture."""
    seen: list[Window] = []
    original = getattr(capture_module, function)

    def record(*args, **options):
        given = inspect.signature(original).bind(*args, **options).args
        seen.extend(given[argument])
        return original(*args, **options)

    monkeypatch.setattr(capture_module, function, record)
    return seen


def test_evaluation_shares_no_document_with_statistics_or_tuning(folder, bank, monkeypatch):
    streamed = spy(monkeypatch, "run_statistics", 3)
    again = make(folder, folder / "again.safetensors", statistics=600, tuning=6, licence="none", seed=3)
    assert streamed and not {w.document for w in streamed} & set(again.documents.tolist())
    assert not set(again.tuning_index.document.tolist()) & set(again.documents.tolist())


def test_a_document_given_twice_is_still_kept_apart(folder, monkeypatch):
    streamed = spy(monkeypatch, "run_statistics", 3)
    bank = make(
        folder, folder / "x.safetensors", text=[folder / "a.json"], statistics_text=[folder / "a.json"], statistics=300
    )
    assert streamed and not {w.document - 40 for w in streamed} & set(bank.documents.tolist())


def test_statistics_are_those_of_the_models_contexts(folder, bank, monkeypatch):
    """Streamed statistics against all laws at once, gathered from the same model calls."""
    kept: dict[int, list] = {}

    class Gather(Accumulator):
        def first(self, target, following, fold):
            kept.setdefault(fold, []).append((target, following))
            super().first(target, following, fold)

    monkeypatch.setattr(passes, "Accumulator", Gather)
    again = make(folder, folder / "again.safetensors", statistics=600, tuning=6, licence="none", seed=3).statistics
    z = np.concatenate([t for fold in sorted(kept) for t, _ in kept[fold]]).astype(float)
    counts = [np.bincount(np.concatenate([f for _, f in kept[fold]]), minlength=z.shape[1]) for fold in sorted(kept)]
    assert again.counts.tolist() == np.array(counts).tolist()
    assert np.allclose(again.mean, softmax(z).mean(axis=0), rtol=1e-5, atol=1e-9)
    assert again.spectrum("logits")["trace"] == pytest.approx(z.var(axis=0).sum(), rel=1e-6)
    assert again.spectrum("logits")["top"] == pytest.approx(np.linalg.eigvalsh(np.cov(z.T, bias=True))[-1], rel=1e-3)


def test_a_batch_changes_nothing_but_rounding(folder):
    one = make(folder, folder / "one.safetensors", batch=1, storage="float32")
    many = make(folder, folder / "many.safetensors", batch=7, storage="float32")
    assert np.array_equal(one.index.last, many.index.last)
    assert np.allclose(one.target(raw=True), many.target(raw=True), atol=1e-4)
    assert np.allclose(one.draft(), many.draft(), atol=1e-4)
    assert one.storage_tv["target"]["max"] < 1e-6


def test_a_capture_can_be_made_again_bit_by_bit(folder, bank, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    contents = []
    for name in ("u", "v"):
        make(folder, folder / f"{name}.safetensors", name="same", statistics=300)
        contents.append((folder / f"{name}.safetensors").read_bytes())
    assert contents[0] == contents[1]
    assert open_bank(folder / "u.safetensors").provenance["date"] == "1970-01-01"


def test_a_lone_target(folder):
    bank = make(folder, folder / "lone.safetensors", draft=None)
    assert bank.draft() is None and bank.draft_to_target is None and bank.tuning_target() is None
    assert bank.statistics is None and bank.shared.all()


def test_different_vocabularies(folder):
    bank = make(folder, folder / "mixed.safetensors", "llama", statistics=600, tuning=4)
    assert bank.draft().shape == (20, len(bank.draft_tokens)) and len(bank.draft_tokens) != bank.vocab
    for token, partner in enumerate(bank.draft_to_target):
        if partner >= 0 and bank.tokens[partner] != b"<|endoftext|>":
            assert bank.draft_tokens[token] == bank.tokens[partner]
    shared = set(bank.tokens) & set(bank.draft_tokens) - {b""}
    assert {bank.tokens[i] for i in np.flatnonzero(bank.shared)} == shared | {b"<|endoftext|>"}
    assert bank.draft_to_target[2] == 0 and bank.draft_to_target[1] == -1  # </s> and <|endoftext|> both end the text
    places = bank.provenance["places"]
    assert 0 < places["shared"] < places["target"] and places["share"] == places["shared"] / places["target"]
    law = softmax(bank.draft())
    mass = bank.draft_on_target(law)
    assert np.allclose(mass.sum(axis=-1), law[:, bank.draft_to_target >= 0].sum(axis=-1))
    assert bank.statistics.affinity(mass).shape == (20, bank.vocab)
    first = bank.draft_first
    assert first.shape == (len(bank.draft_tokens),) and first[2] == 0 and first[1] == -1
    for token in range(3, len(first)):
        assert bank.draft_tokens[token].startswith(bank.tokens[first[token]])
    rule_names = ["tli", "slem", "slrs"]
    for row in rates(bank.file.path, rule_names):
        # every one of them is lossless, and accepts something
        assert row.values["tv"].estimate == pytest.approx(0, abs=1e-9) and row.values["acceptance"].estimate > 0


def test_at_every_place_both_models_have_read_the_same_text(folder):
    ours, theirs = (load_model(str(folder / name), "target", "cpu") for name in ("target", "llama"))
    cut = Cutter(ours, theirs, 40, 4)
    tokens, draft_tokens = ours.token_bytes(), theirs.token_bytes()
    places = 0
    for number, document in enumerate(read_documents(folder / "a.json")[:5]):
        for window in cut(number, document):
            whole = [theirs.roles["bos"], *theirs.encode(document.text)]
            if window.target == ours.encode(document.text)[: len(window.target)]:  # the first window
                assert window.draft == whole[: len(window.draft)]
            assert window.draft[0] == theirs.roles["bos"] and max(window.draft_positions) < 256
            for at, draft_at, following in zip(window.positions, window.draft_positions, window.following, strict=True):
                read = b"".join(tokens[i] for i in window.target[: at + 1])
                draft_read = b"".join(draft_tokens[i] for i in window.draft[1 : draft_at + 1])
                assert draft_read.endswith(read) and len(draft_read) <= len(read) + max(map(len, draft_tokens))
                assert read + tokens[following] in document.text.encode()
                places += 1
    assert 100 < places < cut.shared < cut.places


@pytest.mark.parametrize(("draft", "says"), [("llama", True), ("draft", False), (None, False)])
def test_it_says_where_two_tokenizers_leave_places_out(folder, draft, says):
    theirs = None if draft is None else str(folder / draft)
    settings = Options(contexts=4, window=40, device="cpu")
    prepared = prepare(str(folder / "target"), theirs, text=[folder / "a.json"], settings=settings)
    share = re.search(
        r"^4 contexts at the (\d+)% of the text's tokens .* \(--chat takes all\): the models", prepared.takes()
    )
    assert (share is not None) == says
    assert share is None or int(share[1]) == round(100 * prepared.cut.shared / prepared.cut.places)


def test_the_draft_of_another_vocabulary_is_asked_about_that_text(folder, monkeypatch):
    windows = spy(monkeypatch, "run_contexts", 2)
    bank = make(folder, folder / "mixed2.safetensors", "llama")
    for row in (0, 5, 11):
        raw = bank.draft(row, raw=True)
        assert len(windows[row].draft) == windows[row].draft_positions[0] + 1
        assert abs(replay(folder, "llama", windows[row].draft) - raw).max() < 0.02 * abs(raw).max()


def test_nan_logits_are_refused_and_nothing_is_written(folder, tmp_path):
    import torch
    from safetensors.torch import load_file, save_file

    tiny.gpt2(tmp_path / "nan", padding=3)
    weights = load_file(tmp_path / "nan" / "model.safetensors")
    weights["transformer.ln_f.bias"] = torch.full_like(weights["transformer.ln_f.bias"], torch.nan)
    save_file(weights, tmp_path / "nan" / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ValueError, match="logits: row 0 holds nan"):
        capture(
            str(tmp_path / "nan"),
            text=[folder / "a.json"],
            out=tmp_path / "o.safetensors",
            contexts=4,
            window=40,
            progress=False,
        )
    assert not list(tmp_path.glob("*.safetensors")) and not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"contexts": 0}, "contexts: 0; expected at least 1"),
        ({"contexts": 1000}, "contexts: 1000 asked, 160 found"),
        ({"statistics": 10**6}, "statistics: 1000000 contexts asked"),
        ({"contexts": 41, "per_document": 1, "statistics": 300}, "contexts: 41 asked, 40 found"),  # half is kept back
        ({"window": 49}, "window: 49; .* takes at most 48 tokens"),
        ({"window": 17}, "window: 17; expected at least 18"),
        ({"storage": "int8"}, "storage: 'int8'"),
        ({"device": "tpu"}, "device: 'tpu'"),
        ({"text": []}, "text: no file"),
        ({"out": "/nowhere/at/all.safetensors"}, "out: .* no existing folder"),
        ({"out": "."}, "out: '.' is a folder"),
        ({"draft": "absent"}, "draft: .*absent.: no such file or folder"),
    ],
)
def test_bad_arguments_are_named(folder, options, message):
    with pytest.raises(ValueError, match=message):
        make(folder, **{"out": folder / "bad.safetensors", **options})
    assert not (folder / "bad.safetensors").exists()


def parse(*words):
    parser = argparse.ArgumentParser(prog="simspec capture")
    add_arguments(parser)
    return parser.parse_args(list(map(str, words)))


def test_the_command(folder, capsys):
    words = ["--target", folder / "target", "--text", folder / "a.json", "--contexts", 4, "--window", 40]
    assert run(parse(*words, "-o", folder / "c.safetensors")) == 0
    out = capsys.readouterr()
    assert "contexts: 4 of" in out.out and "evaluation" in out.err
    assert re.search(
        r"^4 contexts: the models read \d+ tokens; a file of \S+ GB, \S+ GB of memory beside the models; about \d+ s here$",
        out.err,
        re.MULTILINE,
    )
    command = open_bank(folder / "c.safetensors").provenance["command"]
    assert (
        command
        == f"simspec capture --target target --text {folder.name}/a.json --contexts 4 --window 40 --out c.safetensors"
    )
    assert str(folder.parent) not in (folder / "c.safetensors").read_bytes().decode("latin-1")


def test_bad_usage_is_one_line_and_exit_2(folder, tmp_path, capsys):
    assert run(parse("--target", tmp_path / "no", "--text", folder / "a.json", "-o", tmp_path / "o")) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert run(parse("-o", tmp_path / "o")) == 2
    assert "--target: missing" in capsys.readouterr().err
    assert run(parse("--logits", "a.npz", "-o", tmp_path / "o")) == 2
    assert "needs --vocab and --records" in capsys.readouterr().err


def test_without_the_extra_one_line_says_how_to_get_it(tmp_path, capsys, monkeypatch):
    (tmp_path / "a.txt").write_text("some text")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert run(parse("--target", "gpt2", "--text", tmp_path / "a.txt", "-o", tmp_path / "o")) == 2
    message = capsys.readouterr().err
    assert f"needs torch: {install_command('capture')}" in message and message.count("\n") == 1


def test_help_shows_an_example(capsys):
    with pytest.raises(SystemExit) as stop:
        parse("--help")
    assert stop.value.code == 0
    assert "simspec capture --target gpt2-medium --draft gpt2" in capsys.readouterr().out


def test_recorded_logits(tmp_path):
    z = np.array([[0.0, -1.0, -2.0], [5.0, 6.0, 7.0]])
    np.savez(tmp_path / "r.npz", logits=z)
    (tmp_path / "v.json").write_text(json.dumps({"Ġa": 0, "c": 2, "b": 1}))
    (tmp_path / "p.json").write_text(json.dumps([{"token_ids": [0, 2]}, {"token_ids": [1]}]))
    paths = (tmp_path / name for name in ("r.npz", "v.json", "p.json"))
    bank = capture_recorded(*paths, tmp_path / "o.safetensors")
    assert bank.target(raw=True).tolist() == z.tolist() and bank.target().max(axis=-1).tolist() == [0, 0]
    assert bank.tokens == [b" a", b"b", b"c"]
    assert bank.index.last.tolist() == [2, 1] and bank.index.position.tolist() == [1, 0]
    assert bank.index.following.tolist() == [-1, -1]
