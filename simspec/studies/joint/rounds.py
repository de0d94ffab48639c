"""Rounds of rules that verify drafts jointly, path by path with uniforms, against their exact mean lengths.

All positions have one pair of laws, so that rounds are independent and the mean length is known: by the formula for
independent steps where a position accepts at one rate, by enumeration for a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.estimates.statistics import Mean
from simspec.engine.estimates.stopping import HalfWidth
from simspec.engine.study import Cell, Rows, Study, cross
from simspec.kernels import random as philox
from simspec.kernels.rounds import run_rounds, tables
from simspec.kernels.rounds.block import block_tables, run_block_rounds
from simspec.kernels.rounds.several import run_several_rounds, several_tables
from simspec.laws import Array, overlap, softmax
from simspec.logits import Draws, synthetic
from simspec.methods.block import mean_acceptance_length
from simspec.methods.multi import kseq_acceptance, kseq_rho, recursive_rejection, rrs_acceptance, step_law, swor
from simspec.methods.sd import SD

__all__ = ["DRAFTS", "GAMMAS", "RULES", "block_rounds_length", "joint_rounds"]

RULES = ("token", "block", "rrs", "rrsw", "k-seq")
"""Token and block verification of a chain; recursive rejection with and without replacement, and K-SEQ."""
GAMMAS = (1, 4)
"""Positions of a round."""
DRAFTS = (2, 4)
"""Drafts of a position, for the rules that take several."""
ROUNDS = 64
"""Rounds of a row."""


def block_rounds_length(p: Array, q: Array, gamma: int) -> float:
    r"""Exact mean tokens of a round of block verification, :math:`1 + \sum_i E_Q[r_i]` (claim ``block.reach``).

    Parameters
    ----------
    p, q : laws (V,) of every position
    gamma : int >= 0; all V^gamma drafts are enumerated

    >>> round(block_rounds_length(np.array([1 / 3, 2 / 3]), np.array([2 / 3, 1 / 3]), 2), 6)  # 1 + 11/9
    2.222222
    """
    drafted = q > 0
    draft_law = q[drafted]
    ratio = p[drafted] / q[drafted]
    weight = np.ones(1)
    reached = np.ones(1)
    length = 1.0
    for _ in range(gamma):
        weight = np.multiply.outer(weight, draft_law).ravel()
        reached = np.minimum(1, np.multiply.outer(reached, ratio).ravel())
        length += float(weight @ reached)
    return length


class _Model(NamedTuple):
    run: Any
    tables: Any
    exact: float


def _several(rule: str, p: Array, q: Array, k: int) -> tuple[Any, float]:
    """Tables of a rule for several drafts, and its acceptance of a position."""
    if rule == "rrs":
        return several_tables(p[None], q[None], k), float(rrs_acceptance(p, q, k))
    if rule == "rrsw":
        accepted = step_law(recursive_rejection(replace=False), swor, k, p, q).acceptance
        return several_tables(p[None], q[None], k, replace=False), float(accepted)
    rho = float(kseq_rho(p, q, k)[1])
    return several_tables(p[None], q[None], k, rho=rho), float(kseq_acceptance(p, q, k, rho))


@lru_cache(maxsize=64)
def _model(items: tuple[tuple[str, Any], ...]) -> _Model:
    """Return the runner, its tables and the exact mean length of a cell; all rows of the cell share them."""
    cell = dict(items)
    # the rule is not in the key: all rules meet the same pair of laws
    key = philox.make_key(0, "joint-rounds", {name: cell[name] for name in ("model", "rho", "scale", "vocab")})
    draws = Draws(key, range(1))
    scale = float(cell["scale"])
    gamma = int(cell["gamma"])
    logits = synthetic.gaussian(draws, int(cell["vocab"]), scale=scale)
    near = synthetic.correlated(logits, cell["rho"], draws, location=0, scale=scale)
    p = softmax(logits)[0]
    q = softmax(near)[0]
    if cell["rule"] == "token":
        laws = (x[None] for x in (q, SD.accept(p, q), SD.residual(p, q), p))
        return _Model(run_rounds, tables(*laws), float(mean_acceptance_length(min(1, float(overlap(p, q))), gamma)))
    if cell["rule"] == "block":
        return _Model(run_block_rounds, block_tables(p[None], q[None]), block_rounds_length(p, q, gamma))
    rule_tables, alpha = _several(cell["rule"], p, q, int(cell["drafts"]))
    return _Model(run_several_rounds, rule_tables, float(mean_acceptance_length(min(1.0, alpha), gamma)))


def _simulate(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    model = _model(tuple(sorted(cell.items())))
    draws = Draws(rows.key, rows.numbers)
    simulated = model.run(model.tables, draws, gamma=int(cell["gamma"]), rounds=int(cell["rounds"]))
    return {"length": 1 + simulated.accepted.mean(axis=1), "exact": np.full(len(rows.numbers), model.exact)}


def joint_rounds(gammas: Sequence[int] = GAMMAS, drafts: Sequence[int] = DRAFTS, rows: int = 256) -> Study:
    r"""Tokens of a round under rules that verify jointly, simulated with uniforms, beside the exact mean.

    Cells: ``rule``, one of `RULES`; ``drafts`` of a position (1 for the rules of a chain); ``gamma``, positions of a round;
    ``rho``, ``scale`` and ``vocab`` of the Gaussian logits, and ``model``, their number; ``rounds`` of a row.  Values:
    ``length``, mean over the rounds of a path, whose interval must hold ``exact``.

    Parameters
    ----------
    gammas : positions of a round, at least 1
    drafts : drafts of a position, from 1 to 8
    rows : int; paths of a block

    Raises ValueError for no gammas or drafts, or some out of range.

    >>> study = joint_rounds()
    >>> len(study.grid), sorted(study.measures)
    (32, ['exact', 'length'])
    """
    if not gammas or not drafts or min(gammas) < 1 or not 1 <= min(drafts) <= max(drafts) <= 8:
        raise ValueError(f"gammas, drafts: {gammas}, {drafts}; expected one or more of each, from 1, and drafts to 8")
    chain = cross(rule=RULES[:2], drafts=(1,))
    several = cross(rule=RULES[2:], drafts=tuple(drafts))
    laws = cross(gamma=tuple(gammas), rho=(0.5, 0.9), scale=(2.0,), vocab=(8,), model=(0,), rounds=(ROUNDS,))
    longest = 1 + max(gammas)
    return Study(
        name="joint-rounds",
        question="Does a target step emit as many tokens as calculated when several drafts are verified jointly?",
        grid=tuple({**rule, **rest} for rule in (*chain, *several) for rest in laws),
        simulate=_simulate,
        summary="tokens of a round, as paths with single draws, and their exact means",
        rows=rows,
        measures={"length": Mean(1, longest), "exact": Mean(1, longest)},
        stop=HalfWidth("length", 0.05, 1, longest),
    )
