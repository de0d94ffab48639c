"""Learning merges: by hand, the compiled loops against the reference step by step, extremes, memory, bad input."""

import secrets
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.kernels import merges
from simspec.kernels.merges import Loops, corpus, reference
from simspec.kernels.merges import table as merges_table

COUNTINGS = reference.COUNTINGS
BOTH = pytest.mark.parametrize("small", [0, 10**9], ids=["compiled", "reference"])


@pytest.fixture
def seed():
    """Fresh entropy, shown when a test fails."""
    value = secrets.randbits(64)
    print("seed", value)
    return value


def learn(tokens, lengths, vocab, budget, n_max=2, counting=COUNTINGS[0], weights=None, min_count=1):
    """The n-grams that are best in turn and merged, their rewards, how many there were of each, and the tokens left."""
    texts = corpus(tokens, lengths, vocab, weights)
    texts.begin(n_max, counting, min_count)
    done, left = [], [texts.total]
    while len(done) < budget and (found := texts.best())[0]:
        done.append((*found, texts.merge(found[0], vocab + len(done))))
        left.append(texts.total)
    ngrams, rewards, merged = zip(*done, strict=True) if done else ((), (), ())
    return ngrams, rewards, merged, tuple(left)


def flat(texts):
    """Texts one after another, and their lengths."""
    return np.array([t for text in texts for t in text], dtype=np.int64), np.array([*map(len, texts)], dtype=np.int64)


def backends(texts, vocab, weights=None):
    """The reference and the loops on the same texts."""
    tokens, lengths = flat(texts)
    times = None if weights is None else np.array(weights, dtype=np.int64)
    return reference.Corpus(tokens, lengths, vocab, times), Loops(tokens, lengths, vocab, times)


def same_state(plain, made):
    assert made.lists() == plain.lists()
    assert made.total == plain.total
    assert made.counts.tolist() == plain.counts.tolist()
    assert made.token.tolist() == plain.token.tolist()


def follow_both(plain, made, vocab, take):
    """Ask both for the best until none is left; merge where `take` says so, else leave the n-gram out for good."""
    new = vocab
    for step in range(10**6):
        ngram, reward = plain.best()
        assert made.best() == (ngram, reward)
        if not ngram:
            return new - vocab
        for overlapping in (False, True):
            places = plain.find(ngram, overlapping)
            assert made.find(ngram, overlapping).tolist() == places.tolist()
        assert made.follow(places, 4).tolist() == plain.follow(places, 4).tolist()
        if take(step):
            assert made.merge(ngram, new) == plain.merge(ngram, new)
            new += 1
            same_state(plain, made)
    raise AssertionError("no end")


@BOTH
def test_by_hand(monkeypatch, small):
    """a b c a b c a b | c a: a b c saves 2 x 2; then in d d a b | c a the triples d d a and d a b save 2."""
    monkeypatch.setattr(merges, "SMALL", small)
    done = learn([0, 1, 2, 0, 1, 2, 0, 1, 2, 0], [8, 2], vocab=3, budget=3, n_max=3)
    assert done == (((0, 1, 2), (3, 0, 1), (2, 0)), (4, 2, 1), (2, 1, 1), (10, 6, 4, 3))


@BOTH
def test_the_two_countings_and_weights_by_hand(monkeypatch, small):
    """a a a | b c, b c counted twice: a a occurs twice but is merged once; weight 3 on a a a makes it 6 and 3."""
    monkeypatch.setattr(merges, "SMALL", small)
    texts = [0, 0, 0, 1, 2], [3, 2], 3, 1, 2
    assert learn(*texts, "non-overlapping", [1, 2])[:3] == (((1, 2),), (2,), (2,))
    assert learn(*texts, "occurrences", [1, 2])[:3] == (((0, 0),), (2,), (1,))
    assert learn(*texts, "occurrences", [3, 5]) == (((0, 0),), (6,), (3,), (19, 16))
    assert learn(*texts, "non-overlapping", [3, 5]) == (((1, 2),), (5,), (5,), (19, 14))


@st.composite
def cases(draw):
    vocab = draw(st.integers(1, 4))
    texts = draw(st.lists(st.lists(st.integers(0, vocab - 1), max_size=25), max_size=4))
    weights = draw(st.none() | st.lists(st.integers(1, 5), min_size=len(texts), max_size=len(texts)))
    return texts, vocab, weights


@given(cases(), st.integers(2, 6), st.sampled_from(COUNTINGS), st.integers(1, 3), st.integers(0, 255))
def test_loops_are_the_reference_step_by_step(case, n_max, counting, min_count, taken):
    """Some n-grams are merged, some left out, until none is left."""
    texts, vocab, weights = case
    plain, made = backends(texts, vocab, weights)
    same_state(plain, made)
    for one in (plain, made):
        one.begin(n_max, counting, min_count)
    follow_both(plain, made, vocab, lambda step: taken >> step % 8 & 1)


@pytest.mark.parametrize("weighted", [False, True])
def test_any_order_of_the_steps_gives_the_same(seed, weighted):
    """`begin`, `best`, `find` and merges of any n-gram, whether or not it was the best, in any order."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        vocab, sizes = int(rng.integers(1, 5)), rng.integers(0, 80, rng.integers(4))
        texts = [rng.integers(vocab, size=size).tolist() for size in sizes]
        plain, made = backends(texts, vocab, rng.integers(1, 6, len(texts)) if weighted else None)
        new, begun = vocab, False
        for step in rng.choice(["begin", "best", "find", "merge"], 20):
            found = sorted(reference.count_ngrams(plain.lists(), 4)) or [(0, 0)]
            ngram, overlapping = found[rng.integers(len(found))], bool(rng.integers(2))
            if step == "begin":
                rule = int(rng.integers(2, 5)), COUNTINGS[rng.integers(2)], int(rng.integers(1, 3))
                plain.begin(*rule)
                made.begin(*rule)
                begun = True
            elif step == "best" and begun:
                assert made.best() == plain.best()
            elif step in ("best", "find"):
                assert made.find(ngram, overlapping).tolist() == plain.find(ngram, overlapping).tolist()
            else:
                new += int(rng.integers(3))
                assert made.merge(ngram, new) == plain.merge(ngram, new)
                new += 1
                same_state(plain, made)
        for _ in range(10 if begun else 0):
            assert made.best() == plain.best()


@pytest.mark.parametrize("counting", COUNTINGS)
def test_a_merge_before_the_first_best_hides_nothing(seed, counting):
    """The n-grams that the merge makes are not all there are."""
    x = np.random.default_rng(seed).integers(0, 3, 600)
    plain, made = backends([x.tolist()], 3)
    for one in (plain, made):
        one.begin(3, counting, 1)
        one.merge((0, 1), 3)
    for _ in range(5):
        assert made.best() == plain.best()


@given(cases(), st.lists(st.integers(0, 1000), max_size=6), st.integers(1, 4))
def test_any_ngram_can_be_merged_into_any_id(case, choices, n_max):
    """Also without counting, and into ids that are there already."""
    texts, vocab, weights = case
    plain, made = backends(texts, vocab, weights)
    for choice in choices:
        found = sorted(reference.count_ngrams(plain.lists(), n_max))
        if found:
            ngram, new = found[choice % len(found)], choice % (vocab + 3)
            assert made.merge(ngram, new) == plain.merge(ngram, new)
            same_state(plain, made)


@pytest.mark.parametrize("counting", COUNTINGS)
def test_large_tables_grow_and_keep_their_counts(seed, counting):
    """After 300 merges the counts are those of a fresh count, and the next 200 n-grams come in the same order."""
    rng = np.random.default_rng(seed)
    tokens = np.minimum(rng.geometric(0.02, 20_000), 300) - 1
    tokens[500:900] = 7  # a long run
    lengths = np.full(80, 250)
    made = Loops(tokens, lengths, 300)
    made.begin(4, counting, 1)
    rows = made._ngrams[0].shape[0]
    assert rows > 4096
    for new in range(300, 600):
        ngram, reward = made.best()
        if new < 304:
            counts = reference.count_ngrams(made.lists(), 4, counting)
            assert reward == max(n * (len(g) - 1) for g, n in counts.items())
        made.merge(ngram, new)
    again = Loops(*flat(made.lists()), 600)
    again.begin(4, counting, 1)
    assert [made.best() for _ in range(200)] == [again.best() for _ in range(200)]


def test_a_table_is_cleared_of_what_no_longer_occurs(seed):
    """Many merges in little text: table and heap are bounded by the n-grams there are at once, not by all there ever were."""
    rng = np.random.default_rng(seed)
    made = Loops(rng.integers(0, 20, 6000), np.full(6, 1000), 20)
    made.begin(3, "occurrences", 1)
    most = rebuilt = used = 0
    for new in range(20, 1000):
        most = max(most, len(reference.count_ngrams(made.lists(), 3)) if new % 100 == 20 else 0)
        found, before, used = made.best(), used, int(made._ngrams[2][merges_table.FILL])
        if used < before:  # the table has been made anew
            again = Loops(*flat(made.lists()), new)
            again.begin(3, "occurrences", 1)
            assert found == again.best()
            rebuilt += 1
        made.merge(found[0], new)
    assert rebuilt
    rows = made._ngrams[0].shape[0]
    assert rows <= 4 * (most + 6)  # 64 bytes an n-gram
    assert made._ngrams[1].shape[0] <= 6 * (most + 6) + 18  # 96 bytes: at most as many entries as rows in use, doubled
    left = reference.count_ngrams(made.lists(), 3, "occurrences")
    assert int(((made._ngrams[0][:, 1] & merges_table.COUNT) > 0).sum()) == len(left)


def test_memory_stays_within_what_is_stated(seed):
    rng = np.random.default_rng(seed)
    made = Loops(rng.integers(0, 3, 30_000), np.full(300, 100), 3)
    made.begin(2, "occurrences", 1)
    for new in range(3, 300):
        made.merge(made.best()[0], new)
        held = made._cells.nbytes + made._places.nbytes
        assert held <= 12 * 30_000 + 4 * 301
        assert made._free <= len(made._places) <= 60_000
    assert made._free > 30_000


def test_a_large_vocabulary_costs_what_is_stated():
    """20 bytes an id and no more after merges; 28 while room for new ids is made."""
    vocab, tokens = 10**6, np.arange(600) % 2
    tracemalloc.start()
    made = Loops(tokens, np.array([600]), vocab)
    made.begin(2, "occurrences", 1)
    for new in range(vocab, vocab + 5):
        made.merge(made.best()[0], new)
        assert sum(x.nbytes for x in (made._start, made._size, made._counts)) <= 20 * (vocab + 64)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most <= 28 * vocab + 2**20
    for new in range(vocab + 5, vocab + 1000):
        made.merge((0, 0), new)
        assert len(made._size) <= vocab + max(64, 2 * (new + 1 - vocab))
    made.merge((0, 0), 3 * vocab)
    assert len(made._size) == 3 * vocab + 1 and made.counts.sum() == made.total


def test_a_run_of_one_token_halves():
    ngrams, _, _, left = learn(np.zeros(2**12, dtype=np.int64), [2**12], vocab=1, budget=100)
    assert ngrams == tuple((i, i) for i in range(12)) and left == tuple(2**k for k in range(12, -1, -1))
    every = learn(np.zeros(1000, dtype=np.int64), [1000], 1, 1, 64, "occurrences")
    assert every[:3] == (((0,) * 64,), (937 * 63,), (15,))


@pytest.mark.parametrize("texts", [[], [[]], [[], [0], []], [[0]]])
@pytest.mark.parametrize("make", [Loops, reference.Corpus])
def test_texts_without_ngrams(make, texts):
    one = make(*flat(texts), 1)
    one.begin(5, "occurrences", 1)
    assert one.best() == ((), 0) and one.lists() == texts and one.total == sum(map(len, texts))
    assert one.find((0, 0)).tolist() == [] and one.merge((0, 0), 1) == 0
    assert learn(*flat(texts), 1, 5) == ((), (), (), (one.total,))


@pytest.mark.parametrize("ngram", [(1, 0), (2, 0), (0, 9), (0, 999), (-1, 0), ()])
def test_an_ngram_that_is_nowhere(ngram):
    plain, made = backends([[0, 1], [0]], 3)
    for one in (plain, made):
        assert one.find(ngram).tolist() == one.find(ngram, overlapping=True).tolist() == []
        if ngram:
            assert one.merge(ngram, 3) == 0 and one.lists() == [[0, 1], [0]] and one.total == 3
    same_state(plain, made)


def test_large_counts_are_exact():
    """2^46 occurrences of c d against 2^46 - 1 of a b; more than 2^47 - 1 tokens are refused."""
    _, rewards, *_ = learn([2, 3, 0, 1, 0, 1], [2, 2, 2], 4, 2, weights=[2**46, 2**45, 2**45 - 1])
    assert rewards == (2**46, 2**46 - 1)
    made = Loops(np.array([2, 3, 0, 1]), np.array([2, 2]), 4, np.array([2**44, 2**44 + 1]))
    made.begin(2, "occurrences", 1)
    assert made.best() == ((0, 1), 2**44 + 1) and made.total == 2**46 + 2
    assert merges.HEAVIEST == merges_table.MOST
    with pytest.raises(ValueError, match="weights: "):
        Loops(np.array([0]), np.array([1]), 1, np.array([2**47]))


def test_long_ngrams():
    """Eight tokens that always come together are merged at once; a text of 5000 needs no longer n-grams than it allows."""
    text = [*range(8), 9] * 90 + [10, 11]
    plain, made = backends([text], 12)
    for one in (plain, made):
        one.begin(20, "non-overlapping", 2)
    assert made.best() == plain.best()
    with pytest.raises(ValueError, match="n_max: 5000; expected at most 4095"):
        Loops(np.zeros(5000, dtype=np.int64), np.array([5000]), 1).begin(5000, "occurrences", 1)


def test_any_integers_in_any_layout(seed):
    tokens = np.random.default_rng(seed).integers(0, 9, 2 * merges.SMALL)
    lengths = np.array([len(tokens) // 2, 0, len(tokens) // 2])
    expected = learn(tokens, lengths, 9, 30, 3)
    strided = np.repeat(tokens, 2)[::2]
    frozen = tokens.astype(np.uint8)
    frozen.flags.writeable = False
    for same in (tokens.tolist(), strided, frozen, tokens.astype(np.uint64), tokens.astype(">i4")):
        assert learn(same, lengths, 9, 30, 3) == expected
        assert learn(same, lengths, 9, 30, 3, weights=np.array([2, 1, 2], dtype=np.uint8))[0] == expected[0]
    assert tokens.max() < 9 and frozen.tolist() == tokens.tolist()  # the input is as it was


def test_a_budget_beyond_all_merges_ends_when_none_is_left():
    for count in (20, 2_000):  # the reference, and the compiled loops
        made = learn(np.arange(count) % 4, [count], 4, 10**9, min_count=2)
        assert made == learn(np.arange(count) % 4, [count], 4, len(made[0]), min_count=2) and made[3][-1] < count / 4


def test_counting_in_pieces_counts_the_same(monkeypatch):
    tokens, lengths = np.random.default_rng(1).integers(0, 9, 3_000), [1_000, 0, 1_999, 1]
    whole = learn(tokens, lengths, 9, 200, n_max=4, weights=np.array([1, 2, 3, 4]))
    for size in (1, 50, 4_001):
        monkeypatch.setattr(merges, "COUNTED", size)
        assert learn(tokens, lengths, 9, 200, n_max=4, weights=np.array([1, 2, 3, 4])) == whole


def test_callers_side_by_side_do_not_disturb_each_other(seed):
    tokens = np.random.default_rng(seed).integers(0, 30, 20_000)
    alone = learn(tokens, [20_000], 30, 60, 4)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: learn(tokens, [20_000], 30, 60, 4), range(4))) == [alone] * 4


@pytest.mark.parametrize("make", [Loops, reference.Corpus])
def test_what_was_used_up_comes_back_with_a_new_begin(make):
    one = make(*flat([[0, 1, 0, 1]]), 2)
    for _ in range(2):
        one.begin(2, "occurrences", 1)
        assert [one.best() for _ in range(3)] == [((0, 1), 2), ((1, 0), 1), ((), 0)]


def test_the_size_chooses():
    assert isinstance(corpus(np.zeros(merges.SMALL - 1, int), [merges.SMALL - 1], 1), reference.Corpus)
    assert isinstance(corpus(np.zeros(merges.SMALL, int), [merges.SMALL], 1), Loops)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_max": 1}, "n_max: 1; expected"),
        ({"min_count": 0}, "min_count: 0; expected"),
        ({"counting": "all"}, "counting: 'all'; expected one of non-overlapping, occurrences"),
        ({"vocab": 0}, "vocab: 0; expected"),
        ({"tokens": [0, 2]}, "tokens: from 0 to 2; expected whole numbers in [0, 2)"),
        ({"tokens": [0, -1]}, "tokens: from -1 to 0; expected"),
        ({"tokens": [0.0, 1.0]}, "tokens: float64 of shape (2,); expected one row of integers"),
        ({"tokens": [[0, 1]]}, "tokens: int64 of shape (1, 2); expected"),
        ({"lengths": [3]}, "lengths: sum 3; expected lengths >= 0 that add up to 2 tokens"),
        ({"lengths": [3, -1]}, "lengths: sum 2; expected"),
        ({"lengths": [2**62] * 4 + [2]}, "lengths: sum 18446744073709551618; expected"),
        ({"lengths": np.array([2**64 - 1, 1, 2], dtype=np.uint64)}, "lengths: sum 18446744073709551618; expected"),
        ({"weights": [1, 1]}, "weights: 2 numbers; expected one >= 1 for each of 1 texts"),
        ({"weights": [0]}, "weights: 1 numbers; expected"),
        ({"weights": [2**47]}, "weights: 140737488355328; expected at most 140737488355327"),
        ({"weights": np.array([1, 2**64 - 1], dtype=np.uint64), "lengths": [2, 0]}, "weights: 18446744073709551615; "),
    ],
)
@pytest.mark.parametrize("small", [0, 10**9])
def test_bad_arguments_are_named(monkeypatch, change, message, small):
    monkeypatch.setattr(merges, "SMALL", small)
    with pytest.raises(ValueError) as raised:
        learn(**({"tokens": [0, 1], "lengths": [2], "vocab": 2, "budget": 1} | change))
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("make", [Loops, reference.Corpus])
def test_bad_merges_are_named(make):
    made = make(np.array([0, 1, 0]), np.array([3]), 2)
    with pytest.raises(ValueError, match=r"ngram: \(0,\); expected at least two tokens"):
        made.merge((0,), 2)
    with pytest.raises(ValueError, match="new: -1; expected an id >= 0"):
        made.merge((0, 1), -1)
    with pytest.raises(ValueError, match="best: n-grams are not counted yet; expected a call of begin"):
        made.best()
    for rule, message in [
        ((1, "occurrences", 1), "n_max: 1; expected a whole number >= 2"),
        ((2.5, "occurrences", 1), "n_max: 2.5; expected a whole number >= 2"),
        ((2, "all", 1), "counting: 'all'; expected one of"),
        ((2, "occurrences", 0), "min_count: 0; expected a whole number >= 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            made.begin(*rule)
    made.begin(2, "occurrences", 1)
    with pytest.raises(ValueError, match="new: 1; expected an id >= 2"):
        made.merge((0, 1), 1)


def test_what_the_loops_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="tokens: 0 in 0 texts, 2000000000 ids; expected at most"):
        Loops(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 2 * 10**9)
    with pytest.raises(ValueError, match="new: 2000000000; expected at most"):
        Loops(np.array([0, 1, 0]), np.array([3]), 2).merge((0, 1), 2 * 10**9)
