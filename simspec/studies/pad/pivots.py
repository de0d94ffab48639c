"""PAD measured exactly on problems whose pivots are known: what speculative decoding rejects, and speed against utility.

Both go through a process position by position; rules that see values and rules that do not are treated alike.  What
is learnt from samples is in `simspec.studies.pad.labels` and `simspec.studies.pad.classifier`, and put together in
`simspec.studies.pad.pipeline`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simspec.engine.estimates import stopping
from simspec.engine.estimates.statistics import Mean
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array
from simspec.methods.block import latency
from simspec.methods.method import Method, accepted_mass
from simspec.methods.pad.pivots import pivots, replacement_pivots
from simspec.methods.pad.process import Process, Rule, ahead, values
from simspec.studies.pad.labels import target_visits
from simspec.studies.pad.problems import NAMES, Sources, ended, make_problem, once

__all__ = ["COST", "GAMMA", "NOTHING", "READINGS", "Decoding", "decoding", "rejection_shares", "unnecessary"]

GAMMA = 10
COST = 1 / 3.94
"""Drafts per target call, and draft time / target time, of the paper's experiments."""
NOTHING = 1e-9
"""Differences of value below this are rounding."""


# --- what is rejected ------------------------------------------------------------------------------------------------

READINGS = ("definition", "label rule", "one point", "ties", "replacement")


def _unneeded(here: Array, after: Array, p: Array, d: Array) -> dict[str, Array]:
    """Tokens (S, V) that are not pivots, in each reading."""
    return {
        "definition": ~pivots(here, after, NOTHING),
        "label rule": ~(after < 0.9 * here[:, None] - NOTHING),
        "one point": ~pivots(here, after, 0.01 + NOTHING),
        "ties": after > here[:, None] + NOTHING,
        "replacement": ~replacement_pivots(p, d, after, NOTHING),
    }


def rejection_shares(process: Process) -> dict[str, float]:
    r"""Share of the drafts rejected by speculative decoding that are not pivots, exactly, in five readings.

    :math:`\sum_{t,s} v_t(s) \sum_x (d - p)_+(x)\,[x\ \text{no pivot}] / \sum_{t,s} v_t(s) \sum_x (d - p)_+(x)`, v the
    probability that the text (whose law is the target's) is in s at t and not over.

    Returns
    -------
    dict
        ``definition`` (pivot: worth less than the state, Definition 3 with ε = 0), ``label rule`` (less than 0.9 of
        it), ``one point`` (less by more than 0.01), ``ties`` (worth as much is a pivot too), ``replacement`` (less
        than the token that replaces it); the same with " of drafts" and " of texts" appended for all drafted tokens
        and for the target's own; ``rejected``, share of the drafts.

    One position, p = (1/2, 1/2, 0), d = (0, 1/2, 1/2), tokens worth 1, 0, 1/2: the rejected token is worth what the
    text was, and less than what replaces it.

    >>> process = Process(np.array([[0.5, 0.5, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]]), np.array([[0, 0.5, 0.5], [1, 0, 0],
    ...     [1, 0, 0], [1, 0, 0]]), np.array([[1, 2, 3], [1] * 3, [2] * 3, [3] * 3]), np.array([0, 1, 0, 0.5]), 0, 1)
    >>> shares = rejection_shares(process)
    >>> shares["definition"], shares["ties"], shares["replacement"], shares["rejected"]
    (1.0, 0.0, 0.0, 0.5)
    """
    p = process.target
    d = process.draft
    visits = target_visits(process) * ~ended(process)
    table = values(process)
    over = {"": np.maximum(d - p, 0), " of drafts": d, " of texts": p}
    sums = {name + basis: 0.0 for name in READINGS for basis in over}
    for t in range(process.horizon):
        for name, free in _unneeded(table[t], ahead(process, table[t + 1]), p, d).items():
            for basis, mass in over.items():
                sums[name + basis] += float(visits[t] @ (mass * free).sum(axis=-1))
    totals = {basis: float(visits.sum(axis=0) @ mass.sum(axis=-1)) for basis, mass in over.items()}
    if not totals[""] > 0:
        raise ValueError("process: no draft is ever rejected; expected a draft that differs from the target")
    shares = {name + basis: sums[name + basis] / totals[basis] for name in READINGS for basis in over}
    return shares | {"rejected": totals[""] / totals[" of drafts"]}


# --- blocks on a process ----------------------------------------------------------------------------------------------


class Decoding(NamedTuple):
    """What decoding in blocks does on a process; each entry has the leading axes of the rule.

    Attributes
    ----------
    utility : expected utility of the text
    accepted, tested : expected accepted drafts and drafts that were decided on
    calls : expected target calls
    tokens : expected length of the text
    speed : tokens / (calls (γ c + 1)), against the target alone; 1 for a text that is over from the start
    """

    utility: Array
    accepted: Array
    tested: Array
    calls: Array
    tokens: Array
    speed: Array

    @property
    def share(self) -> Array:
        """Share of the accepted among the drafts decided on; 1 where there is none."""
        return np.where(self.tested > 0, self.accepted / np.where(self.tested > 0, self.tested, 1), 1)


def decoding(process: Process, rule: Rule | Method, gamma: int = GAMMA, cost: float = COST) -> Decoding:
    """Exact utility and speed of a rule in blocks: γ drafts, and a token of the target after γ kept ones.

    A block also ends with a rejection's replacement, or with the text; the call that verified it counts.  The maps of
    the rule may have leading axes (rules side by side).

    Nothing is ever rejected, four tokens: blocks of two drafts and one token, then a draft.

    >>> from simspec.methods import SD
    >>> p = np.array([[0.5, 0.5]])
    >>> made = decoding(Process(p, p, np.array([[0, 0]]), np.ones(1), 0, 4), SD, gamma=2, cost=0.5)
    >>> made.calls.item(), made.accepted.item(), made.speed.item()
    (2.0, 3.0, 1.0)
    """
    if not gamma >= 1:
        raise ValueError(f"gamma: {gamma}; expected at least one draft per target call")
    states = len(process.utility)
    live = ~ended(process)
    fixed = isinstance(rule, Method)
    table = None if fixed else values(process)
    origin = np.arange(states)[:, None] * states + process.step
    alone = np.bincount(origin.ravel(), weights=process.target.ravel(), minlength=states**2).reshape(states, states)
    keep = None
    replace = None
    mass = None
    index = None
    for t in range(process.horizon):
        if keep is None or not fixed:
            method: Any = rule if table is None else rule(t, table[t], ahead(process, table[t + 1]))  # type: ignore[operator]
            kept = accepted_mass(method, process.target, process.draft)
            residual_mass = (1 - kept.sum(axis=-1, keepdims=True)) * method.residual(process.target, process.draft)
            shape = kept.shape[:-2]
            kept, residual_mass = (
                np.broadcast_to(x, (*shape, *process.target.shape)).reshape(-1, origin.size)
                for x in (kept, residual_mass)
            )
            if index is None:
                index = (np.arange(len(kept))[:, None] * states**2 + origin.ravel()).ravel()
            keep, replace = (
                np.bincount(index, weights=x.ravel(), minlength=len(x) * states**2).reshape(len(x), states, states)
                for x in (kept, residual_mass)
            )
        if mass is None:
            mass = np.zeros((len(kept), gamma + 1, states))
            mass[:, 0, process.start] = 1
            final_mass = np.zeros((len(kept), states))
            accepted, tested, calls, tokens = np.zeros((4, len(kept)))
        here = mass * live
        finished = mass - here
        final_mass += finished.sum(axis=1)
        calls += finished[:, 1:].sum(axis=(1, 2))
        drafting_mass = here[:, :gamma]
        last = here[:, gamma]
        forward = drafting_mass @ keep
        back = (drafting_mass.sum(axis=1)[:, None] @ replace)[:, 0] + last @ alone
        tested += drafting_mass.sum(axis=(1, 2))
        accepted += forward.sum(axis=(1, 2))
        calls += back.sum(axis=-1)
        tokens += here.sum(axis=(1, 2))
        mass = np.concatenate([back[:, None], forward], axis=1)
    if mass is None:
        raise ValueError(f"process: horizon {process.horizon}; expected at least one token")
    final_mass += mass.sum(axis=1)
    calls += mass[:, 1:].sum(axis=(1, 2))
    speed = np.where(calls > 0, tokens / (np.where(calls > 0, calls, 1) * latency(gamma, cost)), 1)
    outputs = (final_mass @ process.utility, accepted, tested, calls, tokens, speed)
    return Decoding(*(x.reshape(shape) for x in outputs))


# --- the study --------------------------------------------------------------------------------------------------------


def unnecessary(grid: tuple[Cell, ...] | None = None, pairs: Sources | None = None, rows: int = 20) -> Study:
    """Shares of rejected drafts that are not pivots, exactly (`rejection_shares`); a row is a problem.

    Parameters
    ----------
    grid : cells, optional
        problems (`make_problem`); by default one cell a family on synthetic laws, and one at V = 256, T = 64.
    pairs : as in `pipeline`
    rows : int; problems in a cell

    >>> from simspec.engine.row_values import gather
    >>> cell = {"family": "needle", "laws": "synthetic", "vocab": 8, "horizon": 8, "states": 8}
    >>> shares = gather(unnecessary((cell,), rows=2))[0].values
    >>> bool((shares["ties"] < shares["definition"]).all())
    True
    """
    size = {"laws": "synthetic", "vocab": 16, "horizon": 28, "states": 16}
    large = {"family": "answer", "laws": "synthetic", "vocab": 256, "horizon": 64, "states": 64}
    cells = grid or (*({"family": name, **size} for name in NAMES), large)
    laws_of = once(pairs)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        real = laws_of(cell["laws"], cell["vocab"])
        problem_shares = [rejection_shares(make_problem(cell, rows.key, n, real).process) for n in rows.numbers]
        return {name: np.array([row[name] for row in problem_shares]) for name in problem_shares[0]}

    return Study(
        name="unnecessary-rejections",
        question="How many of the drafts that speculative decoding rejects are not pivots?",
        grid=cells,
        simulate=simulate,
        summary="shares of the rejected drafts that are not pivots, exact for each problem",
        rows=rows,
        measures=dict.fromkeys((*READINGS, "rejected"), Mean()),
        stop=stopping.Rows(rows),
    )
