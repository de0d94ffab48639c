"""One cell: blocks in any order, gaps, what is wanted next, and the result of a prefix."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import checks
from simspec.engine import cells
from simspec.engine import run as engine
from simspec.engine.cells import CellState, Task, lost, simulate_block, work
from simspec.engine.estimates.statistics import Mean, Share
from simspec.engine.estimates.stopping import HalfWidth, Rows, Seconds
from simspec.engine.store import union
from simspec.engine.store.results import Store
from simspec.engine.store.segment import Block
from simspec.engine.study import Study
from simspec.methods import acceptance_rate, ears, fresh
from tests.engine.coins import COINS

YES = Study("yes", "?", ({},), lambda cell, rows, device: {"y": np.array(rows.numbers) % 2}, "", 4, {"y": Share()})


def made(number: int, error: str | None = None) -> Block:
    statistics = {} if error else {"y.n": 4, "y.hits": number % 5, "z.counts": np.array([number, 4 - number])}
    return Block("0f", "{}", number, 4, statistics, 0.5 + number, error)


def state(*numbers: int, limit: int = 100) -> CellState:
    found = CellState({}, "0f", limit)
    for number in numbers:
        found.take(made(number))
    return found


@given(st.permutations(range(5)))
def test_blocks_in_any_order_make_the_same_columns(order) -> None:
    found = state(*order)
    assert (found.prefix, found.count, found.rows, found.waiting) == (5, 5, 20, {})
    columns = found.arrays()
    assert columns["y.hits"].tolist() == [0, 1, 2, 3, 4] and columns["z.counts"].shape == (5, 2)
    assert columns["seconds"].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
    assert all(columns[name].dtype == np.int64 for name in columns if name != "seconds")


def test_a_gap_holds_later_blocks_back() -> None:
    found = state(0, 2, 3)
    assert (found.prefix, found.count) == (1, 3)
    assert found.result(YES, 0.95).totals["y.n"] == 4
    assert found.wanted((0, 1)) == [1]
    assert [found.known(n) for n in range(5)] == [True, False, True, True, False]
    found.under_way.add(1)
    assert found.wanted((0, 1)) == [4]
    found.take(made(1))
    assert found.prefix == 4 and not found.under_way


def test_what_is_wanted_grows_with_what_is_there(monkeypatch) -> None:
    assert state().wanted((0, 1)) == [0] and state().wanted((0, 1), minimum=3) == [0, 1, 2]
    assert state(*range(20)).wanted((0, 1)) == [20, 21, 22, 23, 24]
    assert state(*range(20), limit=22).wanted((0, 1)) == [20, 21]
    assert state(*range(20), limit=10).wanted((0, 1)) == []
    monkeypatch.setattr(cells, "GROWTH", 1)
    assert state(*range(3)).wanted((0, 1)) == [3, 4, 5]


@given(of=st.integers(1, 5), known=st.sets(st.integers(0, 30)), least=st.integers(1, 9))
def test_shards_want_every_block_once(of, known, least) -> None:
    found = []
    for mine in range(of):
        one = state(*known, limit=31)
        while wanted := one.wanted((mine, of), least):
            assert all(number % of == mine for number in wanted)
            found += wanted
            one.under_way |= set(wanted)
    assert sorted(found) == sorted(set(range(31)) - known)


@given(of=st.integers(1, 5), known=st.sets(st.integers(0, 40)))
def test_what_a_shard_misses_is_its_own(of, known) -> None:
    one = state(*known, limit=31)
    for mine in range(of):
        assert one.missing((mine, of)) == len(set(range(mine, 31, of)) - known)


@pytest.mark.parametrize("numbers", [(), (0, 1, 2), (0, 2, 3), (3, 4), (0, 1, 3)])
def test_a_cell_filled_from_a_store_is_the_cell_that_was_run(tmp_path, numbers) -> None:
    with Store(tmp_path) as store:
        for number in numbers:
            store.append(made(number))
        store.append(made(7, error="ill"))
        filled, run = CellState({}, "0f", 100), state(*numbers)
        filled.fill(store.union())
        for found in (filled, run):
            for number in {*range(6)} - {*numbers}:
                found.take(made(number))
    assert (filled.rows, filled.times, filled.prefix, filled.waiting) == (24, run.times, 6, {})
    assert {k: v.tolist() for k, v in filled.arrays().items()} == {k: v.tolist() for k, v in run.arrays().items()}
    assert not filled.failures
    untouched = CellState({}, "ff", 100)
    untouched.fill(union.EMPTY)
    assert untouched.count == 0


@pytest.mark.parametrize("order", [(5, 3, 4), (3, 4, 5), (4, 5, 3)])
def test_the_first_failure_is_the_one_that_is_told(order) -> None:
    found = state(0, 1)
    for number in order:
        found.take(made(number, error=f"ill at {number}"))
    assert found.error == "ill at 3" and not found.open
    found.take(made(2))
    found.check(Rows(12), 0.95)
    assert found.fired == 2 and found.error is None  # the rule fired before it
    assert found.result(YES, 0.95).error is None


def test_other_statistics_than_before_are_a_failure() -> None:
    found = state(0)
    for statistics in ({"y.n": 4}, {"y.n": 4, "y.hits": 0, "z.counts": [1, 2, 3]}):
        taken = found.take(Block("0f", "{}", 1, 4, statistics))
        assert not taken.statistics and "block 1 has the statistics" in taken.error
    assert found.prefix == 1 and found.take(made(1)).error is None


def test_rules_see_the_prefix_up_to_the_limit() -> None:
    found = state(*range(6), limit=4)
    found.check(Rows(20), 0.95)
    assert found.fired is None and found.result(YES, 0.95).blocks == 4
    found.check(Seconds(1.9), 0.95)
    assert found.fired == 1 and found.result(YES, 0.95).rows == 8
    found.check(Rows(1), 0.95)
    assert found.fired == 1  # once is for ever
    empty = CellState({}, "0f", 4)
    empty.check(Rows(1), 0.95)
    assert empty.fired is None and empty.result(YES, 0.95).totals == {}
    for limit, fired in ((7, None), (6, 5), (0, -1)):
        whole = state(*range(6), limit=limit)
        whole.check(None, 0.95)
        assert whole.fired == fired
        assert whole.result(YES, 0.95).blocks == min(6, limit)


def test_a_task_ends_at_its_first_failure() -> None:
    def simulate(cell, rows, device):
        return {"y": np.ones(len(rows.numbers)) / (rows.numbers.start != 8)}

    study = Study("divides", "?", ({},), simulate, "", 4, {"y": Share()})
    with np.errstate(divide="raise"):
        blocks = work(Task(study, {}, 0, "0f", (0, 1, 2, 3), "cpu"))
    assert [(b.block, bool(b.error)) for b in blocks] == [(0, False), (1, False), (2, True)]
    assert blocks[2].statistics == {} and "FloatingPointError" in (blocks[2].error or "")
    (gone,) = lost(Task(study, {}, 0, "0f", (5, 6), "cpu"), OSError("away"))
    assert (gone.block, gone.rows, gone.error) == (5, 4, "the task was lost with its workers: OSError: away")


def test_device_and_rows_reach_the_simulation() -> None:
    seen = []

    def simulate(cell, rows, device):
        seen.append((rows.numbers, device))
        return {"y": np.ones(len(rows.numbers))}

    study = Study("seen", "?", ({"rows": 6},), simulate, "", 4, {"y": Share()})
    blocks = [simulate_block(study, {"rows": 6}, 0, "0f", number, "cpu") for number in (0, 1)]
    assert seen == [(range(4), "cpu"), (range(4, 6), "cpu")] and [b.rows for b in blocks] == [4, 2]
    assert all(b.seconds > 0 for b in blocks)


def test_rows_whose_blocks_do_not_fit_in_memory_are_refused_before_the_first(monkeypatch) -> None:
    monkeypatch.setattr(checks, "physical_memory", lambda: 16 * 2**30)
    for stop in (Rows(10**12), None):
        study = replace(COINS, stop=stop)
        with pytest.raises(
            ValueError, match="rows: 1000000000000; would take 14.6 TiB of memory, expected at most 16.0 G"
        ):
            engine.run(study, max_rows=10**12, seconds=0.01)
    first = engine.run(COINS, max_rows=10**12, stop=HalfWidth("heads", 0.2))  # a width ends these
    assert all(r.decided for r in first)
    engine.run(replace(COINS, stop=None), max_rows=10**12, shard=(0, 10**4), seconds=0.01)  # a part of them fits


def of_method(method, cell, rows, device):
    alpha = acceptance_rate(method, np.array([0.5, 0.5]), np.array([cell["q"], 1 - cell["q"]]))
    return {"alpha": np.full(len(rows.numbers), float(alpha))}


def test_a_study_with_a_method_travels_to_a_worker() -> None:
    method = replace(ears(Fraction(1, 10)), residual=fresh)
    study = Study("own", "?", ({"q": 0.75},), partial(of_method, method), rows=2, measures={"alpha": Mean(0, 1)})
    task = Task(study, study.grid[0], 0, "0f", (0,), "cpu")
    back = pickle.loads(pickle.dumps(task))
    assert back.study.simulate.args == (method,)
    (one,), (two,) = work(task), work(back)
    assert one.error is None and one.statistics == two.statistics


def test_a_lost_task_takes_no_time() -> None:
    """Nobody knows how long it ran: a rule of seconds must not count what is made up."""
    (block,) = lost(Task(YES, {}, 0, "0f", (5,), "cpu"), OSError("away"))
    assert block.seconds == 0 and block.statistics == {}
