"""The engine: results by hand, and the same results under any order, split, restart, shard and width."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.engine import cells
from simspec.engine import run as engine
from simspec.engine.cells import simulate_block
from simspec.engine.estimates.intervals import bonferroni
from simspec.engine.estimates.sequences import beta_binomial
from simspec.engine.estimates.statistics import Counts, Mean, Share
from simspec.engine.estimates.stopping import AnyOf, Comparison, HalfWidth, Rows
from simspec.engine.store.results import Store, compact, merge
from simspec.engine.store.segment import Block, canonical
from simspec.engine.study import Study, cross, simulate
from tests.engine.coins import COINS, MEASURES, Shuffled, coin, counted, plain

ROOT = Path(__file__).parents[2]
EVERY = 1000  # rows of an exhausted cell in these tests


@pytest.fixture(scope="module")
def reference():
    """Results of an undisturbed run in this process."""
    return plain(engine.run(COINS, max_rows=EVERY))


def run(*arguments, **options):
    return plain(engine.run(COINS, *arguments, **{"max_rows": EVERY, **options}))


def prefill(folder, study: Study, numbers, seed: int = 0, places=(0, 1, 2)) -> None:
    """Put some blocks of the first cells into a store, as an earlier run would have left them."""
    plan = engine.manifest(study, seed)
    with Store(folder, manifest=plan) as store:
        for i, (cell, design) in enumerate(zip(study.grid, engine.designs(study, seed), strict=True)):
            for number in numbers if i in places else ():
                if number * study.rows < cell.get("rows", np.inf):
                    store.append(simulate_block(study, cell, seed, design, number))


def kept_in(folder) -> set[tuple[str, int]]:
    """Cells and numbers of the blocks in a store."""
    store = Store(folder)
    return {(canonical(cell), n) for d, cell in store.cells().items() for n in store.done(d).tolist()}


# --------------------------------------------------------------------------------------------------------- by hand


def test_results_by_hand() -> None:
    def odd(cell, rows, device):
        n = np.array(rows.numbers)
        return {"odd": n % 2 == 1, "size": n % 5, "place": np.stack([n % 3, 0 * n], axis=1)}

    measures = {"odd": Share(), "size": Mean(0, 4), "place": Counts((1, 2))}
    study = Study("odd", "?", ({"x": 1},), odd, rows=4, measures=measures)
    (result,) = engine.run(study, max_rows=10)  # three blocks, rows 0 to 11
    assert (result.rows, result.blocks, result.decided, result.error) == (12, 3, True, None)
    assert result.totals["odd.n"] == 12 and result.totals["odd.hits"] == 6
    assert result.totals["size.sum"] == (0 + 1 + 2 + 3 + 4) * 2 * 2**30 + 2**30  # 0 1 2 3 4 0 1 2 3 4 0 1, in quarters
    assert result.totals["place[0].counts"].tolist() == [4, 4, 4]
    assert result.totals["place[1].counts"].tolist() == [12, 0, 0]
    assert result.estimates.keys() == {"odd", "size"}
    assert result.estimates["odd"].mean == 0.5 and result.estimates["size"].mean == 21 / 12
    low, high = beta_binomial([4, 4, 4], [2, 2, 2])
    assert result.estimates["odd"][1:] == (low[-1], high[-1])


def blocks_needed(place: int) -> int:
    """Blocks of 16 coins after which the interval of a cell is narrow enough, from the coins of all of them at once."""
    heads = simulate(COINS, COINS.grid[place], 0, range(EVERY // 16 * 16))["heads"]
    hits = np.reshape(heads, (-1, 16)).sum(axis=1)
    low, high = beta_binomial(np.full(len(hits), 16), hits)
    return int(np.argmax((high - low) / 2 <= 0.09)) + 1


def test_the_last_block_of_a_short_cell_is_short(reference) -> None:
    first, second = blocks_needed(0), blocks_needed(1)
    assert [(r["rows"], r["blocks"], r["decided"]) for r in reference] == [
        (16 * first, first, True),
        (16 * second, second, True),
        (50, 4, False),
    ]
    assert reference[2]["totals"]["heads.n"] == 50  # 16 + 16 + 16 + 2
    (whole,) = engine.run(replace(COINS, grid=COINS.grid[2:], stop=None))
    assert whole.decided and whole.rows == 50  # nothing is left to ask
    assert engine.run(replace(COINS, grid=({"bias": 0.5, "rows": 0},)))[0].rows == 0


def test_totals_are_exact_beyond_64_bits() -> None:
    state = cells.CellState({}, "0f", 10**6)
    for number in range(3):
        state.take(Block("0f", "{}", number, 2**31 - 1, {"x.counts": [1], "y": 2**62}))
    assert state.result(COINS, 0.95).totals["y"] == 3 * 2**62


# ------------------------------------------------------------------------------------------------------- exactness


@given(
    seed=st.integers(0, 2**32),
    growth=st.integers(1, 9),
    task=st.sampled_from([0.0, 1e-4, 1e9]),
    width=st.integers(1, 12),
    known=st.sets(st.integers(0, 30), max_size=8),
)
def test_no_order_split_width_or_earlier_block_changes_a_result(reference, seed, growth, task, width, known) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "GROWTH", growth)
        patch.setattr(engine, "TASK_SECONDS", task)
        states = []
        original = engine._states

        def filled(*arguments):
            found, level = original(*arguments)
            for state in found:
                for number in known:
                    if number * COINS.rows < state.cell.get("rows", np.inf):
                        state.take(simulate_block(COINS, state.cell, 0, state.design, number))
            states.append(found)
            return found, level

        patch.setattr(engine, "_states", filled)
        assert run(pool=Shuffled(seed, width=width)) == reference
        assert all(known <= set(range(state.prefix)) | set(state.waiting) for state in states[0][:2])


def test_a_shuffled_pool_does_shuffle() -> None:
    order = []
    pool = Shuffled(3)
    for number in range(20):
        pool.submit(engine.Task(COINS, COINS.grid[1], 0, "0f", (number,), "cpu"))
    order = [block.block for blocks in pool for block in blocks]
    assert sorted(order) == list(range(20)) != order


def test_an_interruption_before_any_task_changes_nothing(tmp_path, reference, monkeypatch) -> None:
    monkeypatch.setattr(engine, "TASK_SECONDS", 0.0)
    undisturbed = Shuffled(1)
    assert run(pool=undisturbed) == reference
    count = len(undisturbed.seen)
    assert count > 25
    for fuse in range(0, count, 2):
        folder, pool = tmp_path / str(fuse), Shuffled(1, fuse)
        with pytest.raises(KeyboardInterrupt):
            run(folder, pool=pool)
        kept = kept_in(folder)
        assert len(kept) == fuse  # everything that was finished is there
        resumed = Shuffled(2)
        assert run(folder, pool=resumed) == reference
        assert kept.isdisjoint((canonical(t.cell), n) for t in resumed.seen for n in t.blocks)
        assert run(folder, pool=Shuffled(3, fuse=0)) == reference  # nothing is left to do


@pytest.mark.parametrize("count", [2, 3])
def test_shards_merged_are_the_whole(tmp_path, reference, count) -> None:
    for mine in range(count):
        engine.run(COINS, tmp_path / str(mine), shard=(mine, count), max_rows=400)
        found = Store(tmp_path / str(mine)).done(engine.designs(COINS)[1])
        assert found.tolist() == list(range(mine, 25, count))
    merge([tmp_path / str(mine) for mine in range(count)], tmp_path / "all")
    assert plain(engine.results(COINS, tmp_path / "all", max_rows=EVERY)) == reference
    assert run(tmp_path / "all", pool=Shuffled(fuse=0)) == reference
    compact(tmp_path / "all")
    assert run(tmp_path / "all", pool=Shuffled(fuse=0)) == reference
    assert run(tmp_path / "all", shard=(1, count), pool=Shuffled(fuse=0)) == reference  # nothing is left for a shard


def test_two_processes_share_a_store(tmp_path, reference) -> None:
    code = "import sys; from simspec.engine import run as engine; from tests.engine.coins import COINS, Shuffled\n"
    code += f"engine.run(COINS, sys.argv[1], max_rows={EVERY}, pool=Shuffled(int(sys.argv[2])))"
    command = [sys.executable, "-c", code, str(tmp_path / "both")]
    running = [subprocess.Popen([*command, number], cwd=ROOT) for number in "12"]
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(list((tmp_path / "both").glob("*.parquet"))) == 2
    assert plain(engine.results(COINS, tmp_path / "both", max_rows=EVERY)) == reference


def test_a_simulation_that_is_not_pure_is_caught(tmp_path, reference) -> None:
    draws = np.random.default_rng(1)

    def impure(cell, rows, device):
        return {**coin(cell, rows, device), "heads": draws.random(len(rows.numbers)) < cell["bias"]}

    study = replace(COINS, simulate=impure)
    first, second = (plain(engine.run(study, tmp_path / name, max_rows=EVERY)) for name in "ab")
    assert first != second and first != reference
    with pytest.raises(ValueError, match=r"heads\.hits is \d+ in .*, but \d+ in"):
        merge([tmp_path / "a"], tmp_path / "b")


# -------------------------------------------------------------------------------------------------------- stopping


def test_a_result_uses_the_shortest_prefix_also_when_later_blocks_came_first(tmp_path, reference) -> None:
    cell, design = COINS.grid[1], engine.designs(COINS)[1]
    blocks = [simulate_block(COINS, cell, 0, design, number) for number in range(60)]
    low, high = beta_binomial(*([b.statistics[key] for b in blocks] for key in ("heads.n", "heads.hits")))
    first = int(np.argmax((high - low) / 2 <= 0.09))
    assert 4 < first < 40 and reference[1]["blocks"] == first + 1
    assert reference[1]["estimates"]["heads"][1:] == (low[first], high[first])
    prefill(tmp_path / "later", COINS, range(10, 60))
    assert engine.results(COINS, tmp_path / "later")[1].blocks == 0
    assert run(tmp_path / "later") == reference
    prefill(tmp_path / "all", COINS, range(60))
    assert run(tmp_path / "all", pool=Shuffled(fuse=0)) == reference


def test_a_higher_goal_uses_the_blocks_that_are_there(tmp_path, reference) -> None:
    study, calls = counted(replace(COINS, grid=COINS.grid[:2]))
    engine.run(study, tmp_path)
    before = len(calls)
    strict = engine.run(study, tmp_path, stop=HalfWidth("heads", 0.06))
    assert all(b.blocks > a["blocks"] for a, b in zip(reference, strict, strict=False))
    assert len(calls) > before
    assert len(set(calls)) == len(calls)  # nothing was simulated twice
    assert plain(engine.run(study, stop=HalfWidth("heads", 0.06))) == plain(strict)
    assert (
        run(tmp_path, pool=Shuffled(), accept_code=True)[:2] == reference[:2]
    )  # and the lower goal still gives what it gave


def test_simultaneous_narrows_the_levels(reference) -> None:
    found = engine.run(COINS, simultaneous=True)
    assert [r.level for r in found] == [bonferroni(0.95, 3)] * 3
    assert found[1].rows > reference[1]["rows"]
    assert plain(found) == run(level=bonferroni(0.95, 3), max_rows=10**6)


@pytest.mark.parametrize("filled", [False, True])
def test_max_rows_ends_a_cell_whatever_the_store_holds(tmp_path, filled) -> None:
    if filled:
        prefill(tmp_path, COINS, range(60))
    first, second = blocks_needed(0), blocks_needed(1)
    assert 6 <= first <= 7 < second  # so that 100 rows, in 7 blocks, are enough for one cell only
    found = engine.run(COINS, tmp_path, max_rows=100)
    assert [(r.rows, r.blocks, r.decided) for r in found] == [
        (16 * first, first, True),
        (112, 7, False),
        (50, 4, False),
    ]
    assert plain(engine.results(COINS, tmp_path, max_rows=100)) == plain(found)
    assert [r.blocks for r in engine.results(COINS, tmp_path)] == [first, second if filled else 7, 4]
    plainly = engine.run(replace(COINS, stop=None), tmp_path, max_rows=100)
    assert [(r.rows, r.decided) for r in plainly] == [(112, True), (112, True), (50, True)]


def test_time_ends_a_run_with_valid_intervals(tmp_path) -> None:
    study = replace(COINS, grid=cross(bias=(0.5,), sleep=(0.01,)))
    (short,) = engine.run(study, tmp_path, seconds=0.3, stop=HalfWidth("heads", 0.02))
    assert not short.decided and short.error is None and 2 <= short.blocks < 400
    columns = [simulate_block(study, study.grid[0], 0, "0f", number).statistics for number in range(short.blocks)]
    low, high = beta_binomial(*([c[key] for c in columns] for key in ("heads.n", "heads.hits")))
    assert short.estimates["heads"][1:] == (low[-1], high[-1])
    assert short.estimates["heads"].low < 0.5 < short.estimates["heads"].high
    assert plain(engine.run(study, tmp_path)) == plain(engine.run(study))
    assert engine.run(study, seconds=0, stop=Rows(16))[0].decided  # what came last is asked about too


def test_other_rules_stop_where_they_say() -> None:
    (result,) = engine.run(replace(COINS, grid=COINS.grid[1:2]), stop=AnyOf(Rows(33), Comparison("heads", "heads")))
    assert (result.rows, result.decided) == (48, True)


# ----------------------------------------------------------------------------------------------- what is what


@pytest.mark.parametrize(
    "change",
    [{"name": "other"}, {"rows": 8}, {"measures": {**MEASURES, "depth": Mean(0, 4)}}, {"measures": {"heads": Share()}}],
)
def test_a_changed_design_never_mixes(tmp_path, change) -> None:
    other = replace(COINS, **change)
    assert not {*engine.designs(COINS)} & {*engine.designs(other)}
    assert not {*engine.designs(COINS)} & {*engine.designs(COINS, seed=1)}
    assert {*engine.designs(COINS)} == {*engine.designs(replace(COINS, grid=COINS.grid[::-1], question="What?"))}
    with Store(tmp_path) as store:  # one that does not know whose it is until the first run
        for study in (COINS, other, COINS):
            if (study.name, study.rows) != (COINS.name, COINS.rows):
                with pytest.raises(ValueError, match="use another directory for these results"):
                    engine.run(study, store)
                continue
            assert plain(engine.run(study, store)) == plain(engine.run(study))
    changed = replace(COINS, grid=({**COINS.grid[1], "note": "new"}, *COINS.grid))
    found = engine.run(changed, tmp_path / "grid")
    assert plain(found)[1:] == plain(engine.run(COINS)) and found[0].totals != found[2].totals


@pytest.mark.parametrize("change", [{"name": "other"}, {"rows": 8}])
def test_the_store_of_another_study_is_refused(tmp_path, change) -> None:
    engine.run(COINS, tmp_path / "a")
    unwritten = Store(tmp_path / "b", manifest=engine.manifest(COINS, 0))
    for store in (tmp_path / "a", str(tmp_path / "a"), Store(tmp_path / "a"), unwritten):
        with pytest.raises(ValueError, match="use another directory for these results"):
            engine.run(replace(COINS, **change), store)
        with pytest.raises(ValueError, match="use another directory for these results"):
            engine.results(COINS, store, seed=1)
    assert run(tmp_path / "a", pool=Shuffled(fuse=0)) == run()


def test_bad_input_is_named() -> None:
    for options, message in [
        ({"shard": (2, 2)}, r"shard: 2/2; expected i/n"),
        ({"max_rows": 0}, "max_rows: 0; expected at least one row"),
        ({"level": 1.5}, r"level: 1\.5; expected a confidence"),
    ]:
        with pytest.raises(ValueError, match=message):
            engine.run(COINS, **options)
    with pytest.raises(ValueError, match="study: 'coins' has no measures"):
        engine.run(replace(COINS, measures={}))
    with pytest.raises(ValueError, match=r'grid: \{"bias":0.05\} occurs twice'):
        engine.run(replace(COINS, grid=(*COINS.grid, {"bias": 0.05})))
    with pytest.raises(ValueError, match="row: 50; expected a row of this cell, from 0 to 49"):
        engine.replay(COINS, COINS.grid[2], 50)


@given(row=st.integers(0, 49), place=st.integers(0, 2), seed=st.integers(0, 3))
def test_a_row_replayed_alone_is_the_row_of_its_block(row, place, seed) -> None:
    cell, block = COINS.grid[place], row // COINS.rows
    numbers = range(block * COINS.rows, (block + 1) * COINS.rows)
    values = simulate(COINS, cell, seed, numbers)
    alone = engine.replay(COINS, cell, row, seed)
    assert {k: v.tolist() for k, v in alone.items()} == {k: v[row - numbers.start].tolist() for k, v in values.items()}
