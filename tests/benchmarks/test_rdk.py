"""The benchmark of the affinity validates all candidates, shows their memory and fails on a wrong kernel; no time is asserted."""

import json

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from benchmarks import __main__ as benchmarks
from benchmarks import harness, rdk
from benchmarks.rdk import Case
from simspec.kernels.affinity import numba_affinity, reference
from tests.requirements import found, require

SMALL = (Case(12, 700),)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(rdk, "QUICK", SMALL)
    monkeypatch.setattr(rdk, "_BLOCKS", (2, 8))
    monkeypatch.setenv("COLUMNS", "140")


def test_data_are_fixed_and_what_they_should_be():
    data, again = rdk.draw(SMALL[0], seed=3), rdk.draw(SMALL[0], seed=3)
    assert all(np.array_equal(x, y) for x, y in zip(data, again, strict=True))
    assert {x.dtype for x in data[:4]} == {np.dtype(np.float32)}
    assert np.flatnonzero(data.v).tolist() == data.kept.tolist() and len(data.kept) == 12
    assert data.v.sum() == pytest.approx(1, abs=1e-6)
    assert [case.rows for case in rdk.CASES] == [500, 20_000] and {case.vocab for case in rdk.CASES} == {200_000}


def test_the_expectation_is_the_reference():
    data = rdk.draw(SMALL[0], seed=1)
    np.testing.assert_allclose(rdk.exact(data), reference.affinity_apply(*data[:5]), atol=1e-15)


@pytest.mark.parametrize("case", SMALL)
def test_peers_agree_with_the_reference(case, small):
    data = rdk.draw(case, seed=2)
    expected, peers = rdk.exact(data), rdk.candidates()
    results = harness.compare(peers, data, expected, rdk.TOLERANCE * expected.max(), repeats=1)
    absent = [r.name for r in results if r.status.startswith("not installed")]
    assert all(r.status == "ok" for r in results if r.name not in absent), results
    assert [r.name for r in results if r.error is None] == [*absent, peers[-1].name]  # the last is a copy: no result
    assert not found("torch") or absent == []


def test_quick_run_writes_every_peer_and_its_memory(tmp_path, small, capsys):
    path = tmp_path / "rdk.json"
    assert benchmarks.main(["rdk", "--quick", "--repeats", "1", "--json", str(path)]) == 0
    cases = json.loads(path.read_text())["cases"]
    for case, wanted in zip(cases, SMALL, strict=True):
        names = [peer.name for peer in rdk.candidates()]
        assert (case["rows"], case["vocab"]) == wanted[:2]
        assert [r["name"] for r in case["results"]] == names == list(case["memory"])
        assert case["results"][0]["status"] == "ok"
    assert "peak memory beyond the input" in capsys.readouterr().out


def test_a_wrong_kernel_fails_the_run(small, monkeypatch, capsys):
    right = numba_affinity.affinity_apply
    monkeypatch.setattr(
        numba_affinity, "affinity_apply", lambda *arrays, **named: right(*arrays, **named) + np.float32(0.1)
    )
    assert benchmarks.main(["rdk", "--quick", "--repeats", "1"]) == 1
    assert "wrong by 1.0e-01" in capsys.readouterr().out


def test_later_applications_sum_no_row(monkeypatch):
    data = rdk.draw(SMALL[0], seed=2)
    summed = []
    normalise = numba_affinity.normalise
    monkeypatch.setattr(numba_affinity, "normalise", lambda *args: (summed.append(args), normalise(*args)))
    first, later = (peer.bind(data, 1) for peer in rdk.candidates()[:2])
    assert len(summed) == 1  # while the later one was bound
    np.testing.assert_array_equal(later(), first())
    assert len(summed) == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_the_limit_forms_each_power_once(threads, monkeypatch):
    """As many as rows times columns, in whole chunks and fours, and threads are started once, however many turns there are."""
    data, formed, started = rdk.draw(Case(500, 9_000), seed=0), [], []
    monkeypatch.setattr(
        numba_affinity,
        "normalise",
        lambda *, first, last, vocab, **_: formed.append((last - first) * vocab) if last > first else None,
    )
    true = rdk.split
    monkeypatch.setattr(rdk, "split", lambda *args: started.append(args[3]) or true(*args))
    rdk.candidates()[-1].bind(data, threads)()
    assert sum(formed) == 500 * 3 * 8 * numba_affinity.CHUNK and started == [threads]


@pytest.mark.parametrize("threads", [1, 3])
def test_libraries_are_kept_to_the_stated_threads(threads, monkeypatch):
    """Shares of rows have one thread each, whatever the libraries had."""
    require("torch")
    import torch

    data, seen = rdk.draw(SMALL[0], seed=0), []

    def products():
        return max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")

    def rows(v, U, lam, diag, temperature, kept, block):
        seen.append((products(), torch.get_num_threads()))
        return np.zeros_like(v)

    monkeypatch.setattr(rdk, "_BLOCKS", (2,))
    before = torch.get_num_threads()
    try:
        with threadpool_limits(2, user_api="blas"):
            call = rdk._shared(rows, data, threads)
            torch.set_num_threads(2)
            call()
            assert products() == 2
    finally:
        torch.set_num_threads(before)
    assert set(seen) == {(1, 1)} and len(seen) == 2 + threads


def test_memory_of_a_call():
    for _ in range(2):  # the second finds memory that the first has freed
        assert 40e6 <= rdk.peak_memory(lambda: np.ones(5_000_000)) < 80e6
