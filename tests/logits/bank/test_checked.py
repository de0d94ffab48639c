"""Damage is noticed, and a write is all or nothing."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.logits.bank import checked
from simspec.logits.bank.checked import BLOCK, CheckedFile, write_checked


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.safetensors"
    tensors: dict[str, np.ndarray] = {
        "big": np.arange(3 * BLOCK // 4, dtype=np.float32).reshape(-1, 1024),
        "half": np.arange(8, dtype=np.float16).reshape(2, 4),
        "bytes": np.frombuffer(b"odd", np.uint8),
        "none": np.zeros((0, 4)),
    }
    write_checked(path, tensors, {"note": "é"})
    return path


def flip(path, at):
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 1]))


def test_a_small_file_is_read_back(path):
    file = CheckedFile(path)
    assert file.metadata["note"] == "é"
    assert file.read("half").tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert file.read("bytes").tobytes() == b"odd"
    assert file.read("none").shape == (0, 4)
    assert file.shape("half") == (2, 4) and file.dtype("half") == np.float16


def test_the_safetensors_library_reads_it(path):
    from safetensors.numpy import load_file

    assert np.array_equal(load_file(path)["big"], CheckedFile(path).read("big"))


@pytest.mark.parametrize("rows", [0, -1, slice(1, 5), slice(None, None, -7), [3, 3, 1], np.arange(768) % 5 == 0])
def test_rows_are_those_of_numpy(path, rows):
    file = CheckedFile(path)
    whole = np.arange(3 * BLOCK // 4, dtype=np.float32).reshape(-1, 1024)
    assert np.array_equal(file.read("big", rows), whole[rows])


def test_a_read_verifies_the_blocks_it_touches_and_no_others(path):
    header = int.from_bytes(path.read_bytes()[:8], "little")
    start = next(v["data_offsets"][0] for k, v in json.loads(path.read_bytes()[8 : 8 + header]).items() if k == "big")
    flip(path, 8 + header + start + 2 * BLOCK + 5)
    file = CheckedFile(path)
    row_bytes = 4096
    assert len(file.read("big", slice(0, 2 * BLOCK // row_bytes - 1))) == 2 * BLOCK // row_bytes - 1
    with pytest.raises(ValueError, match=r"a\.safetensors is altered: block 2 of 4 .*capture or download it anew"):
        file.read("big", -1)
    with pytest.raises(ValueError, match="block 2"):  # and again: a failed block is not taken for verified
        file.read("big", -1)


@given(st.data())
def test_any_altered_byte_is_noticed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("altered") / "a.safetensors"
    write_checked(path, {"x": np.arange(40, dtype=np.int16)}, {"note": "hello"})
    flip(path, data.draw(st.integers(0, path.stat().st_size - 1)))
    with pytest.raises(ValueError, match="a.safetensors"):
        CheckedFile(path).read("x")


@given(st.data())
def test_any_truncation_is_noticed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("truncated") / "a.safetensors"
    write_checked(path, {"x": np.arange(40, dtype=np.int16)}, {})
    content = path.read_bytes()
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(ValueError, match="a.safetensors is truncated"):
        CheckedFile(path)


def test_extra_bytes_and_missing_files_are_refused(path, tmp_path):
    with path.open("ab") as file:
        file.write(b"x")
    with pytest.raises(ValueError, match="bytes after its end"):
        CheckedFile(path)
    with pytest.raises(ValueError, match="no file"):
        CheckedFile(tmp_path / "absent.safetensors")


def test_a_file_without_checksums_is_refused(tmp_path):
    from safetensors.numpy import save_file

    save_file({"x": np.arange(3)}, tmp_path / "plain.safetensors")
    with pytest.raises(ValueError, match="not a simspec bank"):
        CheckedFile(tmp_path / "plain.safetensors")


def test_an_unknown_tensor_is_named(path):
    with pytest.raises(ValueError, match="name: 'y'; a.safetensors holds none, big, half, bytes"):
        CheckedFile(path).read("y")


def test_an_unsupported_dtype_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match="complex128"):
        write_checked(tmp_path / "a.safetensors", {"x": np.zeros(2, complex)}, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("stage", ["fsync", "replace"])
def test_an_interrupted_write_leaves_the_old_file(path, monkeypatch, stage):
    before = path.read_bytes()

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(checked.os, stage, interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_checked(path, {"x": np.arange(3)}, {})
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


KILLED = """
import os, sys
import numpy as np
from simspec.logits.bank import checked

checked.os.replace = lambda *args: os._exit(9)  # dies between the write and the rename, as by SIGKILL
checked.write_checked(sys.argv[1], {"x": np.arange(3)}, {})
"""


def test_a_killed_write_leaves_nothing_under_the_name(tmp_path):
    path = tmp_path / "a.safetensors"
    assert subprocess.run([sys.executable, "-c", KILLED, str(path)]).returncode == 9
    assert not path.exists()
    assert [p.name.endswith(".partial") for p in tmp_path.iterdir()] == [True]


def test_it_can_be_sent_to_another_process(path):
    file = CheckedFile(path)
    message = pickle.dumps(file)
    assert len(message) < 1000
    assert np.array_equal(pickle.loads(message).read("half"), file.read("half"))


def test_every_block_of_a_row_is_verified(tmp_path):
    path = tmp_path / "a.safetensors"
    write_checked(path, {"x": np.zeros((1, 3 * BLOCK), np.uint8)}, {})
    flip(path, path.stat().st_size - 1)
    with pytest.raises(ValueError, match="block 2 of 3"):
        CheckedFile(path).read("x", 0)


TRUNCATED = """
import os, sys
import numpy as np
from simspec.logits.bank.checked import CheckedFile

file = CheckedFile(sys.argv[1])
file.read("x", slice(0, 4))
size = os.path.getsize(sys.argv[1])
os.truncate(sys.argv[1], size // 2)
for rows in (-1, slice(None), [0, -1]):
    try:
        file.read("x", rows)
    except ValueError as error:
        print(error)
print(file.read("x", 0)[0])
"""


def test_a_file_truncated_while_it_is_open_is_an_error_and_ends_no_process(tmp_path):
    path = tmp_path / "a.safetensors"
    write_checked(path, {"x": np.full((1024, 4096), 7, np.uint8)}, {})
    made = subprocess.run([sys.executable, "-c", TRUNCATED, str(path)], capture_output=True, text=True)
    assert made.returncode == 0, made
    *messages, first = made.stdout.splitlines()
    assert len(messages) == 3 and all("a.safetensors is truncated: it ends before byte" in line for line in messages)
    assert first == "7"


def test_a_file_replaced_while_it_is_open_is_still_the_one_that_was_verified(path):
    file = CheckedFile(path)
    before = file.read("half")
    write_checked(path, {"half": np.zeros((2, 4), np.float16)}, {})
    assert np.array_equal(file.read("half"), before) and not CheckedFile(path).read("half").any()


def test_open_files_are_closed_when_they_are_no_longer_used(path):
    count = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else None
    for _ in range(20):
        CheckedFile(path)
    assert count is None or len(os.listdir("/proc/self/fd")) <= count + 1


@pytest.mark.parametrize(
    "rows", [None, ..., [[0, 1], [5, 5]], [True] + [False] * 767, slice(5, 2), np.zeros(0, int), np.int8(3)]
)
def test_any_index_of_the_first_axis_is_that_of_numpy(path, rows):
    whole = np.arange(3 * BLOCK // 4, dtype=np.float32).reshape(-1, 1024)
    read = CheckedFile(path).read("big", rows)
    assert read.shape == whole[rows].shape and np.array_equal(read, whole[rows])


def test_rows_that_cannot_fit_are_refused_with_their_bytes(path, monkeypatch):
    monkeypatch.setattr("simspec.checks.physical_memory", lambda: 2**20)
    file = CheckedFile(path)
    assert len(file.read("big", slice(0, 256))) == 256
    with pytest.raises(
        ValueError, match="rows: \"257 of 'big'\"; would take 1.0 MiB of memory, expected at most 1.0 MiB"
    ):
        file.read("big", slice(0, 257))


def test_a_folder_in_place_of_a_file_is_named(tmp_path):
    with pytest.raises(ValueError, match="bank: is a folder"):
        CheckedFile(tmp_path)


def test_the_way_without_positioned_reads_gives_the_same(path, monkeypatch):
    expected = CheckedFile(path).read("big", [3, 700, 3])
    monkeypatch.delattr(os, "preadv", raising=False)
    assert np.array_equal(CheckedFile(path).read("big", [3, 700, 3]), expected)


@pytest.mark.parametrize("rows", [2, -3, [0, 5], "x", 0.5, None, [[0.5]], (0, 0, 0), slice("a")], ids=repr)
def test_rows_that_are_not_there_are_named(path, rows):
    file = CheckedFile(path)
    if rows is None:
        assert file.read("half", rows).shape == (1, 2, 4)  # an index of NumPy
        return
    with pytest.raises(ValueError, match="rows: .*; expected rows 0..1 of 'half', or a slice"):
        file.read("half", rows)
