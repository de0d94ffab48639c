"""The queue of n-grams: order, frequencies that fall, n-grams that occur once come last."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.kernels import merges
from simspec.methods.tasc.enrichment import COUNTINGS, count_ngrams
from simspec.methods.tasc.merging import Texts
from simspec.methods.tasc.queue import Queue
from tests.methods.tasc.enrichment_cases import Case, corpora


def drained(queue: Queue) -> list[tuple[tuple[int, ...], int]]:
    out = []
    while (best := queue.best())[0]:
        out.append(best)
    return out


def test_by_hand() -> None:
    queue = Queue(Texts([[0, 0, 0], [1, 0], [1, 0]], vocab=2), n_max=3, counting="non-overlapping", min_count=1)
    # 1 0 twice; 0 0 once without overlap, 0 0 0 once but of reward 2 and longer than 1 0
    assert drained(queue) == [((1, 0), 2), ((0, 0, 0), 2), ((0, 0), 1)]
    assert queue.best() == ((), 0)


@pytest.mark.parametrize("small", [0, merges.SMALL], ids=["compiled", "reference"])
@given(case=corpora(), n_max=st.integers(2, 4), counting=st.sampled_from(COUNTINGS), min_count=st.integers(1, 3))
def test_every_candidate_comes_once_in_order(small, case: Case, n_max, counting, min_count) -> None:
    counts = count_ngrams(case.texts, n_max, counting)
    kept = {g: n * (len(g) - 1) for g, n in counts.items() if n >= min_count}
    expected = sorted(kept.items(), key=lambda item: (-item[1], len(item[0]), item[0]))
    with mock.patch.object(merges, "SMALL", small):
        texts = Texts(case.texts, case.vocab)
    assert drained(Queue(texts, n_max, counting, min_count)) == expected
