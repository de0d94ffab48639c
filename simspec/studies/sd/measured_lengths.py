"""How long a block gets when acceptance is the same at every step, and when it is as different as real contexts are.

Acceptance rates are those of a bank's contexts, with the drafter's vocabulary whole or pruned (TLI).  Contexts of a bank are
single places of texts, so that what neighbours share is not known; two ends are: every step in a context of its own,
independent of the others, which is the formula of the mean rate, and a whole block in one context, where a step's rate is
the last one's.  By Hölder's inequality no dependence of the steps makes blocks longer than the second.
"""

from __future__ import annotations

import numpy as np

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array, overlap
from simspec.logits.bank import Bank
from simspec.methods.block import mean_acceptance_length
from simspec.methods.rdk.pruning import most_frequent
from simspec.methods.tli import tli
from simspec.studies.pairs import bank_laws

__all__ = ["lengths", "measured_rates"]


def lengths(alpha: Array, gammas: tuple[int, ...]) -> Array:
    """Expected tokens of a block that stays in one context, (n, number of gammas).

    >>> lengths(np.array([0.0, 1.0]), (1, 2)).tolist()
    [[1.0, 1.0], [2.0, 3.0]]
    """
    return np.stack([mean_acceptance_length(alpha, gamma) for gamma in gammas], axis=-1)


def _simulate(bank: Bank, cell: Cell, rows: Rows) -> Values:
    assert bank.statistics is not None
    p, q = bank_laws(bank, np.array(rows.numbers))
    mask = most_frequent(bank.statistics.counts.sum(axis=0), cell["kept"])
    alpha = np.clip(overlap(p, tli(mask).propose(q)), 0, 1)
    return {"alpha": alpha, "document": np.asarray(bank.documents)[rows.numbers]}


def measured_rates(bank: Bank, shares: tuple[float, ...] = (1.0,), contexts: int | None = None) -> Study:
    """Acceptance of each context of a bank, a cell for each share of the vocabulary that the drafter keeps by frequency.

    Values of a context: ``alpha`` and its ``document``.

    Parameters
    ----------
    bank : Bank; with a draft and statistics
    shares : in (0, 1]
    contexts : how many of the bank's contexts; by default all
    """
    rows = min(contexts or bank.contexts, bank.contexts)
    return Study(
        name="measured-rates",
        question="What is the acceptance rate in each context?",
        grid=tuple({"kept": max(1, round(s * bank.vocab)), "vocab": bank.vocab, "rows": rows} for s in shares),
        simulate=lambda cell, rows, device: _simulate(bank, cell, rows),
        summary="acceptance rates, exact for each context",
        rows=rows,
    )
