"""Quantile plots: order statistics of a position's logits or probabilities beside those of fitted families.

A point of a quantile plot is an order statistic over the quantile that the fitted law has at the same place.  Logits are
given in standard deviations from their mean, position by position, so that positions can be averaged; probabilities as
multiples of 1/V.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import needs
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array, softmax
from simspec.studies.rdk.logit_shape import fit_normal, fit_student, ks_distance

__all__ = ["KINDS", "Source", "compare", "places", "quantile_plots"]

KINDS = ("logits", "probabilities")


class Source(NamedTuple):
    """Where logits come from: the rows asked for, under a key; the document of each row, or None where independent."""

    logits: Callable[[range, int], Any]
    documents: ArrayLike | None
    cell: Mapping[str, Any]


def places(size: int, points: int = 41) -> NDArray[np.intp]:
    """Order statistics, from the smallest to the largest, that are evenly spaced for a normal sample.

    >>> places(1001, 3).tolist()
    [0, 500, 1000]
    """
    (special,) = needs("quantiles", "scipy.special")
    last = float(special.ndtri(1 - 0.5 / size))
    unrounded = special.ndtr(np.linspace(-last, last, points)) * size - 0.5
    return np.unique(unrounded.round().astype(np.intp).clip(0, size - 1))


def compare(x: ArrayLike) -> Values:
    r"""Order statistics of each row of x (n, V) and those of the normal and the Student-t fitted to it.

    The i-th of V is set beside the fitted quantile at (i + 1/2)/V.  With them: location, scale and 1/df of the
    Student-t (0 stands for a normal), its gain in Akaike's criterion, and both Kolmogorov-Smirnov distances.

    >>> from scipy.stats import norm
    >>> made = compare([norm.ppf((np.arange(2000) + 0.5) / 2000)])
    >>> bool(abs(made["observed"] - made["normal"]).max() < 0.01), made["inverse df"].round(3).tolist()
    (True, [0.0])
    """
    (special,) = needs("quantiles", "scipy.special")
    ndtr = special.ndtr
    ndtri = special.ndtri
    stdtr = special.stdtr
    stdtrit = special.stdtrit
    rows = np.asarray(x, dtype=np.float64)
    at = places(rows.shape[-1])
    share = (at + 0.5) / rows.shape[-1]
    normal = fit_normal(rows)
    student = fit_student(rows)

    def of_student(z: Array) -> Array:
        return stdtr(student.df[:, None], (z - student.location[:, None]) / student.scale[:, None])

    def of_normal(z: Array) -> Array:
        return ndtr((z - normal.location[:, None]) / normal.scale[:, None])

    return {
        "observed": np.sort(rows, axis=-1)[:, at],
        "normal": normal.location[:, None] + normal.scale[:, None] * ndtri(share),
        "student": student.location[:, None] + student.scale[:, None] * stdtrit(student.df[:, None], share),
        "location": student.location,
        "scale": student.scale,
        "inverse df": 1 / student.df,
        "aic gain": normal.aic(2) - student.aic(3),
        "ks normal": ks_distance(rows, of_normal),
        "ks student": ks_distance(rows, of_student),
    }


def _units(z: Array, kind: str) -> Array:
    """Logits in standard deviations from their mean, or probabilities as multiples of 1/V."""
    if kind == "probabilities":
        return softmax(z) * z.shape[-1]
    return (z - z.mean(axis=-1, keepdims=True)) / z.std(axis=-1, keepdims=True)


def quantile_plots(sources: Mapping[str, Source], kind: str, rows: int) -> Study:
    """Quantile plots of each source, one row a position.

    Parameters
    ----------
    sources : sources by name
    kind : one of `KINDS`
    rows : int

    Raises ValueError for another kind.

    >>> quantile_plots({}, "laws", 1)
    Traceback (most recent call last):
    ...
    ValueError: kind: 'laws'; expected one of logits, probabilities
    """
    if kind not in KINDS:
        raise ValueError(f"kind: {kind!r}; expected one of {', '.join(KINDS)}")

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        logits, documents, _ = sources[cell["source"]]
        z = np.asarray(logits(rows.numbers, rows.key), dtype=np.float64)
        numbers = np.asarray(rows.numbers)
        document = numbers if documents is None else np.asarray(documents)[numbers]
        return compare(_units(z, kind)) | {"document": document.astype(np.float64)}

    return Study(
        name="quantile-plots",
        question=f"Which family has the quantiles of a position's {kind}?",
        grid=tuple({"source": name, "kind": kind, **source.cell} for name, source in sources.items()),
        simulate=simulate,
        summary="order statistics and fitted quantiles of each position",
        rows=rows,
    )
