"""Whether rows look independent: how far the means of blocks spread, against how far the rows say that they should.

Every interval of a run rests on rows that are independent and have one mean, which a study promises and nothing enforces.  Rows
that share a random number, or a mean that drifts from block to block, show in the variance between blocks:

    ratio = Σ n_g (m_g − m)² / ((G − 1) s²)

over G groups of consecutive blocks, with n_g rows of mean m_g each, m the mean and s² the variance of all rows.  For independent
rows (G − 1) · ratio is nearly chi-square with G − 1 degrees of freedom (the groups are made large enough for that), so that the
chance of a ratio as large is known.  What this does not see: rows that depend on each other inside a block without moving its
mean, and runs of too few blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.estimates.statistics import SCALE
from simspec.laws import Array

__all__ = ["FALSE_ALARM", "Spread", "spread", "warning"]

FALSE_ALARM = 1e-9
"""Chance of a warning about one measure of independent rows: a run may have thousands of measures and looks."""
MOST_GROUPS = 64
FEWEST_GROUPS = 8
EVENTS = 25
"""Variance of a group's sum, at least, for values in [0, 1]: a sum of so many events is nearly normal."""


class Spread(NamedTuple):
    """How far the means of groups of blocks spread.

    Attributes
    ----------
    ratio : their variance, as a multiple of what independent rows give
    groups : how many groups
    chance : of a ratio as large, for independent rows
    """

    ratio: float
    groups: int
    chance: float


def spread(n: Array, sums: Array, squares: Array) -> Spread | None:
    """The spread of the means of blocks against that of independent rows; None where there is too little to say.

    Parameters
    ----------
    n, sums, squares : (blocks,) integers, as `simspec.engine.estimates.statistics.bounded` makes them

    Examples
    --------
    >>> hits = np.tile([300, 700], 20) * 2**32  # of blocks of 1000 rows, whose shares are 0.3 and 0.7 in turn
    >>> blocks_spread = spread(np.full(40, 1000), hits, hits)
    >>> blocks_spread.groups, blocks_spread.ratio > 100, blocks_spread.chance < 1e-9
    (40, True, True)
    >>> spread(np.array([100]), np.array([50 * 2**31]), np.array([50 * 2**31])) is None
    True
    """
    rows, totals, second = (np.asarray(column, dtype=np.float64) for column in (n, sums, squares))
    count = rows.sum()
    if count < 2:
        return None
    mean = totals.sum() / SCALE / count
    variance = (second.sum() / SCALE - count * mean**2) / (count - 1)
    groups = int(min(MOST_GROUPS, len(rows), count * variance / EVENTS))
    if groups < FEWEST_GROUPS:
        return None
    starts = np.linspace(0, len(rows), groups, endpoint=False).astype(int)
    group_rows = np.add.reduceat(rows, starts)
    deviations = np.add.reduceat(totals, starts) / SCALE - group_rows * mean
    filled = group_rows > 0
    freedom = int(filled.sum()) - 1
    if freedom < FEWEST_GROUPS - 1:
        return None
    ratio = float((deviations[filled] ** 2 / group_rows[filled]).sum() / (freedom * variance))
    return Spread(ratio, freedom + 1, _beyond(ratio, freedom))


def _beyond(ratio: float, freedom: int) -> float:
    """Chance that chi-square over its degrees of freedom exceeds a ratio, by Wilson and Hilferty's cube root (1931)."""
    width = 2 / (9 * freedom)
    return 0.5 * math.erfc((ratio ** (1 / 3) - (1 - width)) / math.sqrt(2 * width))


def warning(blocks: Mapping[str, Any], names: Iterable[str], chance: float = FALSE_ALARM) -> str | None:
    """A sentence where the blocks of some measure spread too far for independent rows; None where none does.

    Parameters
    ----------
    blocks : columns of blocks, as stopping rules take them
    names : measures
    chance : of the sentence for one measure, where rows are independent
    """
    by_name = {name: spread(*_columns(blocks, name)) for name in names}
    wide = {name: of_blocks for name, of_blocks in by_name.items() if of_blocks and of_blocks.chance < chance}
    if not wide:
        return None
    name, widest = max(wide.items(), key=lambda item: item[1].ratio)
    others = f" (and {len(wide) - 1} more)" if len(wide) > 1 else ""
    return (
        f"means of blocks of {name!r}{others} vary {widest.ratio:.3g} times as much as those of independent rows: rows "
        "depend on each other, or their mean drifts, and no interval here holds; draw every row from its own random numbers"
    )


def _columns(blocks: Mapping[str, Any], name: str) -> tuple[Array, Array, Array]:
    n = np.asarray(blocks[f"{name}.n"])
    if f"{name}.hits" in blocks:
        hits = np.asarray(blocks[f"{name}.hits"], dtype=np.float64) * SCALE
        return n, hits, hits
    return n, np.asarray(blocks[f"{name}.sum"]), np.asarray(blocks[f"{name}.squares"])
