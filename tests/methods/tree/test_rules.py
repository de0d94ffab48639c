"""Rules on trees: written-out outcomes, losslessness on random laws, and the same outcomes as rules that were written apart."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.audit.zoo import trees as zoo
from simspec.claims.tree.parts import contexts, model
from simspec.laws import exact
from simspec.methods.block.verification import block_verifier
from simspec.methods.multi.recursive import recursive_rejection
from simspec.methods.tree import (
    certain,
    chain,
    drawn,
    every_shape,
    full,
    height,
    most_likely,
    nodes,
    sample,
    target_only,
    top_down,
    traversal,
    tree_of,
    wide_then_best,
)
from simspec.methods.verifier import by_nodes, by_rows, facts, outcomes
from tests import strategies as some

HALF = exact([F(1, 2), F(1, 2)])
SHAPES = [((),), ((), ()), (((),),), ((), ((),)), (((), ()),)]


@st.composite
def models(draw, levels=2, vocab=2):
    """Target and draft laws by context."""
    size = contexts(vocab, levels)
    return tuple(model(np.stack([draw(some.laws(vocab)) for _ in range(size)])) for _ in range(2))


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
@given(laws=models())
@settings(max_examples=6)
def test_drawn_children_are_lossless(shape, replace, laws) -> None:
    for rule in (top_down(recursive_rejection(replace)), traversal(replace)):
        found = facts(outcomes(rule, *laws, 2, drawn(shape, replace)), laws[0], 2)
        assert (found.tv, sum(found.law.values())) == (0, 1)


@pytest.mark.parametrize("node", [target_only(), certain, sample])
@pytest.mark.parametrize("drafting", [most_likely(full(2, 2)), wide_then_best(2, 3), drawn(full(2, 2), replace=False)])
@given(laws=models())
@settings(max_examples=6)
def test_candidates_are_lossless_and_accept_the_same(node, drafting, laws) -> None:
    found, own = (facts(outcomes(top_down(rule), *laws, 2, drafting), laws[0], 2) for rule in (node, sample))
    assert (found.tv, found.accepted) == (0, own.accepted)


@given(laws=models(levels=3))
@settings(max_examples=10)
def test_traversal_of_a_chain_is_block_verification(laws) -> None:
    tree, path = (
        facts(outcomes(rule, *laws, 3, *d), laws[0], 3)
        for rule, d in ((traversal(), [drawn(chain(3))]), (block_verifier(), []))
    )
    assert tree.lengths == path.lengths


def test_a_leaf_that_is_refused_by_hand() -> None:
    """p = (1, 0), q = (1/2, 1/2): two children, of which one is token 0 with 3/4; the second is tested against the rest."""
    p, q = exact([1, 0]), HALF
    for rule in (top_down(recursive_rejection()), traversal()):
        found = facts(outcomes(rule, lambda x: p, lambda x: q, 1, drawn(((), ()))), lambda x: p, 1)
        assert found.accepted == F(3, 4)


def _as_zoo(tree, at=()):
    """A drafted tree as the zoo writes it: siblings by their prefix."""
    own = {at: tuple(token for token, _ in tree)} if tree else {}
    return {**own, **{k: v for token, below in tree for k, v in _as_zoo(below, (*at, token)).items()}}


@given(laws=models())
@settings(max_examples=8)
def test_rules_are_those_of_the_zoo(laws) -> None:
    """Written apart, the same outcomes: certain candidates, recursive rejection without replacement, one uniform a node."""
    others = (
        (certain, zoo.reported_certain),
        (recursive_rejection(replace=False), zoo.recursive),
        (target_only(), zoo.thresholds),
        (target_only(F(1, 2), F(3, 4)), lambda *a: zoo.thresholds(*a, acc=F(1, 2), single=F(3, 4))),
        (target_only(bits=2, closed=False), lambda *a: zoo.closed_coin(*a, bits=2, half_open=True)),
        (target_only(bits=2), lambda *a: zoo.closed_coin(*a, bits=2)),
    )
    for _, tree in drawn(full(2, 2), replace=False)(laws[1], 2):
        for ours, theirs in others:
            one = facts(list(top_down(ours)(*laws, tree)), laws[0], 2)
            two = facts(list(by_nodes(theirs)(*laws, _as_zoo(tree))), laws[0], 2)
            if all(m > 0 for at in _as_zoo(tree) for m in laws[0](at)):
                assert one.law == two.law and one.accepted == two.accepted


def test_thresholds_accept_more_and_are_lossy() -> None:
    p = exact([F(1, 4), F(3, 4)])
    of = [
        facts(list(top_down(rule)(lambda x: p, lambda x: p, ((0, ()),))), lambda x: p, 1)
        for rule in (target_only(), target_only(accept=F(1, 2)), target_only(single=F(1, 4)))
    ]
    assert [o.accepted for o in of] == [F(1, 4), F(1, 2), 1]
    assert [o.tv for o in of] == [0, F(1, 4), F(3, 4)]


def test_a_closed_coin_accepts_what_the_target_never_says() -> None:
    """u = 0 of four values is at most c = 0: the child of mass zero comes out with 1/4."""
    p = exact([0, 1])
    for closed, share in ((True, F(1, 4)), (False, 0)):
        node = target_only(bits=2, closed=closed)
        found = facts(list(top_down(node)(lambda x: p, lambda x: p, ((0, ()),))), lambda x: p, 1)
        assert found.accepted == share == found.tv


def test_siblings_without_replacement_end_with_the_support() -> None:
    """A draft law with one token has one child, of three that are wanted."""
    assert list(drawn(((), (), ()), replace=False)(lambda x: [1.0, 0.0], 1)) == [(1.0, ((0, ()),))]
    assert sum(weight for weight, _ in drawn(full(2, 2))(lambda x: HALF, 2)) == 1


def test_the_tree_of_eagle() -> None:
    """Ties: a parent before its child; the most likely paths make a tree."""
    sure = lambda x: exact([1, 0])  # noqa: E731
    assert next(iter(wide_then_best(2, 2)(sure, 3)))[1] == ((0, ((0, ()),)),)
    assert tree_of([(1,), (0,), (1, 0)]) == ((1, ((0, ()),)), (0, ()))


def test_shapes() -> None:
    assert [sum(1 for _ in every_shape(n)) for n in range(7)] == [1, 1, 2, 5, 14, 42, 132]
    assert all(nodes(shape) == 4 and height(shape) <= 4 for shape in every_shape(4))
    assert (nodes(full(3, 2)), height(chain(5)), height(())) == (12, 5, 0)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: drawn(chain(2))(lambda x: HALF, 1), "gamma: 1"),
        (lambda: list(most_likely(chain(2))(lambda x: HALF, 1)), "gamma: 1"),
        (lambda: full(0, 1), "arity"),
        (lambda: list(every_shape(13)), "count"),
    ],
)
def test_bad_input(call, what) -> None:
    with pytest.raises(ValueError, match=what):
        call()


def test_rows_for_all_depths() -> None:
    """Laws by position serve a tree as well as a path."""
    rows = by_rows([HALF, HALF])
    assert facts(outcomes(traversal(), rows, rows, 1, drawn(chain(1))), rows, 1).accepted == 1
