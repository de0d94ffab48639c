"""The benchmark of merges: both sides learn the same, a wrong side fails the run, and what was measured is written."""

import json
import os

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import harness
from benchmarks import merges as bench
from benchmarks.merges import Data, Learned
from simspec.kernels import merges

LINES = ["ab ab abc", "abc  ab", "", "c"]


@pytest.fixture(autouse=True)
def parallelism(monkeypatch):
    """The trainer's switch is put back."""
    monkeypatch.setitem(os.environ, "TOKENIZERS_PARALLELISM", "false")


def swapped(data, threads):
    """A side that makes the first two merges in the other order."""
    pairs = np.array(bench._made(data, 2).ngrams)
    pairs[[0, 1]] = pairs[[1, 0]]
    return lambda: Learned(data, pairs)


def absent(data, threads):
    raise ImportError("No module named 'tokenizers'", name="tokenizers")


@pytest.mark.parametrize(
    ("words", "texts", "ngrams", "rewards"),
    [
        # ab three times, abc twice, c: (a b) 5 times, then (ab c) twice
        (True, ([2, 3, 1], [3, 2, 1], 3), ((0, 1), (3, 2)), (5, 2)),
        # a space is 0: (a b) 5 times, then of ab_ab_abc, abc__ab the pair (space ab) three times
        (False, ([9, 7, 0, 1], None, 4), ((1, 2), (0, 4)), (5, 3)),
    ],
)
def test_by_hand(words, texts, ngrams, rewards):
    data = Data(LINES, words, 2)
    _, lengths, weights, vocab = bench._tokens(data)
    assert (lengths.tolist(), weights if weights is None else weights.tolist(), vocab) == texts
    made = bench._made(data, 2)
    assert made.ngrams == ngrams and made.rewards == rewards
    assert np.asarray(Learned(data, np.array(ngrams))).tolist() == list(rewards)


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_the_trainer_makes_the_very_same_merges(words, seed):
    data = Data(bench.draw(3000, seed), words, 80)
    ours, theirs = (bind(data, 1)().pairs for bind in (bench._simspec, bench._rust))
    assert ours.tolist() == theirs.tolist() and len(ours) == 80


def test_the_text_is_fixed_and_has_its_size():
    lines = bench.draw(20_000, 0)
    assert lines == bench.draw(20_000, 0) != bench.draw(20_000, 1)
    size = sum(map(len, lines))
    assert 20_000 <= size < 20_000 + len(lines[-1]) and all(len(line.split()) == 16 for line in lines)


def test_characters_beyond_the_basic_plane_and_odd_spaces():
    data = Data(["\U0001f600a\u00a0\U0001f600a", "z"], True, 5)
    ours, theirs = (bind(data, 1)().pairs.tolist() for bind in (bench._simspec, bench._rust))
    assert ours == theirs == [[2, 0]]  # a and z come before the face, in the order of code points


def test_quick_run_writes_every_side(tmp_path, capsys):
    path = tmp_path / "merges.json"
    assert benchmarks.main(["merges", "--quick", "--repeats", "1", "--json", str(path)]) == 0
    document = json.loads(path.read_text())
    assert [case["counts"] for case in document["cases"]] == list(bench.CASES)
    for case in document["cases"]:
        assert [r["name"] for r in case["results"]] == [peer.name for peer in bench.candidates()]
        assert [r["error"] for r in case["results"]] == [0, 0, None, None] and case["merges"] == bench.QUICK[1]
        assert all(r["status"] == "ok" and len(r["seconds"]) == 1 for r in case["results"])
    assert "across words" in capsys.readouterr().out


def test_a_text_of_your_own(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("a rose is a rose\nis a rose\n" * 30, encoding="utf-8")
    out = tmp_path / "out.json"
    assert benchmarks.main(["merges", "--quick", "--repeats", "1", "--texts", str(path), "--json", str(out)]) == 0
    assert json.loads(out.read_text())["cases"][0]["lines"] == 60


@pytest.mark.parametrize("which", ["_simspec", "_rust"])
def test_a_side_that_learns_something_else_fails_the_run(monkeypatch, capsys, which):
    monkeypatch.setattr(bench, which, swapped)
    assert benchmarks.main(["merges", "--quick", "--repeats", "1"]) == 1
    assert "wrong by" in capsys.readouterr().out


def test_loops_that_differ_from_the_reference_fail_the_run(monkeypatch):
    best = merges.Loops.best

    def second(self):
        best(self)
        return best(self)

    monkeypatch.setattr(merges.Loops, "best", second)
    monkeypatch.setattr(bench, "_rust", absent)
    assert benchmarks.main(["merges", "--quick", "--repeats", "1"]) == 1


def test_a_missing_trainer_is_listed(monkeypatch, capsys):
    monkeypatch.setattr(bench, "_rust", absent)
    monkeypatch.setenv("COLUMNS", "120")
    assert benchmarks.main(["merges", "--quick", "--repeats", "1"]) == 0
    assert "not installed" in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--repeats", "0"], ["--seed", "-1"], ["--texts", "nowhere.txt"]])
def test_bad_usage(options, capsys):
    assert benchmarks.main(["merges", "--quick", *options]) == 2
    assert " ".join(options) in capsys.readouterr().err


def test_an_empty_text_is_bad_usage(tmp_path, capsys):
    path = tmp_path / "empty.txt"
    path.write_text(" \n")
    assert benchmarks.main(["merges", "--quick", "--texts", str(path)]) == 2
    assert "empty" in capsys.readouterr().err


def test_the_full_size_and_the_threads(monkeypatch):
    assert (bench.CHARACTERS, bench.MERGES) == (17_000_000, 1000)
    for cores, threads in (((1,), (1,)), ((1, 2), (1, 2)), ((1, 2, 4, 6), (1, 6))):  # its switch knows no number
        monkeypatch.setattr(harness, "thread_counts", lambda cores=cores: cores)
        assert bench.candidates()[1].threads == threads


def test_longer_merges_are_checked_where_the_pairs_run_out(monkeypatch):
    """Two pairs and then nothing: n-grams of four are compared all the same, and a wrong one is seen."""
    data = Data(["abc"], True, 5)
    asked = []
    begin, best = merges.Loops.begin, merges.Loops.best

    def noted(self, n_max, *rest):
        asked.append(n_max)
        return begin(self, n_max, *rest)

    monkeypatch.setattr(merges.Loops, "begin", noted)
    assert bench._as_defined(data) and asked == [2, 4]
    monkeypatch.setattr(merges.Loops, "best", lambda self: best(self) if asked[-1] == 2 else ((0, 9), 1))
    assert not bench._as_defined(data)
