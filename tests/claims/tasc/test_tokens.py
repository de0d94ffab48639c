"""Claims about enrichment, the entropy of merged text, added tokens and new rows: cases by hand, verdicts, mutations."""

from dataclasses import replace
from fractions import Fraction as F

from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.deciding.search import EFFORTS, check_exact
from simspec.claims.tasc.added_tokens import _any_text
from simspec.claims.tasc.reward_decreasing import _rewards
from simspec.methods.tasc.encoding import added_encode, toy_bpe
from simspec.methods.tasc.enrichment import enrich, enrich_naive
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
