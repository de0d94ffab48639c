"""The best fixed masses on pruned tokens beside every other scheme, on the contexts of a bank.

Fixed masses are found by `simspec.methods.rdk.static.static_mixture` twice: for the contexts on which they are measured,
which no other fixed masses can exceed there, and, as one would have to use them, for the other half of the documents.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array, overlap
from simspec.logits.bank import Bank
from simspec.methods.rdk.pruning import keep_first, pruning_order
from simspec.methods.rdk.static import static, static_mixture
from simspec.studies.pairs import bank_laws
from simspec.studies.rdk.real_pruning import real_pruning

__all__ = ["fitted", "static_gain"]


def fitted(p: Array, q: Array, shared: Array, halves: Array) -> tuple[Array, Array]:
    """Acceptance of each context under the best fixed masses: those for all contexts, those for the other half.

    Parameters
    ----------
    p, q : laws (N, V)
    shared : bool array (V,)
    halves : bool array (N,); which half a context is in, both not empty

    For the two contexts together nothing is worth putting outside; for the first alone one half is, which the second lacks:

    >>> p = np.array([[0.5, 0.5], [1.0, 0.0]])
    >>> [x.tolist() for x in fitted(p, p, np.array([True, False]), np.array([True, False]))]
    [[0.5, 1.0], [0.5, 0.5]]
    """
    in_sample = overlap(p, static(shared, static_mixture(p, q, shared).extra).propose(q))
    cross_fitted = np.empty(len(p))
    for half in (halves, ~halves):
        extra = static_mixture(p[~half], q[~half], shared).extra
        cross_fitted[half] = overlap(p[half], static(shared, extra).propose(q[half]))
    return in_sample, cross_fitted


def _simulate(bank: Bank, plain: Study, cell: Cell, rows: Rows, device: str) -> Values:
    assert bank.statistics is not None
    counts = bank.statistics.counts.sum(axis=0).astype(np.float64)
    shared = keep_first(pruning_order(cell["order"], counts), cell["kept"])
    p, q = bank_laws(bank)
    halves = np.unique(np.asarray(bank.documents), return_inverse=True)[1] % 2 == 0
    in_sample, cross_fitted = fitted(p, q, shared, halves)
    row_slice = slice(rows.numbers.start, rows.numbers.stop)
    return {
        **plain.simulate(cell, rows, device),
        "static known": in_sample[row_slice],
        "static other": cross_fitted[row_slice],
    }


def static_gain(bank: Bank, name: str, shares: tuple[float, ...], orders: tuple[str, ...]) -> Study:
    """Acceptance of every scheme of `real_pruning` and of the best fixed masses, a cell for each share and order.

    Values of a context: those of `real_pruning`; ``static known``, with the best masses for all these contexts; ``static
    other``, with those for the other half of the documents.

    Parameters
    ----------
    bank : Bank; with a draft, statistics and tuning contexts
    name : what the bank is, for the cells
    shares : shares of the vocabulary that are kept
    orders : "frequency" or "worst", as in `real_pruning`
    """
    plain = real_pruning(bank, name, shares, beyond=None)
    return replace(
        plain,
        name="static-gain",
        question="How much do the best fixed probabilities for pruned tokens gain over every other scheme?",
        grid=tuple(cell for cell in plain.grid if cell["order"] in orders),
        simulate=lambda cell, rows, device: _simulate(bank, plain, cell, rows, device),
    )
