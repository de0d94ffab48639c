"""Where the logits and the probabilities of a position lie: moments and extremes of each, one row a position.

Raw logits carry a constant that softmax ignores: their mean and maximum say nothing about the law, their distance does.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import softmax
from simspec.logits.bank import Bank

__all__ = ["positions", "statistics"]


def statistics(z: ArrayLike) -> Values:
    """Mean, standard deviation and maximum of logits (n, V), and those and the minimum of their probabilities.

    >>> found = statistics([[0.0, 0.0, 0.0, np.log(5.0)]])
    >>> found["probability max"].round(6).tolist(), found["probability mean"].tolist()
    ([0.625], [0.25])
    """
    rows = np.asarray(z, dtype=np.float64)
    p = softmax(rows)
    return {
        "logit mean": rows.mean(axis=-1),
        "logit sd": rows.std(axis=-1),
        "logit max": rows.max(axis=-1),
        "probability mean": p.mean(axis=-1),
        "probability sd": p.std(axis=-1),
        "probability min": p.min(axis=-1),
        "probability max": p.max(axis=-1),
    }


def positions(banks: Mapping[str, Bank], rows: int) -> Study:
    """Statistics of the raw target logits of each bank's first contexts, with their documents.

    >>> from simspec.logits import open_bank
    >>> positions({"gpt2": open_bank("gpt2")}, rows=300).grid
    ({'bank': 'gpt2', 'vocab': 50257, 'rows': 5},)
    """

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        bank = banks[cell["bank"]]
        row_slice = slice(rows.numbers.start, rows.numbers.stop)
        return statistics(bank.target(row_slice, raw=True)) | {"document": bank.documents[row_slice].astype(np.float64)}

    return Study(
        name="position-statistics",
        question="What are the moments and the extremes of the logits and probabilities of a position?",
        grid=tuple({"bank": n, "vocab": b.vocab, "rows": min(rows, b.contexts)} for n, b in banks.items()),
        simulate=simulate,
        summary="moments and extremes of each position",
        rows=rows,
    )
