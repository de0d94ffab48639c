"""Several drafts a level and trees along a text: beside the exact verifiers, by hand, and in advice on a shipped bank."""

import numpy as np
import pytest

from simspec.methods.multi import kseq, kseq_rho, recursive_rejection
from simspec.methods.registry import kinds, rule
from simspec.methods.tree import accepted_drafts, best_tree, drawn, every_shape, level_order, top_down, traversal
from simspec.methods.verifier import by_rows, facts, outcomes
from simspec.studies.joint.survival import survival
from simspec.tools.advise import Plan, advise
from simspec.tools.advise.drafted import DRAWS, best_trees, reached, side_by_side
from simspec.tools.advise.models import runnable
from simspec.tools.reading import Pairs, load

TREES = [kind.name for kind in kinds("tree")]

P, Q = np.array([[0.5, 0.25, 0.25]]), np.array([[0.25, 0.5, 0.25]])
HAND = Pairs(P, Q, np.array([0]), "by hand")
COMB = (((), ()), ())
"""Two drafts a level: the first has the two of the second level."""


@pytest.mark.parametrize("name", ["rrs:2", "rrsw:2", "kseq:2"])
def test_two_drafts_a_level_are_those_of_the_exact_verifier(name) -> None:
    """Two levels on other laws; enumerated with the same tree."""
    p, q = np.array([P[0], Q[0], P[0]]), np.array([Q[0], P[0]])
    node = kseq(kseq_rho(P[0], Q[0], 2)[1]) if name == "kseq:2" else recursive_rejection(name == "rrs:2")
    found = facts(outcomes(top_down(node), by_rows(p), by_rows(q), 2, drawn(COMB, name != "rrsw:2")), by_rows(p), 2)
    rows = Pairs(p[:2], q, np.array([0, 0]), "two")
    (told,) = side_by_side(rule(name, several=True), rows, [2])
    assert told.survived[0] == pytest.approx([found.acceptance, found.lengths[2]])
    assert (told.nodes, told.levels) == (4, 2)


def test_which_draft_goes_on() -> None:
    """Of greedy drafts the most likely token, of SpecHub's pairs the hub; of one greedy draft the draft itself."""
    (greedy,), (hub,) = (side_by_side(rule(n, several=True), HAND, [2]) for n in ("greedy-drafts:2", "spechub"))
    assert greedy.survived.tolist() == [[1, 0.25]]  # the other is drawn from (1/2, 0, 1/2)
    assert hub.survived[0, 1] == pytest.approx(0.25 * hub.survived[0, 0])
    assert side_by_side(rule("greedy-drafts:1", several=True), HAND, [2])[0].survived.tolist() == [[0.75, 0.5625]]


def test_traversal_of_one_draft_a_level_is_block_verification() -> None:
    """Both along the wiki pair at every position; the bound is four standard errors of the drawn trees: 1 run in 10,000 fails."""
    pairs = load("wiki")
    some = pairs._replace(p=pairs.p[:60], q=pairs.q[:60], document=pairs.document[:60])
    (told,) = side_by_side(rule("traversal:1", several=True), some, [3])
    block = survival("block", [(slice(0, 60), some.p, some.q)], 60, 3)
    gap = told.survived.mean(axis=0) - block.mean(axis=0)
    assert np.abs(gap).max() <= 4 * np.sqrt(0.25 / (60 * DRAWS))
    assert (told.nodes, told.levels, told.survived.shape) == (3, 3, (60, 3))


@pytest.mark.parametrize("name", ["traversal:2", "traversal-swor:2"])
def test_traversal_along_a_text_keeps_what_the_exact_verifier_keeps(name) -> None:
    """One law at all positions, so that the mean over positions is the rule's; four standard errors: 1 run in 10,000 fails."""
    count = 400
    rows = Pairs(np.repeat(P, count, 0), np.repeat(Q, count, 0), np.zeros(count, int), "one law")
    (told,) = side_by_side(rule(name, several=True), rows, [2])
    replace = name == "traversal:2"
    p = by_rows(np.repeat(P, 3, 0))
    found = facts(outcomes(traversal(replace), p, by_rows(np.repeat(Q, 2, 0)), 2, drawn(COMB, replace)), p, 2)
    assert told.survived.mean(axis=0) == pytest.approx(
        [1 - found.lengths[0], found.lengths[2]], abs=4 * np.sqrt(0.25 / (count * DRAWS))
    )


def test_a_bound_is_no_rule() -> None:
    with pytest.raises(ValueError, match="bound"):
        side_by_side(rule("optimum:2", several=True), HAND, [1])


@pytest.mark.parametrize("shape", [COMB, level_order(6, 2), ((((),),),)])
def test_levels_of_a_tree_add_up_to_what_it_accepts(shape) -> None:
    rates = np.array([[0.5, 0.25], [0.375, 0.5]])
    here = reached(shape, rates)
    assert here[0].sum() == pytest.approx(accepted_drafts(shape, rates[np.arange(4) % 2]))
    assert here[1].sum() == pytest.approx(accepted_drafts(shape, rates[(1 + np.arange(4)) % 2]))


@pytest.mark.parametrize("name", TREES)
def test_the_tree_is_the_fastest_of_all_trees(name) -> None:
    """All trees of up to four nodes, at three prices."""
    for cost, verify in ((0.0, 0.0), (0.1, 0.02), (0.5, 0.0)):
        (told,) = best_trees(name, HAND, [4], cost, verify)
        rates = np.diff([0, *(best_trees(name, HAND, [k], 1e9, 0)[0].accepted[0] for k in (1, 2, 3))])
        every = [shape for n in range(1, 5) for shape in every_shape(n)]
        fast = [(1 + accepted_drafts(s, rates)) / (1 + reached(s, P * 0).shape[1] * cost + 4 * verify) for s in every]
        assert (1 + told.survived[0].sum()) / (1 + told.levels * cost + 4 * verify) == pytest.approx(max(fast))


def test_where_nothing_is_accepted_a_tree_is_one_draft() -> None:
    apart = Pairs(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), np.array([0]), "apart")
    (told,) = best_trees("tree-iid", apart, [4], 0.1, 0)
    assert told.survived.tolist() == [[0]] and told.nodes == 1 and best_tree(4, [0.0]).shape == ()


def test_advice_prices_levels_and_tokens() -> None:
    """Three quarters are kept of one draft; of two a level, of three levels: tokens in the time of 1 + 3 c + 6 v target steps."""
    (row,) = advise(HAND, Plan(rules=("rrs:2",), gammas=(3,), cost=0.25, verify=0.0625))
    survived = side_by_side(rule("rrs:2", several=True), HAND, [3])[0].survived[0]
    assert row.tokens.estimate == pytest.approx(1 + survived.sum())
    assert row.speedup.estimate == pytest.approx(row.tokens.estimate / (1 + 3 * 0.25 + 6 * 0.0625))
    assert (row.gamma, row.drafted, row.levels) == (3, 6, 3) and row.lossless and row.independent is None
    assert row.acceptance.estimate == survived[0] == 1 - (0.5 - 1.25 * 0.25)


def test_advice_on_a_shipped_bank() -> None:
    """One draft a level is speculative decoding, and so is a tree of one node; more of them accept more, at their price."""
    whole, names = load("stories"), ("sd", "rrs:1", "tree-swor", "rrsw:2")
    few = whole._replace(p=whole.p[::6], q=whole.q[::6], document=whole.document[::6], position=None)
    one = advise(few, Plan(rules=names[:3], gammas=(1,), cost=0.05))
    assert len({(round(r.tokens.estimate, 12), round(r.speedup.high, 12), r.gamma) for r in one}) == 1
    made = advise(few, Plan(rules=names, gammas=(1, 4), cost=0.02, verify=0.001))
    sd, alone, tree, two = made
    assert sd.drafted is None and alone.drafted == alone.gamma == sd.gamma
    assert min(tree.tokens.estimate, two.tokens.estimate) > sd.tokens.estimate
    assert two.drafted == 2 * two.gamma and tree.drafted == 4 and tree.speedup.low < tree.speedup.high
    assert made.best.rule == "tree-swor" and "Draft 4 tokens in" in made.sentence()
    assert {"drafted", "levels"} <= {*made.columns} and "drafted" not in advise(HAND, Plan(("sd",))).columns
    assert runnable(made).rule == "sd" and made.records()[2]["pays_from"] is None
