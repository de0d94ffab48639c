"""Claims on trees by hand: the smallest trees on which a statement fails, and two roads to the same number where it holds."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims import find
from simspec.claims.authoring import exact, law, matrix
from simspec.claims.draw import ExactDraw
from simspec.claims.tree.eagle_best import best, every_tree, of_paths, trees
from simspec.claims.tree.parts import SHAPES, candidate_tree, contexts, levels, model, place, target_text
from simspec.claims.tree.power_law import full_tree, least_arity, nodes_of
from simspec.claims.tree.sequoia_dp import most
from simspec.claims.tree.speed_of_light import accepted, exits
from simspec.claims.tree.target_only import different
from simspec.claims.tree.traversal_over_rrs import UNEVEN
from simspec.methods.tree import best_tree, nodes
from tests.claims.cases import counterexample, get


def test_texts_and_contexts_are_numbered() -> None:
    assert [place(c, 2) for c in ((), (0,), (1,), (0, 0), (1, 1))] == [0, 1, 2, 3, 6] and contexts(2, 2) == 7
    table = matrix("1/2 1/2", "1 0", "0 1")
    assert target_text(table, 2).tolist() == [F(1, 2), 0, 0, F(1, 2)]
    assert model(table)((0, 0)).tolist() == [0, 1]


def test_a_repeated_sibling_counts_twice() -> None:
    """Two children a under p = (1/2, 1/2): the output is a for sure."""
    found = counterexample("tree.target-only")
    assert not different(found["tree"])
    emitted = get("tree.target-only").sides({"target": matrix("1/2 1/2"), "tree": ((0, ()), (0, ()))})[0]
    assert emitted.tolist() == [F(1, 2), F(1, 2), 0, 0]


def test_siblings_that_differ_lead() -> None:
    """The statement that everyone uses comes first; two children a and b under p = (1/2, 1/2) emit p."""
    claim = find(["tree.target-only"])[0]
    assert claim.name == "tree.target-only.distinct"
    emitted, target = claim.sides({"target": matrix("1/2 1/2"), "tree": ((0, ()), (1, ()))})
    assert emitted.tolist() == target.tolist()


def test_traversal_takes_from_the_second_child() -> None:
    """One node kept with 1/2, then (1, 0) against (1/2, 1/2), two different children: only the second has a child of its own.

    Traversal keeps the node or its first child in its place, 1/2 + 1/2; recursive rejection each with 1/2, and the child.
    """
    claim = get("tree.traversal-over-rrs")
    traversal, recursive = claim.sides(claim.against[0])
    assert (traversal, recursive) == (1, F(1, 2) + F(1, 2) + F(1, 4))
    assert nodes(UNEVEN) == 4


def test_four_tokens_without_replacement() -> None:
    """p = (1/4, 0, 1/4, 1/2), q = (1/5, 3/5, 0, 1/5), two children of a node kept with 3/4."""
    claim = get("tree.traversal-full.swor")
    traversal, recursive = claim.sides(claim.against[0])
    assert recursive - traversal == F(1, 2240)
    same = get("tree.traversal-over-rrs-corrected").sides(
        {"shape": ((), ()), "replace": 0, "target": matrix("1/4 0 1/4 1/2"), "draft": matrix("1/5 3/5 0 1/5")}
    )
    assert same[0] == same[1]


def test_a_candidate_that_sees_the_next_sample() -> None:
    """Offered only before a, at p = (1/2, 1/2): a comes second with 3/4."""
    claim = get("tree.exact-match.seen")
    assert claim.sides(claim.against[0])[0].tolist() == [[F(3, 4), F(1, 4)], [0, 0]]


def test_the_best_tree_of_two_models() -> None:
    p = matrix("3/4 1/4", "3/4 1/4", "3/4 1/4")
    assert best(p, 2) == {(0,), (0, 0)} and of_paths(p, best(p, 2)) == trees(p, 2) == F(3, 4) + F(9, 16)
    assert len(every_tree(2, 2)) == 5 and len(every_tree(1, 3)) == 1


def test_sequoia_in_two_ways() -> None:
    """The recursion as it stands, and the dynamic programme that is used."""
    rates = exact([F(1, 2), F(1, 3), F(1, 8)])
    assert [most(rates, n) for n in range(9)] == [best_tree(n, rates).accepted for n in range(9)]


def test_full_trees_with_the_least_number_of_children() -> None:
    """Six levels and b = 2: six children, so 6 + 36 + … + 6⁶ nodes, each level accepted with 35/36 of the one above."""
    assert (least_arity(6, 2), least_arity(6, 5), least_arity(6, 1)) == (6, 3, 36)
    assert nodes_of(6, 2) == 55986
    assert abs(float(full_tree(6, 2).mid()) - 35 * (1 - (35 / 36) ** 6)) < 1e-12


def test_uniform_laws_attain_the_sharp_bound() -> None:
    """V = 2: full trees of D levels have 2^(D+1) − 2 nodes, accept D and are left by 2^(D+1) texts."""
    half = law("1/2", "1/2")
    for depth in (1, 2):
        size = 2 ** (depth + 1) - 2
        assert accepted(half, size) == depth and exits(half, size) == 2 ** (depth + 1)


@pytest.mark.parametrize("repeats", [False, True])
def test_candidate_trees_are_drawn(repeats) -> None:
    rng = np.random.default_rng(1)
    drawn = [candidate_tree(ExactDraw(rng=rng), 2, 2, repeats) for _ in range(60)]
    assert max(map(levels, drawn)) == 2 and min(map(levels, drawn)) == 0
    assert all(map(different, drawn)) != repeats


def test_shapes_are_different() -> None:
    assert len(set(SHAPES)) == len(SHAPES) and max(map(nodes, SHAPES)) == 3
