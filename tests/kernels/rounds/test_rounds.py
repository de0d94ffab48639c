"""Rounds driven by tables: the compiled loop takes the reference's path, and what it emits has the law it should."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from simspec.kernels import rounds
from simspec.kernels.compiled import kernel
from simspec.kernels.random import core
from simspec.kernels.rounds import Draws, Tables, reference, run_rounds, tables
from simspec.kernels.rounds import numba_rounds as rounds_loops
from simspec.methods import SD, acceptance_rate, ears, output_law
from simspec.methods.method import Method

FALSE_ALARM = 1e-9
"""Of each chi-square test, by the chi-square law (expected counts are above 500)."""


def rule(method: Method, p, q) -> Tables:
    d = method.propose(q)
    return tables(d, method.accept(p, d), method.residual(p, d), p)


def pair(states, vocab, seed=0, concentration=0.5, like=0.5):
    rng = np.random.default_rng([seed, states, vocab])
    q = rng.dirichlet(np.full(vocab, concentration), states)
    return like * q + (1 - like) * rng.dirichlet(np.full(vocab, concentration), states), q


@pytest.fixture
def compiled(monkeypatch):
    """Sends everything to the compiled loop, whatever its size."""
    monkeypatch.setattr(rounds, "SMALL", 0)


def check_equal(made: Tables, gamma, number, rows, key=2**63 + 12345, start=0, purpose=0, threads=None):
    expected = reference.run(made.laws, gamma, number, key, core.integers("rows", rows, 2**64), start, purpose)
    got = run_rounds(
        made,
        Draws(key, rows, (purpose,)),
        gamma=gamma,
        rounds=number,
        start=start,
        tokens=True,
        counts=True,
        threads=threads,
    )
    for name, x, y in zip(got._fields, got, expected, strict=True):
        np.testing.assert_array_equal(x, y, err_msg=name)
    return got


def far_from(expected, observed):
    """Whether chi-square tells the counts from the expected ones; where none is expected none may be seen."""
    seen = expected > 0
    if (observed[~seen] > 0).any():
        return True
    assert expected[seen].min() > 500
    statistic = ((observed - expected)[seen] ** 2 / expected[seen]).sum()
    return statistic > chi2.isf(FALSE_ALARM, seen.sum() - 1)


# ---- by hand ----


@pytest.mark.parametrize("small", [0, 10**9], ids=["compiled", "reference"])
def test_a_chain_that_leaves_nothing_to_chance(small, monkeypatch):
    """States 0, 1 draft and keep 1, 2; state 2 drafts 0, never keeps it and emits 1; the target emits 3, which leads to 0.

    With three drafts a round: 1 2 and the rejection's 1; then 2 and 1; then again 2 and 1.
    """
    monkeypatch.setattr(rounds, "SMALL", small)
    one = np.eye(4)
    d, r, p = one[[1, 2, 0]], one[[0, 0, 1]], one[[3, 3, 3]]
    made = tables(d, d * [[1], [1], [0]], r, p, following=[0, 1, 2, 0])
    got = run_rounds(made, Draws(1, [5]), gamma=3, rounds=3, tokens=True, counts=True)
    assert got.accepted.tolist() == [[2, 1, 1]]
    assert got.tokens.tolist() == [[1, 2, 1, 2, 1, 2, 1, -1, -1, -1, -1, -1]]
    assert got.state.tolist() == [1]
    assert got.counts.tolist() == [[0, 1, 0, 0], [0, 0, 3, 0], [0, 3, 0, 0]]
    one_draft = run_rounds(made, Draws(1, [5]), gamma=1, rounds=2, tokens=True)
    assert one_draft.tokens.tolist() == [[1, 3, 1, 3]] and one_draft.accepted.tolist() == [[1, 1]]
    assert one_draft.counts is None


def test_the_stated_words_are_read():
    """One round of one draft with V = 4: token, uniform and last token follow from words 0, 1 and 2 of two counters."""
    p, q = pair(1, 4, seed=3)
    made = rule(SD, p, q)
    for row in range(40):
        u = reference.uniforms(9, [row], 1, 0, 7)[0]
        got = run_rounds(made, Draws(9, [row], (7,)), gamma=1, rounds=1, tokens=True)
        x = int(np.sum(np.cumsum(q[0]) <= u[0, 0]))
        kept = u[0, 1] * q[0, x] < p[0, x]
        last = int(np.sum(np.cumsum(p[0] if kept else SD.residual(p, q)[0]) <= u[int(kept), 2]))
        assert got.tokens.tolist() == [[x, last] if kept else [last, -1]]


# ---- the compiled loop is the reference ----


@pytest.mark.parametrize(
    ("states", "vocab", "gamma", "number"),
    [(1, 1, 3, 4), (1, 2, 1, 50), (1, 7, 0, 30), (1, 70_000, 5, 20), (3, 3, 300, 3), (40, 40, 4, 70), (2, 2, 1, 300)],
)
def test_every_path_is_that_of_the_reference(states, vocab, gamma, number, compiled):
    check_equal(rule(SD, *pair(states, vocab)), gamma, number, range(3, 2**64, 2**58), start=states - 1, purpose=9)


@given(
    seed=st.integers(0, 2**32 - 1),
    states=st.integers(1, 6),
    vocab=st.integers(1, 40),
    gamma=st.integers(0, 6),
    concentration=st.sampled_from([0.01, 0.3, 5.0]),
    like=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
    zeros=st.floats(0, 0.9),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_random_rules_take_the_path_of_the_reference(seed, states, vocab, gamma, concentration, like, zeros, dtype):
    rng = np.random.default_rng(seed)
    p, q = (x.astype(dtype) for x in pair(states, vocab, seed, concentration, like))
    q[rng.random(q.shape) < zeros] = 0
    q[np.arange(states), rng.integers(vocab, size=states)] += 1
    k = q * rng.choice([0, 0.3, 1], q.shape)
    made = tables(q, k, p, p, rng.integers(states, size=vocab))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "SMALL", 0)
        got = check_equal(made, gamma, 9, np.arange(20), key=seed)
    assert (got.counts.sum(axis=0)[(p == 0).all(axis=0) & (q == 0).all(axis=0)] == 0).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.sampled_from([1e-3, 0.1, 10.0]))
def test_a_word_draws_the_first_token_above_it(seed, vocab, concentration):
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.full(vocab, concentration)) * (rng.random(vocab) < 0.7)
    law[rng.integers(vocab)] += 2.0 ** -rng.integers(40)
    table = reference.cdf(law)[None]
    edges = np.floor(table[0] * 2**32).astype(np.int64)[:, None] + np.arange(-2, 3)
    words = np.unique(np.concatenate([edges.ravel(), [0, 1, 2**32 - 1], rng.integers(2**32, size=50)]))
    words = words[(words >= 0) & (words < 2**32)].astype(np.uint32)
    law_of_words = rounds_loops.guided(table)
    shift = 32 - (law_of_words.guide.shape[1] - 2).bit_length()
    got = np.empty(len(words), dtype=np.int64)
    _find(tuple(law_of_words), words, shift, got)
    assert got.tolist() == reference.draw(table[0], (words + 0.5) / 2**32).tolist()
    assert (law[got] > 0).all()


@kernel
def _find(law, words, shift, found):
    for c in range(len(words)):
        found[c] = rounds_loops._find(law, 0, words[c], shift)


def test_probabilities_around_the_grid(compiled):
    """Tokens of a mass near 2**-33, the first word's; shares whose uniform lies exactly on a draw."""
    tiny = 2.0**-33
    d = np.array([[tiny, tiny / 2, 0, 0.5 - 2 * tiny, 0, 0.5 + tiny / 2, 1e-300]])
    made = tables(d, d * (1 - 2.0**-33), d, d)
    check_equal(made, 3, 40, np.arange(30))
    uniform = float(reference.uniforms(1, [0], 1, 0, 0)[0, 0, 1])
    one = np.ones((1, 1))
    for share, kept in ((uniform, 0), (np.nextafter(uniform, 1), 1)):
        assert check_equal(tables(one, one * share, one, one), 1, 1, [0], key=1).accepted.tolist() == [[kept]]


@pytest.mark.parametrize(("rows", "number"), [([], 5), (range(3), 0), ([], 0)])
def test_nothing_to_do(rows, number, compiled):
    made = rule(SD, *pair(3, 3))
    got = run_rounds(made, Draws(0, rows), gamma=2, rounds=number, start=2, tokens=True, counts=True)
    assert got.accepted.shape == (len(rows), number) and got.tokens.shape == (len(rows), number * 3)
    assert got.state.tolist() == [2] * len(rows) and got.counts.sum() == 0


def test_neither_threads_nor_the_other_rows_change_a_path():
    made = rule(SD, *pair(9, 9))
    given, draws = {"gamma": 4, "rounds": 100, "tokens": True, "counts": True}, Draws(3, range(1000))
    whole = run_rounds(made, draws, threads=1, **given)
    for threads in (2, 3, 8):
        for x, y in zip(run_rounds(made, draws, threads=threads, **given), whole, strict=True):
            np.testing.assert_array_equal(x, y)
    rows = np.array([999, 3, 3, 500])
    for x, y in zip(run_rounds(made, draws._replace(rows=rows), **given)[:3], whole[:3], strict=True):
        np.testing.assert_array_equal(x, y[rows])
    assert whole.counts.sum() == whole.accepted.sum() + whole.accepted.size == (whole.tokens >= 0).sum()
    shorter = run_rounds(made, draws, **(given | {"rounds": 40}))
    np.testing.assert_array_equal(shorter.accepted, whole.accepted[:, :40])
    other = run_rounds(made, draws._replace(purposes=(1,)), **given)
    assert (other.accepted != whole.accepted).mean() > 0.3


# ---- laws ----


def test_tokens_kept_with_certainty_are_never_rejected_and_those_without_mass_never_drawn():
    p = np.array([[0, 0.3, 0, 0.7, 0]])
    for dtype in (np.float32, np.float64):
        law = p.astype(dtype)
        got = run_rounds(tables(law, law, law, law), Draws(4, range(200)), gamma=7, rounds=500, counts=True)
        assert (got.accepted == 7).all()
        assert (got.counts[0] > 0).tolist() == [False, True, False, True, False]


def joint_law(p, length, start=0):
    """Law of the first tokens of the chain p, (V,) * length."""
    law = np.zeros((p.shape[1],) * length)
    for path in product(range(p.shape[1]), repeat=length):
        law[path] = np.prod([p[s, x] for s, x in zip((start, *path), path, strict=False)])
    return law


def first_tokens(made, length, rows=400_000):
    """Counts of the first tokens; each round emits one at least, so so many rounds suffice."""
    got = run_rounds(made, Draws(11, range(rows)), gamma=2, rounds=length, tokens=True)
    counts = np.zeros((made.vocab,) * length)
    np.add.at(counts, tuple(got.tokens[:, :length].T), 1)
    return counts


def test_speculative_decoding_emits_the_target_chain_and_a_biased_rule_does_not():
    """False alarm 1e-9 for 27 paths of three tokens; the control draws from p after a rejection."""
    p, q = pair(3, 3, seed=1, concentration=4.0, like=0.2)
    expected = joint_law(p, 3)
    assert not far_from(400_000 * expected, first_tokens(rule(SD, p, q), 3))
    biased = replace(SD, residual=lambda p, d: p)
    assert far_from(400_000 * expected, first_tokens(rule(biased, p, q), 3))


@pytest.mark.parametrize("method", [SD, ears(0.2)], ids=["sd", "ears"])
def test_a_rule_accepts_and_emits_as_its_formulas_say(method):
    """Runs of accepted drafts are geometric with the acceptance rate; a round's first token has the output law."""
    p, q = pair(1, 4, seed=2, concentration=3.0)
    rows, gamma = 300_000, 3
    alpha = float(acceptance_rate(method, p, q)[0])
    got = run_rounds(rule(method, p, q), Draws(5, range(rows)), gamma=gamma, rounds=1, tokens=True)
    lengths = np.bincount(got.accepted[:, 0], minlength=gamma + 1)
    geometric = alpha ** np.arange(gamma + 1) * np.append(np.full(gamma, 1 - alpha), 1)
    assert not far_from(rows * geometric, lengths)
    assert far_from(rows * geometric, lengths[::-1])
    first = np.bincount(got.tokens[:, 0], minlength=4)
    assert not far_from(rows * output_law(method, p, q)[0], first)
    assert far_from(rows * q[0], first)


# ---- bad input ----


LAW = np.array([[0.5, 0.5]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tables(LAW[0], LAW, LAW, LAW), r"d: shape \(2,\)"),
        (lambda: tables(LAW[:0], LAW, LAW, LAW), r"d: shape \(0, 2\)"),
        (lambda: tables(LAW, LAW, LAW[:, :1], LAW), r"r: shape \(1, 1\); expected \(1, 2\)"),
        (lambda: tables(LAW, -LAW, LAW, LAW), r"k: holds -0\.5"),
        (lambda: tables(LAW, LAW, LAW, LAW * np.nan), "p: holds nan"),
        (lambda: tables(LAW, LAW, LAW * 0, LAW), "r: row 0 has no mass"),
        (lambda: tables(LAW, LAW * 1.001, LAW, LAW), "k: an entry is larger than d"),
        (lambda: tables(*[np.full((3, 2), 0.5)] * 4), "following: None with 3 states and 2 tokens"),
        (lambda: tables(LAW, LAW, LAW, LAW, following=[0, 1]), "following"),
        (lambda: tables(LAW, LAW, LAW, LAW, following=[0]), r"following: shape \(1,\)"),
    ],
)
def test_bad_tables_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"gamma": -1}, "gamma: -1"),
        ({"rounds": 1.5}, "rounds: 1.5"),
        ({"rounds": 2**31, "gamma": 2}, "rounds: 2147483648 of 3 positions"),
        ({"draws": Draws(-1, [0])}, "key: -1"),
        ({"draws": Draws(0, [[1]])}, r"rows: \[\[1\]\]; expected a range"),
        ({"draws": Draws(0, [-1])}, "rows: -1"),
        ({"start": 1}, "start: 1"),
        ({"draws": Draws(0, [0], (2**32,))}, "purposes: 4294967296"),
    ],
)
def test_bad_runs_are_named(changed, message):
    with pytest.raises(ValueError, match=message):
        run_rounds(tables(LAW, LAW, LAW, LAW), **({"draws": Draws(0, [0]), "gamma": 1, "rounds": 1} | changed))


def test_exact_laws_and_rounding_of_float32_are_taken():
    from fractions import Fraction

    third = np.array([[Fraction(1, 3), Fraction(2, 3)]])
    got = run_rounds(tables(third, third, third, third), Draws(0, range(2)), gamma=2, rounds=2)
    assert (got.accepted == 2).all()
    d = np.array([[0.1, 0.9]], dtype=np.float32)
    made = tables(d, d.astype(np.float64) * (1 + 5e-7), d, d)
    assert made.laws.share.tolist() == [[1, 1]]
