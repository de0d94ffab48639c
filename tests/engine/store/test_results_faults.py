"""What the store survives: kills at any moment, full disks, damage, and company.  SIMSPEC_SOAK=n kills n writers."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simspec.engine.store import directory, segment
from simspec.engine.store.results import Store, compact, merge
from tests.engine.store import store_cases
from tests.engine.store.store_cases import DESIGNS, made, numbers, write

ROOT = Path(__file__).parents[3]
KILLS = int(os.environ.get("SIMSPEC_SOAK", "60"))


def program(*arguments: object, code: str = "") -> str:
    """Output of `store_cases.py` in a process of its own, or of code."""
    command = ["-c", code] if code else ["-m", "tests.engine.store.store_cases"]
    run = subprocess.run(
        [sys.executable, "-W", "error", *command, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=900 + 10 * KILLS,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "results"


def only(folder: Path) -> Path:
    (path,) = folder.glob("*.parquet")
    return path


# ---------------------------------------------------------------------------------------------------------- kills


def test_a_killed_writer_leaves_every_flushed_block_and_no_broken_one(tmp_path) -> None:
    promised = json.loads(program("random", tmp_path, KILLS, random.randrange(2**32)))
    assert len(promised) == KILLS and sum(promised) > KILLS  # the writers did write
    beyond = 0
    for run, count in enumerate(promised):
        found = numbers(tmp_path / str(run))
        assert found == list(range(len(found)))
        assert len(found) - count in (0, 3)  # a whole segment may have been made that nobody was told of
        beyond += bool(list((tmp_path / str(run)).glob(".*.partial"))) or len(found) > count
    assert beyond > 0 or KILLS < 20  # some kill came in the middle of a flush


def test_a_flush_killed_at_each_of_its_calls_is_whole_or_absent(tmp_path) -> None:
    promised = json.loads(program("points", tmp_path, "flush"))
    found = [numbers(tmp_path / str(run)) for run in range(len(promised))]
    assert len(promised) > 5
    assert set(map(tuple, found)) == {(0, 1, 2), (0, 1, 2, 3, 4, 5)}
    assert found == sorted(found)  # late kills leave the new segment, early ones do not
    assert promised[-1] == 1 and found[-1] == [0, 1, 2, 3, 4, 5]


def test_a_careless_writer_would_be_caught(tmp_path) -> None:
    promised = json.loads(program("points", tmp_path, "careless"))
    refused = 0
    for run in range(len(promised)):
        try:
            numbers(tmp_path / str(run))
        except ValueError as error:
            assert "truncated or altered" in str(error)
            refused += 1
    assert refused >= 2


def test_a_compaction_killed_at_each_of_its_calls_keeps_everything(tmp_path) -> None:
    promised = json.loads(program("points", tmp_path, "compact"))
    left = []
    for run in range(len(promised)):
        folder = tmp_path / str(run)
        left.append(len(list(folder.glob("*.parquet"))))
        assert numbers(folder) == [0, 1, 2, 3, 4]
        compact(folder)
        assert numbers(folder) == [0, 1, 2, 3, 4]
        only(folder)
    assert {4, 3, 1} <= set(left)  # new and old side by side, some removed, all removed


def test_a_merge_killed_at_each_of_its_calls_can_be_done_again(tmp_path) -> None:
    promised = json.loads(program("points", tmp_path, "merge"))
    partly = set()
    for run in range(len(promised)):
        folder = tmp_path / str(run)
        partly.add(tuple(numbers(folder)))
        merge([tmp_path / "source"], folder)
        assert numbers(folder) == list(range(9))
        assert merge([tmp_path / "source"], folder) == 0
    assert {3, 9} <= {len(p) for p in partly} and len(partly) > 2


def test_bytes_reach_the_disk_before_the_name_and_the_name_before_the_promise(folder, monkeypatch) -> None:
    folder.mkdir()
    calls = []
    for name in ("write", "fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, name=name, real=real: (calls.append((name, a[0])), real(*a))[1])
    with Store(folder) as writer:
        writer.append(made(0))
        writer.flush()
        names = [name for name, _ in calls]
        assert names == ["write", "fsync", "replace", "fsync"]
        assert calls[0][1] == calls[1][1] and calls[2][1].parent == folder


def test_half_written_files_are_ignored_and_removed_when_old(folder) -> None:
    write(folder, range(3))
    young, old, manifest, other = (
        folder / name
        for name in (
            ".segment-1.parquet.0.partial",
            ".segment-2.parquet.0.partial",
            ".manifest.json.1.partial",
            ".x.partial",
        )
    )
    for path in (young, old, manifest, other):
        path.write_bytes(b"half")
    for path in (old, manifest, other):
        os.utime(path, (0, 0))
    assert numbers(folder) == [0, 1, 2]
    assert young.exists() and other.exists() and not old.exists() and not manifest.exists()


# ---------------------------------------------------------------------------------------------------------- damage


def test_a_flipped_bit_anywhere_is_refused(folder) -> None:
    write(folder, range(40), per_segment=40)
    path = only(folder)
    data = path.read_bytes()
    places = range(0, len(data), 97)
    assert len(places) > 10
    unnoticed = 0
    for place in places:
        altered = data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :]
        path.write_bytes(altered)
        with pytest.raises(ValueError, match=f"{path.name}: truncated or altered"):
            Store(folder).done(DESIGNS[0])
        try:
            unnoticed += len(pq.ParquetFile(pa.BufferReader(altered)).read()) == 40
        except (OSError, ValueError, TypeError, pa.ArrowException):
            continue
    assert unnoticed > 0  # Parquet by itself does not see them all
    path.write_bytes(data)
    assert numbers(folder) == list(range(40))


@pytest.mark.parametrize("keep", [0, 1, 4, 500, -8, -1])
def test_a_truncated_segment_is_refused(folder, keep) -> None:
    write(folder, range(40), per_segment=40)
    path = only(folder)
    path.write_bytes(path.read_bytes()[:keep])
    for read in (lambda: Store(folder).designs(), lambda: compact(folder), lambda: merge([folder], folder / "other")):
        with pytest.raises(ValueError, match=f"{path.name}: truncated or altered .* expected digest"):
            read()
    assert path.exists() and not (folder / "other").exists()


def test_a_renamed_segment_is_refused_and_not_overlooked(folder) -> None:
    write(folder, range(3), per_segment=3)
    only(folder).rename(folder / "mine.parquet")
    with pytest.raises(ValueError, match=r"mine.parquet: not a segment; expected segment-"):
        Store(folder).designs()


# ------------------------------------------------------------------------------------------------------ full disks


@pytest.mark.parametrize("call", ["write", "fsync", "replace", "open"])
def test_a_full_disk_loses_nothing(folder, monkeypatch, call) -> None:
    write(folder, range(3))
    store = Store(folder, interval=1e9)
    for number in range(3, 6):
        store.append(made(number))
    real = getattr(os, call)

    def full(*args, **options):
        if call == "write":
            real(args[0], args[1][:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = sorted(folder.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        for _ in range(2):
            with pytest.raises(OSError, match=r"cannot write 3 blocks to .*No space left.*stay in memory") as caught:
                store.flush()
            assert caught.value.errno == errno.ENOSPC
        assert sorted(folder.iterdir()) == before
    store.append(made(6))
    assert numbers(folder) == [0, 1, 2]
    store.close()
    assert numbers(folder) == list(range(7))


def test_an_automatic_flush_that_fails_keeps_the_block_too(folder, monkeypatch) -> None:
    store = Store(folder, interval=0)

    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="cannot write 1 blocks"):
            store.append(made(0))
    store.append(made(1))
    assert numbers(folder) == [0, 1]


LIMITED = """
import resource, sys
from simspec.engine.store.results import Store
from tests.engine.store.store_cases import made, numbers
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
store = Store(sys.argv[1], interval=1e9)
for number in range(200):
    store.append(made(number))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
try:
    store.flush()
except OSError as error:
    print(error.errno)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
assert numbers(sys.argv[1]) == []
store.flush()
print(numbers(sys.argv[1]) == list(range(200)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_limit_on_file_sizes_loses_nothing(folder) -> None:
    assert program(folder, code=LIMITED).split() == [str(errno.EFBIG), "True"]


def test_a_disk_that_is_really_full(folder) -> None:
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        ballast = folder / "ballast"
        ballast.write_bytes(bytes(56 * 1024))
        store = Store(folder, interval=1e9)
        for number in range(1000):
            store.append(made(number))
        with pytest.raises(OSError, match="No space left"):
            store.flush()
        assert list(folder.iterdir()) == [ballast]
        ballast.unlink()
        store.flush()
        assert numbers(folder) == list(range(1000))
    finally:
        subprocess.run(["umount", str(folder)], check=True)


# --------------------------------------------------------------------------------------------------------- company


def test_two_processes_fill_one_directory(folder) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.engine.store.store_cases import write\n"
        "write(Path(sys.argv[1]), range(int(sys.argv[2]), int(sys.argv[3])))"
    )
    command = [sys.executable, "-c", code, str(folder)]
    running = [subprocess.Popen([*command, *span], cwd=ROOT) for span in (("0", "60"), ("40", "100"))]
    reader = Store(folder)
    while any(process.poll() is None for process in running):
        done = reader.done(DESIGNS[0])
        assert (np.diff(done) > 0).all()
        compact(folder) if folder.exists() else None
    assert [process.returncode for process in running] == [0, 0]
    assert numbers(folder) == reader.done(DESIGNS[0]).tolist() == list(range(100))


def test_a_segment_that_vanishes_while_it_is_read_is_found_in_the_compacted_one(folder, monkeypatch) -> None:
    write(folder, range(5))
    store = Store(folder)
    vanished: list[Path] = []

    def read(path):
        if not vanished:
            vanished.append(path)
            with monkeypatch.context() as patch:
                patch.setattr(directory, "read_segment", segment.read_segment)
                compact(folder)
        return segment.read_segment(path)

    monkeypatch.setattr(directory, "read_segment", read)
    assert store.done(DESIGNS[0]).tolist() == [0, 1, 2, 3, 4]
    assert vanished and not vanished[0].exists()


def test_a_listing_in_which_a_segment_vanished_is_taken_again(folder, monkeypatch) -> None:
    write(folder, range(2))
    old = sorted(folder.glob("*.parquet"))
    kept = old[1].read_bytes()
    compact(folder)
    old[1].write_bytes(kept)  # a compaction that has removed the first of two
    real, names = os.listdir, [path.name for path in old]
    answers = [names, names[1:]]  # and whose new segment came after the second listing had passed its place
    monkeypatch.setattr(os, "listdir", lambda path: answers.pop(0) if answers else real(path))
    assert Store(folder).done(DESIGNS[0]).tolist() == [0, 1] and not answers


def test_the_cases_are_what_they_say(folder) -> None:
    write(folder, range(2))
    with Store(folder) as store:
        store.append(made(2)._replace(statistics=made(3).statistics))
    with pytest.raises(AssertionError):
        numbers(folder)
    assert store_cases.made(1).statistics["kept.sum"] == 2**32
