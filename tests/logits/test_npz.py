"""Archives of any content are read or refused by name, and nothing large is unpacked to learn that."""

import io
import random
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from simspec.logits.npz import read_npz


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, p=np.arange(12.0).reshape(3, 4), q=np.asfortranarray(np.eye(3, dtype=np.float16)))
    return path


def header(shape, dtype="<f8", extra=""):
    """The beginning of an array file, as its writer would announce it."""
    text = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape!r}, {extra}}}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def archive(path, content, method=zipfile.ZIP_STORED, name="p.npy"):
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr(name, content)


def test_what_numpy_writes_is_read(path, tmp_path) -> None:
    with np.load(path) as expected:
        read = read_npz(path)
        assert list(read) == ["p", "q"]
        for name, array in read.items():
            assert array.dtype == expected[name].dtype and np.array_equal(array, expected[name])
    arrays = {"s": np.array(3), "none": np.zeros((0, 4)), "b": np.array([True]), "t": np.array(["a", "bc"])}
    arrays["big"] = np.arange(600_000.0)
    np.savez(tmp_path / "b.npz", **arrays, big_endian=np.arange(4, dtype=">i4"))
    read = read_npz(tmp_path / "b.npz")
    assert read.pop("big_endian").tolist() == [0, 1, 2, 3]
    for name, array in read.items():
        assert array.shape == arrays[name].shape and np.array_equal(array, arrays[name])


def test_an_archive_of_zeros_is_refused_by_what_it_announces_before_it_is_unpacked(tmp_path) -> None:
    size = 256 * 2**20  # packed to a thousandth
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as file, file.open("p.npy", "w") as member:
        member.write(header((size // 8,)))
        for _ in range(size >> 20):
            member.write(bytes(2**20))
    assert (tmp_path / "a.npz").stat().st_size < 2**20
    tracemalloc.start()
    with pytest.raises(ValueError, match="FILE: .*a.npz'; would take 256.0 MiB of memory, expected at most 128.0 MiB"):
        read_npz(tmp_path / "a.npz", limit=128 * 2**20)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("shape", [(10**12,), (2**31, 2**31), (10**30,), (3,)])
def test_a_header_that_announces_more_than_there_is_takes_no_memory(tmp_path, shape) -> None:
    archive(tmp_path / "a.npz", header(shape) + bytes(16))
    with pytest.raises(ValueError, match=r"FILE: .*'p.npy' announces \d+ bytes of float64 and holds 16"):
        read_npz(tmp_path / "a.npz")


def _encrypted(path):
    archive(path, header((1,)) + bytes(8))
    data = bytearray(path.read_bytes())
    for seal, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(seal) + at] |= 1
    path.write_bytes(data)


def _method(number):
    def change(path):
        archive(path, header((1,)) + bytes(8))
        data = bytearray(path.read_bytes())
        for seal, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            data[data.index(seal) + at] = number
        path.write_bytes(data)

    return change


def _of(content):
    return lambda path: archive(path, content)


CASES = {
    "encrypted": (_encrypted, "'p.npy' is encrypted"),
    "deflate64": (_method(9), "packed by method 9, not stored or deflated"),
    "unknown method": (_method(97), "packed by method 97"),
    "bzip2": (lambda path: archive(path, header((1,)) + bytes(8), zipfile.ZIP_BZIP2), "packed by method 12"),
    "empty member": (_of(b""), "cannot be read"),
    "no magic": (_of(b"hello there, this is text"), "magic string is not correct"),
    "objects": (_of(header((1,), "|O") + bytes(8)), "holds object, not numbers"),
    "records": (_of(header((1,), [("a", "<f8")]) + bytes(8)), "not numbers or text"),
    "dates": (_of(header((1,), "<M8[s]") + bytes(8)), "not numbers or text"),
    "empty text": (_of(header((10**9,), "<U0")), "not numbers or text"),
    "negative": (_of(header((-1,)) + bytes(8)), "has the shape"),
    "no tuple": (_of(header(3) + bytes(24)), "shape is not valid"),
    "version 3": (_of(b"\x93NUMPY\x03\x00" + header((1,))[8:] + bytes(8)), r"format \(3, 0\)"),
    "nested": (_of(header((1,)).replace(b"(1,)", b"(" * 4 + b"1,)") + bytes(8)), "cannot be read"),
    "folder": (lambda path: path.mkdir(), "is a folder"),
    "missing": (lambda path: None, "no file"),
    "an array alone": (lambda path: path.write_bytes(header((1,)) + bytes(8)), "File is not a zip file"),
}


@pytest.mark.parametrize(("make", "message"), CASES.values(), ids=CASES)
def test_each_refusal_names_the_argument_and_the_file(tmp_path, make, message) -> None:
    make(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=f"logits: .*{message}.*; expected an .npz file of number arrays") as error:
        read_npz(tmp_path / "a.npz", "logits")
    assert "a.npz" in str(error.value) and "\n" not in str(error.value)


def test_a_wrong_checksum_is_noticed(tmp_path) -> None:
    archive(tmp_path / "a.npz", header((2,)) + bytes(16))
    data = bytearray((tmp_path / "a.npz").read_bytes())
    data[data.index(b"PK\x01\x02") - 1] ^= 1
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(ValueError, match="Bad CRC-32"):
        read_npz(tmp_path / "a.npz")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_six_hundred_damaged_archives_are_read_or_refused_by_name(tmp_path, method) -> None:
    rng = random.Random(method)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", method) as file:
        file.writestr("p.npy", header((2, 3)) + np.arange(6.0).tobytes())
        file.writestr("q.npy", header((2, 3)) + np.arange(6.0).tobytes())
    good, refused = whole.getvalue(), 0
    path = tmp_path / "a.npz"
    for _ in range(600):
        changed = bytearray(good)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(changed))
            way = rng.randrange(4)
            if way == 0:
                changed[at] ^= 1 << rng.randrange(8)
            elif way == 1:
                changed[at : at + 4] = rng.randbytes(4)
            elif way == 2:
                del changed[at : at + rng.randint(1, 30)]
            else:
                changed[at:at] = rng.randbytes(rng.randint(1, 8))
        path.write_bytes(changed)
        try:
            read = read_npz(path)
            assert all(array.nbytes <= 48 for array in read.values())
        except ValueError as error:
            assert str(error).startswith("FILE: ") and "a.npz" in str(error) and "\n" not in str(error)
            refused += 1
    assert refused > 300
