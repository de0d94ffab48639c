"""Rounds by block, with several drafts and of trees on the device take the path of the reference, integer by integer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspec.kernels.random import core
from simspec.kernels.rounds import Draws
from simspec.kernels.rounds.block import block_tables, run_block_rounds
from simspec.kernels.rounds.block import reference as block_reference
from simspec.kernels.rounds.several import reference, run_several_rounds, several_tables
from simspec.kernels.rounds.tree import reference as tree_reference
from simspec.kernels.rounds.tree import run_tree_rounds, tree_tables
from simspec.methods.tree import full


def pair(states: int, vocab: int) -> tuple[Any, Any]:
    """Laws with zeros and point masses among them."""
    rng = np.random.default_rng([states, vocab])
    p, q = rng.dirichlet(np.full(vocab, 0.5), (2, states))
    p[rng.random(p.shape) < 0.2] = q[rng.random(q.shape) < 0.2] = 0
    p[~p.any(axis=1), 0] = q[~q.any(axis=1), 0] = 1
    return p, q


@pytest.mark.parametrize("rho", [None, 1.5], ids=["rrs", "kseq"])
@pytest.mark.parametrize(
    ("states", "vocab", "gamma", "k", "threads"),
    [(1, 1, 3, 2, 1), (3, 3, 0, 4, 7), (1, 70_000, 5, 8, 32), (20, 20, 2, 1, 8)],
)
def test_every_path_is_that_of_the_reference(cp, states, vocab, gamma, k, threads, rho):
    made = several_tables(*(cp.asarray(x) for x in pair(states, vocab)), k, rho=rho)
    assert made.device
    rows, key = range(3, 2**64, 2**60), 2**63 + 12345
    given = {"gamma": gamma, "rounds": 6, "start": states - 1}
    expected = reference.run(made.laws, gamma, 6, key, core.integers("rows", rows, 2**64), states - 1, 9)
    got = run_several_rounds(made, Draws(key, rows, (9,)), tokens=True, counts=True, threads=threads, **given)
    for name, x, y in zip(got._fields, got, expected, strict=True):
        assert isinstance(x, cp.ndarray) and x.dtype == (np.int64 if name == "counts" else np.int32)
        np.testing.assert_array_equal(cp.asnumpy(x), y, err_msg=name)
    plain = run_several_rounds(made, Draws(key, rows, (9,)), **given)
    assert plain.tokens is None and plain.counts is None
    np.testing.assert_array_equal(cp.asnumpy(plain.accepted), expected[0])


def test_what_does_not_run_there_is_said(cp):
    p = cp.asarray(np.array([[0.5, 0.5]]))
    assert several_tables(p, p, 1, replace=False).device
    with pytest.raises(ValueError, match="p: on a device, without replacement"):
        several_tables(p, p, 2, replace=False)
    with pytest.raises(ValueError, match="q: not on a device; expected to find it where p is"):
        several_tables(p, np.array([[0.5, 0.5]]), 2)


@pytest.mark.parametrize(
    ("states", "vocab", "gamma", "threads"),
    [(1, 1, 3, 1), (3, 3, 0, 7), (1, 70_000, 5, 32), (20, 20, 4, 8), (1, 5, 2, 3)],
)
def test_every_path_of_a_block_is_that_of_the_reference(cp, states, vocab, gamma, threads):
    made = block_tables(*(cp.asarray(x) for x in pair(states, vocab)))
    assert made.device
    rows, key = range(3, 2**64, 2**60), 2**63 + 12345
    expected = block_reference.run(made.laws, gamma, 6, key, core.integers("rows", rows, 2**64), states - 1, 9)
    given = {"gamma": gamma, "rounds": 6, "start": states - 1, "threads": threads}
    got = run_block_rounds(made, Draws(key, rows, (9,)), tokens=True, counts=True, **given)
    for name, x, y in zip(got._fields, got, expected, strict=True):
        assert isinstance(x, cp.ndarray) and x.dtype == (np.int64 if name == "counts" else np.int32)
        np.testing.assert_array_equal(cp.asnumpy(x), y, err_msg=name)


def test_many_paths_of_blocks_and_trees_are_those_of_the_reference(cp):
    """So many that every kind of search is met: a guide's cells of any size, the tabulated law, bisections, sure failures."""
    p, q = pair(1, 300)
    rows, key = range(5, 405), 77
    numbers = core.integers("rows", rows, 2**64)
    blocks = block_tables(cp.asarray(p), cp.asarray(q))
    trees = tree_tables(cp.asarray(p), cp.asarray(q), full(3, 2))
    given = {"rounds": 5, "tokens": True, "counts": True, "threads": 64}
    pairs = (
        (
            run_block_rounds(blocks, Draws(key, rows), gamma=4, **given),
            block_reference.run(blocks.laws, 4, 5, key, numbers, 0, 0),
        ),
        (
            run_tree_rounds(trees, Draws(key, rows), **given),
            tree_reference.run(trees.laws, trees.levels, 5, key, numbers, 0, 0),
        ),
    )
    for got, expected in pairs:
        for x, y in zip(got, expected, strict=True):
            np.testing.assert_array_equal(cp.asnumpy(x), y)


@pytest.mark.parametrize(
    ("states", "vocab", "shape", "threads"),
    [(1, 1, full(2, 1), 1), (3, 3, (), 7), (1, 70_000, full(3, 2), 32), (20, 20, ((((),), ()), ((), (), ())), 8)],
)
def test_every_path_of_a_tree_is_that_of_the_reference(cp, states, vocab, shape, threads):
    p, q = pair(states, vocab)
    made = tree_tables(cp.asarray((p + 3 * q) / 4), cp.asarray(q), shape)
    assert made.device
    rows, key = range(3, 2**64, 2**60), 2**63 + 12345
    expected = tree_reference.run(made.laws, made.levels, 6, key, core.integers("rows", rows, 2**64), states - 1, 9)
    given = {"rounds": 6, "start": states - 1, "threads": threads}
    got = run_tree_rounds(made, Draws(key, rows, (9,)), tokens=True, counts=True, **given)
    for name, x, y in zip(got._fields, got, expected, strict=True):
        assert isinstance(x, cp.ndarray) and x.dtype == (np.int64 if name == "counts" else np.int32)
        np.testing.assert_array_equal(cp.asnumpy(x), y, err_msg=name)
    with pytest.raises(ValueError, match="p: on a device, without replacement"):
        tree_tables(cp.asarray(p), cp.asarray(q), shape, replace=False)
