"""Which share of a bank's steps a divergence certifies for each criterion, beside the share that is truly accepted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from simspec import certificates
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array
from simspec.logits.bank import Bank
from simspec.studies.pairs import bank_laws

__all__ = ["BRANCHES", "CRITERIA", "LOW_MARGIN", "certified_steps"]

CRITERIA: dict[str, Callable[[Array], Array]] = {
    "strict": certificates.rejects_beyond_top,
    "additive 0.1": partial(certificates.rejects_additive, margin=0.1),
    "multiplicative 1/2": partial(certificates.rejects_multiplicative, factor=0.5),
    "top 3": partial(certificates.rejects_beyond_top, m=3),
    "typical": certificates.rejects_below_entropy,
}
"""Criteria as sets of rejected tokens, by name."""
BRANCHES = (2, 4)
"""Numbers of branches of the greedy trees."""
LOW_MARGIN = 0.2
"""Margins of probability up to this count as low."""


def certified_steps(bank: Bank, label: str, rows: int | None = None, temperature: float = 1.0) -> Study:
    """Of each context of a bank: whether each criterion's draft is certified, and whether it is accepted.

    Values: ``certified NAME`` and ``accepted NAME`` for the names of `CRITERIA` and for ``tree m``; ``low`` (1 where the target's
    margin is at most `LOW_MARGIN`) and ``document``.

    Parameters
    ----------
    bank : a pair
    label : what it is called in the cells
    rows : how many contexts, the first ones; all of them by default
    temperature : of both models
    """
    count = bank.contexts if rows is None else min(rows, bank.contexts)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        """Both laws of the contexts, their divergence, and a column for each criterion."""
        at = np.asarray(rows.numbers)
        p, q = bank_laws(bank, at, float(cell["temperature"]))
        top_two = -np.partition(-p, 1, axis=-1)[:, :2]
        columns: Values = {
            "document": np.asarray(bank.documents, dtype=np.float64)[at],
            "low": (top_two[:, 0] - top_two[:, 1] <= LOW_MARGIN).astype(float),
        }
        divergence = certificates.kl_divergence(p, q)
        drafts = np.argsort(-q, axis=-1, kind="stable")
        for name, rejects in CRITERIA.items():
            rejected = rejects(p)
            columns[f"certified {name}"] = (divergence < certificates.kl_radius(p, rejected)).astype(float)
            columns[f"accepted {name}"] = 1.0 - np.take_along_axis(rejected, drafts[:, :1], axis=-1)[:, 0]
        for m in BRANCHES:
            columns[f"certified tree {m}"] = (divergence < certificates.tree_radius(p, m)).astype(float)
            columns[f"accepted tree {m}"] = _covered(p, drafts[:, :m])
        return columns

    return Study(
        name="certified-steps",
        question="Which share of greedy drafts does a divergence certify, and which share is accepted?",
        grid=({"data": label, "vocab": bank.vocab, "rows": count, "temperature": temperature},),
        simulate=simulate,
        summary="steps certified and steps accepted, by criterion",
        rows=count,
    )


def _covered(p: Array, drafts: Array) -> Array:
    return (drafts == np.argmax(p, axis=-1)[:, None]).any(axis=-1).astype(float)
