"""Traversal on arrays of laws: a case by hand, then the exact verifier, whose trees a grid of uniform numbers draws exactly."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from simspec.methods.tree import drawn, full, height, kept_levels, nodes, traversal
from simspec.methods.verifier import by_rows, outcomes

COMB = (((), ()), ())
GRID = (np.arange(12) + 0.5) / 12
"""Tokens of laws in halves, thirds, quarters and sixths are drawn exactly as often as they are likely."""


def mean(p, q, shape, replace):
    """Mean over a grid of uniform numbers; the laws by level."""
    uniforms = np.array(list(product(GRID, repeat=nodes(shape))))
    n = len(uniforms)
    laws = [lambda level, rows=rows: np.repeat(rows[level : level + 1], n, axis=0) for rows in (p, q)]
    return kept_levels(*laws, shape, uniforms, replace).mean(axis=0)


def test_two_siblings_by_hand() -> None:
    """p = (1, 0), q = (1/2, 1/2): the token that p never emits is deleted, and a second draft has the same chance: 3/4."""
    p, q = np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])
    assert mean(p, q, ((), ()), True).tolist() == [0.25, 0.75]
    assert mean(p, q, ((), ()), False).tolist() == [0, 1]


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("shape", [((),), ((), ()), (((),),), COMB, ((), ((),))])
def test_the_levels_kept_are_those_of_the_exact_verifier(shape, replace) -> None:
    p = np.array([[0.5, 0.25, 0.25], [0.0, 0.75, 0.25], [0.25, 0.5, 0.25]])
    q = np.array([[0.25, 0.5, 0.25], [0.5, 0.5, 0.0]])
    found = outcomes(traversal(replace), by_rows(p), by_rows(q), 2, drawn(shape, replace))
    wanted = [sum(o.probability for o in found if o.accepted == k) for k in range(height(shape) + 1)]
    assert mean(p, q, shape, replace) == pytest.approx(wanted, abs=1e-12)


def test_children_that_cannot_be_drawn_are_missing() -> None:
    """Four children of three tokens without replacement: every token is drafted, so one is always kept."""
    p, q = np.array([[0.25, 0.25, 0.5]]), np.array([[0.5, 0.25, 0.25]])
    laws = [lambda level, rows=rows: rows for rows in (p, q)]
    assert kept_levels(*laws, full(4, 1), np.array([[0.1, 0.2, 0.9, 0.5]]), False) == pytest.approx(np.array([[0, 1]]))


def test_real_sizes_and_what_is_refused() -> None:
    z = np.random.default_rng(1).normal(size=(2, 1, 128_256))
    p, q = np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)
    found = kept_levels(lambda level: p, lambda level: q, COMB, np.array([[0.3, 0.5, 0.7, 0.9]]))
    assert found.shape == (1, 3)
    assert found.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="expected one for each of 4 nodes"):
        kept_levels(lambda level: p, lambda level: q, COMB, np.zeros((1, 3)))
