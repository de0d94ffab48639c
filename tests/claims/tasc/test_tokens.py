"""Claims about enrichment, the entropy of merged text, added tokens and new rows: cases by hand."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations, pairwise
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.authoring import law, matrix
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.search import EFFORTS, check_exact
from simspec.claims.tasc.added_tokens import _any_text
from simspec.claims.tasc.merge_reward import _most_disjoint
from simspec.claims.tasc.reward_decreasing import _rewards
from simspec.methods.tasc.encoding import added_encode, toy_bpe
from simspec.methods.tasc.enrichment import enrich, enrich_naive, merge_text
from tests.claims.cases import counterexample, get

corpora = st.lists(st.lists(st.integers(0, 2), max_size=10), min_size=1, max_size=3)


def test_counterexamples_are_small() -> None:
    assert counterexample("tasc.merge-reward.occurrences")["texts"] == [[0, 0, 0]]
    assert sum(map(len, counterexample("tasc.entropy-monotone")["texts"])) == 2
    assert sum(map(len, counterexample("tasc.termination")["texts"])) <= 4
    assert len(counterexample("tasc.added-tokens")["text"]) <= 4


# --- Algorithm 1 ----------------------------------------------------------------------------------------------------


def test_both_faults_of_the_printed_algorithm() -> None:
    """a a a b with limit 1/2: a a is refused for ever though a b is free; a b c with n_max = 3: one token, then no n-gram."""
    claim = get("tasc.termination")
    (stalled,) = claim.against
    assert claim.broken(stalled) == [] and claim.sides(stalled) == (0, 1)
    letters, limit = ["a", "b"], F(1, 2)
    assert enrich_naive([[0, 0, 0, 1]], 1, 2, 2, "occurrences", limit, letters, printed=True).stop == "stalled"
    assert enrich([[0, 0, 0, 1]], 1, 2, 2, "occurrences", limit, letters).ngrams == ((0, 1),)
    abc = {"texts": [[0, 1, 2]], "vocab": 3, "budget": 2, "n_max": 3, "limit": None}
    assert claim.broken(abc) == [] and claim.sides(abc) == (1, 2)


def test_other_counting_by_hand() -> None:
    """b b b a: BPE counts b b twice and b a once; without overlap both occur once, and (b, a) comes first in the order of ids."""
    (outside,) = get("tasc.bpe").outside.values()
    ours, theirs = get("tasc.bpe").sides(outside)
    assert (ours.tolist(), theirs.tolist()) == ([[1, 0]], [[1, 1]])


def test_rewards_rise_under_a_limit() -> None:
    (outside,) = get("tasc.reward-decreasing").outside.values()
    assert _rewards(**outside).tolist() == [1, 2]


@given(corpora, st.integers(2, 4), st.sampled_from(["occurrences", "non-overlapping"]))
def test_rewards_of_the_specification_do_not_rise(texts, n_max, counting) -> None:
    """On larger corpora than the search's, for the naive algorithm; and the harmonic bound."""
    rewards = enrich_naive(texts, 8, 3, n_max, counting).rewards
    assert list(rewards) == sorted(rewards, reverse=True)
    if counting == "non-overlapping":
        room = sum(max(0, len(t) - 1) for t in texts)
        assert all(r * (i + 1) <= room for i, r in enumerate(rewards))


# --- use ------------------------------------------------------------------------------------------------------------


def test_added_token_lengthens_by_hand() -> None:
    """Base merges a b, then a ab: "aab" is one token; with "aa" added first, it is "aa", "b"."""
    base = toy_bpe([("a", "b"), ("a", "ab")])
    assert base("aab") == ["aab"] and base("aa") == ["a", "a"]
    assert added_encode("aab", ["aa"], base) == ["aa", "b"]


def test_merge_table_does_not_lengthen_it() -> None:
    """The same token through the merge table finds no a, a in the base encoding "aab" and changes nothing."""
    done = enrich([[0, 0]], 1, 3)
    shown = get("tasc.added-tokens-sharp").lhs([0, 0], [2], 3, 1, 2)
    assert done.ngrams == ((0, 0),) and shown.tolist() == [1, -1, 0]


def test_cutting_an_added_token_is_found_with_more_tries() -> None:
    """Without its assumption the corrected claim fails for one text in a hundred."""
    mutant = replace(get("tasc.added-tokens-corrected"), tight=(), outside={}, assumes={}, instances=_any_text)
    assert check_exact(mutant, EFFORTS["default"]._replace(shrink=0), 0).counterexample is not None


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


def test_mean_row_by_hand() -> None:
    """Rows (1) and (0), hidden state 3: logits 3 and 0, the new one 3/2."""
    head = {"head": matrix("1 0"), "hidden": law(3), "bias": law(0, 0), "ngram": [0, 1], "new_bias": F(0)}
    assert get("tasc.mean-initialisation").sides(head) == (F(3, 2), F(3, 2))


def test_new_row_takes_a_third_at_most() -> None:
    """Two tokens of 1/2: g = 1/2, and 1/3 for the new one; of 1/5 and 4/5, g = 2/5 and 2/7."""
    claim = get("tasc.mean-initialisation-sharp")
    assert abs(float(claim.lhs(law(1, 1), [0, 1])) - 1 / 3) < 1e-15
    assert abs(float(claim.lhs(law(1, 4), [0, 1])) - 2 / 7) < 1e-15
    assert abs(float(claim.lhs(np.array([[1.0, 4.0]]), [0, 1])[0]) - 2 / 7) < 1e-15


def test_real_rows_take_little_where_they_are_needed() -> None:
    together, needed = get("tasc.mean-initialisation").evidence(Data(effort="quick"))
    assert 0 < together.estimate < 1 and together.n == 24
    assert 0 < needed.estimate <= together.control["largest of one"] <= 1 / 3
    assert needed.estimate < needed.control["probability of that first token"]
    bank = Data(effort="quick").main
    last, following = bank.index.last.tolist(), bank.index.following.tolist()
    pairs = [(a, b) for (a, b), _ in Counter(zip(last, following, strict=True)).most_common(100) if a != b]
    taken, alone = [], []
    for row in range(24):
        odds = np.exp(bank.target(row).astype(float))
        new = [sqrt(odds[a] * odds[b]) for a, b in pairs]
        for (a, _), x in zip(pairs, new, strict=True):
            if following[row] == a:
                taken.append(x / (odds.sum() + sum(new)))
                alone.append(odds[a] / odds.sum())
    assert len(taken) == needed.n and abs(np.mean(taken) - needed.estimate) < 1e-12
    assert abs(np.mean(alone) - needed.control["probability of that first token"]) < 1e-12


def test_all_three_entropies_fall() -> None:
    """a b a b a b a b: one token is left, entropies log 2, 1, log 2 fall to 0."""
    lhs, rhs = get("tasc.entropy-monotone").sides({"texts": [[0, 1] * 4], "vocab": 2, "n_max": 2})
    assert [float(x) for x in lhs] == [0, 0, 0]
    assert np.allclose([float(x) for x in rhs], [log(2), 1, log(2)])
    found = get("tasc.entropy-monotone").slack(counterexample("tasc.entropy-monotone"))
    assert all(bool(x < 0) for x in found)


def test_renyi_rule_by_hand() -> None:
    """a b c c: Q = 3/8; merging a b gives z c c with Q' = 5/9: (3/8 - 5/9)(3/4)² = -13/128."""
    merged = {"texts": [[0, 1, 2, 2]], "ngram": [0, 1]}
    assert get("tasc.entropy-monotone-corrected").sides(merged) == ((F(3, 8) - F(5, 9)) * F(9, 16),) * 2


def test_entropy_can_rise() -> None:
    """c b a b c: five tokens, Q = 9/25; b c merged: c b a z, Q' = 1/4."""
    lhs, _ = get("tasc.entropy-monotone-corrected").sides({"texts": [[2, 1, 0, 1, 2]], "ngram": [1, 2]})
    assert lhs == (F(9, 25) - F(1, 4)) * F(16, 25) > 0


@given(st.lists(st.integers(0, 2), min_size=2, max_size=14), st.data())
def test_renyi_rule_predicts_the_direction(text, data) -> None:
    n = data.draw(st.integers(2, min(4, len(text))))
    at = data.draw(st.integers(0, len(text) - n))
    ngram = text[at : at + n]
    after = merge_text(text, ngram, 3)
    q, new = (sum(F(t.count(x), len(t)) ** 2 for x in range(4)) for t in (text, after))
    bracket = get("tasc.entropy-monotone-corrected").rhs([text], ngram)
    assert (new < q) == (bracket > 0) and (new == q) == (bracket == 0)


@pytest.mark.parametrize(
    ("rest", "rises"), [([5] * 700 + [8] * 700 + [0, 6] * 500 + [1, 7] * 500, True), ([5] * 1500 + [0, 6] * 200, False)]
)
def test_for_a_rare_pair_the_shares_of_its_tokens_add_up(rest, rises) -> None:
    """0 1 occurs three times; in the first text the sum of their shares is above Q and their mean below."""
    text = rest + [0, 1] * 3
    after = merge_text(text, [0, 1], 9)
    share, (q, new) = (
        (text.count(0) + text.count(1)) / len(text),
        (sum((n / len(t)) ** 2 for n in Counter(t).values()) for t in (text, after)),
    )
    assert (new < q) == rises == (share > q) and share / 2 < q
    assert "shares of its two tokens add up to more than Q" in get("tasc.entropy-monotone-corrected").note


def test_both_ends_of_merging_by_hand() -> None:
    """0 0 0 holds 0 0 twice and loses one token, half of two; 0 1 2 0 1 holds 0 1 twice, apart, and loses two."""
    assert get("tasc.merge-reward.occurrences-corrected.least").sides({"n": 2, "copies": 1}) == (1, 1)
    instance = {"texts": [[0, 1, 2, 0, 1]], "ngram": [0, 1]}
    assert get("tasc.merge-reward.occurrences-corrected.most").sides(instance) == (2, 2)
