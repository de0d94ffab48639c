"""The benchmark validates before it times, hides no peer, and writes what it measured.  No test asserts a time."""

import json

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import cases, harness, tv
from benchmarks.harness import Peer, Result
from simspec.kernels.tv import reference
from tests.benchmarks.fakes import absent


def offset(error):
    """A peer that is wrong by `error`."""
    return lambda data, threads: lambda: reference.tv_from_logits(*data) + error


@pytest.fixture(scope="module")
def data():
    return tv.draw(4, 50, seed=3)


def test_right_wrong_and_missing_peers_are_all_listed(data):
    peers = [
        Peer("right", offset(5e-7), (1,)),
        Peer("inexact", offset(2e-6), (1,)),
        Peer("wrong", offset(2e-4), (1,)),
        Peer("nan", lambda data, threads: offset(np.nan if threads == 2 else 0)(data, threads), (1, 2)),
        Peer("absent", absent, (1,)),
        Peer("yardstick", lambda data, threads: lambda: 0.0, (1,), checked=False),
    ]
    results = harness.compare(peers, data, reference.tv_from_logits(*data), 1e-6, repeats=2)
    assert [r.name for r in results] == ["right", "inexact", "wrong", "nan", "absent", "yardstick"]
    expected = ["ok", "inexact", "wrong by 2.0e-04", "wrong by nan", "not installed (absent)", "ok"]
    assert [r.status for r in results] == expected
    assert [len(r.seconds) for r in results] == [2, 2, 0, 0, 0, 2]
    assert results[0].error == pytest.approx(5e-7) and results[-1].error is None


def test_rounds_are_interleaved_and_turn(data):
    seen: list[str] = []
    ticks: list[str] = []

    def recorder(name: str) -> Peer:
        return Peer(name, lambda data, threads: lambda: seen.append(name), (1,), checked=False)

    peers = [recorder(name) for name in "abc"]
    harness.compare(peers, data, np.zeros(4), 1e-6, repeats=3, tick=ticks.append)
    assert "".join(seen) == "abc" + "abc" + "bca" + "cab"
    assert len(ticks) == harness.steps(peers, 3) == 12


def test_each_peer_counts_at_its_best_number_of_threads(data, monkeypatch):
    times = {("a", 1): [3.0, 1.0, 2.0], ("a", 2): [9.0, 1.0, 1.5], ("b", 1): [4.0, 4.0, 5.0]}
    monkeypatch.setattr(harness, "_interleaved", lambda calls, repeats, tick: times)
    a, b = harness.compare([Peer("a", offset(0), (1, 2)), Peer("b", offset(0), (1,))], data, offset(0)(data, 1)(), 0, 3)
    assert (a.threads, a.median, b.threads, b.median) == (2, 1.5, 1, 4.0)


@pytest.mark.parametrize("dtype", tv.DTYPES)
def test_peers_agree_with_the_reference(dtype):
    data = tv.draw(4, 52, 3, dtype)
    expected = tv.expected(data)
    np.testing.assert_array_equal(expected, reference.tv_from_logits(*(tv.widened(x) for x in data)))
    for result in harness.compare(tv.candidates(dtype), data, expected, tv.TOLERANCE, repeats=1):
        assert result.status == "ok" or result.status.startswith("not installed"), result


def test_halves_are_the_nearest():
    """bfloat16 by hand: 1 + 2^-8 lies between 1 and 1 + 2^-7 and goes to the even one, what is above it up; float16 by NumPy."""
    x = np.array([1, 1 + 2**-8, 1 + 2**-8 + 2**-20, 1 + 3 * 2**-8, -1 - 2**-8, 0], np.float32)
    assert tv.widened(tv._bfloat16(x)).tolist() == [1, 1, 1 + 2**-7, 1 + 2**-6, -1, 0]
    wide, half, brain = (tv.widened(tv.draw(2, 40, 3, dtype)[0]) for dtype in tv.DTYPES)
    assert 0 < np.abs(half / wide - 1).max() <= 2**-11 and 2**-11 < np.abs(brain / wide - 1).max() <= 2**-8


def test_a_table_has_both_limits(monkeypatch):
    """The roofline does the operations of as many logits as there are."""
    seen = []
    monkeypatch.setattr(tv.roofline, "operations", lambda count, threads: seen.append((count, threads)))
    for dtype in tv.DTYPES:
        *_, memory, peer = tv.candidates(dtype)
        assert (memory.name, peer.name, peer.checked) == (tv.MEMORY, tv.ROOFLINE, False)
        peer.bind(tv.draw(4, 52, 3, dtype), 2)
    assert seen == [(2 * 4 * 52 * sum(tv.OPERATIONS[dtype]), 2) for dtype in tv.DTYPES]


def test_quick_run_writes_every_peer(tmp_path, capsys):
    path = tmp_path / "new" / "tv.json"
    assert benchmarks.main(["tv", "--quick", "--repeats", "2", "--json", str(path)]) == 0
    document = json.loads(path.read_text())
    assert list(path.parent.iterdir()) == [path]
    case = document["cases"][0]
    for found, quick in zip(document["cases"], tv.QUICK, strict=True):
        assert (found["rows"], found["vocab"], found["dtype"]) == quick
        assert [r["name"] for r in found["results"]] == [peer.name for peer in tv.candidates(quick[2])]
    ours = case["results"][0]
    assert ours["status"] == "ok" and len(ours["seconds"]) == 2 and ours["error"] <= tv.TOLERANCE
    assert ours["median"] == sum(ours["seconds"]) / 2
    assert document["environment"]["packages"]["numpy"] == np.__version__
    assert "simspec" in capsys.readouterr().out


def test_a_wrong_kernel_fails_the_run(monkeypatch, capsys):
    monkeypatch.setattr(tv, "_simspec", offset(1e-3))
    monkeypatch.setattr(tv, "_torch_blocks", absent)
    monkeypatch.setenv("COLUMNS", "120")
    assert benchmarks.main(["tv", "--quick", "--repeats", "1"]) == 1
    out = capsys.readouterr().out
    assert "wrong by 1.0e-03" in out and "not installed" in out


def test_a_path_that_can_no_longer_be_written(monkeypatch, tmp_path, capsys):
    def gone(path, document):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cases, "write", gone)
    assert benchmarks.main(["tv", "--quick", "--repeats", "1", "--json", str(tmp_path / "tv.json")]) == 2
    assert "Permission denied" in capsys.readouterr().err


def test_no_result_has_no_median():
    assert cases.as_json(Result("a", "wrong by 1"))["median"] is None
    assert harness.thread_counts()[0] == 1
