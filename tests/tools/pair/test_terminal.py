"""What the command `pair` prints of hostile names and texts: they are shown, and nothing of them lives in the terminal."""

from __future__ import annotations

import json
import random
import unicodedata

import pytest

from simspec import cli
from simspec.tools.pair import folder, work
from tests.tools.pair.test_page import HOSTILE

LIVE = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Categories of characters that move the cursor, turn the direction, or are not seen."""


def words(count: int):
    rng = random.Random(1)
    for _ in range(count):
        yield "".join(rng.choice(HOSTILE) for _ in range(rng.randint(1, 3)))


def is_inert(printed: str) -> bool:
    """Whether nothing but the ends of lines is live."""
    return all(unicodedata.category(c) not in LIVE for c in printed.replace("\n", ""))


def test_nothing_of_300_hostile_names_lives_in_an_error(tmp_path, capsys) -> None:
    """As a folder of models, as a file of prompts, and as a way to make a draft."""
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text(json.dumps({"prompt": "What is 2 + 3?"}))
    for number, word in enumerate(words(300)):
        chat = str(prompts) if number % 3 else str(tmp_path / word.replace("/", "").replace("\x00", ""))
        draft = f"quantised:{word}" if number % 3 == 1 else "quantised:4"
        target = f"{tmp_path}/{word}" if number % 3 == 2 else "some-model"
        assert cli.main(["pair", target, draft, "--chat", chat, "--out", str(tmp_path / "out")]) == 2
        printed = capsys.readouterr()
        assert is_inert(printed.out + printed.err) and "simspec: error: " in printed.err


def test_nothing_of_300_hostile_answers_lives_in_what_is_printed_at_the_end(tmp_path, monkeypatch, capsys) -> None:
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text(json.dumps({"prompt": "What is 2 + 3?"}))
    monkeypatch.setattr(work.Work, "run", lambda self, only: [])
    for word in words(300):
        out = tmp_path / word.replace("/", "").replace("\x00", "").replace("\ud800", "")
        monkeypatch.setattr(folder.Folder, "read", lambda self, part, word=word: {"sentence": word})
        assert (
            cli.main(["pair", "some-model", "quantised:4", "--chat", str(prompts), "--out", f"{out}-{len(word)}"]) == 0
        )
        printed = capsys.readouterr()
        assert is_inert(printed.out + printed.err)
        assert "nothing was missing: " in printed.out


@pytest.mark.parametrize("text", ["\x1b[31m", "\u202egnp", "\ud800", "\x07", "\u2028"])
def test_live_characters_are_noticed(text) -> None:
    assert not is_inert(f"simspec: error: {text}") and is_inert("simspec: error: \u2603 \xe9\n")
