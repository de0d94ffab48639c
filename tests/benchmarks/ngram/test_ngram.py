"""The benchmark of n-gram proposals validates every peer, writes what it measured, and fails when we are wrong."""

import json
from functools import partial

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import harness, ngram
from benchmarks.ngram import candidates as ngram_peers
from tests.benchmarks.fakes import absent


def test_the_text_repeats_itself_and_is_fixed():
    text = ngram_peers.draw(4_000, seed=3)
    assert text.shape == (4_000,) and text.dtype == np.int64
    assert text.min() >= 0 and text.max() < ngram_peers.VOCAB
    np.testing.assert_array_equal(text[:500], ngram_peers.draw(500, seed=3))
    assert not np.array_equal(text, ngram_peers.draw(4_000, seed=4))
    shuffled = np.random.default_rng(0).permutation(text)
    assert _ngrams(text) < 0.8 * _ngrams(shuffled)


def _ngrams(text) -> int:
    return len(np.unique(np.lib.stride_tricks.sliding_window_view(text, 4), axis=0))


@pytest.mark.parametrize("context", [5, 300])
def test_a_case_grows_texts_of_the_stated_length(context):
    case = ngram._made("generation", context, seed=1, repeats=2)
    assert len(case.parts) == 3 and [start for _, start in case.parts] == [context] * 3
    texts = case.texts(1)
    assert [len(x) for x in texts] == [context + 1 + i for i in range(case.proposals)]
    seen = [(state.tolist(), tokens) for state, tokens in case.states(lambda prompt: prompt)]
    assert seen[1] == (texts[0][:-1].tolist(), texts[-1][context:].tolist()) and seen[0] != seen[1]


def test_a_long_text_is_continued():
    case = ngram._made("counts", 2**17, seed=1, repeats=2)
    assert [start - 2**17 for _, start in case.parts] == [0, 32, 64]
    (first, *_), states = case.parts, list(case.states(len))
    assert [state for state, _ in states] == [2**17] * 3  # begun once
    assert [x for _, tokens in states for x in tokens] == first[0][2**17 :].tolist()


def test_where_nothing_is_found_the_last_token_is_new():
    case = ngram._made("search, nothing found", 40, seed=1, repeats=2)
    assert all(x[-1] == ngram_peers.VOCAB not in x[:-1] for x in case.texts(0))
    assert (ngram._expected("search", case) == -1).all()


@pytest.mark.parametrize("work", list(ngram.PEERS))
def test_every_peer_proposes_the_same(work):
    case = ngram._made(work, 150, seed=5, repeats=1)
    expected = ngram._expected(work, case)
    assert (expected[:, 0] >= 0).any() != (work == ngram_peers.UNSEEN)
    np.testing.assert_array_equal(ngram._ours(work, case), expected)
    for result in harness.compare(ngram.peers(work), case, expected[: case.proposals], 0.0, repeats=1):
        assert result.status == "ok" or result.status.startswith("not installed"), result


def test_quick_run_writes_every_peer(tmp_path, capsys):
    path = tmp_path / "new" / "ngram.json"
    assert benchmarks.main(["ngram", "--quick", "--repeats", "2", "--json", str(path)]) == 0
    document = json.loads(path.read_text())
    assert [case["work"] for case in document["cases"]] == list(ngram.PEERS)
    for case in document["cases"]:
        assert case["context"] == ngram.QUICK[0] and case["equal"] and case["items"] == case["proposals"] == 256
        assert [r["name"] for r in case["results"]] == [peer.name for peer in ngram.peers(case["work"])]
        assert case["results"][0]["status"] == "ok" and len(case["results"][0]["seconds"]) == 2
    sizes = {name: size for name, (_, size) in document["cases"][0]["prompt"].items()}
    assert sizes[ngram_peers.OURS] > 0 and sizes[ngram_peers.DICTIONARIES] > 8 * ngram.QUICK[0]
    assert "µs a proposal" in capsys.readouterr().out


def test_counts_in_dictionaries_by_hand():
    """After 1 2 and after 2 nothing is known; then ties go to the lowest token, and more counts win."""
    counts = ngram_peers.Counts(np.array([1, 2]))
    assert counts.draft() == [1]  # both once
    counts.append(1)
    assert counts.draft() == [2]
    for token in (0, 1):
        counts.append(token)
    assert counts.contexts == [(1, 0, 1), (0, 1), (1,), ()] and counts.draft() == [0]  # after 1: 2 and 0, once each
    for token in (2, 1):
        counts.append(token)
    assert counts.known[(1,)] == ([2, 2], {2: 2, 0: 1}) and counts.draft() == [0]  # after 1 2 1 came 0 once
    assert counts.nbytes > 8 * 10


def wrong_later(case, threads):
    """Ours, but for the last proposal of the last call."""
    steps = ngram_peers.PEERS["generation"][ngram_peers.OURS](case, threads)
    return [*steps[:-1], partial(wrong_step, steps[-1], case.proposals - 1)]


def wrong_step(step, last, i):
    return [1, 2, 3] if i == last else step(i)


def wrong_at_once(case, threads):
    return [lambda i: [1, 2, 3]] * len(case.parts)


@pytest.mark.parametrize("wrong", [wrong_later, wrong_at_once])
def test_a_wrong_kernel_fails_the_run(monkeypatch, capsys, wrong):
    makers = {ngram_peers.OURS: wrong, "transformers": absent, ngram_peers.MEMORY: ngram_peers._MEMORY}
    monkeypatch.setattr(ngram, "PEERS", {"generation": makers})
    assert benchmarks.main(["ngram", "--quick", "--repeats", "2"]) == 1
    out = capsys.readouterr().out
    assert "not installed" in out and ("wrong by" in out) == (wrong is wrong_at_once)
