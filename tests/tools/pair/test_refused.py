"""Bad input to `simspec pair` ends by name with the cure, and leaves what was done."""

from __future__ import annotations

import errno
import json
import os

import pytest

from simspec import checks, cli
from simspec.logits.capture import chat as chat_module
from simspec.logits.capture.weights import check_folder
from tests.logits import tiny
from tests.requirements import require


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    require("torch")
    home = tmp_path_factory.mktemp("refused")
    tiny.chat(home / "target")
    tiny.chat(home / "plain", template=None)
    lines = [json.dumps({"prompt": f"the cat {word} on"}) for word in ("sat", "ran", "in")]
    (home / "prompts.jsonl").write_text("\n".join(lines))
    (home / "broken.jsonl").write_text(lines[0] + "\n{")
    return home


@pytest.fixture
def refusal(home, tmp_path, capsys):
    """The error of a run, which must end with status 2."""

    def of(target: str = "target", chat: str = "prompts.jsonl", status: int = 2) -> str:
        small = ["--chat-length", "4", "--measure", "4", "--effort", "quick", "--device", "cpu", "--only", "capture"]
        prompts = ["--chat", str(home / chat), "--out", str(tmp_path / "out")]
        capsys.readouterr()
        assert cli.main(["pair", str(home / target), "quantised:2", *prompts, *small]) == status
        lines = capsys.readouterr().err.strip().splitlines()
        return lines[-1]

    return of


def test_what_is_refused(refusal, tmp_path, monkeypatch) -> None:
    message = refusal("plain")
    assert "'plain' has no chat template; expected a model for chat" in message
    assert "--text FILE in place of --chat, with which simspec capture" in message  # pair has no --text
    assert "chat: broken.jsonl, line 2 is no JSON" in refusal(chat="broken.jsonl")
    monkeypatch.setattr(chat_module, "write_answer", lambda *_: [2])
    assert "line 1 is answered with nothing, the end of the text at once; expected an answer: change" in refusal()


def test_a_model_that_does_not_fit_in_memory_is_refused_before_it_is_read(home, refusal, monkeypatch) -> None:
    monkeypatch.setattr(checks, "physical_memory", lambda: 2**10)
    message = refusal()
    assert "error: target: " in message and message.endswith("of memory, expected at most 1.0 KiB")
    monkeypatch.undo()
    check_folder(home / "target", "target")
    header = json.dumps({"a": {"dtype": "F16", "shape": [2**40, 2**10], "data_offsets": [0, 0]}}).encode()
    large = home / "large"
    large.mkdir()
    (large / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(ValueError, match="draft: .*large'; would take 4.0 PiB of memory, expected at most"):
        check_folder(large, "draft")
    (large / "model.safetensors").write_bytes(b"\xff" * 20)
    check_folder(large, "draft")  # damage is for the loader to name


def test_a_full_disk_is_named_and_the_same_command_goes_on(refusal, tmp_path, monkeypatch) -> None:
    written: list[int] = []
    sync = os.fsync

    def full(handle: int) -> None:
        written.append(handle)
        if len(written) > 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)
    message = refusal()
    assert "error: --out: no space left for " in message and "free some space and run the same command again" in message
    answers = sorted((tmp_path / "out" / "answers").glob("*.json"))
    before = [path.read_bytes() for path in answers]
    assert before and not (tmp_path / "out" / "pair.safetensors").exists()
    monkeypatch.undo()
    refusal(status=0)
    assert [path.read_bytes() for path in answers] == before
    assert (tmp_path / "out" / "pair.safetensors").is_file()
    assert not list((tmp_path / "out").rglob("*.partial"))
