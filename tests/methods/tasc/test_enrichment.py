"""TASC-ft's enrichment: by hand, equal to the naive specification, faults of the printed algorithm, speed."""

from __future__ import annotations

import time
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.kernels import merges
from simspec.methods.tasc.collision import READINGS
from simspec.methods.tasc.enrichment import COUNTINGS, count_ngrams, enrich, enrich_naive, merge_text
from tests.methods.tasc.enrichment_cases import Case, corpora

LIMITS = st.sampled_from([None, 0.1, Fraction(1, 3), 0.6])


def test_by_hand() -> None:
    """a b c a b c a b | c a: n_max = 3 takes a b c (2 x 2) before a b (3 x 1), then what is left of reward 1."""
    done = enrich([[0, 1, 2, 0, 1, 2, 0, 1], [2, 0]], budget=3, vocab=3, n_max=3)
    # rewards of step 1: abc, bca 2 * 2, cab 2 * 2; first in the order of ids: (0, 1, 2)
    assert done.ngrams[0] == (0, 1, 2) and done.rewards[0] == 4 and done.merged[0] == 2
    # 3 3 0 1 | 2 0: then triples 3 3 0 and 3 0 1 have reward 2
    assert done.ngrams[1] == (3, 0, 1) and done.texts[0] == (3, 4)
    # 3 4 | 2 0: pairs of reward 1, first in the order of ids
    assert done.ngrams[2] == (2, 0) and done.ids == (3, 4, 5)
    assert done.lengths == (10, 6, 4, 3) and done.texts == ((3, 4), (5,)) and done.stop == "budget"


def test_ties_take_the_shorter_then_the_first() -> None:
    """0 0 occurs twice (reward 2) in two texts, 1 2 3 once (reward 2), 4 5 twice (reward 2)."""
    done = enrich([[4, 5], [0, 0], [1, 2, 3], [4, 5], [0, 0]], budget=3, vocab=6, n_max=3)
    assert done.ngrams == ((0, 0), (4, 5), (1, 2, 3)) and done.rewards == (2, 2, 2)


def test_the_two_countings_differ_on_runs() -> None:
    """a a a holds a a once or twice; merging shortens it by one in both."""
    assert count_ngrams([[0, 0, 0, 1]], 3) == {(0, 0): 1, (0, 1): 1, (0, 0, 0): 1, (0, 0, 1): 1}
    assert count_ngrams([[0, 0, 0, 1]], 2, "occurrences") == {(0, 0): 2, (0, 1): 1}
    runs = [[0, 0, 0], [1, 2], [1, 2]]
    apart, every = (enrich(runs, budget=1, vocab=3, counting=c) for c in COUNTINGS)
    assert apart.ngrams == ((1, 2),) and apart.rewards == (2,) and apart.lengths == (7, 5)
    assert every.ngrams == ((0, 0),) and every.rewards == (2,) and every.lengths == (7, 6)


def test_ngrams_stay_within_texts() -> None:
    assert enrich([[0], [1], [0], [1]], budget=1, vocab=2).stop == "exhausted"
    assert enrich([[0, 1], [1, 0]], budget=9, vocab=2).ngrams == ((0, 1), (1, 0))


@given(
    corpora(),
    st.integers(0, 12),
    st.fixed_dictionaries(
        {
            "n_max": st.integers(2, 4),
            "counting": st.sampled_from(COUNTINGS),
            "collision_limit": LIMITS,
            "reading": st.sampled_from(list(READINGS)),
            "min_count": st.integers(1, 3),
            "iterations": st.sampled_from([None, 3, 8]),
            "printed": st.booleans(),
        }
    ),
    st.sampled_from([0, merges.SMALL]),
)
def test_equals_the_specification(case: Case, budget, settings, small) -> None:
    """With compiled loops (`small` is 0) and without."""
    settings = settings | {"strings": case.strings}
    with mock.patch.object(merges, "SMALL", small):
        fast = enrich(case.texts, budget, case.vocab, **settings)
    assert fast == enrich_naive(case.texts, budget, case.vocab, **settings)


@given(corpora(), st.integers(2, 4))
def test_what_holds_at_each_step(case: Case, n_max) -> None:
    """Non-overlapping rewards are the tokens saved; the texts still spell the same."""
    done = enrich(case.texts, 6, case.vocab, n_max)
    saved = tuple(a - b for a, b in zip(done.lengths, done.lengths[1:], strict=False))
    assert saved == done.rewards == tuple(n * (len(g) - 1) for n, g in zip(done.merged, done.ngrams, strict=True))
    spelled = dict(enumerate(case.strings))
    for new, ngram in zip(done.ids, done.ngrams, strict=True):
        spelled[new] = "".join(spelled[t] for t in ngram)
    for before, after in zip(case.texts, done.texts, strict=True):
        assert "".join(case.strings[t] for t in before) == "".join(spelled[t] for t in after)


def test_the_printed_algorithm_stalls_and_the_corrected_one_does_not() -> None:
    """b is half of all tokens, so a b collides at any limit up to 1/2; c d does not."""
    texts, strings = [[0, 1], [0, 1], [1, 1], [2, 3]], ["a", "b", "c", "d"]
    limit = {"collision_limit": Fraction(1, 2), "strings": strings}
    stuck = enrich(texts, 1, 4, printed=True, **limit)
    assert stuck.stop == "stalled" and stuck.ngrams == () and stuck.rejected == ((0, (0, 1), Fraction(1, 2)),)
    done = enrich(texts, 1, 4, **limit)
    assert done.stop == "budget" and done.ngrams == ((2, 3),)
    assert [g for _, g, _ in done.rejected] == [(0, 1), (1, 1)]


def test_candidates_can_run_out_though_there_were_enough() -> None:
    """a b c has the candidates a b, b c and a b c; the last one leaves none."""
    done = enrich([[0, 1, 2]], budget=2, vocab=3, n_max=3)
    assert len(count_ngrams([[0, 1, 2]], 3)) == 3 and done.stop == "exhausted" and done.ngrams == ((0, 1, 2),)


def test_iterations_count_refused_ngrams() -> None:
    texts, strings = [[0, 1], [0, 1], [1, 1], [2, 3]], ["a", "b", "c", "d"]
    done = enrich(texts, 1, 4, collision_limit=0.5, strings=strings, iterations=2)
    assert done.stop == "iterations" and len(done.rejected) == 2 and done.ngrams == ()


def test_every_merge_is_told() -> None:
    seen: list[tuple[int, int]] = []
    enrich([[0, 1, 2, 0, 1, 2]], budget=2, vocab=3, notify=lambda made, length: seen.append((made, length)))
    assert seen == [(1, 4), (2, 2)]


def test_merging_is_greedy_from_the_left() -> None:
    assert merge_text([0, 0, 0, 0, 0], (0, 0), 1) == [1, 1, 0]
    assert merge_text([0, 1, 0, 1, 0], (0, 1, 0), 2) == [2, 1, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"budget": -1}, "budget: -1; expected"),
        ({"budget": 1.5}, "budget: 1.5; expected"),
        ({"n_max": 1}, "n_max: 1; expected"),
        ({"min_count": 0}, "min_count: 0; expected"),
        ({"iterations": -1}, "iterations: -1; expected"),
        ({"counting": "all"}, "counting: 'all'; expected one of non-overlapping"),
        ({"reading": "first"}, "reading: 'first'; expected one of last"),
        ({"collision_limit": 0.5}, "strings: None; expected one for each of the 2 tokens"),
        ({"collision_limit": 0.5, "strings": ["a"]}, "strings: 1 strings; expected"),
        ({"collision_limit": -1, "strings": ["a", "b"]}, "collision_limit: -1; expected"),
        ({"collision_limit": float("nan"), "strings": ["a", "b"]}, "collision_limit: nan; expected"),
        ({"texts": [[0, 2]]}, "texts: token 2 in text 0; expected"),
        ({"vocab": 0}, "vocab: 0; expected"),
    ],
)
@pytest.mark.parametrize("function", [enrich, enrich_naive])
def test_bad_arguments_are_named(function, change, message) -> None:
    with pytest.raises(ValueError) as raised:
        function(**({"texts": [[0, 1]], "budget": 1, "vocab": 2} | change))
    assert str(raised.value).startswith(message)


def test_loops_that_keep_old_counts_are_caught(monkeypatch) -> None:
    """Negative control of the comparison: with stale counts the fast version no longer equals the specification."""

    def merge(self, ngram, new):
        counted, self._n_max = self._n_max, 1  # counts no n-gram
        merged = whole(self, ngram, new)
        self._n_max = counted
        return merged

    corpus, whole = [[0, 1, 2, 0, 1, 2], [1, 0, 2]], merges.Loops.merge
    monkeypatch.setattr(merges, "SMALL", 0)
    assert enrich(corpus, 2, 3) == enrich_naive(corpus, 2, 3)
    monkeypatch.setattr(merges.Loops, "merge", merge)
    assert enrich(corpus, 2, 3) != enrich_naive(corpus, 2, 3)


def test_a_large_corpus_takes_seconds() -> None:
    """100,000 tokens, 200 merges of up to four tokens: half a second; counting anew at each step takes about a minute."""
    rng = np.random.default_rng(0)
    ranks = np.minimum(rng.geometric(0.01, size=(400, 250)), 1000) - 1
    seconds = time.process_time()
    done = enrich(list(ranks), budget=200, vocab=1000, n_max=4)
    assert done.stop == "budget" and done.lengths[-1] < done.lengths[0]
    assert time.process_time() - seconds < 10
