"""Rounds of trees: the compiled loop takes the reference's path, and both have the exact law of traversal verification."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

from simspec.kernels.random import core
from simspec.kernels.rounds import Draws, block, groups, tree
from simspec.kernels.rounds.block import block_tables, run_block_rounds
from simspec.kernels.rounds.tree import reference, run_tree_rounds, tree_tables
from simspec.laws import exact
from simspec.methods.tree import chain, drawn, full, height, kept_levels, nodes, traversal
from simspec.methods.verifier.verifier import outcomes
from tests.kernels.rounds.cases import pair

FALSE_ALARM = 1e-9
"""Of each chi-square test, by the chi-square law."""
UNEVEN = ((((),), ()), ((), (), ()), ())
SHAPES = [(), chain(1), chain(3), full(2, 2), full(8, 1), UNEVEN]


@pytest.fixture
def compiled(monkeypatch):
    """Sends everything to the compiled loops, whatever its size."""
    monkeypatch.setattr(tree, "SMALL", 0)
    monkeypatch.setattr(block, "SMALL", 0)


def check_equal(made, number, rows, key=2**63 + 12345, start=0, purpose=0, threads=None):
    expected = reference.run(made.laws, made.levels, number, key, core.integers("rows", rows, 2**64), start, purpose)
    given = {"rounds": number, "start": start, "threads": threads}
    got = run_tree_rounds(made, Draws(key, rows, (purpose,)), tokens=True, counts=True, **given)
    for name, x, y in zip(got._fields, got, expected, strict=True):
        np.testing.assert_array_equal(x, y, err_msg=name)
    return got


@pytest.mark.parametrize("replace", [True, False], ids=["with", "without"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_loop_takes_the_path_of_the_reference(shape, replace, compiled) -> None:
    for states, vocab, like in [(1, 1, 0.5), (1, 2, 0.9), (3, 3, 0.5), (20, 20, 0.95), (1, 40, 0.8)]:
        made = tree_tables(*pair(states, vocab, 1, like), shape, replace=replace)
        check_equal(made, 6, range(12), start=states - 1, purpose=7, threads=1 + vocab % 2)


@pytest.mark.parametrize("replace", [True, False], ids=["with", "without"])
def test_equal_laws_disjoint_laws_point_masses_ties_and_rounding(replace, compiled) -> None:
    half, other, sure = np.array([[0.5, 0.5, 0.0]]), np.array([[0.0, 0.0, 1.0]]), np.array([[1.0, 0.0, 0.0]])
    given = {"shape": full(3, 2), "replace": replace}
    assert (check_equal(tree_tables(half, half, **given), 4, range(5)).accepted == 2).all()
    apart = check_equal(tree_tables(half, other, **given), 4, range(5))
    assert (apart.accepted == 0).all() and apart.counts[0, 2] == 0
    assert (check_equal(tree_tables(sure, sure, **given), 4, range(5)).accepted == 2).all()
    repeated = check_equal(tree_tables(half, sure, **given), 9, range(20))  # its children are all alike, or one
    assert len(np.unique(repeated.accepted)) == 3
    check_equal(tree_tables(sure, half, **given), 9, range(20))
    check_equal(tree_tables(np.full((1, 8), 1 / 8), np.array([[0.25] * 4 + [0] * 4]), **given), 5, range(20))
    tiny = np.array([[1.0, 1e-12, 1e-300, 3e-13]])
    check_equal(tree_tables(np.array([[1e-12, 0.2, 0.3, 0.5]]), tiny, **given), 9, range(50))
    p = np.random.default_rng(1).dirichlet(np.full(50, 0.5), 1)
    for noise in (1e-16, 1e-13):
        q = p * (1 + noise * np.random.default_rng(2).standard_normal(p.shape))
        check_equal(tree_tables(p, q, **given), 20, range(10))


@pytest.mark.parametrize(("states", "vocab", "like"), [(20, 20, 0.9), (1, 40, 0.5), (1, 1, 0.5)])
def test_a_chain_takes_the_paths_of_a_block(states, vocab, like, compiled) -> None:
    p, q = pair(states, vocab, 3, like)
    given = {"rounds": 30, "tokens": True, "counts": True}
    ours = run_tree_rounds(tree_tables(p, q, chain(5)), Draws(3, range(50), (2,)), **given)
    blocks = run_block_rounds(block_tables(p, q), Draws(3, range(50), (2,)), gamma=5, **given)
    for x, y in zip(ours, blocks, strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("replace", [True, False], ids=["with", "without"])
def test_more_rows_than_a_group_and_a_group_that_is_not_full(replace, compiled) -> None:
    p, q = np.random.default_rng(5).dirichlet(np.full(70_000, 0.1), (2, 1))  # more tokens than parts of a guide
    made = tree_tables(0.2 * p + 0.8 * q, q, UNEVEN, replace=replace)
    check_equal(made, 2, range(groups.TOGETHER + 9), threads=1)


def test_no_rows_rows_alone_and_threads(compiled) -> None:
    made = tree_tables(*pair(3, 3), UNEVEN, replace=False)
    assert run_tree_rounds(made, Draws(1, range(0)), rounds=3).accepted.shape == (0, 3)
    given = {"rounds": 9, "tokens": True, "counts": True}
    whole = run_tree_rounds(made, Draws(1, range(2000)), threads=1, **given)
    for x, y in zip(run_tree_rounds(made, Draws(1, range(2000)), threads=2, **given), whole, strict=True):
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(run_tree_rounds(made, Draws(1, [7]), **given).tokens[0], whole.tokens[7])
    shorter = run_tree_rounds(made, Draws(1, range(2000)), **(given | {"rounds": 4}))
    np.testing.assert_array_equal(shorter.accepted, whole.accepted[:, :4])


def _judged(made, u):
    """Accepted drafts and tokens of one drawn tree, with their probabilities: uniforms and last tokens averaged out."""
    law: Counter[tuple[int, tuple[int, ...]]] = Counter()
    reach, sums = 1.0, made.laws.sums
    for _, text, a, s, r in reference.candidates(made.laws, u, 0):
        p, q = np.diff(sums.target[s], prepend=0), np.diff(made.laws.draft[s], prepend=0)
        left = np.maximum(r * p - q, 0) if r else p
        for x, mass in enumerate(left / left.sum()):
            law[len(text), (*text, x)] += reach * a * mass
        reach *= 1 - a
    return law


def _numbers(children, q, replace, after=()):
    """The number in the middle of those that draw each node of a tree, in the order in which they are drawn."""
    had: list[int] = []
    for token, below in children:
        law = q[after[-1] if after else 0].copy()
        law[had] = 0
        yield (law[:token].sum() + law[token] / 2) / law.sum()
        if not replace:
            had.append(token)
        yield from _numbers(below, q, replace, (*after, token))


@pytest.mark.parametrize("replace", [True, False], ids=["with", "without"])
@pytest.mark.parametrize("shape", [chain(2), full(3, 1), (((), (), ()),), ((), ((), ())), ((((),),), ())], ids=str)
def test_every_drawn_tree_has_the_law_of_the_verifier_in_fractions(shape, replace) -> None:
    """What is kept, the path and the last token, tree by tree: all but 1e-13 of it; laws with zeros and ties."""
    p = np.array([[4, 4, 4, 4], [0, 6, 5, 5], [6, 5, 4, 1], [1, 3, 9, 3]]) / 16
    q = np.array([[5, 5, 5, 1], [6, 4, 3, 3], [1, 2, 3, 10], [0, 8, 4, 4]]) / 16
    made = tree_tables(p, q, shape, replace=replace)
    target, draft = _model(p), _model(q)
    trees = list(drawn(shape, replace)(draft, height(shape)))
    for _, tokens in trees[:: -(-len(trees) // 40)]:
        u = list(_numbers(tokens, q, replace))
        if len(u) < nodes(shape) and len(tokens) < len(shape):
            continue  # fewer tokens than children: which number draws which node is another question
        law = {(o.accepted, o.tokens): float(o.probability) for o in traversal(replace)(target, draft, tokens)}
        found = _judged(made, np.array(u + [0.5] * (nodes(shape) - len(u))))
        assert sum(law.values()) == pytest.approx(1)
        for text in set(law) | set(found):
            assert abs(found[text] - law.get(text, 0)) < 1e-13, (tokens, text)


@pytest.mark.parametrize("replace", [True, False], ids=["with", "without"])
def test_large_laws_are_judged_as_by_passes_over_them(replace) -> None:
    """V = 128,256, fifteen drafts, against NumPy on whole laws: acceptance at each level to the bound of the cumulative sums."""
    z = np.random.default_rng(3).standard_normal((2, 1, 128_256))
    p, q = (w / w.sum() for w in np.exp([3 * z[0], 3 * z[0] + 2 * z[1]]))
    shape = full(3, 2)
    made = tree_tables(p, q, shape, replace=replace)
    for u in np.random.default_rng(4).random((2, 1, nodes(shape))):
        levels, reach = np.zeros(3), 1.0
        for _, text, a, _, _ in reference.candidates(made.laws, u[0], 0):
            levels[len(text)] += reach * a
            reach *= 1 - a
        expected = kept_levels(lambda level: p, lambda level: q, shape, u, replace)[0]
        assert levels.max() < 0.999  # several deletions matter
        assert np.abs(levels - expected).max() < 16 * 128_256 * 2.0**-53


def _model(table):
    """Text -> exact law, in the state of its last token; in the only state, or the first."""
    laws = [list(exact(law)) for law in table]
    return lambda text: laws[text[-1] if text and len(laws) > 1 else 0]


def _law(shape, replace, p, q):
    """What is kept and the tokens of one round: the exact outcomes of the verifier."""
    law: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for o in outcomes(traversal(replace), _model(p), _model(q), height(shape), drawn(shape, replace)):
        law[o.accepted, o.tokens] += float(o.probability)
    return law


def _seen(made, law):
    """Whether chi-square tells what is kept and the tokens of 60,000 rounds from a law."""
    got = run_tree_rounds(made, Draws(5, range(60_000)), rounds=1, tokens=True)
    found, times = np.unique(np.column_stack([got.accepted, got.tokens]), axis=0, return_counts=True)
    seen = {(int(n), tuple(int(x) for x in row if x >= 0)): m for (n, *row), m in zip(found, times, strict=True)}
    expected, observed = np.array([(mass * 60_000, seen.get(text, 0)) for text, mass in law.items()]).T
    many = expected > 20
    if observed.sum() < 60_000:
        return True
    rest, there = expected[~many].sum(), observed[~many].sum()
    statistic = ((observed - expected)[many] ** 2 / expected[many]).sum() + ((there - rest) ** 2 / rest if rest else 0)
    return statistic > chi2.isf(FALSE_ALARM, many.sum() - (not rest))


def test_the_law_is_that_of_the_verifier_and_of_no_other() -> None:
    p, q = np.array([[9, 3, 4]]) / 16, np.array([[2, 6, 8]]) / 16
    laws = {replace: _law((((),), ()), replace, p, q) for replace in (True, False)}
    for replace in (True, False):
        made = tree_tables(p, q, (((),), ()), replace=replace)
        assert not _seen(made, laws[replace])
        assert _seen(made, laws[not replace])
        assert _seen(tree_tables(p, q, ((), ((),)), replace=replace), laws[replace])


@pytest.mark.parametrize("replace", [True, False], ids=["with", "without"])
def test_rounds_emit_the_law_of_the_target(replace) -> None:
    """V = 300, 14 drafts: the first token of 100,000 rounds by chi-square; a draft law in its place is seen."""
    p, q = np.random.default_rng(0).dirichlet(np.full(300, 3.0), (2, 1))
    made = tree_tables(p, q, full(2, 3), replace=replace)
    first = np.bincount(
        run_tree_rounds(made, Draws(8, range(100_000)), rounds=1, tokens=True).tokens[:, 0], minlength=300
    )
    for law, far in ((p[0], False), (q[0], True)):
        many = law * 100_000 > 20
        rest = law[~many].sum() * 100_000
        statistic = ((first - law * 100_000)[many] ** 2 / (law[many] * 100_000)).sum()
        statistic += (first[~many].sum() - rest) ** 2 / rest if rest else 0
        assert (statistic > chi2.isf(FALSE_ALARM, many.sum() - (not rest))) == far


@pytest.mark.parametrize(
    ("shape", "match"),
    [
        (3, "shape: 3; expected the nested sequences"),
        (((), 1), "shape: .*; expected the nested sequences"),
        ("ab", "shape: 'ab'"),
        (((),) * 513, "shape: more than 512 drafts"),
    ],
)
def test_bad_shapes(shape, match) -> None:
    with pytest.raises(ValueError, match=match):
        tree_tables([[0.5, 0.5]], [[0.5, 0.5]], shape)


@pytest.mark.parametrize("shape", ["ab", ((), "x")])
def test_the_reference_does_not_follow_a_text_without_end(shape) -> None:
    with pytest.raises(ValueError, match="shape: '.*'; expected nested sequences"):
        reference.ends(shape)


def test_bad_arguments() -> None:
    made = tree_tables([[1.0]], [[1.0]], full(2, 3))
    with pytest.raises(ValueError, match="q: shape"):
        tree_tables([[1.0]], [[0.5, 0.5]], ())
    with pytest.raises(ValueError, match="rounds: "):
        run_tree_rounds(made, Draws(0, range(1)), rounds=2**29)
    with pytest.raises(ValueError, match="start"):
        run_tree_rounds(made, Draws(0, range(1)), rounds=1, start=1)
    with pytest.raises(ValueError, match="rule"):
        run_tree_rounds("tree", Draws(0, range(1)), rounds=1)
