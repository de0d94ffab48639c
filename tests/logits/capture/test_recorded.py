"""Vocabularies and prompts of any content are read or refused by name."""

import json
import random

import numpy as np
import pytest

from simspec.logits.capture.recorded import capture_recorded


@pytest.fixture
def files(tmp_path):
    np.savez(tmp_path / "r.npz", logits=np.zeros((2, 3)))
    (tmp_path / "v.json").write_text('{"a": 0, "b": 1, "c": 2}')
    (tmp_path / "p.json").write_text('[{"token_ids": [0, 2]}, {"token_ids": [1]}]')
    return tmp_path


def capture(files):
    return capture_recorded(files / "r.npz", files / "v.json", files / "p.json", files / "o.safetensors")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("v.json", "[1]", "vocab: .* holds another thing"),
        ("v.json", '{"a": "0"}', "vocab: .* holds another thing"),
        ("v.json", '{"a": 0, "b": 2, "c": 3}', "vocab: .* has id 2 in place of 1"),
        ("v.json", "[" * 10**5, "vocab: .* cannot be read: too deeply nested"),
        ("v.json", "", "vocab: .* cannot be read"),
        ("p.json", "{}", "records: .* holds no list of records"),
        ("p.json", "[]", "records: .* holds no list of records"),
        ("p.json", '[3, {"token_ids": [1]}]', "records: .* record 0 has no such token_ids"),
        ("p.json", '[{"token_ids": [0]}, {"token_ids": []}]', "records: .* record 1 has no such token_ids"),
        ("p.json", '[{"token_ids": [0]}, {"token_ids": [3]}]', "records: .* below 3"),
        ("p.json", '[{"token_ids": [0]}, {"token_ids": [true]}]', "records: .* record 1"),
        ("p.json", '[{"token_ids": [0]}]', r"logits: shape \(2, 3\); expected 1 prompts x 3"),
    ],
)
def test_each_file_is_checked_by_name(files, name, text, message) -> None:
    (files / name).write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        capture(files)
    assert "\n" not in str(error.value) and not (files / "o.safetensors").exists()


@pytest.mark.parametrize("z", [np.zeros(3), np.zeros((2, 0)), np.array([["a"]]), np.zeros((2, 3), complex)])
def test_arrays_that_are_no_logits_are_refused(files, z) -> None:
    np.savez(files / "r.npz", logits=z)
    with pytest.raises(ValueError, match="logits: .*; expected real numbers"):
        capture(files)
    np.savez(files / "r.npz", other=z)
    with pytest.raises(ValueError, match="holds other; expected an array 'logits'"):
        capture(files)


def test_whole_numbers_are_logits(files) -> None:
    np.savez(files / "r.npz", logits=np.array([[1, 2, 3], [3, 2, 1]]))
    assert capture(files).target().tolist() == [[-2, -1, 0], [0, -1, -2]]


def test_three_hundred_damaged_texts_are_read_or_refused_by_name(files) -> None:
    rng, refused = random.Random(0), 0
    for _ in range(300):
        name = rng.choice(["v.json", "p.json"])
        good = (files / name).read_bytes()
        changed = bytearray(good)
        for _ in range(rng.randint(1, 3)):
            changed[rng.randrange(len(changed))] = rng.choice(b'[]{}":,0123456789.eabtn\xff')
        (files / name).write_bytes(changed)
        try:
            capture(files)
        except ValueError as error:
            assert str(error).split(":")[0] in ("vocab", "records", "logits"), error
            assert "\n" not in str(error) and json.dumps(str(error))
            refused += 1
        (files / name).write_bytes(good)
    assert 150 < refused < 300
