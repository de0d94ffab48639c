"""The best tree: by hand, by listing all trees, by largest products, and what rates are from laws."""

from __future__ import annotations

import heapq
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.laws import exact
from simspec.methods.multi.recursive import recursive_rejection
from simspec.methods.tree import (
    accepted_drafts,
    best_of_all,
    best_tree,
    chain,
    drawn,
    every_shape,
    height,
    level_order,
    nodes,
    rates_of_drawn,
    rates_of_top,
    sequoia_tree,
    top_down,
)
from simspec.methods.verifier import facts, outcomes
from tests import strategies as some

SHARES = st.lists(st.integers(0, 4), min_size=2, max_size=2).map(lambda row: exact(row) / 5)


def test_three_nodes_by_hand() -> None:
    """Shares 1/2 and 1/4: two children and one below the first, 1/2 + 1/4 + 1/4; a chain has 7/8."""
    best = best_tree(3, exact([F(1, 2), F(1, 4)]))
    assert best == (1, (((),), ()))
    assert accepted_drafts(chain(3), exact([F(1, 2)])) == F(7, 8)
    assert best_tree(0, [0.5]).shape == () and best_tree(2, [0.5], depth=0).shape == ()


@given(rates=st.lists(SHARES, min_size=1, max_size=2), size=st.integers(0, 5), depth=st.integers(1, 3))
@settings(max_examples=25)
def test_it_is_the_best_of_all_trees(rates, size, depth) -> None:
    """Shares that rise and fall and are zero, by child alone or by depth too."""
    table = exact(np.stack(rates))
    best = best_tree(size, table)
    assert best.accepted == best_of_all(size, table).accepted == accepted_drafts(best.shape, table)
    low = best_tree(size, table, depth)
    every = [shape for n in range(size + 1) for shape in every_shape(n) if height(shape) <= depth]
    assert low.accepted == max(accepted_drafts(shape, table) for shape in every)
    assert height(low.shape) <= depth and nodes(low.shape) <= size


def test_hundreds_of_nodes_are_those_of_the_largest_products() -> None:
    """Falling shares: the nodes of the largest products are a tree, and no tree accepts more."""
    rates = np.outer(0.9 ** np.arange(12), 0.6 * 0.5 ** np.arange(8))
    open_, total = [(-rates[0, 0], 0, 0)], 0.0
    for _ in range(200):
        worth, d, j = heapq.heappop(open_)
        total -= worth
        if j + 1 < 8:
            heapq.heappush(open_, (worth / rates[d, j] * rates[d, j + 1], d, j + 1))
        if d + 1 < 12:
            heapq.heappush(open_, (worth * rates[d + 1, 0], d + 1, 0))
    best = best_tree(200, rates)
    assert np.isclose(best.accepted, total, rtol=1e-12) and nodes(best.shape) == 200
    assert best.accepted > sequoia_tree(200, rates).accepted > accepted_drafts(level_order(200, 2), rates)


def test_a_long_chain_is_found() -> None:
    assert best_tree(512, [1.0]).accepted == 512


@given(laws=some.pairs(1, 3), children=st.integers(1, 3))
@settings(max_examples=15)
def test_rates_of_independent_children(laws, children) -> None:
    """By enumeration of all drafts and uniforms: the child that is accepted is child number j."""
    p, q = laws
    found = outcomes(top_down(recursive_rejection()), lambda x: p, lambda x: q, 1, drawn(((),) * children))
    rates = rates_of_drawn(p, q, children)
    assert rates.sum() == facts(found, lambda x: p, 1).accepted
    assert rates[0] == np.minimum(p, q).sum()


def test_rates_of_the_most_likely_tokens() -> None:
    p, q = np.array([[0.5, 0.25, 0.25]] * 2), np.array([[0.2, 0.6, 0.2], [0.0, 0.0, 1.0]])
    assert rates_of_top(p, q, 4).tolist() == [[0.25, 0.5, 0.25, 0], [0.25, 0.5, 0.25, 0]]


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: best_tree(513, [0.5]), "nodes"),
        (lambda: best_tree(2, [1.5]), "rates"),
        (lambda: best_tree(2, []), "rates"),
        (lambda: rates_of_top(np.ones(1), np.ones(1), 0), "children"),
        (lambda: level_order(2, 0), "arity"),
    ],
)
def test_bad_input(call, what) -> None:
    with pytest.raises(ValueError, match=what):
        call()


@pytest.mark.parametrize("zero", [0.0, F(0)])
def test_nodes_that_would_never_be_accepted_are_not_drafted(zero) -> None:
    """A second child is never accepted: at one level the best tree has one node; at three it is the chain."""
    rates = np.array([zero + F(1, 2) if isinstance(zero, F) else 0.5, zero])
    assert best_tree(4, rates, 1).shape == ((),) and best_tree(4, rates, 3).shape == ((((),),),)
    assert best_tree(3, rates[1:]).shape == ()
