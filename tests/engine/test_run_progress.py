"""What a run shows while it goes on, what it sends to workers, and what it costs beside the blocks."""

from __future__ import annotations

import pickle
import random
import time
from dataclasses import replace

import numpy as np

from simspec.engine import run as engine
from simspec.engine.estimates.stopping import Rows
from simspec.engine.study import cross
from tests.engine.coins import COINS, Shuffled, counted, plain


def test_progress_ends_with_the_whole(monkeypatch) -> None:
    monkeypatch.setattr(engine, "SHOW_SECONDS", 0.0)
    seen: list[engine.Snapshot] = []
    study = replace(COINS, grid=tuple({**cell, "sleep": 0.01} for cell in COINS.grid))
    found = engine.run(study, progress=seen.append)
    assert len(seen) > 2 and [s.rows for s in seen] == sorted(s.rows for s in seen)
    last = seen[-1]
    assert (last.decided, last.failed, last.cells, last.left) == (2, 0, 3, 0)
    assert last.rows >= sum(r.rows for r in found) and plain([last.latest])[0] in plain(found)
    assert seen[0].left > 0 and all(0 <= s.left < np.inf and s.rate > 0 for s in seen)
    engine.run(study, max_rows=1, pool=Shuffled(fuse=1), seconds=0, progress=seen.append)
    assert seen[-1].rows == 16  # also of a run that time ended at once


def test_slow_displays_are_shown_seldom(monkeypatch) -> None:
    monkeypatch.setattr(engine, "SHOW_SECONDS", 0.0)
    seen: list[engine.Snapshot] = []
    study = replace(COINS, grid=cross(bias=(0.5,), sleep=(0.01,)))
    engine.run(study, max_rows=320, stop=Rows(320), progress=lambda s: (seen.append(s), time.sleep(0.05)))
    assert 2 <= len(seen) < 8  # of twenty blocks: a second passes after each display, but for the last


def test_a_task_carries_one_cell_and_not_the_grid() -> None:
    pool = Shuffled()
    engine.run(replace(COINS, grid=cross(bias=[i / 5000 for i in range(5000)])), max_rows=16, pool=pool, seconds=0)
    assert max(len(pickle.dumps(task)) for task in pool.seen[:5]) < 2000


def test_a_single_cell_keeps_every_worker_busy() -> None:
    pool = Shuffled(width=5)
    engine.run(replace(COINS, grid=COINS.grid[1:2]), pool=pool, seconds=0)
    assert [task.blocks for task in pool.seen] == [(0,), (1,), (2,), (3,), (4,)]


def test_the_engine_costs_little_beside_the_blocks(tmp_path) -> None:
    study = replace(COINS, grid=cross(bias=(0.5,), sleep=(0.1,)), stop=Rows(160))
    start = time.process_time()
    engine.run(study, tmp_path, progress=lambda snapshot: None)
    whole = time.process_time() - start
    assert whole < 1.0, f"beside ten blocks that sleep the engine computed for {whole:.2f} s"


def test_rows_of_random_studies_are_counted_once() -> None:
    for seed in range(5):
        choose = random.Random(seed)
        rows, size = choose.randrange(1, 200), choose.randrange(1, 30)
        study, calls = counted(replace(COINS, grid=({"bias": 0.5, "rows": rows},), rows=size, stop=None))
        (result,) = engine.run(study, pool=Shuffled(seed))
        assert result.rows == result.totals["heads.n"] == rows and len(calls) == -(-rows // size)
