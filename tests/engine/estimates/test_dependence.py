"""Whether rows look independent: known answers, a false-alarm rate, and what must be seen."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.cells import CellState, simulate_block
from simspec.engine.estimates.dependence import spread, warning
from simspec.engine.estimates.statistics import Share, bounded, proportion
from simspec.engine.study import Study

BLOCKS, ROWS = 50, 200


def columns(values: np.ndarray) -> list[np.ndarray]:
    """Statistics of blocks (…, blocks, rows) of numbers in [0, 1]."""
    blocks = [bounded("x", block) for block in values]
    return [np.array([b[f"x.{key}"] for b in blocks]) for key in ("n", "sum", "squares")]


def test_by_hand() -> None:
    """16 blocks of 100 rows, 40 and 60 hits in turn: 100 · 0.1² · 16 / 15 over 0.25 · 1600 / 1599."""
    hits = {"rows": [100] * 16, "x.n": [100] * 16, "x.hits": [40, 60] * 8}
    by_name = {"n": hits["x.n"], "sums": np.array(hits["x.hits"]) * 2**32, "squares": np.array(hits["x.hits"]) * 2**32}
    found = spread(**{key: np.asarray(value) for key, value in by_name.items()})
    assert found is not None and found.groups == 16
    assert found.ratio == pytest.approx(100 * 0.01 * 16 / 15 / (0.25 * 1600 / 1599))
    assert 1e-9 < found.chance < 1e-6
    assert warning(hits, ["x"]) is None
    assert "vary 4.26 times as much" in str(warning(hits, ["x"], chance=1e-6))


@pytest.mark.parametrize("kind", ["coins", "rare", "uniform", "skewed"])
def test_independent_rows_give_no_more_warnings_than_stated(kind) -> None:
    """At 1 % of 1,000 runs more than 30 warnings have a chance below 1e-6; at the shipped level there is none."""
    rng = np.random.default_rng(41)
    draw = {
        "coins": lambda size: rng.random(size) < 0.5,
        "rare": lambda size: rng.random(size) < 0.05,
        "uniform": rng.random,
        "skewed": lambda size: rng.random(size) ** 8,
    }[kind]
    chances = []
    for _ in range(1000):
        values = np.asarray(draw((BLOCKS, ROWS)), dtype=float)
        sums, squares = values.sum(axis=1) * 2**32, (values**2).sum(axis=1) * 2**32
        found = spread(np.full(BLOCKS, ROWS), sums, squares)
        assert found is not None
        chances.append(found.chance)
    assert np.sum(np.array(chances) < 0.01) <= 30
    assert min(chances) > 1e-9


def test_rows_that_share_a_number_and_means_that_drift_are_seen() -> None:
    """Each in 20 of 20 runs; halves of a block that mirror each other hide, as the module says."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        shared = (rng.random((BLOCKS, ROWS)) + rng.random((BLOCKS, 1))) / 2
        drift = rng.random((BLOCKS, ROWS)) < np.linspace(0.3, 0.6, BLOCKS)[:, None]
        for values in (shared, np.asarray(drift, dtype=float)):
            found = spread(*columns(values))
            assert found is not None and found.chance < 1e-9
    half = np.random.default_rng(0).random((BLOCKS, ROWS // 2))
    mirrored = spread(*columns(np.concatenate([half, 1 - half], axis=1)))
    assert mirrored is not None and mirrored.chance > 1e-9


def test_too_little_says_nothing() -> None:
    for values in (np.zeros((BLOCKS, ROWS)), np.ones((3, ROWS)), np.random.default_rng(0).random((7, ROWS))):
        assert spread(*columns(values)) is None
    rare = proportion("x", np.arange(1000) < 3)
    assert warning({key: np.array([value]) for key, value in rare.items()}, ["x"]) is None


def test_a_result_says_so() -> None:
    """A study whose rows share one coin a block has a warning; the same with a coin for each row has none."""

    def state(is_shared: bool) -> CellState:
        def simulate(cell, rows, device):
            rng = np.random.default_rng(int(rows.numbers[0]))
            coins = rng.random(1 if is_shared else len(rows.numbers)) < 0.5
            return {"heads": np.broadcast_to(coins, len(rows.numbers)).astype(float)}

        study = Study("coins", "?", ({},), simulate, rows=ROWS, measures={"heads": Share()})
        cell = CellState({}, "00", BLOCKS)
        for number in range(BLOCKS):
            cell.take(simulate_block(study, {}, 0, "00", number))
        return cell.result(study, 0.95)

    assert state(False).warning is None
    assert "means of blocks of 'heads' vary" in str(state(True).warning)
