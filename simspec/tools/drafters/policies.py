r"""Policies that choose among drafts, run on recorded rows: their acceptance and their regret.

The steps are the contexts of a comparison, in the order of each document's text; documents arrive in an order that is drawn by
lot.  Regret is averaged over orders.  Its interval is over orders: these documents, in any order.  It does not say what other
documents would do.  What is not here: the policies (`simspec.methods.selection`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simspec.checks import whole_number
from simspec.engine.estimates.intervals import bonferroni, student
from simspec.kernels import random as philox
from simspec.laws import Array
from simspec.methods.selection import POLICIES, Policy, policy
from simspec.tools.drafters.table import Choice, DraftsTable, PoliciesTable
from simspec.tools.rates.compute import Progress

__all__ = ["ORDERS", "document_orders", "run_policies"]

ORDERS = 100
"""Orders of the documents that are drawn where no number is given."""
AT_A_TIME = 2**21
"""Entries of acceptance that are run at a time."""


def document_orders(document: Array, position: Array | None, orders: int, seed: int) -> Array:
    """Numbers of the rows (orders, n): whole documents in orders drawn by lot, the rows of each in the order of its text.

    >>> document_orders(np.array([7, 7, 3]), np.array([1, 0, 0]), 4, seed=2).tolist()
    [[1, 0, 2], [1, 0, 2], [2, 1, 0], [1, 0, 2]]
    """
    labels, index = np.unique(document, return_inverse=True)
    lots = philox.uniform(philox.make_key(seed, "orders of documents", len(labels)), range(orders), range(len(labels)))
    place = np.arange(len(index)) if position is None else position
    return np.stack([np.lexsort((place, index, lot[index])) for lot in lots])


def run_policies(
    table: DraftsTable,
    policies: Sequence[str | Policy] = tuple(POLICIES),
    orders: int = ORDERS,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
) -> PoliciesTable:
    """Acceptance and regret of policies on the rows of a comparison.

    Parameters
    ----------
    table : from `draft_rates`
    policies : names such as ``ucb`` and ``explore:20``, or `Policy`; by default all of `simspec.methods.selection.POLICIES`
    orders : int >= 2; orders of the documents
    seed : int >= 0, of the orders; every policy runs on the same ones
    level : in (0, 1), at which all intervals of the table hold together
    progress : (what is orders_run, how much of it, of how much) -> None, optional

    Raises ValueError for a name that is no policy, one that is listed twice, and numbers out of range.

    >>> from simspec.tools.drafters import draft_rates
    >>> laws = np.array([[0.5, 0.5]] * 2)
    >>> table = draft_rates({"p": laws}, {"sure": np.array([[1, 0]] * 2), "even": laws})
    >>> row = run_policies(table, ["explore:1"])[0]
    >>> row.acceptance.estimate, row.fixed.estimate, row.segment.estimate
    (0.75, 0.25, 0.25)
    """
    selection = [item if isinstance(item, Policy) else policy(item) for item in policies]
    names = [item.name for item in selection]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"policies: {', '.join(names) or 'none'}; expected different ones of {', '.join(POLICIES)}")
    whole_number("orders", orders, 2, 10**6)
    comparison = table.comparison
    document = comparison.pairs.document
    acceptance = comparison.accepted.clip(0, 1)  # a sum of masses may round to more than 1
    fixed_best, segment_best = _in_hindsight(acceptance, document)
    rates = np.empty((len(selection), orders))
    orders_run = 0
    for rows in _some(document_orders(document, comparison.pairs.position, orders, seed), acceptance.shape[1]):
        accepted = acceptance[rows]
        for number, item in enumerate(selection):
            weights = item.weights(accepted)
            rates[number, orders_run : orders_run + len(rows)] = (weights * accepted).sum(axis=-1).mean(axis=-1)
        orders_run += len(rows)
        if progress is not None:
            progress("running policies", orders_run, orders)
    each_level = bonferroni(level, 3 * len(selection))
    choices = []
    for item, values in zip(selection, rates, strict=True):
        intervals = [
            student(column, each_level)._replace(level=level)
            for column in (values, fixed_best - values, segment_best - values)
        ]
        choices.append(Choice(item.name, item.is_full, *intervals))
    return PoliciesTable(choices, table, orders, seed)


def _in_hindsight(accepted: Array, document: Array) -> tuple[float, float]:
    """Mean acceptance of the best draft for all rows, and of the best draft of each document."""
    _, index = np.unique(document, return_inverse=True)
    sums = np.stack([np.bincount(index, column) for column in accepted.T], axis=1)
    return float(sums.sum(axis=0).max() / len(accepted)), float(sums.max(axis=1).sum() / len(accepted))


def _some(rows: Array, drafts: int) -> Iterator[Array]:
    """The orders, so many at a time that acceptance by order, row and draft stays small."""
    step = max(1, AT_A_TIME // (rows.shape[1] * drafts))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
