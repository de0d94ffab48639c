"""Upper quantiles of a position's probabilities over the vocabulary, beside those of the Student-t fitted to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simspec.checks import needs
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import softmax
from simspec.studies.rdk.logit_shape import fit_student

__all__ = ["LEVELS", "beyond_student", "probability_tails"]

LEVELS = (0.99, 0.999)
"""Upper levels beside the largest of V probabilities, which stands at 1 − 1/(2V)."""


def beyond_student(x: ArrayLike) -> Values:
    """For rows (n, V): the logarithm of each upper quantile's distance from the centre over that of the fitted Student-t.

    Above 0 the row has the heavier tail there.  Distances are from the fitted location; the fit is by maximum likelihood.

    >>> from scipy.stats import t
    >>> found = beyond_student(t.ppf((np.arange(5000) + 0.5) / 5000, 5)[None])
    >>> {name: abs(float(value[0])) < 0.05 for name, value in found.items() if name != "df"}
    {'0.99': True, '0.999': True, 'largest': True}
    """
    rows = np.atleast_2d(np.asarray(x, dtype=np.float64))
    fit = fit_student(rows)
    quantile = needs("quantiles of a Student-t", "scipy.special")[0].stdtrit
    largest = 1 - 0.5 / rows.shape[1]
    ordered = {f"{level:g}": (level, np.quantile(rows, level, axis=1)) for level in LEVELS}
    ordered["largest"] = (largest, rows.max(axis=1))
    values: Values = {"df": fit.df}
    for name, (level, observed) in ordered.items():
        theirs = np.log(fit.scale) + np.log(quantile(fit.df, level))
        values[name] = np.log(np.maximum(observed - fit.location, 1e-300)) - theirs
    return values


def probability_tails(sources: dict[str, tuple[Callable[[range, int], Any], Any, dict[str, Any]]], rows: int) -> Study:
    """`beyond_student` of the probabilities of each position, for each named source, as in `logit_shape`.

    >>> study = probability_tails({"line": (lambda numbers, key: np.arange(9.0)[None] ** 2, None, {})}, rows=1)
    >>> study.grid
    ({'source': 'line'},)
    """

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        logits, document, _ = sources[cell["source"]]
        numbers = np.arange(rows.numbers.start, rows.numbers.stop)
        row_documents = numbers if document is None else np.asarray(document)[rows.numbers]
        laws = softmax(np.asarray(logits(rows.numbers, rows.key), dtype=np.float64))  # those that `describe` fits
        return beyond_student(laws) | {"document": row_documents.astype(np.float64)}

    return Study(
        name="probability-tails",
        question="Is the upper tail of a position's probabilities heavier than that of the Student-t fitted to them?",
        grid=tuple({"source": name, **cell} for name, (_, _, cell) in sources.items()),
        simulate=simulate,
        summary="upper quantiles over those of the fit, logarithms",
        rows=rows,
    )
