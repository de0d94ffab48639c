"""Asks a run's rule what it says of a cell, or of all cells together, and who is to be given blocks then."""

from __future__ import annotations

from collections.abc import Sequence

from simspec.engine.cells import CellState
from simspec.engine.estimates.sharing import Shared
from simspec.engine.estimates.stopping import Rule

__all__ = ["added_up", "ask", "ask_all", "check_whole"]


def ask(
    state: CellState, states: Sequence[CellState], rule: Rule | None, size: int, level: float
) -> Sequence[CellState]:
    """Ask the rule once blocks of a cell have come back: the cells that may be given more.

    A rule that cells share has rounds.  When all blocks of one are there, it says how many each cell has in the next; until
    then nobody is given more.  What blocks were known before, and in which order they come, changes no round.

    Parameters
    ----------
    state, states : the cell, and all of them
    rule : Rule or None
    size : rows of a block
    level : confidence of an interval
    """
    if not isinstance(rule, Shared):
        state.check(rule, level)
        return [state]
    if any(s.fired is not None or (s.due is not None and s.prefix < s.due) for s in states):
        return [state]
    blocks, is_met = rule.plan([s.arrays() for s in states], [s.limit for s in states], size, level)
    for cell_state, count in zip(states, blocks, strict=True):
        cell_state.due = count
        if is_met is not None:  # nothing more is given
            cell_state.limit = count
            cell_state.fired = count - 1 if is_met else None
    return states


def ask_all(states: Sequence[CellState], rule: Rule | None, size: int, level: float) -> None:
    """Ask the rule of every cell, where nothing more is to be simulated."""
    for state in states:
        ask(state, states, rule, size, level)


def added_up(rule: Rule | None) -> bool:
    """Whether a rule adds up the intervals of all cells, so that they have to hold together."""
    return isinstance(rule, Shared) and rule.together


def check_whole(rule: Rule | None, shard: tuple[int, int]) -> None:
    """Refuse a shard of a run whose cells share their rows: what one is given depends on all blocks of all.

    >>> check_whole(Shared("kept", 0.01), (0, 2))
    Traceback (most recent call last):
    ...
    ValueError: shard: 0/2; expected 0/1, for cells that share their rows need all blocks; more workers may share the work
    """
    if isinstance(rule, Shared) and shard[1] > 1:
        raise ValueError(
            f"shard: {shard[0]}/{shard[1]}; expected 0/1, for cells that share their rows need all blocks; more workers may "
            "share the work"
        )
