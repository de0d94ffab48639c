"""Fixed masses on pruned tokens beside TLI mixed with the mean law, both fitted on one half of a bank's documents.

Each half is judged by what was fitted on the other; the mean law comes from the bank's statistics, of other documents.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from simspec import laws
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array, unchecked
from simspec.logits.bank import Bank, MissingPart
from simspec.methods.rdk.pruning import keep_first, pruning_order
from simspec.methods.rdk.static import static, static_mixture
from simspec.studies.pairs import draft_laws
from simspec.studies.rdk.real_pruning import lacks, spread
from simspec.studies.rdk.tuning import best, weights

__all__ = ["TRIED", "static_halves"]

TRIED = 36
"""Weights of the mixture that are tried, evenly spaced."""


def _mixed(v: Array, tail: Array, weight: float) -> Array:
    return (1 - weight) * v + weight * tail


def _judged(p: Array, q: Array, shared: Array, mean: Array, halves: Array) -> Values:
    """Acceptance of each context: TLI, the mixture and the fixed masses, each fitted on the other half."""
    v = unchecked.restrict(q, shared)
    tail = unchecked.normalise(np.where(shared, 0, mean), otherwise=mean)
    acceptances = {"tli": unchecked.overlap(p, v), "mixture": np.empty(len(p)), "static": np.empty(len(p))}
    trial_weights = weights(TRIED)
    for here in (halves, ~halves):
        target = p[~here]
        drafted = v[~here]
        extra = static_mixture(target, q[~here], shared).extra
        weight = best(
            trial_weights, [unchecked.overlap(target, _mixed(drafted, tail, w)).mean() for w in trial_weights]
        ).value
        acceptances["static"][here] = unchecked.overlap(p[here], static(shared, extra).propose(q[here]))
        acceptances["mixture"][here] = unchecked.overlap(p[here], _mixed(v[here], tail, weight))
    return acceptances


def static_halves(bank: Bank, data: str, shares: tuple[float, ...], context_limit: int | None = None) -> Study:
    """Acceptance on the contexts of a bank with the most frequent tokens kept, a cell for each share.

    Values of a context: ``tli``, ``mixture``, ``static`` and ``document``.

    Parameters
    ----------
    bank : Bank; with a draft and statistics, and two documents at least
    data : what the bank is, for the report
    shares : shares of the vocabulary kept, in whole tokens and at least one, none twice
    context_limit : contexts, evenly spaced; all by default

    Raises ValueError for a bank that lacks a draft or statistics.
    """
    missing = {"draft": bank.draft() is None, "statistics": bank.statistics is None}
    if any(missing.values()):
        raise MissingPart(f"bank: {bank.name!r} {lacks(missing)}")
    context_numbers = np.arange(bank.contexts)[spread(bank.contexts, context_limit)]
    documents = np.asarray(bank.documents)[context_numbers]
    halves = np.unique(documents, return_inverse=True)[1] % 2 == 0
    statistics = bank.statistics
    order = pruning_order("frequency", bank.statistics.counts.sum(axis=0).astype(np.float64))

    @cache
    def laws_of() -> tuple[Array, Array]:
        pair: tuple[Any, Any] = (
            laws.softmax(bank.target(context_numbers).astype(np.float64)),
            draft_laws(bank, bank.draft(context_numbers)),
        )
        p, q = (laws.normalise(law.astype(np.float64)) for law in pair)
        return p, q

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        p, q = laws_of()
        acceptances = _judged(p, q, keep_first(order, cell["kept"]), statistics.mean / statistics.mean.sum(), halves)
        row_slice = slice(rows.numbers.start, rows.numbers.stop)
        return {
            name: value[row_slice] for name, value in {**acceptances, "document": documents.astype(np.float64)}.items()
        }

    kept_counts = dict.fromkeys(max(1, round(share * bank.vocab)) for share in shares)
    return Study(
        name="static-halves",
        question="Do fixed probabilities fitted on other documents beat TLI mixed with the mean law?",
        grid=tuple({"data": data, "vocab": bank.vocab, "kept": k, "rows": len(context_numbers)} for k in kept_counts),
        simulate=simulate,
        summary="acceptance rates, exact for each context",
        rows=len(context_numbers),
    )
