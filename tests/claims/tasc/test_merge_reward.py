"""`tasc.merge-reward`: cases by hand and mutations."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.tasc.merge_reward import _most_disjoint
from tests.claims.cases import get


def test_aaa_by_hand() -> None:
    """a a a holds a a twice, and merging leaves z a: one token saved, not two."""
    aaa = {"texts": [[0, 0, 0]], "ngram": [0, 0]}
    assert get("tasc.merge-reward.occurrences").sides(aaa) == (1, 2)
    assert get("tasc.merge-reward.non-overlapping").sides(aaa) == (1, 1)


@given(st.lists(st.integers(0, 1), max_size=9), st.lists(st.integers(0, 1), min_size=2, max_size=3))
def test_most_disjoint_by_trying_all(text, ngram) -> None:
    """The rhs of the claim against every subset of occurrences."""
    n = len(ngram)
    places = [i for i in range(len(text) - n + 1) if text[i : i + n] == ngram]
    fits = [
        k
        for k in range(len(places) + 1)
        for some in combinations(places, k)
        if all(b - a >= n for a, b in pairwise(some))
    ]
    assert _most_disjoint(text, ngram) == max(fits)
