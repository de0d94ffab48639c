"""What a run survives: cells that fail, kills, Ctrl-C and full disks.  SIMSPEC_SOAK=n kills n runs."""

from __future__ import annotations

import errno
import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simspec.engine import cells
from simspec.engine import run as engine
from simspec.engine.estimates.statistics import Counts, Mean, Share
from simspec.engine.estimates.stopping import HalfWidth, Rows
from simspec.engine.store.results import Store
from simspec.engine.study import Study
from tests.engine.coins import COINS, RESUMED, SLOW, Shuffled, coin, counted, plain

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("SIMSPEC_SOAK", "12"))

ILL = {"bias": 0.5, "ill": 80}  # rows from 80 on, that is blocks 5, 6, ..., fail
MIXED = replace(COINS, grid=(COINS.grid[0], ILL, COINS.grid[1]))


def healthy(cell, rows, device):
    """The simulation, mended."""
    return coin({name: value for name, value in cell.items() if name != "ill"}, rows, device)


# ----------------------------------------------------------------------------------------------------- cells that fail


@pytest.mark.parametrize("order", range(8))
def test_a_failing_cell_leaves_the_others_alone(tmp_path, order, monkeypatch) -> None:
    monkeypatch.setattr(engine, "TASK_SECONDS", [0.0, 1e9][order % 2])
    monkeypatch.setattr(cells, "GROWTH", 1)  # batches of 1, 1, 2, 4: several blocks fail
    seen: list[engine.Snapshot] = []
    one, bad, two = engine.run(MIXED, tmp_path, pool=Shuffled(order), progress=seen.append)
    assert plain([one, two]) == plain(engine.run(COINS)[:2])
    assert (bad.blocks, bad.decided) == (5, False) and bad.totals["heads.n"] == 80
    assert bad.estimates["heads"].low < 0.5 < bad.estimates["heads"].high
    assert "RuntimeError: ill from row 80 on" in bad.error and "in coin" in bad.error and "Traceback" in bad.error
    assert (seen[-1].failed, seen[-1].decided) == (1, 2)
    assert plain(engine.results(MIXED, tmp_path)) == plain([one, bad, two])
    first = Store(tmp_path).failed(bad.design)[0]
    assert (first.block, first.rows, cells.canonical(ILL)) == (5, 16, first.cell)
    with pytest.raises(RuntimeError, match="ill from row 80 on"):
        engine.replay(MIXED, ILL, 80)


def test_failed_blocks_are_tried_again(tmp_path) -> None:
    engine.run(MIXED, tmp_path)
    again = engine.run(MIXED, tmp_path, pool=(pool := Shuffled()))
    assert [task.blocks[0] for task in pool.seen] == [5] and again[1].error
    mended, calls = counted(replace(MIXED, simulate=healthy))
    with pytest.raises(ValueError, match="code: .*accept"):
        engine.run(mended, tmp_path)
    found = engine.run(mended, tmp_path, accept_code=True)
    assert plain(found) == plain(engine.run(replace(MIXED, simulate=healthy)))
    assert min(row for _, row in calls) == 80 and found[1].error is None and found[1].decided
    assert Store(tmp_path).failed() == []


def test_a_failure_beyond_the_stop_does_not_count(tmp_path) -> None:
    coins = replace(COINS, grid=COINS.grid[1:2])
    (reference,) = engine.run(coins)

    def simulate(cell, rows, device):
        if rows.numbers.start >= reference.rows:
            raise RuntimeError("beyond the stop")
        return coin(cell, rows, device)

    study = replace(coins, simulate=simulate)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "GROWTH", 1)
        (found,) = engine.run(study, tmp_path)
    assert Store(tmp_path).failed()[0].block == reference.blocks
    assert plain([found]) == plain([reference]) and found.error is None
    assert plain(engine.results(study, tmp_path)) == plain([found])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (lambda n: {"y": np.ones(n - 1)}, r"returned 'y' of shape \(3,\); expected 4 rows"),
        (lambda n: {"y": 0.5}, r"returned 'y' of shape \(\); expected 4 rows"),
        (lambda n: {"x": np.ones(n)}, r"returned no 'y'; expected \['y'\]"),
        (lambda n: {"y": np.full(n, 1.5)}, "values of 'y': 1.5; expected every value between 0 and 1"),
        (lambda n: {"y": np.full((n, 2), np.nan)}, r"values of 'y\[0\]': nan; expected every value"),
        (lambda n: {"y": np.ones((n, 0))}, "returned arrays without entries"),
        (lambda n: None, "returned None; expected arrays by their names"),
        (lambda n: sys.exit("enough"), "SystemExit: enough"),
        (lambda n: (_ for _ in ()).throw(OSError("bad \udcff byte")), r"bad \\udcff byte"),
    ],
)
def test_what_simulate_must_not_return_is_an_error_of_the_cell(tmp_path, values, message) -> None:
    def simulate(cell, rows, device):
        return {"y": np.ones(len(rows.numbers))} if cell["good"] else values(len(rows.numbers))

    grid = ({"good": False}, {"good": True})
    bad, good = engine.run(Study("wrong", "?", grid, simulate, rows=4, measures={"y": Mean()}), tmp_path, max_rows=8)
    assert good.decided and good.error is None and good.rows == 8
    assert bad.rows == 0 and bad.estimates == bad.totals == {}
    assert re.search(message, bad.error)
    assert [block.error for block in Store(tmp_path).failed()] == [bad.error]


@pytest.mark.parametrize("measures", [{"y": Share()}, {"y": Mean()}, {"y": Counts((0.5,))}])
def test_statistics_that_change_between_blocks_are_an_error(tmp_path, measures) -> None:
    def simulate(cell, rows, device):
        return {"y": np.ones((4, 1 + rows.numbers.start // 8))}

    study = Study("growing", "?", ({},), simulate, rows=4, measures=measures)
    (found,) = engine.run(study, tmp_path, max_rows=40)
    assert found.blocks == 2 and "block 2 has the statistics" in found.error and "y[1]" in found.error
    assert plain(engine.results(study, tmp_path)) == plain([found])  # the store can be read
    (again,) = engine.run(study, tmp_path)
    assert again.blocks == 2 and again.error


def test_a_rule_about_an_unknown_measure_is_refused_before_anything_is_simulated(tmp_path) -> None:
    (before,) = engine.run(replace(COINS, grid=COINS.grid[:1]), tmp_path, max_rows=16)
    with pytest.raises(ValueError, match=r"stop: the rule asks for 'tails'; expected one of heads, depth, length"):
        engine.run(COINS, tmp_path, stop=HalfWidth("tails", 0.1))
    blocks = [result.blocks for result in engine.results(COINS, tmp_path, stop=Rows(16))]
    assert blocks == [before.blocks, 0, 0] and before.blocks == 1


# ------------------------------------------------------------------------------------------------ kills and Ctrl-C


def test_killed_runs_end_as_if_nothing_had_happened(tmp_path) -> None:
    command = [sys.executable, "-W", "error", "-m", "tests.engine.coins", tmp_path, KILLS, random.randrange(2**32)]
    run = subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=ROOT, timeout=900 + 10 * KILLS)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > KILLS / 2  # most kills found a run at work
    undisturbed = plain(engine.run(SLOW))
    unfinished = 0
    for number in range(-(-KILLS // RESUMED)):
        folder = tmp_path / str(number)
        before = engine.results(SLOW, folder)
        unfinished += not all(r.decided for r in before) and sum(r.blocks for r in before) > 0
        pool = Shuffled()
        assert plain(engine.run(SLOW, folder, pool=pool)) == undisturbed
        assert all(n >= r.blocks for r in before for t in pool.seen if t.design == r.design for n in t.blocks)
    assert unfinished > 0


@pytest.mark.parametrize("at", [0, 1, 7, 20])
def test_ctrl_c_keeps_every_finished_task(tmp_path, at, monkeypatch) -> None:
    monkeypatch.setattr(engine, "TASK_SECONDS", 0.0)
    count = 0

    def simulate(cell, rows, device):
        nonlocal count
        if count == at:
            raise KeyboardInterrupt
        count += 1
        return coin(cell, rows, device)

    with Store(tmp_path, manifest=engine.manifest(COINS, 0), interval=1e9) as store:
        with pytest.raises(KeyboardInterrupt):
            engine.run(replace(COINS, simulate=simulate), store, accept_code=True)
        other = Store(tmp_path)
        assert sum(len(other.done(design)) for design in other.designs()) == at
    assert plain(engine.run(COINS, tmp_path)) == plain(engine.run(COINS))


def test_a_full_disk_stops_the_run_and_the_next_one_goes_on(tmp_path, monkeypatch) -> None:
    store = Store(tmp_path, manifest=engine.manifest(COINS, 0), interval=0)
    real, left = os.fsync, [9]

    def full(handle):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="cannot write .* blocks .*No space left"):
        engine.run(COINS, store)
    monkeypatch.setattr(os, "fsync", real)
    store.flush()
    assert 0 < sum(r.blocks for r in engine.results(COINS, tmp_path)) < 30
    assert plain(engine.run(COINS, tmp_path)) == plain(engine.run(COINS))


def test_a_disk_that_was_full_for_a_moment_costs_no_block(tmp_path, monkeypatch) -> None:
    real, calls = os.fsync, []

    def full_once(handle):
        calls.append(handle)
        if len(calls) == 9:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    taken: list[int] = []
    store = Store(tmp_path, manifest=engine.manifest(COINS, 0), interval=0)
    append = store.append
    monkeypatch.setattr(store, "append", lambda block: (taken.append(block.block), append(block)))
    monkeypatch.setattr(os, "fsync", full_once)
    with pytest.raises(OSError, match="stay in memory until the next flush"):
        engine.run(COINS, store)
    assert sum(len(Store(tmp_path).done(design)) for design in engine.designs(COINS)) == len(taken) > 0
