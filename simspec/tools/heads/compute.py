r"""What `simspec.tools.heads` computes of each position: acceptance, survival of blocks, and what the laws `after` add.

All drafts of a block come of one pass of the heads, so a step with γ drafts takes :math:`1 + c + \gamma v` target steps.
What is not here: the formulas (`simspec.methods.heads`, `simspec.methods.parallel`), the number of drafts that is best
(`choice`), and trees (`trees`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simspec.engine.estimates.clusters import means
from simspec.engine.estimates.intervals import Interval
from simspec.laws import Array
from simspec.methods.heads import draft_bound, head_acceptance, head_survival, survival_bounds
from simspec.methods.parallel import best_draft, marginal, product_acceptance
from simspec.methods.speed import step_time
from simspec.tools.heads.load import Heads
from simspec.tools.heads.table import PARALLEL_COLUMNS, HeadsTable, Measured, Parallel, Position
from simspec.tools.rates.compute import Progress

__all__ = ["HeadOptions", "compute"]

PART = 2**20
"""Entries of the laws that are measured at a time."""


@dataclass(frozen=True)
class HeadOptions:
    """What is measured.

    Attributes
    ----------
    gamma : number of heads that are used; None for all
    fewest : least number of drafts among which the best is sought
    cost : time of the pass that drafts the whole block / time of a target step
    verify : time of verifying one more draft token / time of a target step
    level : of the intervals, in (0, 1)
    """

    gamma: int | None = None
    fewest: int = 1
    cost: float = 0.1
    verify: float = 0.0
    level: float = 0.95


def compute(heads: Heads, options: HeadOptions, progress: Progress | None = None) -> HeadsTable:
    """A row for each position.

    Parameters
    ----------
    heads : laws
    options : numbers of drafts, costs and level
    progress : (what is done, how much of it, of how much) -> None, optional

    Raises ValueError for a number of drafts below 1 or above the number of heads, and for costs that are none.

    >>> laws = np.array([[[0.5, 0.5], [1.0, 0.0]]])
    >>> heads = Heads(laws, np.array([[[0.75, 0.25], [0.5, 0.5]]]), np.array([0]), "by hand")
    >>> [row.values["tokens"].estimate for row in compute(heads, HeadOptions())]
    [1.75, 2.125]
    """
    used = _used(heads, options)
    acceptance, survival = _measured(used, progress)
    independent = np.cumprod(acceptance, axis=1)
    lengths = 1 + np.cumsum(independent if survival is None else survival, axis=1)
    gamma = used.q.shape[1]

    def intervals(values: Array, low: float, high: Array | float) -> list[Interval]:
        return means(values, used.document, options.level, (np.full(gamma, low), np.broadcast_to(high, gamma)))

    columns = {"acceptance": intervals(acceptance, 0, 1), "independent": intervals(independent, 0, 1)}
    if survival is not None:
        columns["survival"] = intervals(survival, 0, 1)
    columns["tokens"] = intervals(lengths, 1, np.arange(2, gamma + 2))
    lowest, highest = survival_bounds(acceptance.mean(axis=0))
    rows = []
    for at in range(gamma):
        values: dict[str, Interval | None] = {name: column[at] for name, column in columns.items()}
        values.setdefault("survival", None)
        time = step_time(1, options.cost, at + 1, options.verify)
        values["speedup"] = _scaled(columns["tokens"][at], time)
        rows.append(Position(at + 1, values, (float(lowest[at]), float(highest[at]))))
    parallel = None if used.after is None or gamma < 2 else _parallel(used, used.after, options.level, progress)
    return HeadsTable(rows, Measured(used, lengths, parallel, options.cost, options.verify, options.fewest))


def _used(heads: Heads, options: HeadOptions) -> Heads:
    """The first heads, as many as are used."""
    count = heads.q.shape[1]
    gamma = count if options.gamma is None else options.gamma
    if not 1 <= gamma <= count:
        raise ValueError(f"gamma: {gamma}; {heads.source} has {count} heads, expected a number from 1 to {count}")
    if not 1 <= options.fewest <= gamma:
        raise ValueError(f"fewest: {options.fewest}; expected a number of drafts from 1 to {gamma}")
    for name, value in (("cost", options.cost), ("verify", options.verify)):
        if not 0 <= value < math.inf:
            raise ValueError(f"{name}: {value}; expected time / time of a target step, finite and 0 or more")
    tokens = None if heads.tokens is None else heads.tokens[:, :gamma]
    return heads._replace(p=heads.p[:, :gamma], q=heads.q[:, :gamma], tokens=tokens)


def _measured(heads: Heads, progress: Progress | None) -> tuple[Array, Array | None]:
    """Acceptance (n, γ), and survival where the tokens are known, some blocks at a time."""
    blocks, gamma, vocab = heads.q.shape
    step = max(1, PART // (gamma * vocab))
    acceptance = np.empty((blocks, gamma))
    survival = None if heads.tokens is None else np.empty((blocks, gamma))
    for start in range(0, blocks, step):
        part = slice(start, start + step)
        # laws in 64 bits sum to 1 but for rounding, which must not leave [0, 1]
        acceptance[part] = np.clip(head_acceptance(heads.p[part], heads.q[part]), 0, 1)
        if survival is not None and heads.tokens is not None:
            survival[part] = np.clip(head_survival(heads.p[part], heads.q[part], heads.tokens[part]), 0, 1)
        if progress is not None:
            progress("measuring heads", min(start + step, blocks), blocks)
    return acceptance, survival


def _scaled(tokens: Interval, time: float) -> Interval:
    return Interval(tokens.estimate / time, tokens.low / time, tokens.high / time, tokens.level)


def _parallel(heads: Heads, after: Array, level: float, progress: Progress | None) -> Parallel:
    """The second head, the marginal and the best draft at each block, over the target's first token."""
    acceptances = np.empty((len(after), len(PARALLEL_COLUMNS)))
    both = np.empty((len(after), 1))
    gap = 0.0
    for block, rows in enumerate(after):
        first = heads.p[block, 0]
        second_head = heads.q[block, 1]
        best = best_draft(first, rows)
        gap = max(gap, float(draft_bound(first, rows, best.level) - best.acceptance))
        drafts = (second_head, marginal(first, rows), best.law)
        acceptances[block] = [product_acceptance(first, rows, draft) for draft in drafts]
        both[block] = product_acceptance(np.minimum(first, heads.q[block, 0]), rows, second_head)
        if progress is not None:
            progress("finding the best draft", block + 1, len(after))
    unit = (np.zeros(len(PARALLEL_COLUMNS)), np.ones(len(PARALLEL_COLUMNS)))
    values = dict(zip(PARALLEL_COLUMNS, means(np.clip(acceptances, 0, 1), heads.document, level, unit), strict=True))
    (survival,) = means(np.clip(both, 0, 1), heads.document, level, (0.0, 1.0))
    return Parallel(values, survival, gap)
