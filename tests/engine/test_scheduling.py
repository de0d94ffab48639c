"""When a rule that cells share is asked: once a round, after every block of the round has come back."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.cells import CellState
from simspec.engine.estimates.sharing import Plan, Shared
from simspec.engine.estimates.stopping import Rows
from simspec.engine.scheduling import added_up, ask, ask_all, check_whole
from simspec.engine.store.segment import Block

SHARED = Shared("x", 0, rows=300)


def block(design: str, number: int) -> Block:
    return Block(design, "{}", number, 100, {"x.n": 100, "x.hits": 50}, 0.0)


@pytest.fixture
def rounds(monkeypatch) -> list[tuple[int, ...]]:
    """Blocks that each cell had whenever the shared rule was asked; it gives one more block to each, up to three."""
    seen: list[tuple[int, ...]] = []

    def plan(self, cells, most, size, level):
        blocks = tuple(len(cell.get("rows", ())) for cell in cells)
        seen.append(blocks)
        return Plan(tuple(count + 1 for count in blocks), None) if max(blocks) < 3 else Plan(blocks, True)

    monkeypatch.setattr(Shared, "plan", plan)
    return seen


def test_a_shared_rule_is_asked_when_all_blocks_of_a_round_are_there(rounds) -> None:
    first, second = states = [CellState({"x": name}, name, 9) for name in "ab"]
    assert ask(first, states, SHARED, 100, 0.95) == states and rounds == [(0, 0)]
    assert [state.due for state in states] == [1, 1]
    first.take(block("a", 0))
    assert ask(first, states, SHARED, 100, 0.95) == [first] and rounds == [(0, 0)]  # the other's is not there
    second.take(block("b", 0))
    assert ask(second, states, SHARED, 100, 0.95) == states and rounds == [(0, 0), (1, 1)]
    first.take(block("a", 1))
    first.take(block("a", 2))  # more than was asked for does not count for the other
    assert ask(first, states, SHARED, 100, 0.95) == [first] and rounds == [(0, 0), (1, 1)]
    second.take(block("b", 1))
    assert ask(second, states, SHARED, 100, 0.95) == states and rounds[2:] == [(3, 2)]
    assert [(state.fired, state.limit) for state in states] == [(2, 3), (1, 2)]
    assert ask(first, states, SHARED, 100, 0.95) == [first] and len(rounds) == 3  # it has fired


def test_a_round_that_ends_without_its_goal_fires_nowhere(monkeypatch) -> None:
    monkeypatch.setattr(Shared, "plan", lambda self, *rest: Plan((1, 2), False))
    states = [CellState({"x": name}, name, 9) for name in "ab"]
    ask_all(states, SHARED, 100, 0.95)
    assert [(state.fired, state.limit) for state in states] == [(None, 1), (None, 2)]


def test_a_rule_of_one_cell_is_asked_of_that_cell() -> None:
    first, second = states = [CellState({"x": name}, name, 9) for name in "ab"]
    for state, name in zip(states, "ab", strict=True):
        state.take(block(name, 0))
    assert ask(first, states, Rows(100), 100, 0.95) == [first]
    assert (first.fired, second.fired) == (0, None)
    ask_all(states, Rows(100), 100, 0.95)
    assert second.fired == 0


def test_which_rules_add_up_the_intervals_of_cells() -> None:
    """A weighted sum holds together; the widest interval and a rule of one cell do not."""
    assert added_up(Shared("x", 0.4, weights=(1, -0.5, 2)))
    assert not any(map(added_up, (SHARED, Rows(100), None)))
    assert np.isfinite(SHARED.rows)


def test_only_a_whole_run_may_share_rows_between_cells() -> None:
    check_whole(SHARED, (0, 1))
    check_whole(Rows(100), (1, 2))
    with pytest.raises(ValueError, match="shard: 1/2; expected 0/1"):
        check_whole(SHARED, (1, 2))
