"""Arrays of files are read a few rows at a time, and damage is named."""

from __future__ import annotations

import numpy as np
import pytest
import safetensors.numpy

from simspec.logits.ondisk import OnDisk, arrays_on_disk

LARGE = np.random.default_rng(0).standard_normal((300, 4096)).astype(np.float32)  # 4.9 MB
SMALL = np.arange(300)


@pytest.fixture
def files(tmp_path):
    np.savez(tmp_path / "a.npz", target=LARGE, document=SMALL)
    np.savez_compressed(tmp_path / "packed.npz", target=LARGE, document=SMALL)
    np.save(tmp_path / "target.npy", LARGE)
    safetensors.numpy.save_file({"target": LARGE, "document": SMALL}, tmp_path / "a.safetensors")
    return tmp_path


@pytest.mark.parametrize("name", ["a.npz", "a.safetensors", "target.npy", "packed.npz"])
def test_rows_are_those_that_were_saved(files, name) -> None:
    arrays = arrays_on_disk(files / name)
    target = arrays["target"]
    assert isinstance(target, OnDisk) is (name != "packed.npz")
    assert target.shape == LARGE.shape and target.ndim == 2 and len(target) == 300
    for rows in (slice(0, 3), slice(290, 400), slice(5, 5), slice(None)):
        assert np.array_equal(target[rows], LARGE[rows])
    if name != "target.npy":
        assert np.array_equal(np.asarray(arrays["document"][0:300]), SMALL)


def test_three_axes_become_two(tmp_path) -> None:
    np.savez(tmp_path / "a.npz", target=LARGE.reshape(30, 10, 4096))
    target = arrays_on_disk(tmp_path / "a.npz")["target"]
    assert target.shape == (30, 10, 4096) and np.array_equal(target.flattened()[7:12], LARGE[7:12])


def test_damage_is_named(files) -> None:
    whole = (files / "a.npz").read_bytes()
    (files / "altered.npz").write_bytes(whole[: 10**6] + b"?" + whole[10**6 + 1 :])
    (files / "cut.npz").write_bytes(whole[: len(whole) // 2])
    (files / "cut.npy").write_bytes((files / "target.npy").read_bytes()[:-4])
    (files / "text.npy").write_text("text")
    np.save(files / "fortran.npy", np.asfortranarray(LARGE))
    np.save(files / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    for name in ("altered.npz", "cut.npz", "cut.npy", "text.npy", "fortran.npy", "objects.npy"):
        with pytest.raises(ValueError, match=rf"^pair: '.*{name}' cannot be read: .+; expected ") as error:
            arrays_on_disk(files / name, "pair")
        assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match="no file"):
        arrays_on_disk(files / "missing.npz", "pair")


def test_a_file_that_is_cut_later_gives_an_error(files) -> None:
    target = arrays_on_disk(files / "target.npy")["target"]
    (files / "target.npy").write_bytes((files / "target.npy").read_bytes()[: 10**6])
    assert np.array_equal(target[0:2], LARGE[0:2])
    with pytest.raises(ValueError, match="was cut while it was read"):
        target[200:210]


def test_rows_follow_each_other(files) -> None:
    with pytest.raises(ValueError, match="expected rows that follow each other"):
        arrays_on_disk(files / "target.npy")["target"][::2]
