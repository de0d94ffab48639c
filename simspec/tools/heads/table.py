"""The table of `simspec.tools.heads`: a row for each position of a block, and what the laws after each first token add."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from simspec.engine.estimates.intervals import Interval
from simspec.html.results import Tabular
from simspec.laws import Array
from simspec.tools.heads.load import Heads
from simspec.tools.rates.table import numbers_of

__all__ = ["COLUMNS", "PARALLEL_COLUMNS", "HeadsTable", "Measured", "Parallel", "Position"]

COLUMNS = {
    "acceptance": "probability that this draft token is accepted, given that the text's own tokens came before",
    "survival": "probability that it and all before it are accepted, from the tokens of the target's own text",
    "independent": "the same, if acceptance does not depend on which tokens were accepted before",
    "tokens": "mean acceptance length with so many draft tokens, for blocks that begin at each recorded place equally often",
    "speedup": "speed-up over the target alone, at the given cost of one pass that drafts all of them",
}
"""What each column means."""
PARALLEL_COLUMNS = {
    "head": "the second head",
    "marginal": "the target's own marginal distribution of the second token",
    "best": "the best distribution that does not see the first token",
}
"""Drafts of the second position that do not see the first token."""


class Position(NamedTuple):
    """A position of the block, each quantity with its interval (None where it cannot be given), and bounds of the survival.

    The bounds follow from mean acceptance by position, as estimated here.
    """

    position: int
    values: dict[str, Interval | None]
    bounds: tuple[float, float]


class Parallel(NamedTuple):
    """Acceptance of the second position by drafts that do not see the first token, over all first tokens of the target.

    Attributes
    ----------
    values : by the names of `PARALLEL_COLUMNS`
    survival : of both positions, exact at each block
    gap : certificate of the best distribution: by how much more another one could be accepted, at most, at any block
    """

    values: dict[str, Interval]
    survival: Interval
    gap: float


@dataclass(frozen=True)
class Measured:
    """What the rows rest on.

    Attributes
    ----------
    heads : the laws
    lengths : (n, γ) mean acceptance length at each block with 1, ..., γ drafts
    parallel : of the laws after each first token, None where they are not there
    cost, verify : time of a pass of the heads, and of verifying one more draft token / time of a target step
    fewest : least number of drafts among which the best is sought
    """

    heads: Heads
    lengths: Array
    parallel: Parallel | None
    cost: float
    verify: float
    fewest: int = 1


class HeadsTable(Tabular, list[Position]):
    """The rows of `head_rates`, a list, with what they rest on."""

    def __init__(self, rows: Iterable[Position], measured: Measured) -> None:
        super().__init__(rows)
        self.measured = measured

    @property
    def heads(self) -> Heads:
        """The laws that were measured."""
        return self.measured.heads

    @property
    def level(self) -> float:
        """Level of each interval."""
        acceptance = self[0].values["acceptance"]
        assert acceptance is not None  # every row has one
        return acceptance.level

    @property
    def parallel(self) -> Parallel | None:
        """Drafts of the second position; None without the laws after each first token."""
        return self.measured.parallel

    def records(self) -> list[dict[str, Any]]:
        """Rows of numbers: the position, each quantity with the ends of its interval, and the bounds of the survival."""
        return [
            {"position": row.position, **numbers_of(row.values), "lowest": row.bounds[0], "highest": row.bounds[1]}
            for row in self
        ]

    def __repr__(self) -> str:
        blocks, gamma, vocab = self.heads.q.shape
        return f"HeadsTable({self.heads.source}: {blocks:,} blocks of {gamma} positions over {vocab:,} tokens)"
