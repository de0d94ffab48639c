"""Models are read from folders and GGUF files, and what cannot be loaded is refused with the reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simspec.logits.capture.models import load_model
from simspec.logits.capture.prepared import Options, load_pair
from simspec.logits.capture.weights import reason_of, weights_of
from simspec.tools.drafters.models import drafts_of_models
from tests.logits import tiny
from tests.requirements import require


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    require("gguf")
    folder = tmp_path_factory.mktemp("gguf")
    tiny.chat(folder / "plain")
    (folder / "packed").mkdir()
    tiny.gguf(str(folder / "plain"), folder / "packed" / "tiny.gguf")
    return folder


def test_a_gguf_file_and_its_folder_are_the_model_that_was_written_into_it(folder, capfd) -> None:
    plain = load_model(str(folder / "plain"), "target", "cpu")
    ids = [plain.encode("the cat sat on a mat")]
    positions = [np.arange(len(ids[0]))]
    expected = plain.logits(ids, positions)
    capfd.readouterr()
    for name in (folder / "packed", folder / "packed" / "tiny.gguf"):
        loaded = load_model(str(name), "target", "cpu")
        assert loaded.encode("the cat sat on a mat") == ids[0]
        assert np.abs(loaded.logits(ids, positions) - expected).max() < 1e-4 * np.abs(expected).max()
        assert loaded.roles == {"bos": 1, "eos": 2} and loaded.special[:3].all()
        assert loaded.bits == 32 and loaded.facts["name"] == "tiny.gguf"
        assert len(loaded.facts["sha256 of tiny.gguf"]) == 64
    assert capfd.readouterr().err == ""  # no progress bar of the reader's


def test_a_gguf_model_can_be_saved_again(folder, tmp_path) -> None:
    loaded = load_model(str(folder / "packed"), "target", "cpu")
    loaded.model.save_pretrained(tmp_path)
    loaded.tokenizer.save_pretrained(tmp_path)
    again = load_model(str(tmp_path), "target", "cpu")
    ids = [[5, 6, 7]]
    assert np.allclose(again.logits(ids, [np.arange(3)]), loaded.logits(ids, [np.arange(3)]), atol=1e-5)


def test_damaged_files_are_refused_with_the_reason(folder, tmp_path) -> None:
    whole = (folder / "packed" / "tiny.gguf").read_bytes()
    for size in (3, 4, 30, 300, len(whole) // 2, len(whole) - 1000):
        path = tmp_path / f"cut{size}.gguf"
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=rf"^target: '.*cut{size}\.gguf' .*expected ") as error:
            load_model(str(path), "target", "cpu")
        assert "()" not in str(error.value) and "\n" not in str(error.value)


def test_places_that_hold_no_model_are_refused(tmp_path) -> None:
    def refusal(name: Path) -> str:
        with pytest.raises(ValueError) as error:
            weights_of(str(name), "draft")
        return str(error.value)

    assert f"draft: no file '{tmp_path / 'a.gguf'}'" in refusal(tmp_path / "a.gguf")
    assert "holds neither config.json nor a .gguf file" in refusal(tmp_path)
    (tmp_path / "a.gguf").write_bytes(b"")
    assert "is empty, a GGUF file with b'GGUF'" in refusal(tmp_path / "a.gguf")
    (tmp_path / "a.gguf").write_bytes(b"PK\3\4rest")
    assert "begins with b'PK" in refusal(tmp_path)
    (tmp_path / "b.gguf").write_bytes(b"GGUF")
    assert "holds 2 GGUF files (a.gguf, b.gguf); expected one: give its path" in refusal(tmp_path)
    (tmp_path / "notes.txt").write_text("text")
    assert "begins with b'text'" in refusal(tmp_path / "notes.txt")


@pytest.mark.parametrize("name", ["./nosuch/dir", "../nosuch", "~/nosuch", "nosuch/deep/dir", "/nonexistent"])
def test_a_folder_that_is_not_there_is_no_id(name) -> None:
    with pytest.raises(
        ValueError, match=r"no such file or folder; expected a Hugging Face id, a model folder"
    ) as error:
        weights_of(name, "draft")
    assert str(error.value).startswith(f"draft: {name!r}: ")
    assert weights_of("org/model", "draft").place == "org/model"


def test_a_draft_that_is_not_there_is_refused_before_the_target_is_loaded(folder, monkeypatch) -> None:
    def load(*arguments: object) -> None:
        raise AssertionError(f"loaded {arguments}")

    monkeypatch.setattr("simspec.logits.capture.prepared.load_model", load)
    monkeypatch.setattr("simspec.tools.drafters.models.load_model", load)
    refusals = {
        "./nosuch/dir": "draft: './nosuch/dir': no such file or folder",
        "nosuch.gguf": "draft: no file 'nosuch.gguf'",
        "layers:99": "draft: 'layers:99'; the target has 3 layers: expected 1 to 2",
    }
    for draft, words in refusals.items():
        with pytest.raises(ValueError, match=words):
            load_pair(str(folder / "plain"), draft)
        with pytest.raises(ValueError, match=words):
            drafts_of_models(str(folder / "plain"), {"a": "quantised:3", "b": draft}, None, Options())
    with pytest.raises(ValueError, match=refusals["layers:99"]):  # the header of a GGUF file says how many it has
        load_pair(str(folder / "packed" / "tiny.gguf"), "layers:99")
    with pytest.raises(AssertionError, match="loaded"):
        load_pair(str(folder / "plain"), "layers:2")


def test_a_reason_is_never_empty() -> None:
    assert reason_of(KeyError()) == "KeyError"
    assert reason_of(ValueError("\n  \n first\nsecond")) == "first"
    try:
        try:
            raise OSError("disk")
        except OSError as error:
            raise RuntimeError from error
    except RuntimeError as error:
        assert reason_of(error) == "disk"


def test_a_model_larger_than_the_memory_is_refused_before_it_is_read(folder, monkeypatch) -> None:
    monkeypatch.setattr("simspec.checks.physical_memory", lambda: 2**10)
    with pytest.raises(ValueError, match=r"target: .*tiny\.gguf'; would take .* of memory, expected at most 1\.0 KiB"):
        load_model(str(folder / "packed"), "target", "cpu")
