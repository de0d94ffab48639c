"""The maker of the bank `smollm2`, on a small chat model: what it stores is what the models say, and it goes on where it was."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from simspec.laws import overlap, softmax
from simspec.logits.bank import open_bank
from simspec.logits.bank.storage import store_rows
from simspec.logits.capture import Speech, smollm2_bank
from simspec.logits.capture.chat import read_prompts
from simspec.logits.capture.rows_on_disk import RowsOnDisk
from simspec.logits.capture.smollm2_bank import DOCUMENTS, PROMPTS, main, make, plan, whole_contexts
from simspec.logits.capture.windows import Window
from tests.logits import tiny
from tests.requirements import require

WORDS = ("the cat sat", "a dog ran", "far away home", "red and blue", "naïve café", "it is on the mat")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    require("torch")
    folder = tmp_path_factory.mktemp("smollm2")
    tiny.chat(folder / "model")
    (folder / "texts").mkdir()
    for name, seed in (("a.json", 0), ("b.json", 1)):
        (folder / "texts" / name).write_text(json.dumps(tiny.text(30, 130, seed=seed)))
    lines = [json.dumps({"prompt": words, "kind": kind}) for kind in ("chat", "code") for words in WORDS]
    (folder / "prompts.jsonl").write_text("\n".join(lines))
    return folder


def chosen(folder, whole=2):
    return plan(
        folder,
        target=str(folder / "model"),
        drafts=("quantised:3", "quantised:2"),
        prompts=folder / "prompts.jsonl",
        texts=("texts/a.json", "texts/b.json"),
        speech=Speech(1.0, 14, 3),
        run=5,
        documents=6,
        whole=whole,
        statistics=300,
        window=40,
        kept=20,
        progress=False,
    )


@pytest.fixture(scope="module")
def made(folder):
    choice = chosen(folder)
    return choice, make(choice, folder / "small.safetensors", command="make", progress=False)


def test_cut_and_whole_rows_are_those_of_the_models(made) -> None:
    choice, bank = made
    row = 0
    for window in choice.windows:
        p, q, r = (
            softmax(model.logits([window.target], [window.positions]).astype(np.float64))
            for model in (choice.target, *choice.drafts)
        )
        rows = slice(row, row + len(window.positions))
        row = rows.stop
        for name, law in (("quantised:3", q), ("quantised:2", r)):
            cut = bank.with_draft(name).cut
            assert np.allclose(cut.overlap[rows], overlap(p, law), atol=1e-5)
            kept = np.take_along_axis(law, cut.tokens(rows).astype(int), axis=-1)
            assert np.allclose(cut.laws(rows)[1][:, :-1], kept, atol=1e-3)
        for context in np.flatnonzero(bank.cut.whole[rows] >= 0):
            place = bank.cut.whole[rows][context]
            assert np.allclose(softmax(bank.target(place)), p[context], atol=1e-3)
            assert np.allclose(softmax(bank.with_draft("quantised:2").draft(place)), r[context], atol=1e-3)
    assert row == bank.cut.contexts
    # the drafts differ, so a bank that read one for the other would fail above
    assert abs(bank.cut.overlap - bank.with_draft("quantised:2").cut.overlap).max() > 0.01


def test_contexts_are_runs_of_consecutive_positions_of_each_kind(made) -> None:
    choice, bank = made
    index = bank.cut.index
    kinds = set(index.corpus.tolist())
    assert kinds == {"chat", "code", "texts/a.json", "texts/b.json"}
    for document in np.unique(index.document):
        own = index.document == document
        assert own.sum() <= 5 and len(set(index.corpus[own])) == 1
        assert (np.diff(index.position[own]) == 1).all()
        assert (index.last[own][1:] == index.following[own][:-1]).all()
    whole = bank.cut.whole >= 0
    assert bank.contexts == whole.sum() == 6 and len(set(bank.documents.tolist())) == 6
    assert np.array_equal(bank.index.last, index.last[whole]) and bank.statistics.contexts.sum() >= 300
    assert bank.statistics.affinity is None
    evaluated = {(window.corpus, window.document) for window in choice.windows}
    assert not evaluated & {(window.corpus, window.document) for window in choice.prepared.streamed}


def test_the_bank_says_where_it_is_from(made) -> None:
    provenance = made[1].provenance
    assert provenance["licence"] and provenance["chat"]["temperature"] == 1.0
    assert [file["for"] for file in provenance["texts"]] == ["chat", "evaluation", "evaluation"]
    assert all(len(file["sha256"]) == 64 for file in provenance["texts"]) and provenance["documents"]["statistics"]


def interrupted(*arguments):
    raise KeyboardInterrupt


def test_a_run_that_is_interrupted_goes_on_to_the_same_bytes(folder, made, monkeypatch) -> None:
    out = folder / "again" / "small.safetensors"
    out.parent.mkdir(exist_ok=True)  # another test's too, in whatever order they run
    batches = []
    original = smollm2_bank._batch

    def counted(*arguments):
        batches.append(arguments)
        if len(batches) == 3:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(smollm2_bank, "_batch", counted)
    with pytest.raises(KeyboardInterrupt):
        make(chosen(folder), out, command="make", progress=False)
    assert not out.exists()
    # the second run ends in the statistics, when the bank is there without them
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(smollm2_bank, "run_statistics", interrupted)
        make(chosen(folder), out, command="make", progress=False)
    bank = open_bank(out)
    assert bank.statistics is None and bank.cut.contexts == made[1].cut.contexts
    make(chosen(folder), out, command="make", progress=False)
    total = -(-len(made[0].windows) // made[0].batch)
    assert len(batches) == 1 + total  # two are kept, the third is made twice
    assert out.read_bytes() == (folder / "small.safetensors").read_bytes()
    assert not out.with_name("small.safetensors.unfinished").exists()


def test_whole_rows_are_of_different_windows_of_each_kind() -> None:
    """The false alarm of a wrong choice is impossible: every choice is checked, not a sample."""
    empty = np.empty(0, dtype=np.int64)
    windows = [Window("a", number, [], [], np.arange(3), empty, np.arange(3)) for number in range(6)]
    picked = whole_contexts(windows, ["x"] * 4 + ["y"] * 2, 3, np.random.default_rng(0))
    numbers = [context // 3 for context in picked.tolist()]
    assert len(set(numbers)) == 5 and sum(number < 4 for number in numbers) == 3 and {4, 5} <= set(numbers)


def test_the_shipped_prompts_are_as_many_of_each_kind() -> None:
    prompts = read_prompts(PROMPTS)
    kinds = [prompt.kind for prompt in prompts]
    assert {kind: kinds.count(kind) for kind in kinds} == {"chat": 28, "code": 28, "arithmetic": 28}
    assert len({prompt.messages[0]["content"] for prompt in prompts}) == len(prompts)


def test_bad_arguments_of_the_command_are_named(tmp_path, capsys) -> None:
    assert main([]) == 2
    assert (
        "0 arguments; expected two: python -m simspec.logits.capture.smollm2_bank CORPORA OUT"
        in capsys.readouterr().err
    )
    assert main([str(tmp_path), str(tmp_path / "none" / "a.safetensors")]) == 2
    assert "lies in no existing folder" in capsys.readouterr().err


def test_the_command_says_what_it_takes_before_it_begins(made) -> None:
    choice, bank = made
    written, streamed = choice.windows, choice.prepared.streamed
    tokens = 3 * sum(len(window.target) for window in written) + 2 * sum(len(window.target) for window in streamed)
    words = smollm2_bank._takes(choice)
    assert words.startswith(
        f"{bank.cut.contexts} contexts, {bank.contexts} of them whole, and {bank.statistics.contexts.sum()} positions for "
        "statistics; a file of "
    )
    assert f"read {tokens:,} tokens, about " in words and words.endswith(" here")


def test_the_full_bank_keeps_every_row_and_is_the_same_otherwise(folder, made) -> None:
    """Whole rows are those of the models; cut rows and statistics those of the bank with fewer whole rows."""
    choice = chosen(folder, whole=None)
    bank = make(choice, folder / "full.safetensors", command="make", progress=False)
    small = made[1]
    assert bank.contexts == bank.cut.contexts == small.cut.contexts > small.contexts
    assert (bank.cut.whole == np.arange(bank.contexts)).all()
    for name in bank.file.names:
        if name.startswith("cut_") and name != "cut_whole":
            assert np.array_equal(bank.file.read(name), small.file.read(name)), name
    assert np.array_equal(bank.statistics.counts, small.statistics.counts)
    is_whole = small.cut.whole >= 0
    for draft in bank.drafts:
        full, few = bank.with_draft(draft), small.with_draft(draft)
        p, q = softmax(full.target().astype(np.float64)), softmax(full.draft().astype(np.float64))
        assert np.allclose(overlap(p, q), bank.with_draft(draft).cut.overlap, atol=1e-3)
        assert np.array_equal(full.draft()[is_whole], few.draft())
    assert not (folder / "full.safetensors.unfinished").exists()


def test_a_full_bank_that_is_interrupted_goes_on_to_the_same_bytes(folder, monkeypatch) -> None:
    """Its files of rows are begun anew, from the batches that are there."""
    out, plain = folder / "again" / "full.safetensors", folder / "plain" / "full.safetensors"
    for path in (out, plain):
        path.parent.mkdir(exist_ok=True)
    make(chosen(folder, whole=None), plain, command="make", progress=False)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(smollm2_bank, "_write", interrupted)
        make(chosen(folder, whole=None), out, command="make", progress=False)
    assert (out.with_name("full.safetensors.unfinished") / "rows-0.f16").stat().st_size
    make(chosen(folder, whole=None), out, command="make", progress=False)
    assert out.read_bytes() == plain.read_bytes()


def test_rows_that_are_missing_are_said(tmp_path) -> None:
    rows = RowsOnDisk(tmp_path / "rows", models=2, count=3, vocab=4)
    rows.add([store_rows(np.zeros((2, 4)))] * 2)
    with pytest.raises(ValueError, match=r"rows: \[2, 2\] were added, by model; expected 3 of each"):
        rows.all()
    rows.add([store_rows(np.ones((1, 4)))] * 2)
    assert rows.all()[1].stored.shape == (3, 4) and rows.all()[1].shift.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--whole-rows", "some"], "argument --whole-rows: 'some'; expected a number of contexts of each kind, or all"),
        (["--documents", "0"], "argument --documents: '0'; expected a number, 1 or more"),
        (["--statistics", "x"], "argument --statistics: 'x'; expected a number, 1 or more"),
        (["--rows", "1"], "unrecognized arguments: --rows"),
    ],
)
def test_bad_options_are_named_with_the_form_of_the_command(tmp_path, capsys, options, words) -> None:
    assert main([str(tmp_path), str(tmp_path / "a.safetensors"), *options]) == 2
    error = capsys.readouterr().err
    assert words in error and error.startswith("simspec: error: ") and "Traceback" not in error


def test_fewer_documents_are_fewer_prompts_of_each_kind_too() -> None:
    prompts = read_prompts(PROMPTS)
    chosen_prompts = smollm2_bank._first_of_each(prompts, 2)
    kinds = [prompt.kind for prompt in chosen_prompts]
    assert {kind: kinds.count(kind) for kind in kinds} == {"chat": 2, "code": 2, "arithmetic": 2}
    assert [p for p in prompts if p in chosen_prompts] == chosen_prompts
    assert smollm2_bank._first_of_each(prompts, DOCUMENTS) == prompts


def test_a_disk_that_is_too_small_is_refused_with_what_it_takes(made, tmp_path, monkeypatch) -> None:
    size = smollm2_bank._size(made[0])
    assert size[0] < size[1]
    monkeypatch.setattr(smollm2_bank.shutil, "disk_usage", lambda path: SimpleNamespace(free=size[1] - 1))
    with pytest.raises(
        ValueError, match=r"out: the disk of '.*' has .* GB left; expected .* GB while the bank is made"
    ):
        smollm2_bank._check_disk(tmp_path / "a.safetensors", made[0])


def test_the_announced_size_is_that_of_the_shipped_bank() -> None:
    """The bank that ships, of which the announcement is computed without its models."""
    bank = open_bank("smollm2")
    windows = [SimpleNamespace(positions=range(bank.cut.contexts))]
    choice = SimpleNamespace(
        drafts=bank.drafts,
        windows=windows,
        whole=range(bank.contexts),
        kept=bank.cut.kept,
        target=SimpleNamespace(vocab=bank.vocab),
    )
    assert smollm2_bank._size(choice)[0] == pytest.approx(bank.file.path.stat().st_size, rel=0.2)


def test_the_time_that_the_readme_states_is_what_the_command_printed() -> None:
    """The line is computed anew from its own counts and seconds."""
    readme = " ".join((PROMPTS.parent / "README.md").read_text().replace("\n  > ", " ").split())
    line = re.search(r"processor time: .*?\(measured on \d+ documents\)", readme)
    assert line is not None
    counts = re.fullmatch(
        r"processor time: models (\d+) s, answers (\d+) s \((\d+) answers\), contexts (\d+) s \((\d+) documents\), "
        r"statistics (\d+) s \(([\d,]+) positions\)\. .*",
        line[0],
    )
    assert counts is not None
    models, answered, answers, contexts, documents, streamed, positions = (
        int(text.replace(",", "")) for text in counts.groups()
    )
    choice = SimpleNamespace(
        kinds=("chat", "code", "arithmetic"),
        windows=[SimpleNamespace(corpus="chat")] * answers + [SimpleNamespace(corpus="text")] * (documents - answers),
        prepared=SimpleNamespace(streamed=[SimpleNamespace(positions=range(positions))]),
    )
    seconds = {"models": models, "answers": answered, "contexts": contexts, "statistics": streamed}
    assert smollm2_bank._took(seconds, choice, True) == line[0]


def test_a_bank_of_a_maker_opens_like_any_other(folder, made) -> None:
    assert repr(open_bank(folder / "small.safetensors")).count("cut") >= 3


def test_a_folder_without_the_texts_is_refused_before_a_model_is_loaded(tmp_path, monkeypatch) -> None:
    def loaded(*args: object) -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(smollm2_bank, "load_target", loaded)
    with pytest.raises(ValueError, match=r"corpora: .* has no wikitext2/test\.txt; expected the folder of wikitext2"):
        plan(tmp_path)
