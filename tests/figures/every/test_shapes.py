"""Trees, siblings and stopping: the trees of the picture by hand, and where its points stand."""

from __future__ import annotations

import numpy as np

from simspec.engine.study import Result
from simspec.figures.every.shapes import _SIBLINGS, _SIZES, _STOPPING, SHAPES, _trees
from simspec.figures.gallery import rows
from simspec.methods.tree.best import accepted_drafts


def test_trees_of_three_nodes_by_hand() -> None:
    """Children are accepted with 1/2 and 1/4: two, the first with a child, accept 1/2 + 1/4 + 1/4."""
    found = _trees(np.array([0.5, 0.25]), 3)
    accepted = {name: float(accepted_drafts(shape, [0.5, 0.25])) for name, shape in found.items()}
    assert accepted == {"best tree": 1.0, "Sequoia": 1.0, "chain": 0.875, "two children each": 1.0}


def test_a_stopping_rule_stands_where_it_drafts() -> None:
    names = ("sd", *_STOPPING)
    values = {name: np.array([1.0, 2.0]) for name in names} | {f"drafted {n}": np.array([1.0, 4.0]) for n in _STOPPING}
    cell = {"contexts": "one a level", "depth": 8}
    (chain, *stopped) = SHAPES.compact([Result(cell, {**values, "document": np.array([0.0, 1.0])})])
    assert (chain.x, chain.y) == (8, 1.5) and {p.series for p in stopped} == {*_STOPPING}
    assert [(p.x, p.y) for p in stopped] == [(2.5, 1.5)] * len(_STOPPING)


def test_every_rule_has_its_points() -> None:
    stored = rows("all.shapes")
    assert {p.x for p in stored.of("best tree", "chain")} == {*map(float, _SIZES)}
    for panel in ("one a call", "one a level"):
        assert {p.series for p in stored.of(panel)} == {*_SIBLINGS}
        alone = {name: next(p.y for p in stored.of(panel, name) if p.x == 1) for name in ("rrs", "rrsw", "kseq")}
        assert len({round(y, 9) for y in alone.values()}) == 1  # one sibling: speculative decoding
    best, fixed = (next(p.y for p in stored.of("best tree", name) if p.x == 64) for name in ("best tree", "chain"))
    assert best > fixed
