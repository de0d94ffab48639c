"""A header of any content is read or refused by name."""

import json
import random

import numpy as np
import pytest

from simspec.logits.bank import header
from simspec.logits.bank.checked import CheckedFile, write_checked
from tests.logits.bank.sealed import reseal


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.safetensors"
    write_checked(path, {"x": np.arange(6, dtype=np.int32).reshape(3, 2), "y": np.zeros(2, np.uint8)}, {"note": "n"})
    return path


def entry(**changes):
    return {"dtype": "I32", "shape": [3, 2], "data_offsets": [0, 24]} | changes


CASES = [
    (lambda h: [], "no readable header"),
    (lambda h: h.pop("__metadata__") and None, "no readable header"),
    (lambda h: h.update(__metadata__=[]), "no readable header"),
    (lambda h: h["__metadata__"].pop("checksums"), "no readable header"),
    (lambda h: h["__metadata__"].update(checksums=3), "'checksums' is a int; expected text"),
    (lambda h: h["__metadata__"].update(checksums="zz"), "'checksums' are no digests"),
    (lambda h: h["__metadata__"].update(checksums=""), "has 0 checksums; expected one for each of 1 blocks"),
    (lambda h: h["__metadata__"].update(header_checksum="\ud800"), "'header_checksum' are no digests"),
    (lambda h: h["__metadata__"].update(header_checksum=""), "altered header"),
    (lambda h: h["__metadata__"].update(note=None), "'note' is a NoneType; expected text"),
    (lambda h: h.update(x=None), "'x' of dtype None"),
    (lambda h: h.update(x=entry(dtype="BF16")), "'x' of dtype 'BF16'; expected one of BOOL"),
    (lambda h: h.update(x=entry(dtype="O")), "'x' of dtype 'O'"),
    (lambda h: h.update(x=entry(dtype=[])), r"'x' of dtype \[\]"),
    (lambda h: h.update(x=entry(shape="32")), "'x' of shape '32'"),
    (lambda h: h.update(x=entry(shape=[3, -2])), r"'x' of shape \[3, -2\]"),
    (lambda h: h.update(x=entry(shape=[3, 2.0])), r"'x' of shape \[3, 2.0\]"),
    (lambda h: h.update(x=entry(shape=[True, 6])), r"'x' of shape \[True, 6\]"),
    (lambda h: h.update(x=entry(shape=[1] * 64 + [6])), "expected up to 32 sizes"),
    (lambda h: h.update(x=entry(shape=[2**40, 2**40])), "'x' of 24 bytes; expected 48357"),
    (lambda h: h.update(x=entry(data_offsets=[24])), r"'x' with the offsets \[24\]"),
    (lambda h: h.update(x=entry(data_offsets=[-24, 0])), r"'x' with the offsets \[-24, 0\]"),
    (lambda h: h.update(x=entry(data_offsets=[24, 0])), "'x' of -24 bytes; expected 24"),
    (
        lambda h: h.update(x=entry(data_offsets=[1, 25])),
        "a tensor 'x' that begins at byte 1 of the data; expected byte 0",
    ),
    (lambda h: h.update(z=entry()), "'z' that begins at byte 0 of the data; expected byte 24"),
    (lambda h: h.pop("y"), "has bytes after its end"),
    (lambda h: b"[" * 100_000, "no readable header"),
    (lambda h: b'{"a":' * 100_000, "no readable header"),
    (lambda h: b'{"x": 1' + b"0" * 5000 + b"}", "no readable header"),
]


@pytest.mark.parametrize(("change", "message"), CASES)
def test_each_part_of_a_header_is_checked_and_named(path, change, message) -> None:
    def applied(h):
        made = change(h)
        return made if isinstance(made, bytes) or (isinstance(made, list) and not made) else None

    reseal(path, applied)
    with pytest.raises(ValueError, match=message) as error:
        CheckedFile(path)
    assert str(error.value).startswith("bank: a.safetensors ") and "\n" not in str(error.value)


def test_a_header_longer_than_any_is_not_read(path, monkeypatch) -> None:
    monkeypatch.setattr("simspec.logits.bank.checked.LONGEST", 10)
    with pytest.raises(ValueError, match=r"announces a header of \d+ bytes; expected at most 10"):
        CheckedFile(path)


def test_a_sealed_header_as_it_was_is_read(path) -> None:
    reseal(path, lambda h: h["__metadata__"].update(note="other"))
    assert CheckedFile(path).metadata["note"] == "other"


VALUES = [None, True, -1, 0, 3, 2**63, 1.5, "", "I32", "O", [], [0], [[1]], [2, 3], {}, {"a": 1}, "\ud800", "é" * 50]


def _places(value, path=()):
    """Every place of nested lists and dictionaries."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield (*path, key)
        yield from _places(part, (*path, key))


def test_five_hundred_mutated_headers_are_read_or_refused_by_name(path) -> None:
    rng = random.Random(0)
    good, outcomes = path.read_bytes(), {"read": 0, "refused": 0}
    for _ in range(500):
        path.write_bytes(good)

        def mutate(h):
            for _ in range(rng.randint(1, 3)):
                *way, last = rng.choice(list(_places(h)) or [("x",)])
                part = h
                for key in way:
                    part = part[key]
                if rng.random() < 0.2:
                    del part[last]
                else:
                    part[last] = json.loads(json.dumps(rng.choice(VALUES)))

        reseal(path, mutate)
        try:
            file = CheckedFile(path)
            for name in file.names:
                file.read(name)
            outcomes["read"] += 1
        except ValueError as error:
            assert str(error).startswith("bank: a.safetensors ") and "\n" not in str(error)
            outcomes["refused"] += 1
    assert outcomes["read"] > 5 and outcomes["refused"] > 300


def test_five_hundred_mutated_header_texts_are_refused_by_name() -> None:
    rng = random.Random(1)
    text = b'{"__metadata__": {"checksums": "", "header_checksum": ""}, '
    text += b'"x": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}}'
    assert header.parse_header(text)[1]["x"].end == 2
    refused = 0
    for _ in range(500):
        changed = bytearray(text)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(changed))
            if rng.random() < 0.5:
                changed[at] = rng.randrange(256)
            else:
                del changed[at : at + rng.randint(1, 20)]
        try:
            metadata, entries = header.parse_header(bytes(changed))
            assert {"checksums", "header_checksum"} <= set(metadata) and all(e.end >= e.start for e in entries.values())
        except ValueError as error:
            assert str(error).startswith("has "), error
            refused += 1
    assert refused > 400
