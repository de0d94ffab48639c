"""The benchmark of sparse laws and threshold paths: every peer computes the same, and a wrong kernel is noticed."""

import json

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import harness, sparse
from benchmarks.sparse import lattice as sparse_lattice
from benchmarks.sparse import paths as sparse_paths
from simspec.kernels import lattice
from simspec.kernels import random as philox
from simspec.kernels import thresholds as paths
from tests.benchmarks.fakes import absent

QUICK = [make() for make in sparse.cases(True, None, 3)]


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.work)
def test_peers_agree_with_the_reference(case):
    results = harness.compare(case.peers, case.data, case.expected, case.tolerance, repeats=1)
    assert [r.name for r in results] == [peer.name for peer in case.peers]
    assert results[0].name == sparse.OURS and results[-1].name == case.yardstick
    for result in results:
        assert result.status == "ok" or result.status.startswith("not installed"), result


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.work)
def test_the_cases_exercise_what_they_time(case):
    if case.work == "lattice":
        q, k, resolution = case.data
        assert (case.expected.sum(axis=1) == resolution).all() and ((case.expected > 0).sum(axis=1) <= k).all()
        rounded = np.floor(
            resolution * np.sort(q, axis=1)[:, -k:] / np.sort(q, axis=1)[:, -k:].sum(1, keepdims=True) + 0.5
        )
        assert (rounded.sum(axis=1) != resolution).any()  # the correction step has work to do
    else:
        length = case.expected.shape[1] - 1
        assert len(np.unique(case.expected)) > length  # thresholds move, and texts differ


@pytest.mark.parametrize("vocab", [1, 300, 600, 1024, 2500])
def test_numpy_peers_draw_the_numbers_of_the_kernel(vocab):
    rows = np.array([3, 2**40])
    np.testing.assert_array_equal(sparse_paths._normal(7, rows, vocab), philox.normal(7, rows, range(vocab)))


def test_a_near_tie_decided_otherwise_is_inexact_and_worse_is_wrong():
    case = QUICK[0]
    for change, status in ((0, "ok"), (1, "inexact"), (100, "wrong by 1.0e+02")):
        peer = harness.Peer("a", lambda data, threads, change=change: lambda: case.expected + change, (1,))
        (result,) = harness.compare([peer], case.data, case.expected, case.tolerance, repeats=1)
        assert result.status == status


def test_quick_run_writes_every_case(tmp_path, capsys):
    path = tmp_path / "sparse.json"
    assert benchmarks.main(["sparse", "--quick", "--repeats", "2", "--json", str(path)]) == 0
    document = json.loads(path.read_text())
    assert [case["work"] for case in document["cases"]] == ["lattice", "paths"]
    for case in document["cases"]:
        ours = case["results"][0]
        assert ours["status"] == "ok" and len(ours["seconds"]) == 2
    assert document["environment"]["packages"]["numpy"] == np.__version__
    out = capsys.readouterr().out
    assert "to yardstick" in out
    assert out.count(sparse_paths.note()) == 1  # of paths alone


def test_the_note_says_the_generators_share(monkeypatch):
    monkeypatch.setattr(sparse_paths, "OPERATIONS", (1, 2, 5))
    assert "words are 12 % of" in sparse_paths.note()  # an eighth, of two whole numbers as near the even one


@pytest.mark.parametrize("work", ["lattice", "paths"])
def test_a_wrong_kernel_fails_the_run(work, monkeypatch, capsys):
    top = lattice.quantise_top
    monkeypatch.setattr(
        lattice, "quantise_top", lambda *a, **k: top(*a, **k)._replace(counts=top(*a, **k).counts + 200)
    )
    right = paths.synthetic_paths
    monkeypatch.setattr(
        paths, "synthetic_paths", lambda *a, **k: right(*a, **k)._replace(thresholds=right(*a, **k).thresholds + 1)
    )
    monkeypatch.setattr(sparse_lattice, "_lattice_torch", absent)
    monkeypatch.setenv("COLUMNS", "120")
    assert benchmarks.main(["sparse", "--quick", "--repeats", "1", "--work", work]) == 1
    out = capsys.readouterr().out
    assert "wrong by" in out and ("not installed" in out) == (work == "lattice")
