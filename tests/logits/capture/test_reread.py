"""Texts between two tokenizers: what the draft reads of the target's tokens, and the first token of a draft token's text."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.logits.capture.align import bytes_to_token, draft_to_target
from simspec.logits.capture.models import load_model
from simspec.logits.capture.reread import Reader, leading_tokens, longest_prefix, read_bytes
from tests.logits import tiny
from tests.requirements import require


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A byte-level target and a SentencePiece draft with byte tokens."""
    require("torch")
    folder = tmp_path_factory.mktemp("reread")
    target = load_model(tiny.chat(folder / "target"), "target", "cpu")
    return target, load_model(tiny.llama(folder / "draft"), "draft", "cpu")


def test_the_first_token_of_a_draft_token_is_that_of_its_text(models) -> None:
    target, draft = models
    first = leading_tokens(target, draft)
    pieces = target.token_bytes()
    texts = draft.token_bytes()
    ordinary = np.flatnonzero(~draft.special)
    for i in ordinary:
        assert first[i] >= 0 and texts[i].startswith(pieces[first[i]]), texts[i]
    encoded = {i: target.encode(texts[i].decode()) for i in ordinary if texts[i].isascii()}
    assert len(encoded) > 100 and all(first[i] == ids[0] for i, ids in encoded.items())
    # some texts are several tokens of the target, of which the first alone counts
    assert any(len(ids) > 1 for ids in encoded.values())


def test_a_token_that_is_part_of_a_character_begins_with_a_byte_of_the_target(models) -> None:
    target, draft = models
    byte = draft.strings.index("<0x98>")
    first = leading_tokens(target, draft)
    assert target.token_bytes()[first[byte]] == b"\x98"
    # the other way: the byte-level tokens are read by a SentencePiece vocabulary, which has tokens of single bytes
    back = leading_tokens(draft, target)
    part = target.token_bytes().index(b"\x98")
    assert draft.strings[back[part]] == "<0x98>"


def test_special_tokens_are_read_by_their_role(models) -> None:
    target, draft = models
    first = leading_tokens(target, draft)
    assert first[draft.roles["eos"]] == target.roles["eos"]
    assert first[draft.strings.index("<unk>")] == -1
    shared = draft_to_target(target.strings, draft.strings, target.special, draft.special, (target.roles, draft.roles))
    assert (first[shared >= 0] == shared[shared >= 0]).mean() > 0.9


@pytest.mark.parametrize("text", ["the cat sat", "naïve café", "☃ 12 — far", "", " a", "a\nb"])
def test_the_draft_reads_every_beginning_of_a_text(models, text) -> None:
    """Also where the beginning ends within a character: the bytes so far are spelled one by one."""
    target, draft = models
    reader = Reader(target, draft)
    target_pieces, draft_pieces = target.token_bytes(), draft.token_bytes()
    ids = target.encode(text)
    for end in range(len(ids) + 1):
        spelled = b"".join(target_pieces[i] for i in ids[:end])
        read = b"".join(draft_pieces[i] for i in reader(ids[:end]))
        # before every text its tokenizer puts a space
        assert read in (spelled, b" " + spelled)


def test_control_tokens_are_no_part_of_the_text(models) -> None:
    target, draft = models
    ids = target.encode("the cat")
    assert Reader(target, draft)([*ids, target.roles["eos"]]) == Reader(target, draft)(ids)


def test_any_bytes_are_read() -> None:
    rng = np.random.default_rng(0)

    def encode(text: str) -> list[int]:
        return [256 + ord(c) for c in text]

    every_byte = {bytes([byte]): byte for byte in range(256)}
    for _ in range(300):
        text = rng.integers(0, 256, rng.integers(0, 12), dtype=np.uint8).tobytes() + "é☃".encode()[: rng.integers(6)]
        ids = read_bytes(text, encode, every_byte)
        assert b"".join(bytes([i]) if i < 256 else chr(i - 256).encode() for i in ids) == text
        without = read_bytes(text, encode, {})
        assert "".join(chr(i - 256) for i in without) == text.decode(errors="ignore")


def test_where_no_token_fits_there_is_none() -> None:
    tokens = bytes_to_token(["a", "ab", "<s>"], np.array([False, False, True]))
    assert longest_prefix(b"abc", tokens) == 1
    assert longest_prefix(b"<s>", tokens) == -1
