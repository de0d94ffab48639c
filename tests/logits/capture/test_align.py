"""Tokens of two vocabularies agree when they stand for the same bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.logits.capture.align import boundaries, draft_to_target, spelling, token_bytes


def test_three_spellings_of_one_text():
    assert token_bytes(["Ġcaf", "Ã©", "Ċ"]) == [b" caf", "é".encode(), b"\n"]
    assert token_bytes(["▁caf", "é", "<0x0A>"]) == [b" caf", "é".encode(), b"\n"]
    assert token_bytes([" caf", "é", "\n"]) == [b" caf", "é".encode(), b"\n"]


def test_the_spelling_is_seen_from_the_space():
    assert spelling(["Ġa", "Ġb", "▁"]) == "byte-level"
    assert spelling(["▁a", "▁b", "Ġ"]) == "sentencepiece"  # a Maltese letter does not make it byte-level
    assert spelling(["<0x0A>", "a"]) == "sentencepiece"
    assert spelling(["a", "b"]) == "plain"
    assert token_bytes(["ġ▁"], "sentencepiece") == ["ġ ".encode()]


def test_an_unknown_spelling_is_refused():
    with pytest.raises(ValueError, match="kind: 'utf'"):
        token_bytes(["a"], "utf")


def test_the_byte_level_alphabet_covers_every_byte_once():
    from simspec.logits.capture.align import _alphabet

    assert sorted(_alphabet().values()) == list(range(256))
    assert all(chr(b) == c for c, b in _alphabet().items() if 0x21 <= b < 0x7F)


def test_the_alphabet_is_that_of_the_tokenizers_library():
    from tests.requirements import require

    require("torch")
    from tokenizers.pre_tokenizers import ByteLevel

    from simspec.logits.capture.align import _alphabet

    assert set(ByteLevel.alphabet()) == set(_alphabet())
    text = "aé\x00\x7f\xadŀ中🙂\n\t ~"
    (spelled, _), *_ = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
    assert token_bytes([spelled], "byte-level") == [text.encode()]


def test_small_vocabularies_by_hand():
    table = draft_to_target(["Ġa", "b", "Ċ", "c"], ["<0x0A>", "▁a", "d", "c"])
    assert table.tolist() == [2, 0, -1, 3] and table.dtype == np.int32


def test_byte_tokens_give_way_to_ordinary_tokens():
    assert draft_to_target(["A", "Ġ"], ["<0x41>", "A", "▁"]).tolist() == [-1, 0, 1]
    assert draft_to_target(["<0x41>", "A", "▁"], ["<0x41>", "▁"]).tolist() == [1, 2]


def test_special_tokens_agree_by_role_alone():
    special = np.array([True, True, True, False])
    target, draft = ["<unk>", "<s>", "</s>", "▁a"], ["<unk>", "<|begin|>", "<|end|>", "▁a"]
    assert draft_to_target(target, draft, special, special).tolist() == [-1, -1, -1, 3]
    roles = ({"bos": 1, "eos": 2}, {"bos": 1, "eos": 2})
    assert draft_to_target(target, draft, special, special, roles).tolist() == [-1, 1, 2, 3]
    assert draft_to_target(target, draft, special, special, ({"bos": 1}, {"eos": 2})).tolist() == [-1, -1, -1, 3]


def test_a_token_with_two_roles_is_end_of_text():
    one, two = np.array([True, False]), np.array([True, True, False])
    both, split = {"bos": 0, "eos": 0}, {"bos": 0, "eos": 1}
    assert draft_to_target(["<e>", "a"], ["<s>", "</s>", "a"], one, two, (both, split)).tolist() == [-1, 0, 1]
    assert draft_to_target(["<s>", "</s>", "a"], ["<e>", "a"], two, one, (split, both)).tolist() == [1, 2]


def test_a_special_token_is_not_shared_with_text_of_its_name():
    assert draft_to_target(["<s>"], ["<s>"], np.array([True]), np.array([False])).tolist() == [-1]


@given(
    st.lists(st.text("ab▁Ġ<0x41>", max_size=4), max_size=12), st.lists(st.text("ab▁Ġ<0x41>", max_size=4), max_size=12)
)
def test_no_target_token_is_met_twice_and_bytes_agree(target, draft):
    table = draft_to_target(target, draft)
    met = table[table >= 0]
    assert len(set(met.tolist())) == len(met)
    ours, theirs = token_bytes(target), token_bytes(draft)
    assert all(ours[j] == theirs[i] for i, j in enumerate(table) if j >= 0)
    assert set(ours) & set(theirs) - {b""} == {ours[j] for j in met}


def test_boundaries_by_hand():
    assert boundaries(b"the cat", [b" the", b" c", b"at"]).tolist() == [3, 5, 7]
    assert boundaries(b"the cat", [b" ", b"the", b" cat"]).tolist() == [0, 3, 7]
    assert boundaries(" é".encode(), [b" ", b"\xc3", b"\xa9"]).tolist() == [1, 2, 3]


def test_nothing_is_aligned_after_an_unknown_token():
    assert boundaries(b"the cat", [b"the", b"", b"cat"]).tolist() == [3]
    assert boundaries(b"the cat", [b"the", b" dog", b"cat"]).tolist() == [3]
    assert boundaries(b"the cat", []).tolist() == []


@given(st.lists(st.binary(min_size=1, max_size=3), max_size=9))
def test_tokens_that_spell_the_text_all_have_an_end(pieces):
    text = b"".join(pieces)
    assert boundaries(text, pieces).tolist() == np.cumsum([len(p) for p in pieces], dtype=int).tolist()
