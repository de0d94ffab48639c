"""Rounds with several drafts: the compiled loop takes the reference's path, and both keep and emit what the verifiers do."""

from collections import Counter
from fractions import Fraction as F

import numpy as np
import pytest
from scipy.stats import chi2

from simspec.kernels.compiled import kernel
from simspec.kernels.random import core
from simspec.kernels.rounds import Draws, groups, run_rounds, several, tables
from simspec.kernels.rounds.several import reference, run_several_rounds, several_tables
from simspec.laws import exact
from simspec.methods.multi.drafting import iid, of_law, swor
from simspec.methods.multi.kseq import kseq
from simspec.methods.multi.recursive import at_root, recursive_rejection
from simspec.methods.verifier.verifier import outcomes
from tests.kernels.rounds.cases import pair

FALSE_ALARM = 1e-9
"""Of each chi-square test, by the chi-square law."""
RULES = [{}, {"replace": False}, {"rho": 1.5}]


@pytest.fixture
def compiled(monkeypatch):
    """Sends everything to the compiled loop, whatever its size."""
    monkeypatch.setattr(several, "SMALL", 0)


def check_equal(made, gamma, number, rows, key=2**63 + 12345, start=0, purpose=0, threads=None):
    expected = reference.run(made.laws, gamma, number, key, core.integers("rows", rows, 2**64), start, purpose)
    given = {"gamma": gamma, "rounds": number, "start": start, "threads": threads}
    got = run_several_rounds(made, Draws(key, rows, (purpose,)), tokens=True, counts=True, **given)
    for name, x, y in zip(got._fields, got, expected, strict=True):
        np.testing.assert_array_equal(x, y, err_msg=name)
    return got


@pytest.mark.parametrize("rule", RULES, ids=["rrs", "rrsw", "kseq"])
@pytest.mark.parametrize("k", [1, 2, 3, 8])
def test_the_loop_takes_the_path_of_the_reference(k, rule, compiled) -> None:
    for gamma, states, vocab in [(0, 1, 1), (1, 1, 2), (2, 3, 3), (5, 1, 40), (3, 20, 20)]:
        made = several_tables(*pair(states, vocab, gamma), k, **rule)
        check_equal(made, gamma, 4, range(9), start=states - 1, purpose=7, threads=1 + gamma % 2)


@pytest.mark.parametrize("rule", RULES, ids=["rrs", "rrsw", "kseq"])
def test_equal_laws_disjoint_laws_point_masses_and_ties(rule, compiled) -> None:
    half, other, sure = np.array([[0.5, 0.5, 0.0]]), np.array([[0.0, 0.0, 1.0]]), np.array([[1.0, 0.0, 0.0]])
    if not rule.get("rho"):
        assert (check_equal(several_tables(half, half, 3, **rule), 3, 4, range(5)).accepted == 3).all()
    apart = check_equal(several_tables(half, other, 3, **rule), 3, 4, range(5))
    assert (apart.accepted == 0).all() and apart.counts[0, 2] == 0
    check_equal(several_tables(half, sure, 8, **rule), 3, 9, range(20))
    check_equal(several_tables(sure, half, 8, **rule), 3, 9, range(20))
    check_equal(several_tables(np.full((1, 8), 1 / 8), np.array([[0.25] * 4 + [0] * 4]), 4, **rule), 4, 5, range(20))
    tiny = np.array([[1.0, 1e-12, 1e-300, 3e-13]])
    check_equal(several_tables(np.array([[1e-12, 0.2, 0.3, 0.5]]), tiny, 8, **rule), 2, 9, range(50))


@pytest.mark.parametrize("noise", [1e-16, 1e-13])
@pytest.mark.parametrize("rule", RULES, ids=["rrs", "rrsw", "kseq"])
def test_laws_that_differ_by_rounding(rule, noise, compiled) -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.full(50, 0.5), 2)
    q = p * (1 + noise * rng.standard_normal(p.shape))
    made = several_tables(p, q, 3, following=rng.integers(2, size=50), **rule)
    check_equal(made, 4, 20, range(20))


def test_one_draft_is_a_round_of_speculative_decoding(compiled) -> None:
    p, q = (x / x.sum(axis=1, keepdims=True) for x in pair(20, 20))
    left = np.maximum(p - q, 0)
    token = tables(q, np.minimum(p, q), np.where(left.sum(axis=1, keepdims=True) > 0, left, p), p)
    for replace in (True, False):
        given = {"gamma": 4, "rounds": 30, "tokens": True, "counts": True}
        ours = run_several_rounds(several_tables(p, q, 1, replace=replace), Draws(3, range(50), (2,)), **given)
        for x, y in zip(ours, run_rounds(token, Draws(3, range(50), (2,)), **given), strict=True):
            np.testing.assert_array_equal(x, y)


def test_no_rows_rows_alone_and_threads(compiled) -> None:
    made = several_tables(*pair(3, 3), 2, replace=False)
    assert run_several_rounds(made, Draws(1, range(0)), gamma=2, rounds=3).accepted.shape == (0, 3)
    given = {"gamma": 3, "rounds": 9, "tokens": True, "counts": True}
    whole = run_several_rounds(made, Draws(1, range(2000)), threads=1, **given)
    for x, y in zip(run_several_rounds(made, Draws(1, range(2000)), threads=2, **given), whole, strict=True):
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(run_several_rounds(made, Draws(1, [7]), **given).tokens[0], whole.tokens[7])
    shorter = run_several_rounds(made, Draws(1, range(2000)), **(given | {"rounds": 4}))
    np.testing.assert_array_equal(shorter.accepted, whole.accepted[:, :4])


@pytest.mark.parametrize("rule", RULES, ids=["rrs", "rrsw", "kseq"])
def test_more_rows_than_a_group_and_a_group_that_is_not_full(rule, compiled) -> None:
    p, q = np.random.default_rng(5).dirichlet(np.full(70_000, 0.1), (2, 1))  # more tokens than parts of a guide
    check_equal(several_tables(0.2 * p + 0.8 * q, q, 4, **rule), 3, 2, range(groups.TOGETHER + 9), threads=1)


def test_a_search_finds_what_bisection_finds() -> None:
    """Ties, ranges longer and shorter than a window, and the end of the table."""
    rng = np.random.default_rng(6)
    for vocab, most in ((1, 5), (20, 5), (33, 2**32), (500, 40), (500, 2**32)):
        last = np.sort(rng.integers(0, most, vocab, dtype=np.uint64)).astype(np.uint32)[None]
        for word in rng.integers(0, int(last[0, -1]) + 1, 200):
            found = int(np.searchsorted(last[0], word))
            low, high = int(rng.integers(0, found + 1)), int(rng.integers(found, vocab))
            for a, b in ((low, high), (0, vocab - 1), (found, found), (max(found - 31, 0), found)):
                assert _searched(last, np.uint64(a), np.uint64(b), np.uint32(word)) == found


@kernel
def _searched(last, low, high, word):
    return groups.near(last, np.uint64(0), low, high, word)


def test_the_next_token_is_drawn_outside_those_tried() -> None:
    """Against the law that is left, on a grid: every token has its share to one point of it."""
    rng = np.random.default_rng(3)
    q = rng.dirichlet(np.full(12, 0.7))
    table = reference.cdf(q)
    for tried in ([0], [11], [3, 4], [9, 0, 5]):
        rest = 1 - q[tried].sum()
        found = [reference.another(table, tried, (n + 0.5) / 4000 * rest) for n in range(4000)]
        law = np.where(np.isin(range(12), tried), 0, q) / rest
        assert np.abs(np.bincount(found, minlength=12) / 4000 - law).max() <= 1 / 4000 + 1e-12


def _seen(made, verifier, drafts, k, p, q):
    """Whether chi-square tells what is kept and the tokens of one step from the exact outcomes of a verifier: 60,000 rounds."""
    got = run_several_rounds(made, Draws(5, range(60_000)), gamma=1, rounds=1, tokens=True)
    found = outcomes(verifier, lambda x: exact(p[0]), lambda x: exact(q[0]), 1, of_law(drafts, k))
    law: dict[tuple[int, tuple[int, ...]], F] = {}
    for o in found:
        law[o.accepted, o.tokens] = law.get((o.accepted, o.tokens), F(0)) + o.probability
    times = Counter(
        (int(n), tuple(x for x in row if x >= 0))
        for n, row in zip(got.accepted[:, 0], got.tokens.tolist(), strict=True)
    )
    expected = np.array([float(mass) * 60_000 for mass in law.values()])
    observed = np.array([times[text] for text in law])
    seen = expected > 0
    assert expected[seen].min() > 50
    if observed[seen].sum() < 60_000:
        return True
    return ((observed - expected)[seen] ** 2 / expected[seen]).sum() > chi2.isf(FALSE_ALARM, seen.sum() - 1)


def test_the_law_is_that_of_the_verifier_and_of_no_other() -> None:
    p, q = np.array([[9, 3, 1, 3]]) / 16, np.array([[1, 3, 4, 8]]) / 16
    independent, distinct = at_root(recursive_rejection()), at_root(recursive_rejection(replace=False))
    assert not _seen(several_tables(p, q, 3), independent, iid, 3, p, q)
    assert not _seen(several_tables(p, q, 3, replace=False), distinct, swor, 3, p, q)
    assert not _seen(several_tables(p, q, 2, rho=1.75), at_root(kseq(F(7, 4))), iid, 2, p, q)
    assert _seen(several_tables(p, q, 3), distinct, swor, 3, p, q)
    assert _seen(several_tables(p, q, 3, replace=False), independent, iid, 3, p, q)
    assert _seen(several_tables(p, q, 2, rho=1.25), at_root(kseq(F(7, 4))), iid, 2, p, q)


@pytest.mark.parametrize("rule", RULES[:2], ids=["rrs", "rrsw"])
def test_a_walk_emits_the_law_of_the_target(rule) -> None:
    """Four levels at V = 300, 8 drafts: the first token of 100,000 rounds by chi-square; a draft law in its place is seen."""
    p, q = np.random.default_rng(0).dirichlet(np.full(300, 3.0), (2, 1))
    got = run_several_rounds(several_tables(p, q, 8, **rule), Draws(8, range(100_000)), gamma=4, rounds=1, tokens=True)
    first = np.bincount(got.tokens[:, 0], minlength=300)
    for law, far in ((p[0], False), (q[0], True)):
        many = law * 100_000 > 20
        rest = law[~many].sum() * 100_000
        statistic = ((first - law * 100_000)[many] ** 2 / (law[many] * 100_000)).sum()
        statistic += (first[~many].sum() - rest) ** 2 / rest if rest else 0
        assert (statistic > chi2.isf(FALSE_ALARM, many.sum() - (not rest))) == far


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"k": 9}, "k: 9"),
        ({"k": 0}, "k: 0"),
        ({"k": 2, "rho": 0.5}, "rho: 0.5; expected a number of at least 1"),
        ({"k": 2, "rho": [1.0, 2.0]}, "rho: "),
        ({"k": 2, "rho": 2.0, "replace": False}, "rho: given without replacement"),
    ],
)
def test_bad_tables(given, match) -> None:
    with pytest.raises(ValueError, match=match):
        several_tables([[0.5, 0.5]], [[0.5, 0.5]], **given)


def test_bad_arguments() -> None:
    made = several_tables([[1.0]], [[1.0]], 8)
    with pytest.raises(ValueError, match="q: shape"):
        several_tables([[1.0]], [[0.5, 0.5]], 2)
    with pytest.raises(ValueError, match="rounds: .*with 8 drafts"):
        run_several_rounds(made, Draws(0, range(1)), gamma=1, rounds=2**28)
    with pytest.raises(ValueError, match="start"):
        run_several_rounds(made, Draws(0, range(1)), gamma=1, rounds=1, start=1)
    with pytest.raises(ValueError, match="rule"):
        run_several_rounds("rrs", Draws(0, range(1)), gamma=1, rounds=1)
