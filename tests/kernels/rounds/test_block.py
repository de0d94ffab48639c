"""Rounds of block verification: the compiled loop takes the reference's path, and both keep and emit what the verifier does."""

from collections import Counter
from fractions import Fraction as F

import numpy as np
import pytest
from scipy.stats import chi2

from simspec.kernels.compiled import kernel
from simspec.kernels.random import core
from simspec.kernels.rounds import block, groups
from simspec.kernels.rounds.block import Draws, block_tables, numba_block, packed, reference, run_block_rounds
from simspec.laws import exact
from simspec.methods.block.verification import block_verifier
from simspec.methods.joint.verifier import outcomes
from tests.kernels.rounds.cases import pair

FALSE_ALARM = 1e-9
"""Of the chi-square test, by the chi-square law."""


@pytest.fixture
def compiled(monkeypatch):
    """Sends everything to the compiled loop, whatever its size."""
    monkeypatch.setattr(block, "SMALL", 0)


def check_equal(made, gamma, number, rows, key=2**63 + 12345, start=0, purpose=0, threads=None):
    expected = reference.run(made.laws, gamma, number, key, core.integers("rows", rows, 2**64), start, purpose)
    draws = Draws(key, rows, (purpose,))
    given = {"gamma": gamma, "rounds": number, "start": start, "threads": threads}
    got = run_block_rounds(made, draws, tokens=True, counts=True, **given)
    for name, x, y in zip(got._fields, got, expected, strict=True):
        np.testing.assert_array_equal(x, y, err_msg=name)
    return got


@pytest.mark.parametrize("gamma", [0, 1, 2, 5, 8])
@pytest.mark.parametrize(("states", "vocab"), [(1, 1), (1, 2), (1, 3), (3, 3), (1, 40), (40, 40)])
def test_the_loop_takes_the_path_of_the_reference(states, vocab, gamma, compiled) -> None:
    made = block_tables(*pair(states, vocab, gamma))
    check_equal(made, gamma, 6, range(9), threads=1 + gamma % 2)


@pytest.mark.parametrize(("states", "gamma"), [(1, 5), (7, 5), (7, 30)])
def test_rows_in_groups_take_the_same_path(states, gamma, compiled) -> None:
    """Rows are worked on together: a last group that is not full, fewer rows where blocks are long, and two threads."""
    made, rows = block_tables(*pair(states, 7, 3)), numba_block.work(gamma).x.shape[1]
    assert (rows == groups.TOGETHER) == (gamma == 5)
    check_equal(made, gamma, 4, range(2 * rows + 3), threads=2)


@pytest.mark.parametrize("like", [0.9, 0.5])
def test_more_tokens_than_parts_of_a_guide(like, compiled) -> None:
    p, q = np.random.default_rng(5).dirichlet(np.full(70_000, 0.1), (2, 1))
    made = block_tables((1 - like) * p + like * q, q)
    got = check_equal(made, 4, 2, range(groups.TOGETHER + 9), threads=1)
    assert (np.bincount(got.accepted.ravel(), minlength=5) > 0).all()


def test_equal_laws_disjoint_laws_and_ties(compiled) -> None:
    half, other = np.array([[0.5, 0.5, 0.0]]), np.array([[0.0, 0.0, 1.0]])
    assert (check_equal(block_tables(half, half), 3, 4, range(5)).accepted == 3).all()
    assert (check_equal(block_tables(half, other), 3, 4, range(5)).accepted == 0).all()
    uniform = np.full((1, 8), 1 / 8)
    check_equal(block_tables(uniform, np.array([[0.25, 0.25, 0.25, 0.25, 0, 0, 0, 0]])), 4, 5, range(20))


@pytest.mark.parametrize("noise", [1e-16, 1e-13, 1e-8])
def test_laws_that_differ_by_rounding(noise, compiled) -> None:
    """What is left of p is rounding, so its sums fall here and there: both bisections must take the same turns."""
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.full(300, 0.5), 2)
    made = block_tables(p, p * (1 + noise * rng.standard_normal(p.shape)), rng.integers(2, size=300))
    assert (made.packed.rest.guide[:, 0] < 0).any() == (noise < 1e-14)
    check_equal(made, 4, 30, range(30))


def test_a_word_draws_the_first_place_above_its_part() -> None:
    """The law that is tabulated for r = 1, at the words around its edges, against the bisection that it stands for."""
    for seed in range(20):
        made = block_tables(*pair(1, 50, seed))
        tables, laws = made.packed, made.laws
        last = tables.rest.last[0].astype(np.int64)[:, None] + np.arange(-1, 3)
        words = np.unique(np.clip(last, 0, 2**32 - 1)).astype(np.uint32)
        shift = 32 - (tables.rest.guide.shape[1] - 2).bit_length()
        found = np.empty(len(words), dtype=np.int64)
        _lasts(tables, words, shift, found)
        assert found.tolist() == [reference.residual(laws, 0, 1.0, (int(w) + 0.5) / 2**32) for w in words]


@kernel
def _lasts(tables, words, shift, found):
    many, missing = packed._missing(tables, 0, 1.0)
    for c in range(len(words)):
        found[c] = packed._last(tables, 0, 1.0, many, missing, words[c], shift)


def test_a_table_for_words_ends_as_a_search_needs_it() -> None:
    """Nothing after the last place with mass is below a word: a search looks there too, and would go past that place."""
    for made in (block_tables(*pair(1, 50, seed)).packed for seed in range(20)):
        many = made.guide[0, -2]
        assert (made.rest.last[0, max(many - 1, 0) :] == 2**32 - 1).all() and (
            np.diff(made.rest.last[0].astype(np.int64)) >= 0
        ).all()


def test_no_rows_and_rows_alone(compiled) -> None:
    made = block_tables(*pair(3, 3))
    assert run_block_rounds(made, Draws(1, range(0)), gamma=2, rounds=3).accepted.shape == (0, 3)
    whole = run_block_rounds(made, Draws(1, range(20)), gamma=3, rounds=9, tokens=True)
    alone = run_block_rounds(made, Draws(1, [7]), gamma=3, rounds=9, tokens=True)
    np.testing.assert_array_equal(whole.tokens[7], alone.tokens[0])


def test_tests_and_residuals_are_those_of_the_formula() -> None:
    """Z and the residual law from sorted tables, against the sum over all tokens."""
    p, q = pair(4, 30)
    made = block_tables(p, q, np.zeros(30, dtype=int)).laws
    p, q = p / p.sum(axis=1, keepdims=True), q / q.sum(axis=1, keepdims=True)
    grid = (np.arange(4000) + 0.5) / 4000
    for s, r in zip(range(4), (1.0, 0.9, 0.5, 0.1), strict=True):
        left = np.maximum(r * p[s] - q[s], 0)
        rest = left.sum() + 1 - r
        assert reference.passing(made, s, r) == pytest.approx(left.sum() / rest if rest else 1, abs=1e-12)
        if left.sum() > 0:
            drawn = np.bincount([reference.residual(made, s, r, u) for u in grid], minlength=30) / len(grid)
            assert np.abs(drawn - left / left.sum()).max() <= 1 / len(grid)


def _seen(verifier, p, q, gamma):
    """Whether chi-square tells what is kept, and the first two tokens, from the exact outcomes of a verifier: 60,000 rounds."""
    made = block_tables(p, q)
    got = run_block_rounds(made, Draws(5, range(60_000)), gamma=gamma, rounds=1, tokens=True)
    found = outcomes(verifier, lambda x: exact(p[0]), lambda x: exact(q[0]), gamma)
    law: dict[tuple[int, tuple[int, ...]], F] = {}
    for o in found:
        key = o.accepted, o.tokens[:2]
        law[key] = law.get(key, F(0)) + o.probability
    texts = [
        (int(n), tuple(x for x in row[:2] if x >= 0))
        for n, row in zip(got.accepted[:, 0], got.tokens.tolist(), strict=True)
    ]
    expected = np.array([float(mass) for mass in law.values()]) * len(texts)
    times = Counter(texts)
    observed = np.array([times[text] for text in law])
    assert expected.min() > 50
    if observed.sum() < len(texts):
        return True
    return ((observed - expected) ** 2 / expected).sum() > chi2.isf(FALSE_ALARM, len(law) - 1)


def test_the_law_is_that_of_the_verifier_and_of_no_other() -> None:
    p, q = np.array([[6, 5, 1, 4]]) / 16, np.array([[2, 3, 3, 8]]) / 16
    assert not _seen(block_verifier(), p, q, 2)
    assert _seen(block_verifier(early=True), p, q, 2)
    assert _seen(block_verifier(token_residual=True), p, q, 2)


@pytest.mark.parametrize(
    ("p", "q", "match"),
    [
        ([[0.5, 0.5]], [[1.0]], "q: shape"),
        ([0.5, 0.5], [[0.5, 0.5]], "p: shape"),
        ([[0.0, 0.0]], [[0.5, 0.5]], "p: expected laws"),
        ([[0.5, 0.5]], [[-0.5, 1.5]], "q: expected laws"),
        ([[0.5, 0.5]], [[np.nan, 0.5]], "q: expected laws"),
    ],
)
def test_bad_laws(p, q, match) -> None:
    with pytest.raises(ValueError, match=match):
        block_tables(p, q)


def test_bad_arguments() -> None:
    made = block_tables([[1.0]], [[1.0]])
    with pytest.raises(ValueError, match="gamma"):
        run_block_rounds(made, Draws(0, range(1)), gamma=-1, rounds=1)
    with pytest.raises(ValueError, match="start"):
        run_block_rounds(made, Draws(0, range(1)), gamma=1, rounds=1, start=1)
    with pytest.raises(ValueError, match="rule"):
        run_block_rounds("block", Draws(0, range(1)), gamma=1, rounds=1)
